//! An engine without V8, for tests of the router: sessions are threads that interpret
//! small scripts, one step a line. See [`script`] for the steps.
//!
//! Stopping, queues, host calls and counts go through the same [`Mailbox`], [`CallTable`],
//! [`Terminator`] and [`Counters`] as in the real engine.
//!
//! `argv` of a session says how opening goes: `no-thread`, `open-fails`, `open-waits`
//! (until [`FakeEngine::gate`] is opened) or `open-stuck`; anything else opens at once.

mod script;

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use protocol::frame::CallTarget;
use protocol::frame::Code;
use protocol::{
    LimitKind, LimitReport, Outcome, Reason, RequestId, SessionStats, SnapshotKey, Usage, Value,
};

use crate::{
    CallTable, Counters, Engine, EventSender, ExitReason, Gauges, Mailbox, OpenError, OpenSpec,
    Received, SendError, SessionCommand, SessionEvent, SessionHandle, SnapshotImage, StopReason,
    Terminator, Wants,
};

use self::script::{End, Interpreter};

/// Runs sessions without V8.
#[derive(Debug, Default)]
pub struct FakeEngine {
    snapshots: Mutex<HashSet<SnapshotKey>>,
    gate: Arc<Gate>,
}

impl FakeEngine {
    /// What `open-waits` and the step `gate` wait for.
    pub fn gate(&self) -> Arc<Gate> {
        Arc::clone(&self.gate)
    }
}

impl Engine for FakeEngine {
    fn open(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError> {
        if spec.argv.iter().any(|arg| arg == "no-thread") {
            return Err(OpenError::NoThread);
        }
        if let Some(key) = spec.snapshot
            && !self.snapshots().contains(&key)
        {
            return Err(OpenError::UnknownSnapshot(key));
        }
        let mailbox = Arc::new(Mailbox::default());
        let bell = Arc::clone(&mailbox);
        let names = spec.functions.iter().map(|f| f.name.clone()).collect();
        let shared = Arc::new(Shared {
            terminator: Terminator::new(move |_| bell.interrupt()),
            mailbox,
            calls: CallTable::new(spec.limits.host_calls_in_flight),
            counters: Counters::new(names),
        });
        let session = Session {
            shared: Arc::clone(&shared),
            gate: self.gate(),
            events,
            spec,
        };
        thread::Builder::new()
            .name(format!("session-{}", session.spec.session))
            .spawn(move || session.run())
            .map_err(|_| OpenError::NoThread)?;
        Ok(Box::new(FakeHandle { shared }))
    }

    fn add_snapshot(&self, image: SnapshotImage) -> Result<(), OpenError> {
        if image.blob.is_empty() {
            return Err(OpenError::BadSnapshot("the blob is empty"));
        }
        self.snapshots().insert(image.key);
        Ok(())
    }

    fn n_snapshots(&self) -> usize {
        self.snapshots().len()
    }

    fn version(&self) -> String {
        "fake".to_owned()
    }
}

impl FakeEngine {
    fn snapshots(&self) -> std::sync::MutexGuard<'_, HashSet<SnapshotKey>> {
        self.snapshots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Holds threads back until a test lets them go.
#[derive(Debug, Default)]
pub struct Gate {
    is_open: Mutex<bool>,
    bell: Condvar,
}

impl Gate {
    /// Lets everyone pass, now and later.
    pub fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.notify_all();
    }

    /// Waits until the gate is open.
    pub fn pass(&self) {
        let mut is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        while !*is_open {
            is_open = self
                .bell
                .wait(is_open)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// What the handle and the thread share.
#[derive(Debug)]
struct Shared {
    mailbox: Arc<Mailbox<Infallible>>,
    calls: CallTable,
    terminator: Terminator,
    counters: Counters,
}

#[derive(Debug)]
struct FakeHandle {
    shared: Arc<Shared>,
}

impl SessionHandle for FakeHandle {
    fn try_send(&self, command: SessionCommand) -> Result<(), SendError> {
        let SessionCommand::Reply { call, reply } = command else {
            return self.shared.mailbox.send(command);
        };
        let open = self.shared.calls.take(call).ok_or(SendError::UnknownCall)?;
        self.shared.mailbox.answer(call, open, reply);
        Ok(())
    }

    fn cancel(&self, request: RequestId) {
        self.shared.terminator.cancel(request);
    }

    fn cancel_running(&self) {
        self.shared.terminator.close();
    }

    fn withdraw(&self, request: RequestId) -> bool {
        self.shared.mailbox.withdraw(request)
    }

    fn gauges(&self) -> Gauges {
        self.shared.counters.gauges(self.shared.calls.len())
    }

    fn stats(&self) -> SessionStats {
        self.shared.counters.snapshot()
    }
}

/// One session, on its own thread.
#[derive(Debug)]
struct Session {
    shared: Arc<Shared>,
    gate: Arc<Gate>,
    events: EventSender,
    spec: OpenSpec,
}

impl Session {
    fn run(self) {
        for arg in &self.spec.argv {
            match arg.as_str() {
                "open-waits" => self.gate.pass(),
                "open-stuck" => park_for_good(),
                "open-fails" => {
                    let reason = Reason::OpenFailed;
                    let message = "argv says so".to_owned();
                    self.shared.mailbox.shut();
                    return self
                        .events
                        .send(SessionEvent::OpenFailed { reason, message });
                }
                _ => {}
            }
        }
        self.events.send(SessionEvent::Opened { open_us: 1 });
        let reason = self.serve();
        let waiting = self.shared.mailbox.shut();
        drop(waiting);
        let stats = Box::new(self.shared.counters.snapshot());
        let is_parked = reason == ExitReason::EngineOom;
        self.events.send(SessionEvent::Exited { reason, stats });
        if is_parked {
            park_for_good();
        }
    }

    fn serve(&self) -> ExitReason {
        loop {
            let (request, script, input) = match self.shared.mailbox.wait(Wants::Commands, None) {
                Received::Command(SessionCommand::Execute { request, execute }) => {
                    (request, text_of(&execute.code), execute.input)
                }
                Received::Command(SessionCommand::Call { request, call }) => {
                    let script = match call.target {
                        CallTarget::Global { name } | CallTarget::Export { name, .. } => name,
                    };
                    (request, script, call.args)
                }
                Received::Command(SessionCommand::Close { request }) => {
                    return ExitReason::Closed(request);
                }
                _ => continue,
            };
            if let Err(reason) = self.request(request, &script, input) {
                return reason;
            }
        }
    }

    fn request(&self, request: RequestId, script: &str, input: Value) -> Result<(), ExitReason> {
        let started = Instant::now();
        self.shared.terminator.begin(request);
        let interpreter = Interpreter {
            session: self,
            request,
        };
        let ended = interpreter.run(script, input);
        let stop = self.shared.terminator.finish();
        self.shared.mailbox.clear_interrupt();
        self.shared.calls.clear();
        self.shared.mailbox.forget_replies();
        self.shared.counters.request(Duration::from_micros(1));
        let outcome = match (stop, ended) {
            (_, Err(End::Session(reason))) => return Err(reason),
            (Some(StopReason::Limit(report)), _) => Outcome::LimitExceeded(report),
            (Some(_), _) | (None, Err(End::Interrupted)) => Outcome::Cancelled,
            (None, Err(End::Threw(error))) => Outcome::Exception(*error),
            (None, Err(End::OverCpu)) => {
                Outcome::LimitExceeded(LimitReport::new(LimitKind::Cpu, 1, 2))
            }
            (None, Ok(value)) => Outcome::Ok(value),
        };
        let usage = Usage {
            wall_us: crate::micros(started.elapsed()),
            ..Usage::default()
        };
        self.events.send(SessionEvent::Finished {
            request,
            outcome,
            usage,
        });
        Ok(())
    }
}

fn text_of(code: &Code) -> String {
    match code {
        Code::Script { source, .. } | Code::Module { source, .. } => {
            String::from_utf8_lossy(source).into_owned()
        }
        Code::Import { specifier } => specifier.clone(),
    }
}

/// A thread that nothing can stop: what a guest in a native loop looks like from outside.
fn park_for_good() {
    loop {
        thread::park();
    }
}
