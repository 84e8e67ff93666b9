//! Frames of a child in, events for the router out, on a thread of its own: it waits where the
//! router is behind, and then the child's writes wait, and then its guests.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use bytes::BytesMut;
use host_bridge::{ExitReason, SessionEvent};
use protocol::bounds::MAX_FRAME_CEILING;
use protocol::frame::{Kind, Refused, Reset, SessionClosed, StatsBody};
use protocol::{
    CallId, Decoded, Envelope, FrameDecoder, FrameError, Reason, RequestId, SidecarFrame,
};

use super::child::Child;
use super::remote::Remote;

/// Room for reading small frames.
const READ_BUFFER: usize = 16 * 1024;

/// Why no more is read.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("it closed the connection")]
    Ended,
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Frame(FrameError),
    #[error("a {0} was not expected")]
    Unexpected(Kind),
}

pub(super) fn start(child: &Arc<Child>, input: UnixStream) -> io::Result<()> {
    let child = Arc::clone(child);
    std::thread::Builder::new()
        .name("child-reader".to_owned())
        .stack_size(256 * 1024)
        .spawn(move || {
            let broken = read_all(&child, input);
            end(&child, &broken);
        })
        .map(drop)
}

fn read_all(child: &Child, mut input: UnixStream) -> Broken {
    let mut decoder = FrameDecoder::<SidecarFrame>::new();
    decoder.set_max_body(MAX_FRAME_CEILING);
    let mut buffer = BytesMut::with_capacity(READ_BUFFER);
    let mut chunk = vec![0; READ_BUFFER];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => return Broken::Ended,
            Ok(n) => buffer.extend_from_slice(chunk.get(..n).unwrap_or_default()),
            Err(err) if err.kind() == io::ErrorKind::Interrupted => continue,
            Err(err) => return err.into(),
        }
        loop {
            let result = match decoder.decode(&mut buffer) {
                Ok(None) => break,
                Ok(Some(Decoded::Frame(envelope))) => frame(child, envelope),
                Ok(Some(Decoded::Rejected(_, err))) | Err(err) => Err(Broken::Frame(err)),
            };
            if let Err(broken) = result {
                return broken;
            }
        }
    }
}

fn frame(child: &Child, envelope: Envelope<SidecarFrame>) -> Result<(), Broken> {
    let Envelope {
        session,
        request,
        frame,
    } = envelope;
    if session.is_connection() {
        return match frame {
            SidecarFrame::Welcome(_) => Ok(()),
            // Its sessions have been told of already; the end of the stream follows.
            SidecarFrame::GoAway(go_away) => {
                tracing::debug!(reason = %go_away.reason, go_away.message, "a child goes");
                Ok(())
            }
            other => Err(Broken::Unexpected(other.kind())),
        };
    }
    // The last words of a session that was given up.
    let Some(remote) = child.session(session) else {
        return Ok(());
    };
    if let Some(event) = event(child, &remote, request, frame)? {
        child.while_waiting(|| remote.report(event));
    }
    Ok(())
}

/// What a frame is to the router; `None` when it is nothing.
fn event(
    child: &Child,
    remote: &Remote,
    request: RequestId,
    frame: SidecarFrame,
) -> Result<Option<SessionEvent>, Broken> {
    Ok(Some(match frame {
        SidecarFrame::SessionOpened(_) => remote.opened(),
        SidecarFrame::Outcome(frame) if remote.finished(request) => SessionEvent::Finished {
            request,
            outcome: frame.outcome,
            usage: frame.usage,
        },
        SidecarFrame::Called(frame) if remote.finished(request) => SessionEvent::Finished {
            request,
            outcome: frame.outcome,
            usage: frame.usage,
        },
        SidecarFrame::HostCall(frame) => {
            let call = CallId::from_head(request);
            remote.called(call);
            SessionEvent::HostCall {
                call,
                method: frame.method,
                mode: frame.mode,
                args: frame.args,
            }
        }
        SidecarFrame::Output(frame) => {
            let n_bytes = frame.text.0.len();
            SessionEvent::Output {
                request,
                stream: frame.stream,
                level: frame.level,
                ticket: child.while_waiting(|| remote.reserve_output(n_bytes)),
                text: frame.text.0,
            }
        }
        SidecarFrame::SessionEvent(frame) => SessionEvent::Guest(frame.event),
        SidecarFrame::Refused(refused) => return Ok(refusal(child, remote, request, refused)),
        SidecarFrame::Stats(frame) => match frame.stats {
            StatsBody::Session(stats) => {
                remote.has_stats(&stats);
                let stats = Box::new(stats);
                SessionEvent::Stats { request, stats }
            }
            StatsBody::Process(_) => return Err(Broken::Unexpected(Kind::Stats)),
        },
        SidecarFrame::SessionClosed(frame) => closed(child, remote, frame),
        SidecarFrame::Reset(reset) => lost(child, remote, reset),
        other => return Err(Broken::Unexpected(other.kind())),
    }))
}

fn closed(child: &Child, remote: &Remote, frame: SessionClosed) -> SessionEvent {
    child.remove(remote.id);
    SessionEvent::Exited {
        reason: ExitReason::Closed(remote.closed()),
        stats: Box::new(frame.stats),
    }
}

fn lost(child: &Child, remote: &Remote, reset: Reset) -> SessionEvent {
    // Its thread is parked with its memory, or does not stop.
    if matches!(reset.reason, Reason::EngineOom | Reason::StuckSession) {
        child.condemn();
    }
    child.remove(remote.id);
    SessionEvent::Exited {
        reason: ExitReason::Lost {
            reason: reset.reason,
            message: reset.message,
        },
        stats: Box::new(reset.stats.unwrap_or_else(|| remote.last_stats())),
    }
}

fn refusal(
    child: &Child,
    remote: &Remote,
    request: RequestId,
    refused: Refused,
) -> Option<SessionEvent> {
    match Kind::from_wire(refused.kind) {
        Kind::OpenSession => {
            child.remove(remote.id);
            Some(SessionEvent::OpenFailed {
                reason: refused.reason,
                message: refused.message,
            })
        }
        Kind::Execute | Kind::Call => remote
            .finished(request)
            .then_some(SessionEvent::Refused { request, refused }),
        Kind::GetStats => {
            remote.has_stats(&remote.last_stats());
            Some(SessionEvent::Refused { request, refused })
        }
        Kind::HostReply => Some(SessionEvent::Refused { request, refused }),
        // It is ending already, and says so.
        _ => None,
    }
}

/// The child is gone: so is every session that is left. One that was given up, and killed with
/// its child, has been told of; what it reports is its end and nothing more.
fn end(child: &Child, broken: &Broken) {
    let lost = child.end();
    let how = child.process().reap();
    if lost.is_empty() {
        return;
    }
    tracing::warn!(n_sessions = lost.len(), how, %broken, "a child is lost");
    let message = match broken {
        Broken::Frame(_) | Broken::Unexpected(_) => {
            format!("the process of the session broke the protocol: {broken}")
        }
        Broken::Ended | Broken::Io(_) => format!("the process of the session {how}"),
    };
    for remote in lost {
        remote.lift();
        remote.report(SessionEvent::Exited {
            reason: ExitReason::Lost {
                reason: Reason::ProcessLost,
                message: message.clone(),
            },
            stats: Box::new(remote.last_stats()),
        });
    }
}
