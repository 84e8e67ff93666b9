//! A sidecar that does what a test tells it to, at the other end of two pipes.

use std::fs::File;
use std::io::{Read, Write};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::BytesMut;
use isolate_sidecar_client::{ConnectOptions, Sidecar};
use nix::unistd::pipe;
use protocol::bounds::MAX_FRAME;
use protocol::frame::{
    Envelope, GoAway, HostFrame, OutcomeFrame, SessionClosed, SessionOpened, SidecarFrame, Welcome,
};
use protocol::{
    Decoded, FrameDecoder, Limits, Outcome, Reason, RequestId, SessionId, SessionStats, Usage,
    Value,
};

/// How long the client of a test waits for what should come at once.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The end of the connection that is no client.
pub(crate) struct Fake {
    from_host: File,
    to_host: Option<File>,
    decoder: FrameDecoder<HostFrame>,
    unread: BytesMut,
}

impl Fake {
    /// The next frame of the host; `None` when it has closed its end.
    pub(crate) fn next(&mut self) -> Option<Envelope<HostFrame>> {
        loop {
            match self.decoder.decode(&mut self.unread).unwrap() {
                Some(Decoded::Frame(envelope)) => return Some(envelope),
                Some(Decoded::Rejected(head, err)) => panic!("{head:?}: {err}"),
                None => {}
            }
            let mut chunk = vec![0; 64 * 1024];
            let len = self.from_host.read(&mut chunk).unwrap();
            if len == 0 {
                return None;
            }
            self.unread.extend_from_slice(&chunk[..len]);
        }
    }

    /// The next frame, which there must be.
    pub(crate) fn expect(&mut self) -> Envelope<HostFrame> {
        self.next().expect("the host closed its end")
    }

    pub(crate) fn send(&mut self, to: (u32, u64), frame: impl Into<SidecarFrame>) {
        let mut wire = BytesMut::new();
        let (session, request) = (SessionId(to.0), RequestId(to.1));
        frame.into().encode(session, request, &mut wire).unwrap();
        self.send_bytes(&wire);
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let to_host = self.to_host.as_mut().unwrap();
        // The error is that the client has closed its end: tests of that kind expect it.
        let _ = to_host.write_all(bytes);
    }

    pub(crate) fn close_output(&mut self) {
        self.to_host = None;
    }

    /// Answers whatever is asked for as a sidecar without limits would, runs nothing, and
    /// calls `execute` for the outcome of each request to run code.
    pub(crate) fn serve(&mut self, mut execute: impl FnMut(&mut Fake, (u32, u64)) -> Outcome) {
        while let Some(envelope) = self.next() {
            let to = (envelope.session.get(), envelope.request.get());
            match envelope.frame {
                HostFrame::OpenSession(_) => self.send(to, opened()),
                HostFrame::Execute(_) => {
                    let outcome = execute(self, to);
                    self.send(to, finished(outcome));
                }
                HostFrame::CloseSession(_) => {
                    let stats = SessionStats::default();
                    self.send(to, SessionClosed { stats });
                }
                HostFrame::HostReply(_) | HostFrame::Cancel(_) => {}
                other => panic!("unexpected {}", other.kind()),
            }
        }
        self.send((0, 0), GoAway::new(Reason::ShuttingDown, "bye"));
        self.close_output();
    }
}

/// A client that has shaken hands with `script`. Join the thread to see the script's
/// failures.
pub(crate) fn start(script: impl FnOnce(&mut Fake) + Send + 'static) -> (Sidecar, JoinHandle<()>) {
    let (fake, host) = connected();
    let thread = play(fake, |fake| {
        let hello = fake.expect();
        fake.send((0, hello.request.get()), welcome());
        script(fake);
    });
    (host.connect(PATIENCE).unwrap(), thread)
}

/// The host's ends of two pipes.
pub(crate) struct HostEnds {
    reader: std::os::fd::OwnedFd,
    writer: std::os::fd::OwnedFd,
}

impl HostEnds {
    pub(crate) fn connect(
        self,
        patience: Duration,
    ) -> Result<Sidecar, isolate_sidecar_client::SpawnError> {
        let options = ConnectOptions {
            patience,
            ..ConnectOptions::default()
        };
        Sidecar::over(self.reader, self.writer, &options)
    }
}

pub(crate) fn connected() -> (Fake, HostEnds) {
    let (from_host, writer) = pipe().unwrap();
    let (reader, to_host) = pipe().unwrap();
    let mut decoder = FrameDecoder::new();
    decoder.set_max_body(MAX_FRAME);
    let fake = Fake {
        from_host: File::from(from_host),
        to_host: Some(File::from(to_host)),
        decoder,
        unread: BytesMut::new(),
    };
    (fake, HostEnds { reader, writer })
}

pub(crate) fn play(
    mut fake: Fake,
    script: impl FnOnce(&mut Fake) + Send + 'static,
) -> JoinHandle<()> {
    std::thread::Builder::new()
        .name("fake sidecar".to_owned())
        .spawn(move || script(&mut fake))
        .unwrap()
}

pub(crate) fn welcome() -> Welcome {
    Welcome {
        version: 4,
        build: "fake".to_owned(),
        v8: "none".to_owned(),
        max_frame: MAX_FRAME,
        max_sessions: 8,
        ceilings: Limits::DEFAULT,
        defaults: Limits::DEFAULT,
        features: Vec::new(),
    }
}

pub(crate) fn opened() -> SessionOpened {
    SessionOpened {
        limits: Limits::DEFAULT,
        open_us: 7,
    }
}

pub(crate) fn finished(outcome: Outcome) -> OutcomeFrame {
    OutcomeFrame {
        outcome,
        usage: Usage::default(),
    }
}

pub(crate) fn json(text: &'static str) -> Value {
    Value::Json(text.into())
}
