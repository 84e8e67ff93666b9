//! A host for tests: sends frames, expects frames, and never waits for ever.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use host_bridge::fake::{FakeEngine, Gate};
use protocol::frame::{
    CalledFrame, CloseSession, Code, Execute, GoAway, Hello, HostReply, Kind, OpenSession,
    OutcomeFrame, Ping, Refused, Reply, Reset, SessionClosed, Until,
};
use protocol::{
    Blob, CallMode, Decoded, FrameDecoder, HostFrame, HostFunction, LimitsRequest, Outcome, Reason,
    RequestId, SessionId, SidecarFrame, Value, ValueFormat,
};
use sidecar::{Config, ExitCode, TraceLevel, Transport, new_runtime, serve};

/// Nothing that a test waits for takes longer, even on a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

pub struct Host {
    to_sidecar: UnixStream,
    from_sidecar: Option<UnixStream>,
    decoder: FrameDecoder<SidecarFrame>,
    buffer: BytesMut,
    stash: VecDeque<Frame>,
    n_read: usize,
    exit: Receiver<ExitCode>,
    pub gate: Arc<Gate>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    pub session: u32,
    pub request: u64,
    pub frame: SidecarFrame,
}

impl Host {
    /// A sidecar that has said `Welcome`.
    pub fn start() -> Host {
        Host::start_with(|_| {})
    }

    pub fn start_with(change: impl FnOnce(&mut Config)) -> Host {
        let mut host = Host::connect(change);
        host.hello(0);
        host
    }

    /// A sidecar that waits for `Hello`.
    pub fn connect(change: impl FnOnce(&mut Config)) -> Host {
        let mut config = Config {
            trace: TraceLevel::Off,
            grace: Duration::from_millis(300),
            ..Config::default()
        };
        change(&mut config);
        let (to_sidecar, input) = UnixStream::pair().unwrap();
        let (from_sidecar, output) = UnixStream::pair().unwrap();
        from_sidecar.set_read_timeout(Some(DEADLINE)).unwrap();
        to_sidecar.set_write_timeout(Some(DEADLINE)).unwrap();
        let engine = Box::new(FakeEngine::default());
        let gate = engine.gate();
        let (code, exit) = sync_channel(1);
        std::thread::Builder::new()
            .name("sidecar".to_owned())
            .spawn(move || {
                let runtime = new_runtime().unwrap();
                let transport = Transport::new(input.into(), output.into()).unwrap();
                let task = async { tokio::spawn(serve(engine, transport, config)).await };
                let ended = runtime.block_on(task).unwrap();
                runtime.shutdown_background();
                code.send(ended).unwrap();
            })
            .unwrap();
        Host {
            to_sidecar,
            from_sidecar: Some(from_sidecar),
            decoder: FrameDecoder::new(),
            buffer: BytesMut::new(),
            stash: VecDeque::new(),
            n_read: 0,
            exit,
            gate,
        }
    }

    pub fn hello(&mut self, max_frame: u32) -> protocol::frame::Welcome {
        self.send(0, 1, hello(4, 4, max_frame));
        let SidecarFrame::Welcome(welcome) = self.expect(0, 1) else {
            panic!("no Welcome");
        };
        self.decoder.set_max_body(welcome.max_frame);
        welcome
    }

    pub fn send(&mut self, session: u32, request: u64, frame: impl Into<HostFrame>) {
        let bytes = encoded(session, request, frame);
        self.send_bytes(&bytes);
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.to_sidecar.write_all(bytes).unwrap();
    }

    /// Bytes that were read so far.
    pub fn n_read(&self) -> usize {
        self.n_read
    }

    /// Sends what somebody takes within half a second.
    pub fn send_some(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let waits = Some(Duration::from_millis(500));
        self.to_sidecar.set_write_timeout(waits).unwrap();
        let sent = self.to_sidecar.write(bytes);
        self.to_sidecar.set_write_timeout(Some(DEADLINE)).unwrap();
        sent
    }

    /// The next frame, whatever it is.
    pub fn next(&mut self) -> Frame {
        match self.stash.pop_front() {
            Some(frame) => frame,
            None => self.read().expect("the stream goes on"),
        }
    }

    fn read(&mut self) -> Option<Frame> {
        loop {
            match self.decoder.decode(&mut self.buffer).unwrap() {
                Some(Decoded::Frame(envelope)) => {
                    return Some(Frame {
                        session: envelope.session.get(),
                        request: envelope.request.get(),
                        frame: envelope.frame,
                    });
                }
                Some(Decoded::Rejected(head, err)) => panic!("{head:?}: {err}"),
                None => {}
            }
            let mut chunk = [0; 64 * 1024];
            match self.from_sidecar.as_mut().unwrap().read(&mut chunk) {
                Ok(0) => return None,
                Ok(n) => {
                    self.n_read += n;
                    self.buffer.extend_from_slice(&chunk[..n]);
                }
                Err(err) if err.kind() == ErrorKind::Interrupted => {}
                Err(err) => panic!("no frame in time: {err}"),
            }
        }
    }

    /// The next frame of this session and request; others are kept for later. Host calls
    /// have ids of their own and are others.
    #[track_caller]
    pub fn expect(&mut self, session: u32, request: u64) -> SidecarFrame {
        let is_wanted = |frame: &Frame| {
            (frame.session, frame.request) == (session, request)
                && frame.frame.kind() != Kind::HostCall
        };
        self.wait_for(is_wanted).frame
    }

    /// The next frame that is wanted; others are kept for later.
    #[track_caller]
    pub fn wait_for(&mut self, is_wanted: impl Fn(&Frame) -> bool) -> Frame {
        if let Some(position) = self.stash.iter().position(&is_wanted) {
            return self.stash.remove(position).unwrap();
        }
        loop {
            let frame = self.read().expect("the stream goes on");
            if is_wanted(&frame) {
                return frame;
            }
            self.stash.push_back(frame);
        }
    }

    #[track_caller]
    pub fn expect_refused(&mut self, session: u32, request: u64, reason: Reason) -> Refused {
        match self.expect(session, request) {
            SidecarFrame::Refused(refused) => {
                assert_eq!(refused.reason, reason, "{}", refused.message);
                refused
            }
            other => panic!("{} and no Refused({reason})", other.kind()),
        }
    }

    #[track_caller]
    pub fn expect_outcome(&mut self, session: u32, request: u64) -> Outcome {
        match self.expect(session, request) {
            SidecarFrame::Outcome(OutcomeFrame { outcome, .. })
            | SidecarFrame::Called(CalledFrame { outcome, .. }) => outcome,
            other => panic!("{} and no Outcome", other.kind()),
        }
    }

    #[track_caller]
    pub fn expect_reset(&mut self, session: u32, reason: Reason) -> Reset {
        let frame =
            self.wait_for(|f| f.session == session && matches!(f.frame, SidecarFrame::Reset(_)));
        let SidecarFrame::Reset(reset) = frame.frame else {
            unreachable!();
        };
        assert_eq!(reset.reason, reason, "{}", reset.message);
        reset
    }

    #[track_caller]
    pub fn expect_closed(&mut self, session: u32, request: u64) -> SessionClosed {
        match self.expect(session, request) {
            SidecarFrame::SessionClosed(closed) => closed,
            other => panic!("{} and no SessionClosed", other.kind()),
        }
    }

    /// `GoAway`, the end of the stream, and the exit code.
    #[track_caller]
    pub fn expect_go_away(&mut self, reason: Reason, code: ExitCode) -> GoAway {
        let frame = self.wait_for(|frame| matches!(frame.frame, SidecarFrame::GoAway(_)));
        let SidecarFrame::GoAway(go_away) = frame.frame else {
            unreachable!();
        };
        assert_eq!(go_away.reason, reason, "{}", go_away.message);
        assert_eq!(self.read(), None, "GoAway is the last frame");
        assert_eq!(self.exit_code(), code);
        go_away
    }

    pub fn exit_code(&mut self) -> ExitCode {
        self.exit.recv_timeout(DEADLINE).unwrap()
    }

    /// Opens a session with the host function `f` and waits until it is open.
    pub fn open(&mut self, session: u32) {
        self.send(session, 1000, open(&[]));
        assert!(matches!(
            self.expect(session, 1000),
            SidecarFrame::SessionOpened(_)
        ));
    }

    pub fn execute(&mut self, session: u32, request: u64, script: &str) {
        self.send(session, request, execute(script));
    }

    /// Executes `script`, which says that it has begun.
    pub fn begin(&mut self, session: u32, request: u64, script: &str) {
        self.execute(session, request, &format!("print:begun\n{script}"));
        let frame = self.expect(session, request);
        assert_eq!(frame.kind(), Kind::Output);
    }

    /// Learns that everything sent before has been handled by the router.
    pub fn sync(&mut self) {
        self.send(0, 88_888, Ping { payload: [0; 8] });
        self.expect(0, 88_888);
    }

    /// Asks for an echo, and so learns that everything before has been handled.
    #[track_caller]
    pub fn check_alive(&mut self, session: u32, request: u64) {
        self.execute(session, request, "echo:\"alive\"");
        assert_eq!(self.expect_outcome(session, request), ok("\"alive\""));
    }

    pub fn close(&mut self, session: u32, request: u64) {
        self.send(session, request, CloseSession {});
    }

    pub fn reply(&mut self, session: u32, call: u64, json: &str) {
        let reply = Reply::Ok(Value::Json(Blob::from(json.to_owned())));
        self.send(session, call, HostReply { reply });
    }

    /// Ends standard input.
    pub fn close_input(&mut self) {
        self.to_sidecar.shutdown(Shutdown::Write).unwrap();
    }

    /// Closes standard output.
    pub fn hang_up(&mut self) {
        self.from_sidecar = None;
    }
}

/// How long `what` takes.
pub fn timed<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = what();
    (result, started.elapsed())
}

pub fn encoded(session: u32, request: u64, frame: impl Into<HostFrame>) -> BytesMut {
    let mut bytes = BytesMut::new();
    frame
        .into()
        .encode(SessionId::new(session), RequestId::new(request), &mut bytes)
        .unwrap();
    bytes
}

pub fn hello(min_version: u16, max_version: u16, max_frame: u32) -> Hello {
    Hello {
        min_version,
        max_version,
        client: "test".to_owned(),
        max_frame,
    }
}

/// A session with the asynchronous host function `f` and this `argv`.
pub fn open(argv: &[&str]) -> OpenSession {
    OpenSession {
        snapshot: None,
        roots: Vec::new(),
        limits: LimitsRequest::default(),
        env: Vec::new(),
        argv: argv.iter().map(|arg| (*arg).to_owned()).collect(),
        cwd: "/".to_owned(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        functions: vec![HostFunction {
            name: "f".to_owned(),
            mode: CallMode::Async,
            format: ValueFormat::Json,
        }],
        isolation: protocol::Isolation::Thread,
    }
}

pub fn execute(script: &str) -> Execute {
    Execute {
        code: Code::Script {
            name: "/test.js".to_owned(),
            source: Blob::from(script.to_owned()),
        },
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    }
}

pub fn ok(json: &str) -> Outcome {
    Outcome::Ok(Value::Json(Blob::from(json.to_owned())))
}
