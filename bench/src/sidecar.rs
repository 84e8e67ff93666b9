//! Drives a sidecar of ours over its pipes: one thread, blocking reads and writes, one write a frame. Only what the measurements need.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{ChildStdin, ChildStdout, Command};
use std::time::Duration;

use bytes::BytesMut;
use protocol::frame::{
    CloseSession, Execute, Hello, OpenSession, OutcomeFrame, Refused, Reset, SnapshotReady,
    WarmSnapshot,
};
use protocol::{
    Decoded, Envelope, FrameDecoder, HostFrame, Outcome, PROTOCOL_VERSION, RequestId, SessionId,
    SidecarFrame,
};

use crate::error::{MeasureError, Result};
use crate::process::{Process, command};

const READ_BYTES: usize = 64 * 1024;

/// A running sidecar, shaken hands with.
#[derive(Debug)]
pub(crate) struct Sidecar {
    /// Before the process: the sidecar ends by itself when its pipes are closed.
    wire: Wire,
    last_request: u64,
    process: Process,
    build: String,
    v8: String,
}

/// How a request in a session ended.
#[derive(Debug)]
pub(crate) enum Ending {
    /// With its own reply.
    Outcome(OutcomeFrame),
    /// With the end of its session.
    Lost(Reset),
}

impl Sidecar {
    /// Starts `program serve`, which is killed after `bound`. Its standard error goes to `log`.
    pub(crate) fn start(program: &Path, bound: Duration, log: &Path) -> Result<Sidecar> {
        let mut serve = command(program);
        serve.arg("serve");
        Sidecar::start_by(serve, bound, log)
    }

    /// As [`Sidecar::start`], by a command that comes to the same.
    pub(crate) fn start_by(serve: Command, bound: Duration, log: &Path) -> Result<Sidecar> {
        let (process, stdin, stdout) = Process::start(serve, bound, log)?;
        let mut wire = Wire {
            stdin,
            stdout,
            decoder: FrameDecoder::new(),
            unread: BytesMut::new(),
            scratch: vec![0; READ_BYTES].into_boxed_slice(),
            unwritten: BytesMut::new(),
        };
        let hello = Hello {
            min_version: PROTOCOL_VERSION,
            max_version: PROTOCOL_VERSION,
            client: "measure".to_owned(),
            max_frame: 0,
        };
        wire.send(SessionId::CONNECTION, RequestId(1), &hello.into())?;
        match wire.next()?.frame {
            SidecarFrame::Welcome(welcome) => {
                wire.decoder.set_max_body(welcome.max_frame);
                Ok(Sidecar {
                    wire,
                    last_request: 1,
                    process,
                    build: welcome.build,
                    v8: welcome.v8,
                })
            }
            other => Err(MeasureError::unexpected("Welcome", other)),
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// What it says of itself.
    pub(crate) fn version(&self) -> String {
        format!("{} (V8 {})", self.build, self.v8)
    }

    /// Writes a request and gives it an id.
    pub(crate) fn send(
        &mut self,
        session: SessionId,
        frame: impl Into<HostFrame>,
    ) -> Result<RequestId> {
        self.last_request = self.last_request.saturating_add(1);
        let request = RequestId(self.last_request);
        self.wire.send(session, request, &frame.into())?;
        Ok(request)
    }

    /// Writes a frame that answers `request`.
    pub(crate) fn answer(
        &mut self,
        session: SessionId,
        request: RequestId,
        frame: impl Into<HostFrame>,
    ) -> Result<()> {
        self.wire.send(session, request, &frame.into())
    }

    /// The next frame, whatever it is.
    pub(crate) fn next(&mut self) -> Result<Envelope<SidecarFrame>> {
        self.wire.next()
    }

    /// Reads until `request` of `session` has ended. Host calls on the way get no reply.
    pub(crate) fn ending(&mut self, session: SessionId, request: RequestId) -> Result<Ending> {
        loop {
            let envelope = self.next()?;
            if let Some(ending) = ending_of(envelope, session, request)? {
                return Ok(ending);
            }
        }
    }

    /// Opens a session and waits until it is open.
    pub(crate) fn open(&mut self, session: SessionId, spec: OpenSession) -> Result<()> {
        let request = self.send(session, spec)?;
        loop {
            let envelope = self.next()?;
            match envelope.frame {
                SidecarFrame::SessionOpened(_) if envelope.request == request => return Ok(()),
                frame => no_failure(frame)?,
            }
        }
    }

    /// Runs code that must come to `expected`, as JSON.
    pub(crate) fn run(
        &mut self,
        session: SessionId,
        execute: Execute,
        expected: &str,
    ) -> Result<()> {
        let request = self.send(session, execute)?;
        let ending = self.ending(session, request)?;
        expect_json(&ending, expected)
    }

    /// Closes a session and waits until it is closed.
    pub(crate) fn close(&mut self, session: SessionId) -> Result<()> {
        let request = self.send(session, CloseSession {})?;
        loop {
            let envelope = self.next()?;
            match envelope.frame {
                SidecarFrame::SessionClosed(_) if envelope.request == request => return Ok(()),
                SidecarFrame::Outcome(_) => {}
                frame => no_failure(frame)?,
            }
        }
    }

    /// Asks for a snapshot and waits for it.
    pub(crate) fn warm(&mut self, spec: WarmSnapshot) -> Result<SnapshotReady> {
        self.send(SessionId::CONNECTION, spec)?;
        loop {
            match self.next()?.frame {
                SidecarFrame::SnapshotReady(ready) => return Ok(ready),
                frame => no_failure(frame)?,
            }
        }
    }
}

/// What `envelope` says about the end of `request`; `None` when it says nothing of it.
pub(crate) fn ending_of(
    envelope: Envelope<SidecarFrame>,
    session: SessionId,
    request: RequestId,
) -> Result<Option<Ending>> {
    match envelope.frame {
        SidecarFrame::Outcome(outcome)
            if envelope.session == session && envelope.request == request =>
        {
            Ok(Some(Ending::Outcome(outcome)))
        }
        SidecarFrame::Reset(reset) if envelope.session == session => Ok(Some(Ending::Lost(reset))),
        frame => no_failure(frame).map(|()| None),
    }
}

/// Whether the code came to `expected`, as JSON.
pub(crate) fn expect_json(ending: &Ending, expected: &str) -> Result<()> {
    match ending {
        Ending::Outcome(OutcomeFrame {
            outcome: Outcome::Ok(value),
            ..
        }) if value.bytes() == expected.as_bytes() => Ok(()),
        other => Err(MeasureError::unexpected(
            format!("the value {expected}"),
            other,
        )),
    }
}

/// Lets pass what is not waited for but may come; all else ends the measurement.
fn no_failure(frame: SidecarFrame) -> Result<()> {
    match frame {
        SidecarFrame::SessionOpened(_)
        | SidecarFrame::Output(_)
        | SidecarFrame::SessionEvent(_)
        | SidecarFrame::HostCall(_) => Ok(()),
        SidecarFrame::Refused(Refused {
            reason, message, ..
        }) => Err(MeasureError::Refused { reason, message }),
        other => Err(MeasureError::unexpected("a reply", other)),
    }
}

/// The two pipes.
#[derive(Debug)]
struct Wire {
    stdin: ChildStdin,
    stdout: ChildStdout,
    decoder: FrameDecoder<SidecarFrame>,
    unread: BytesMut,
    scratch: Box<[u8]>,
    unwritten: BytesMut,
}

impl Wire {
    fn send(&mut self, session: SessionId, request: RequestId, frame: &HostFrame) -> Result<()> {
        self.unwritten.clear();
        frame.encode(session, request, &mut self.unwritten)?;
        self.stdin
            .write_all(&self.unwritten)
            .map_err(MeasureError::io("write to the sidecar"))
    }

    fn next(&mut self) -> Result<Envelope<SidecarFrame>> {
        loop {
            match self.decoder.decode(&mut self.unread)? {
                Some(Decoded::Frame(envelope)) => return Ok(envelope),
                Some(Decoded::Rejected(_, error)) => return Err(error.into()),
                None => {}
            }
            let read = self
                .stdout
                .read(&mut self.scratch)
                .map_err(MeasureError::io("read from the sidecar"))?;
            match self.scratch.get(..read) {
                None | Some([]) => return Err(MeasureError::Gone("the sidecar")),
                Some(bytes) => self.unread.extend_from_slice(bytes),
            }
        }
    }
}
