//! `serve --supervise`: a small process that owns the way to the host, while the sidecar proper
//! is its child and may crash.
//!
//! ```text
//!  host ──stdin──> thread `from-host` ──frames──> socket ──> sidecar
//!  host <─stdout── main thread <───────frames──── socket <── sidecar
//! ```
//!
//! Frames pass whole and as they are; only their heads are looked at, so that it is known what
//! is lost when the sidecar is. Then each of its sessions gets a `Reset`, a new sidecar is
//! started, and its `Welcome` tells the host that it can go on (PROTOCOL.md 4.4).
//!
//! Invariant: nothing is read while what was read before is not written, so that at most one
//! frame and one read wait in each direction.

mod frames;
mod tracker;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use protocol::frame::{GoAway, Kind};
use protocol::{Reason, RequestId, SessionId, SidecarFrame};

use self::frames::{Pipe, Splitter};
use self::tracker::{Link, Lost};
use crate::children::describe;
use crate::config::ChildCommand;
use crate::error::clipped;
use crate::log::init_log;
use crate::process::cannot_start;
use crate::{ExitCode, TransportError, take_stdout};

/// Restarts within [`WINDOW`]. After one more end the supervisor gives up.
const MAX_RESTARTS: usize = 5;
const WINDOW: Duration = Duration::from_secs(60);
/// How long a sidecar that has closed its connection may take to end.
const END_WITHIN: Duration = Duration::from_secs(3);

/// A sidecar and our end of its connection.
struct Inner {
    process: Child,
    socket: UnixStream,
}

/// How the connection of a sidecar has ended.
struct Pumped {
    /// Its last word, which the host gets only when it is the last of all.
    go_away: Option<Bytes>,
    host_is_gone: bool,
}

/// How a sidecar has ended, and with what.
struct Served {
    status: io::Result<ExitStatus>,
    pumped: Pumped,
    lost: Lost,
}

/// Serves the host through sidecars that are started with `args`, until one ends in order.
pub fn supervise(args: Vec<OsString>) -> ExitCode {
    init_log();
    // Before any other thread exists, so that it holds for all of them.
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    signals.add(Signal::SIGINT);
    let _ = signals.thread_block();
    let (input, mut output) = match take_stdio() {
        Ok(both) => both,
        Err(err) => return cannot_start(ExitCode::Usage, &err),
    };
    let link = Arc::new(Link::default());
    let started = start_from_host(input, Arc::clone(&link))
        .and_then(|()| start_signals(signals, Arc::clone(&link)));
    if let Err(err) = started {
        return cannot_start(ExitCode::CannotStart, &err);
    }
    let mut restarts = VecDeque::new();
    loop {
        let inner = match start(&args) {
            Ok(inner) => inner,
            Err(err) => return cannot_start(ExitCode::CannotStart, &err),
        };
        let Served {
            status,
            pumped,
            lost,
        } = serve_with(inner, &link, &mut output);
        if let Some(code) = final_code(status.as_ref().ok().copied(), &lost, &pumped) {
            pass_on(&mut output, pumped.go_away);
            return code;
        }
        let how = status.map_or_else(|err| err.to_string(), describe);
        tracing::error!(how, n_sessions = lost.sessions.len(), "the sidecar is lost");
        let message = clipped(format!("the sidecar's process {how}"));
        if output.write_all(&lost.frames(&message)).is_err() {
            return ExitCode::HostNotReading;
        }
        if is_too_often(&mut restarts, Instant::now()) {
            pass_on(&mut output, go_away(&message));
            return ExitCode::TooManyRestarts;
        }
    }
}

fn take_stdio() -> Result<(Pipe, Pipe), TransportError> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = take_stdout()?;
    for (descriptor, name) in [(&input, "standard input"), (&output, "standard output")] {
        if descriptor.is_terminal() {
            return Err(TransportError::Terminal(name));
        }
    }
    Ok((Pipe::new(input), Pipe::new(output)))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this very program: the sidecar that may crash"
)]
fn start(args: &[OsString]) -> io::Result<Inner> {
    let (socket, theirs) = UnixStream::pair()?;
    let input = OwnedFd::from(theirs);
    let output = input.try_clone()?;
    let process = Command::new(ChildCommand::serve().program)
        .args(ChildCommand::serve().args)
        .args(args)
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(output))
        .stderr(Stdio::inherit())
        .spawn()?;
    Ok(Inner { process, socket })
}

/// Until the sidecar is gone.
fn serve_with(mut inner: Inner, link: &Link, output: &mut Pipe) -> Served {
    let pid = Pid::from_raw(i32::try_from(inner.process.id()).unwrap_or(0));
    let pumped = match link.up(&inner.socket, pid) {
        Ok(()) => pump(&inner.socket, link, output),
        // It has ended at once.
        Err(_) => Pumped {
            go_away: None,
            host_is_gone: false,
        },
    };
    // The error is that it has closed it too.
    let _ = inner.socket.shutdown(Shutdown::Both);
    // Before it is waited for: from then on its number may be another's.
    let lost = link.down();
    let status = end(&mut inner.process, pid);
    Served {
        status,
        pumped,
        lost,
    }
}

/// Frames of the sidecar go to the host.
fn pump(socket: &UnixStream, link: &Link, output: &mut Pipe) -> Pumped {
    let mut pumped = Pumped {
        go_away: None,
        host_is_gone: false,
    };
    let mut splitter = Splitter::default();
    let mut input = socket;
    while splitter.read(&mut input).is_ok_and(|n| n > 0) {
        let mut batch = BytesMut::new();
        while let Some((head, frame)) = splitter.next() {
            if head.is_some_and(|head| head.kind == Kind::GoAway) {
                pumped.go_away = Some(frame);
                continue;
            }
            if let Some(head) = head {
                link.told(&head, &frame);
            }
            batch.extend_from_slice(&frame);
        }
        if output.write_all(&batch).is_err() {
            pumped.host_is_gone = true;
            return pumped;
        }
    }
    pumped
}

/// Waits for a process whose connection is closed, and kills it when it does not end.
fn end(process: &mut Child, pid: Pid) -> io::Result<ExitStatus> {
    let (ended, wait) = sync_channel::<()>(1);
    let guard = std::thread::Builder::new()
        .name("end-of-sidecar".to_owned())
        .spawn(move || {
            if wait.recv_timeout(END_WITHIN) == Err(RecvTimeoutError::Timeout) {
                // It is not taken off the system's table before this thread has ended.
                let _ = kill(pid, Signal::SIGKILL);
            }
        });
    // The error is met again below.
    let _ = waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
    drop(ended);
    if let Ok(guard) = guard {
        // It has nothing left to do.
        let _ = guard.join();
    }
    process.wait()
}

/// The code to end with, when the sidecar has ended in order and is not to be started anew.
fn final_code(status: Option<ExitStatus>, lost: &Lost, pumped: &Pumped) -> Option<ExitCode> {
    if pumped.host_is_gone {
        return Some(ExitCode::HostNotReading);
    }
    let number = status.and_then(|status| status.code());
    let code = ExitCode::ALL
        .into_iter()
        .find(|code| Some(i32::from(code.number())) == number);
    match code {
        Some(ExitCode::StuckSession | ExitCode::Internal | ExitCode::GuestException) | None
            if !lost.host_is_done =>
        {
            None
        }
        code => Some(code.unwrap_or(ExitCode::Internal)),
    }
}

fn is_too_often(restarts: &mut VecDeque<Instant>, now: Instant) -> bool {
    restarts.retain(|restart| now.saturating_duration_since(*restart) < WINDOW);
    restarts.push_back(now);
    MAX_RESTARTS < restarts.len()
}

fn go_away(message: &str) -> Option<Bytes> {
    let frame = SidecarFrame::GoAway(GoAway {
        reason: Reason::ProcessLost,
        message: clipped(format!(
            "{message}; it was started {MAX_RESTARTS} times within {WINDOW:?}"
        )),
    });
    let mut bytes = BytesMut::new();
    let encoded = frame.encode(SessionId::CONNECTION, RequestId::NONE, &mut bytes);
    encoded.ok().map(|()| bytes.freeze())
}

fn pass_on(output: &mut Pipe, last_word: Option<Bytes>) {
    // The error is that nobody reads it.
    let _ = output.write_all(&last_word.unwrap_or_default());
}

/// Frames of the host go to whichever sidecar there is.
fn start_from_host(mut input: Pipe, link: Arc<Link>) -> io::Result<()> {
    let forward = move || {
        let mut splitter = Splitter::default();
        while splitter.read(&mut input).is_ok_and(|n| n > 0) {
            while let Some((head, frame)) = splitter.next() {
                link.forward(head.as_ref(), &frame);
            }
        }
        link.finish(&splitter.rest());
    };
    std::thread::Builder::new()
        .name("from-host".to_owned())
        .spawn(forward)
        .map(drop)
}

/// A signal that asks us to end asks the sidecar to, and its end is ours.
fn start_signals(signals: SigSet, link: Arc<Link>) -> io::Result<()> {
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            while signals.wait().is_ok() {
                link.terminate();
            }
        })
        .map(drop)
}
