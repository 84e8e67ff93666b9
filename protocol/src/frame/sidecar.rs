//! `SidecarFrame`: what the sidecar sends.

use bytes::{Bytes, BytesMut};

use super::{
    CalledFrame, GoAway, Head, HostCall, Kind, OutcomeFrame, Output, Ping, Pong, Refused, Reset,
    Sender, SessionClosed, SessionEvent, SessionOpened, SnapshotReady, Stats, Welcome,
    encode_frame, load_frame, sealed,
};
use crate::bounds::MAX_FRAME_CEILING;
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, RequestId, SessionId};

/// Any frame from sidecar to host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SidecarFrame {
    /// See [`Welcome`].
    Welcome(Welcome),
    /// See [`Ping`].
    Ping(Ping),
    /// See [`Pong`].
    Pong(Pong),
    /// See [`GoAway`].
    GoAway(GoAway),
    /// See [`Refused`].
    Refused(Refused),
    /// See [`Reset`].
    Reset(Reset),
    /// See [`SnapshotReady`].
    SnapshotReady(SnapshotReady),
    /// See [`SessionOpened`].
    SessionOpened(SessionOpened),
    /// See [`OutcomeFrame`].
    Outcome(OutcomeFrame),
    /// See [`CalledFrame`].
    Called(CalledFrame),
    /// See [`HostCall`].
    HostCall(HostCall),
    /// See [`Output`].
    Output(Output),
    /// See [`SessionClosed`].
    SessionClosed(SessionClosed),
    /// See [`SessionEvent`].
    SessionEvent(SessionEvent),
    /// See [`Stats`].
    Stats(Stats),
}

impl SidecarFrame {
    /// Writes head and body at the end of `dst`, for a peer that accepts the
    /// largest body there is. Prefer [`SidecarFrame::encode_within`] once the limit is
    /// agreed.
    ///
    /// # Errors
    ///
    /// Nothing is written when the body is too long, a field is over its bound,
    /// or the frame cannot belong to `session`.
    pub fn encode(
        &self,
        session: SessionId,
        request: RequestId,
        dst: &mut BytesMut,
    ) -> Result<(), EncodeError> {
        self.encode_within(MAX_FRAME_CEILING, session, request, dst)
    }

    /// Writes head and body at the end of `dst`, for a peer that accepts bodies of
    /// up to `max_body` bytes.
    ///
    /// # Errors
    ///
    /// As [`SidecarFrame::encode`].
    pub fn encode_within(
        &self,
        max_body: u32,
        session: SessionId,
        request: RequestId,
        dst: &mut BytesMut,
    ) -> Result<(), EncodeError> {
        let head = Head::new(self.kind(), session, request);
        encode_frame(head, max_body, dst, |dst| self.encode_body(dst))
    }

    /// Which kind of frame this is.
    pub fn kind(&self) -> Kind {
        match self {
            SidecarFrame::Welcome(_) => Kind::Welcome,
            SidecarFrame::Ping(_) => Kind::Ping,
            SidecarFrame::Pong(_) => Kind::Pong,
            SidecarFrame::GoAway(_) => Kind::GoAway,
            SidecarFrame::Refused(_) => Kind::Refused,
            SidecarFrame::Reset(_) => Kind::Reset,
            SidecarFrame::SnapshotReady(_) => Kind::SnapshotReady,
            SidecarFrame::SessionOpened(_) => Kind::SessionOpened,
            SidecarFrame::Outcome(_) => Kind::Outcome,
            SidecarFrame::Called(_) => Kind::Called,
            SidecarFrame::HostCall(_) => Kind::HostCall,
            SidecarFrame::Output(_) => Kind::Output,
            SidecarFrame::SessionClosed(_) => Kind::SessionClosed,
            SidecarFrame::SessionEvent(_) => Kind::SessionEvent,
            SidecarFrame::Stats(_) => Kind::Stats,
        }
    }

    fn encode_body(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            SidecarFrame::Welcome(frame) => frame.encode(dst),
            SidecarFrame::Ping(frame) => frame.encode(dst),
            SidecarFrame::Pong(frame) => frame.encode(dst),
            SidecarFrame::GoAway(frame) => frame.encode(dst),
            SidecarFrame::Refused(frame) => frame.encode(dst),
            SidecarFrame::Reset(frame) => frame.encode(dst),
            SidecarFrame::SnapshotReady(frame) => frame.encode(dst),
            SidecarFrame::SessionOpened(frame) => frame.encode(dst),
            SidecarFrame::Outcome(frame) => frame.encode(dst),
            SidecarFrame::Called(frame) => frame.encode(dst),
            SidecarFrame::HostCall(frame) => frame.encode(dst),
            SidecarFrame::Output(frame) => frame.encode(dst),
            SidecarFrame::SessionClosed(frame) => frame.encode(dst),
            SidecarFrame::SessionEvent(frame) => frame.encode(dst),
            SidecarFrame::Stats(frame) => frame.encode(dst),
        }
    }

    fn load_body(kind: Kind, src: &mut Reader) -> Result<SidecarFrame, FrameError> {
        match kind {
            Kind::Welcome => Welcome::load(src).map(SidecarFrame::Welcome),
            Kind::Ping => Ping::load(src).map(SidecarFrame::Ping),
            Kind::Pong => Pong::load(src).map(SidecarFrame::Pong),
            Kind::GoAway => GoAway::load(src).map(SidecarFrame::GoAway),
            Kind::Refused => Refused::load(src).map(SidecarFrame::Refused),
            Kind::Reset => Reset::load(src).map(SidecarFrame::Reset),
            Kind::SnapshotReady => SnapshotReady::load(src).map(SidecarFrame::SnapshotReady),
            Kind::SessionOpened => SessionOpened::load(src).map(SidecarFrame::SessionOpened),
            Kind::Outcome => OutcomeFrame::load(src).map(SidecarFrame::Outcome),
            Kind::Called => CalledFrame::load(src).map(SidecarFrame::Called),
            Kind::HostCall => HostCall::load(src).map(SidecarFrame::HostCall),
            Kind::Output => Output::load(src).map(SidecarFrame::Output),
            Kind::SessionClosed => SessionClosed::load(src).map(SidecarFrame::SessionClosed),
            Kind::SessionEvent => SessionEvent::load(src).map(SidecarFrame::SessionEvent),
            Kind::Stats => Stats::load(src).map(SidecarFrame::Stats),
            Kind::Unknown(byte) => Err(FrameError::UnknownKind(byte)),
            other => Err(FrameError::WrongDirection(other)),
        }
    }
}

impl sealed::Load for SidecarFrame {
    fn load(head: &Head, body: Bytes) -> Result<SidecarFrame, FrameError> {
        load_frame(head, body, Sender::Sidecar, SidecarFrame::load_body)
    }
}

impl From<Welcome> for SidecarFrame {
    fn from(frame: Welcome) -> SidecarFrame {
        SidecarFrame::Welcome(frame)
    }
}

impl From<Ping> for SidecarFrame {
    fn from(frame: Ping) -> SidecarFrame {
        SidecarFrame::Ping(frame)
    }
}

impl From<Pong> for SidecarFrame {
    fn from(frame: Pong) -> SidecarFrame {
        SidecarFrame::Pong(frame)
    }
}

impl From<GoAway> for SidecarFrame {
    fn from(frame: GoAway) -> SidecarFrame {
        SidecarFrame::GoAway(frame)
    }
}

impl From<Refused> for SidecarFrame {
    fn from(frame: Refused) -> SidecarFrame {
        SidecarFrame::Refused(frame)
    }
}

impl From<Reset> for SidecarFrame {
    fn from(frame: Reset) -> SidecarFrame {
        SidecarFrame::Reset(frame)
    }
}

impl From<SnapshotReady> for SidecarFrame {
    fn from(frame: SnapshotReady) -> SidecarFrame {
        SidecarFrame::SnapshotReady(frame)
    }
}

impl From<SessionOpened> for SidecarFrame {
    fn from(frame: SessionOpened) -> SidecarFrame {
        SidecarFrame::SessionOpened(frame)
    }
}

impl From<OutcomeFrame> for SidecarFrame {
    fn from(frame: OutcomeFrame) -> SidecarFrame {
        SidecarFrame::Outcome(frame)
    }
}

impl From<CalledFrame> for SidecarFrame {
    fn from(frame: CalledFrame) -> SidecarFrame {
        SidecarFrame::Called(frame)
    }
}

impl From<HostCall> for SidecarFrame {
    fn from(frame: HostCall) -> SidecarFrame {
        SidecarFrame::HostCall(frame)
    }
}

impl From<Output> for SidecarFrame {
    fn from(frame: Output) -> SidecarFrame {
        SidecarFrame::Output(frame)
    }
}

impl From<SessionClosed> for SidecarFrame {
    fn from(frame: SessionClosed) -> SidecarFrame {
        SidecarFrame::SessionClosed(frame)
    }
}

impl From<SessionEvent> for SidecarFrame {
    fn from(frame: SessionEvent) -> SidecarFrame {
        SidecarFrame::SessionEvent(frame)
    }
}

impl From<Stats> for SidecarFrame {
    fn from(frame: Stats) -> SidecarFrame {
        SidecarFrame::Stats(frame)
    }
}
