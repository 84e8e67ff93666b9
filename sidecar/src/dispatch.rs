//! What the host can send: one line a kind, naming the file that handles it.

use protocol::frame::{Head, Kind};
use protocol::{Envelope, FrameError, HostFrame, RequestId};

use crate::error::{ConnectionError, RequestError};
use crate::handlers::{
    call, cancel, close_session, execute, get_stats, hello, host_reply, open_session, ping, pong,
    shutdown, warm_snapshot,
};
use crate::state::{Address, State};

/// Handles one well-formed frame.
///
/// # Errors
///
/// Only what ends the connection; everything else is answered here.
pub(crate) fn frame(
    state: &mut State,
    envelope: Envelope<HostFrame>,
) -> Result<(), ConnectionError> {
    let kind = envelope.frame.kind();
    let to = Address {
        session: envelope.session,
        request: envelope.request,
    };
    state.handshake.admit(kind)?;
    if to.request == RequestId::NONE && is_request(kind) {
        state.refuse(to, kind, &RequestError::NoRequestId);
        return Ok(());
    }
    let result = match envelope.frame {
        HostFrame::Hello(frame) => hello::handle(state, to, &frame)?,
        HostFrame::Ping(frame) => ping::handle(state, to, frame),
        HostFrame::Pong(frame) => pong::handle(to, frame),
        HostFrame::Shutdown(frame) => shutdown::handle(state, frame),
        HostFrame::WarmSnapshot(frame) => warm_snapshot::handle(state, to, frame),
        HostFrame::OpenSession(frame) => open_session::handle(state, to, frame),
        HostFrame::Execute(frame) => execute::handle(state, to, frame),
        HostFrame::Call(frame) => call::handle(state, to, frame),
        HostFrame::HostReply(frame) => host_reply::handle(state, to, frame),
        HostFrame::Cancel(_) => cancel::handle(state, to),
        HostFrame::CloseSession(_) => close_session::handle(state, to),
        HostFrame::GetStats(_) => get_stats::handle(state, to),
    };
    if let Err(err) = result {
        state.refuse(to, kind, &err);
    }
    Ok(())
}

/// Whether a terminal reply is owed. PROTOCOL.md 6.2.
fn is_request(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::WarmSnapshot
            | Kind::OpenSession
            | Kind::Execute
            | Kind::Call
            | Kind::CloseSession
            | Kind::GetStats
    )
}

/// Answers a frame whose boundaries are clear but whose content is not.
///
/// # Errors
///
/// When anything but `Hello` comes first.
pub(crate) fn rejected(
    state: &mut State,
    head: Head,
    err: FrameError,
) -> Result<(), ConnectionError> {
    state.handshake.admit(head.kind)?;
    let to = Address {
        session: head.session,
        request: head.request,
    };
    state.refuse(to, head.kind, &RequestError::Frame(err));
    Ok(())
}
