//! A host that starts a sidecar as a child process.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use protocol::frame::{Code, Execute, Hello, OpenSession, Until};
use protocol::{
    Blob, CallMode, Decoded, Envelope, FrameDecoder, HostFrame, HostFunction, RequestId, SessionId,
    SidecarFrame, Value, ValueFormat,
};

/// Nothing that a test waits for takes longer, even on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// The example `fake-sidecar`, which cargo builds beside the tests.
pub fn fake_sidecar() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().unwrap().parent().unwrap();
    profile.join("examples/fake-sidecar")
}

pub struct Sidecar {
    pub child: Child,
    decoder: FrameDecoder<SidecarFrame>,
    buffer: BytesMut,
}

impl Sidecar {
    /// A sidecar on two pipes that has said `Welcome`.
    pub fn start() -> Sidecar {
        Sidecar::start_with(|_| {})
    }

    pub fn start_with(change: impl FnOnce(&mut Command)) -> Sidecar {
        let mut command = Command::new(fake_sidecar());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        change(&mut command);
        let mut sidecar = Sidecar {
            child: command.spawn().unwrap(),
            decoder: FrameDecoder::new(),
            buffer: BytesMut::new(),
        };
        sidecar.send(&encoded(0, 1, hello()));
        assert!(matches!(
            sidecar.next().unwrap().frame,
            SidecarFrame::Welcome(_)
        ));
        sidecar
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// The next frame, or `None` at the end of the stream.
    pub fn next(&mut self) -> Option<Envelope<SidecarFrame>> {
        let stdout = self.child.stdout.as_mut().unwrap();
        next_frame(stdout, &mut self.decoder, &mut self.buffer)
    }

    /// Opens session 1 and runs `script` in it until it has begun.
    pub fn begin(&mut self, script: &str) {
        self.send(&encoded(1, 1, open()));
        self.send(&encoded(1, 2, execute(&format!("print:begun\n{script}"))));
        while !matches!(self.next().unwrap().frame, SidecarFrame::Output(_)) {}
    }

    /// How the process ends, which it must do soon.
    pub fn wait(&mut self) -> (ExitStatus, Duration) {
        // `Child::wait` closes standard input, which would be a cause of its own.
        let stdin = self.child.stdin.take();
        let ended = wait(&mut self.child);
        drop(stdin);
        ended
    }

    pub fn pid(&self) -> nix::unistd::Pid {
        nix::unistd::Pid::from_raw(i32::try_from(self.child.id()).unwrap())
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        // Both fail when it has ended, as it should have.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for the end of a process.
pub fn wait(child: &mut Child) -> (ExitStatus, Duration) {
    let started = Instant::now();
    let (done, status) = std::sync::mpsc::sync_channel(1);
    std::thread::scope(|scope| {
        let pid = child.id();
        std::thread::Builder::new()
            .spawn_scoped(scope, move || done.send(child.wait().unwrap()))
            .unwrap();
        match status.recv_timeout(DEADLINE) {
            Ok(status) => (status, started.elapsed()),
            Err(_) => {
                let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
                nix::sys::signal::kill(pid, nix::sys::signal::SIGKILL).unwrap();
                panic!("the process does not end");
            }
        }
    })
}

pub fn next_frame(
    input: &mut (impl Read + std::os::fd::AsFd),
    decoder: &mut FrameDecoder<SidecarFrame>,
    buffer: &mut BytesMut,
) -> Option<Envelope<SidecarFrame>> {
    loop {
        if let Some(decoded) = decoder.decode(buffer).unwrap() {
            let Decoded::Frame(envelope) = decoded else {
                panic!("{decoded:?}");
            };
            return Some(envelope);
        }
        let timeout = PollTimeout::try_from(DEADLINE).unwrap();
        let mut fds = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
        assert_ne!(poll(&mut fds, timeout).unwrap(), 0, "no frame in time");
        let mut chunk = [0; 16 * 1024];
        let n = input.read(&mut chunk).unwrap();
        if n == 0 {
            return None;
        }
        buffer.extend_from_slice(&chunk[..n]);
    }
}

pub fn encoded(session: u32, request: u64, frame: impl Into<HostFrame>) -> BytesMut {
    let mut bytes = BytesMut::new();
    frame
        .into()
        .encode(SessionId::new(session), RequestId::new(request), &mut bytes)
        .unwrap();
    bytes
}

pub fn hello() -> Hello {
    Hello {
        min_version: 4,
        max_version: 4,
        client: "test".to_owned(),
        max_frame: 0,
    }
}

pub fn open() -> OpenSession {
    OpenSession {
        cwd: "/".to_owned(),
        functions: vec![HostFunction {
            name: "f".to_owned(),
            mode: CallMode::Sync,
            format: ValueFormat::Json,
        }],
        ..OpenSession::default()
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

/// A file without a name that holds `bytes`, read from its start.
pub fn file_with(bytes: &[u8]) -> std::fs::File {
    use std::io::{Seek, SeekFrom};
    let path = std::env::temp_dir().join(format!("sidecar-process-{}", std::process::id()));
    let mut file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    file.write_all(bytes).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file
}

pub fn stdio(fd: impl Into<OwnedFd>) -> Stdio {
    Stdio::from(fd.into())
}
