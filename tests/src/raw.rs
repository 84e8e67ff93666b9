//! A sidecar without a client: frames as they are, also wrong ones.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use bytes::BytesMut;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::bounds::MAX_FRAME_CEILING;
use protocol::frame::{Envelope, Hello, HostFrame, SidecarFrame, Welcome};
use protocol::{Decoded, FrameDecoder, PROTOCOL_VERSION, RequestId, SessionId};

use crate::process::within;
use crate::program::{Program, program};

/// How long any frame may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A sidecar whose standard streams are the test's. Killed at the end if it still runs.
#[derive(Debug)]
pub struct RawSidecar {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    decoder: FrameDecoder<SidecarFrame>,
    unread: BytesMut,
}

impl RawSidecar {
    /// Starts `isolate-sidecar serve` and says nothing.
    #[expect(
        clippy::disallowed_methods,
        reason = "starts the program that is tested"
    )]
    pub fn silent() -> RawSidecar {
        let mut child = Command::new(program(Program::Sidecar))
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut decoder = FrameDecoder::new();
        decoder.set_max_body(MAX_FRAME_CEILING);
        RawSidecar {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            child,
            decoder,
            unread: BytesMut::new(),
        }
    }

    /// Starts a sidecar and shakes hands.
    pub fn start() -> RawSidecar {
        let mut sidecar = RawSidecar::silent();
        sidecar.hello(PROTOCOL_VERSION, PROTOCOL_VERSION);
        sidecar.welcome();
        sidecar
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a `Hello` with this range of versions, as request 1.
    pub fn hello(&mut self, min_version: u16, max_version: u16) {
        let client = "e2e-tests".to_owned();
        let max_frame = 0;
        let hello = Hello {
            min_version,
            max_version,
            client,
            max_frame,
        };
        self.send(0, 1, hello);
    }

    /// The `Welcome` that must come next.
    #[track_caller]
    pub fn welcome(&mut self) -> Welcome {
        match self.expect().frame {
            SidecarFrame::Welcome(welcome) => welcome,
            other => panic!("{other:?}"),
        }
    }

    /// Sends a frame.
    pub fn send(&mut self, session: u32, request: u64, frame: impl Into<HostFrame>) {
        let mut wire = BytesMut::new();
        let (session, request) = (SessionId(session), RequestId(request));
        frame.into().encode(session, request, &mut wire).unwrap();
        self.send_bytes(&wire);
    }

    /// Sends bytes.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        // The error is that the sidecar is gone: what it has said is still to be read.
        let _ = stdin.write_all(bytes);
    }

    /// The next frame, which must come.
    #[track_caller]
    pub fn expect(&mut self) -> Envelope<SidecarFrame> {
        self.next_frame()
            .expect("the sidecar closed its standard output")
    }

    /// The next frame; `None` when there will be none.
    #[track_caller]
    pub fn next_frame(&mut self) -> Option<Envelope<SidecarFrame>> {
        loop {
            match self.decoder.decode(&mut self.unread).unwrap() {
                Some(Decoded::Frame(envelope)) => return Some(envelope),
                Some(Decoded::Rejected(head, err)) => panic!("{head:?}: {err}"),
                None => {}
            }
            let stdout = self.stdout.as_mut().unwrap();
            let mut fds = [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)];
            let timeout = PollTimeout::try_from(PATIENCE).unwrap();
            assert_ne!(poll(&mut fds, timeout), Ok(0), "no frame comes");
            let mut chunk = vec![0; 64 * 1024];
            let len = stdout.read(&mut chunk).unwrap();
            if len == 0 {
                return None;
            }
            self.unread.extend_from_slice(chunk.get(..len).unwrap());
        }
    }

    /// Closes the sidecar's standard input.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Closes this end of the sidecar's standard output.
    pub fn close_stdout(&mut self) {
        self.stdout = None;
    }

    /// How the process ended; `None` when it has not within this time.
    pub fn ended_within(&mut self, time: Duration) -> Option<ExitStatus> {
        within(time, || self.child.try_wait().unwrap())
    }
}

impl Drop for RawSidecar {
    fn drop(&mut self) {
        // The error is that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
