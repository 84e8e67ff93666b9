//! Sessions of the real engine, driven through the seam.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use host_bridge::{Engine, EventSender, OpenSpec, SessionCommand, SessionEvent, SessionHandle};
use protocol::frame::{Code, Execute, Reply, Until};
use protocol::{
    CallMode, EnvVar, HostFunction, Limits, Outcome, RequestId, Root, SessionId, Usage, Value,
    ValueFormat,
};
use runtime::{EngineOptions, Platform, ThreadEngine};

/// No wait of a test lasts longer.
const DEADLINE: Duration = Duration::from_secs(20);

/// V8, initialised once by the first test thread that needs it.
pub(crate) fn platform() -> &'static Platform {
    static PLATFORM: OnceLock<Platform> = OnceLock::new();
    PLATFORM.get_or_init(|| Platform::init().unwrap())
}

/// The engine of this test process.
pub(crate) fn engine() -> &'static ThreadEngine {
    static ENGINE: OnceLock<ThreadEngine> = OnceLock::new();
    ENGINE.get_or_init(|| ThreadEngine::new(platform(), EngineOptions::default()).unwrap())
}

/// A session and what it reports.
pub(crate) struct Session {
    pub(crate) handle: Box<dyn SessionHandle>,
    events: Receiver<SessionEvent>,
    next_request: u64,
    /// Everything printed so far.
    pub(crate) output: String,
    /// Guest events so far.
    pub(crate) guest_events: Vec<protocol::frame::GuestEvent>,
}

/// The spec that tests start from.
pub(crate) fn spec(id: u32) -> OpenSpec {
    OpenSpec {
        session: SessionId::new(id),
        snapshot: None,
        roots: Vec::new(),
        limits: Limits::DEFAULT,
        env: vec![EnvVar {
            name: "WHO".into(),
            value: format!("session {id}"),
        }],
        argv: vec!["node".into(), "main.js".into()],
        cwd: "/app".into(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        functions: Vec::new(),
        isolation: protocol::Isolation::Thread,
    }
}

pub(crate) fn root(host: &std::path::Path) -> Root {
    Root {
        host: host.display().to_string(),
        guest: "/app".into(),
    }
}

pub(crate) fn function(name: &str, mode: CallMode) -> HostFunction {
    HostFunction {
        name: name.into(),
        mode,
        format: ValueFormat::Json,
    }
}

impl Session {
    pub(crate) fn open(spec: OpenSpec) -> Session {
        let (send, events) = channel();
        let send = Mutex::new(send);
        let events_in = EventSender::new(move |event| {
            let _ = send.lock().unwrap().send(event);
        });
        let handle = engine().open(spec, events_in).unwrap();
        let session = Session {
            handle,
            events,
            next_request: 1,
            output: String::new(),
            guest_events: Vec::new(),
        };
        match session.event() {
            SessionEvent::Opened { .. } => session,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn event(&self) -> SessionEvent {
        self.events.recv_timeout(DEADLINE).unwrap()
    }

    pub(crate) fn send(&mut self, code: Code, until: Until) -> RequestId {
        let request = RequestId::new(self.next_request);
        self.next_request += 1;
        let execute = Execute {
            code,
            until,
            result: ValueFormat::Json,
            input: Value::Undefined,
        };
        self.handle
            .try_send(SessionCommand::Execute { request, execute })
            .unwrap();
        request
    }

    /// Runs until the request's end; host calls are answered by `host`.
    pub(crate) fn finish(
        &mut self,
        request: RequestId,
        mut host: impl FnMut(&str, &str) -> Option<Reply>,
    ) -> (Outcome, Usage) {
        loop {
            match self.event() {
                SessionEvent::Finished {
                    request: finished,
                    outcome,
                    usage,
                } => {
                    assert_eq!(finished, request);
                    return (outcome, usage);
                }
                SessionEvent::HostCall {
                    call, method, args, ..
                } => {
                    let args = String::from_utf8(args.bytes().to_vec()).unwrap();
                    if let Some(reply) = host(&method, &args) {
                        self.handle
                            .try_send(SessionCommand::Reply { call, reply })
                            .unwrap();
                    }
                }
                SessionEvent::Output { text, .. } => {
                    self.output += std::str::from_utf8(&text).unwrap();
                }
                SessionEvent::Guest(event) => self.guest_events.push(event),
                other => panic!("{other:?}"),
            }
        }
    }

    /// Sends a script, unless the session is over.
    pub(crate) fn try_script(&mut self, source: &str) {
        let execute = Execute {
            code: Code::Script {
                name: "main.js".into(),
                source: source.to_owned().into(),
            },
            until: Until::Settled,
            result: ValueFormat::Json,
            input: Value::Undefined,
        };
        let request = RequestId::new(self.next_request);
        self.next_request += 1;
        let _ = self
            .handle
            .try_send(SessionCommand::Execute { request, execute });
    }

    pub(crate) fn script(&mut self, source: &str) -> Outcome {
        let code = Code::Script {
            name: "main.js".into(),
            source: source.to_owned().into(),
        };
        let request = self.send(code, Until::Settled);
        self.finish(request, |_, _| None).0
    }

    pub(crate) fn import(&mut self, specifier: &str) -> (Outcome, Usage) {
        let code = Code::Import {
            specifier: specifier.into(),
        };
        let request = self.send(code, Until::Drained);
        self.finish(request, |_, _| None)
    }
}

/// The JSON text of an outcome that is a value; anything else fails the test.
pub(crate) fn json(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Ok(Value::Json(text)) => String::from_utf8(text.to_vec()).unwrap(),
        Outcome::Ok(Value::Undefined) => "undefined".into(),
        other => panic!("{other:?}"),
    }
}
