//! One module per frame: its struct, its `load`, its `encode`, its tests.

mod call;
mod called;
mod cancel;
mod close_session;
mod execute;
mod get_stats;
mod go_away;
mod head;
mod hello;
mod host;
mod host_call;
mod host_reply;
mod kind;
mod open_session;
mod outcome;
mod output;
mod ping;
mod refused;
mod reset;
mod session_closed;
mod session_event;
mod session_opened;
mod shutdown;
mod sidecar;
mod snapshot_ready;
mod stats;
mod warm_snapshot;
mod welcome;

pub use self::call::{Call, CallTarget};
pub use self::called::CalledFrame;
pub use self::cancel::Cancel;
pub use self::close_session::CloseSession;
pub use self::execute::{Code, Execute, Until};
pub use self::get_stats::GetStats;
pub use self::go_away::GoAway;
pub use self::head::{HEAD_LEN, Head};
pub use self::hello::Hello;
pub use self::host::HostFrame;
pub use self::host_call::HostCall;
pub use self::host_reply::{HostError, HostReply, Reply};
pub use self::kind::{Kind, Sender, SessionRule};
pub use self::open_session::OpenSession;
pub use self::outcome::OutcomeFrame;
pub use self::output::{Level, Output, Stream};
pub use self::ping::{Ping, Pong};
pub use self::refused::Refused;
pub use self::reset::Reset;
pub use self::session_closed::SessionClosed;
pub use self::session_event::{GuestEvent, SessionEvent};
pub use self::session_opened::SessionOpened;
pub use self::shutdown::Shutdown;
pub use self::sidecar::SidecarFrame;
pub use self::snapshot_ready::SnapshotReady;
pub use self::stats::{Stats, StatsBody};
pub use self::warm_snapshot::WarmSnapshot;
pub use self::welcome::Welcome;

use bytes::{Bytes, BytesMut};

use crate::bounds::MAX_FRAME_CEILING;
use crate::wire::{Reader, Writer};
use crate::{EncodeError, FrameError, RequestId, SessionId};

/// A frame and what its head says about whom it concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<F> {
    /// The session, or [`SessionId::CONNECTION`].
    pub session: SessionId,
    /// The request; of `HostCall` and `HostReply` the call, see
    /// [`CallId::from_head`](crate::CallId::from_head).
    pub request: RequestId,
    /// The frame.
    pub frame: F,
}

/// The frames of one direction: [`HostFrame`] or [`SidecarFrame`].
pub trait Frame: sealed::Load {}

impl Frame for HostFrame {}
impl Frame for SidecarFrame {}

mod sealed {
    //! Keeps [`Frame`](super::Frame) closed.

    use bytes::Bytes;

    use super::Head;
    use crate::FrameError;

    pub trait Load: Sized {
        /// Reads the body that belongs to `head`.
        fn load(head: &Head, body: Bytes) -> Result<Self, FrameError>;
    }
}

/// Reads one body whole, after judging its head.
fn load_frame<F>(
    head: &Head,
    body: Bytes,
    sender: Sender,
    load_body: impl FnOnce(Kind, &mut Reader) -> Result<F, FrameError>,
) -> Result<F, FrameError> {
    head.check(sender)?;
    let mut src = Reader::new(body);
    let frame = load_body(head.kind, &mut src)?;
    src.finish()?;
    Ok(frame)
}

/// Writes a head and the body that `encode_body` writes, or nothing at all.
fn encode_frame(
    mut head: Head,
    max_body: u32,
    dst: &mut BytesMut,
    encode_body: impl FnOnce(&mut Writer<'_>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    if !head.kind.session_rule().admits(head.session) {
        return Err(EncodeError::BadSessionId {
            kind: head.kind,
            session: head.session,
        });
    }
    let start = dst.len();
    head.encode(dst);
    let mut body = Writer::new(dst, max_body.min(MAX_FRAME_CEILING));
    match encode_body(&mut body).and_then(|()| body.finish()) {
        Ok(len) => {
            head.body_len = len;
            let mut in_place = dst.get_mut(start..).unwrap_or_default();
            head.encode(&mut in_place);
            Ok(())
        }
        Err(err) => {
            dst.truncate(start);
            Err(err)
        }
    }
}
