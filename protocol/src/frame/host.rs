//! `HostFrame`: what the host sends.

use bytes::{Bytes, BytesMut};

use super::{
    Call, Cancel, CloseSession, Execute, GetStats, Head, Hello, HostReply, Kind, OpenSession, Ping,
    Pong, Sender, Shutdown, WarmSnapshot, encode_frame, load_frame, sealed,
};
use crate::bounds::MAX_FRAME_CEILING;
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, RequestId, SessionId};

/// Any frame from host to sidecar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostFrame {
    /// See [`Hello`].
    Hello(Hello),
    /// See [`Ping`].
    Ping(Ping),
    /// See [`Pong`].
    Pong(Pong),
    /// See [`Shutdown`].
    Shutdown(Shutdown),
    /// See [`WarmSnapshot`].
    WarmSnapshot(WarmSnapshot),
    /// See [`OpenSession`].
    OpenSession(OpenSession),
    /// See [`Execute`].
    Execute(Execute),
    /// See [`Call`].
    Call(Call),
    /// See [`HostReply`].
    HostReply(HostReply),
    /// See [`Cancel`].
    Cancel(Cancel),
    /// See [`CloseSession`].
    CloseSession(CloseSession),
    /// See [`GetStats`].
    GetStats(GetStats),
}

impl HostFrame {
    /// Writes head and body at the end of `dst`, for a peer that accepts the
    /// largest body there is. Prefer [`HostFrame::encode_within`] once the limit is
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
    /// As [`HostFrame::encode`].
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
            HostFrame::Hello(_) => Kind::Hello,
            HostFrame::Ping(_) => Kind::Ping,
            HostFrame::Pong(_) => Kind::Pong,
            HostFrame::Shutdown(_) => Kind::Shutdown,
            HostFrame::WarmSnapshot(_) => Kind::WarmSnapshot,
            HostFrame::OpenSession(_) => Kind::OpenSession,
            HostFrame::Execute(_) => Kind::Execute,
            HostFrame::Call(_) => Kind::Call,
            HostFrame::HostReply(_) => Kind::HostReply,
            HostFrame::Cancel(_) => Kind::Cancel,
            HostFrame::CloseSession(_) => Kind::CloseSession,
            HostFrame::GetStats(_) => Kind::GetStats,
        }
    }

    fn encode_body(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            HostFrame::Hello(frame) => frame.encode(dst),
            HostFrame::Ping(frame) => frame.encode(dst),
            HostFrame::Pong(frame) => frame.encode(dst),
            HostFrame::Shutdown(frame) => frame.encode(dst),
            HostFrame::WarmSnapshot(frame) => frame.encode(dst),
            HostFrame::OpenSession(frame) => frame.encode(dst),
            HostFrame::Execute(frame) => frame.encode(dst),
            HostFrame::Call(frame) => frame.encode(dst),
            HostFrame::HostReply(frame) => frame.encode(dst),
            HostFrame::Cancel(frame) => frame.encode(dst),
            HostFrame::CloseSession(frame) => frame.encode(dst),
            HostFrame::GetStats(frame) => frame.encode(dst),
        }
    }

    fn load_body(kind: Kind, src: &mut Reader) -> Result<HostFrame, FrameError> {
        match kind {
            Kind::Hello => Hello::load(src).map(HostFrame::Hello),
            Kind::Ping => Ping::load(src).map(HostFrame::Ping),
            Kind::Pong => Pong::load(src).map(HostFrame::Pong),
            Kind::Shutdown => Shutdown::load(src).map(HostFrame::Shutdown),
            Kind::WarmSnapshot => WarmSnapshot::load(src).map(HostFrame::WarmSnapshot),
            Kind::OpenSession => OpenSession::load(src).map(HostFrame::OpenSession),
            Kind::Execute => Execute::load(src).map(HostFrame::Execute),
            Kind::Call => Call::load(src).map(HostFrame::Call),
            Kind::HostReply => HostReply::load(src).map(HostFrame::HostReply),
            Kind::Cancel => Cancel::load(src).map(HostFrame::Cancel),
            Kind::CloseSession => CloseSession::load(src).map(HostFrame::CloseSession),
            Kind::GetStats => GetStats::load(src).map(HostFrame::GetStats),
            Kind::Unknown(byte) => Err(FrameError::UnknownKind(byte)),
            other => Err(FrameError::WrongDirection(other)),
        }
    }
}

impl sealed::Load for HostFrame {
    fn load(head: &Head, body: Bytes) -> Result<HostFrame, FrameError> {
        load_frame(head, body, Sender::Host, HostFrame::load_body)
    }
}

impl From<Hello> for HostFrame {
    fn from(frame: Hello) -> HostFrame {
        HostFrame::Hello(frame)
    }
}

impl From<Ping> for HostFrame {
    fn from(frame: Ping) -> HostFrame {
        HostFrame::Ping(frame)
    }
}

impl From<Pong> for HostFrame {
    fn from(frame: Pong) -> HostFrame {
        HostFrame::Pong(frame)
    }
}

impl From<Shutdown> for HostFrame {
    fn from(frame: Shutdown) -> HostFrame {
        HostFrame::Shutdown(frame)
    }
}

impl From<WarmSnapshot> for HostFrame {
    fn from(frame: WarmSnapshot) -> HostFrame {
        HostFrame::WarmSnapshot(frame)
    }
}

impl From<OpenSession> for HostFrame {
    fn from(frame: OpenSession) -> HostFrame {
        HostFrame::OpenSession(frame)
    }
}

impl From<Execute> for HostFrame {
    fn from(frame: Execute) -> HostFrame {
        HostFrame::Execute(frame)
    }
}

impl From<Call> for HostFrame {
    fn from(frame: Call) -> HostFrame {
        HostFrame::Call(frame)
    }
}

impl From<HostReply> for HostFrame {
    fn from(frame: HostReply) -> HostFrame {
        HostFrame::HostReply(frame)
    }
}

impl From<Cancel> for HostFrame {
    fn from(frame: Cancel) -> HostFrame {
        HostFrame::Cancel(frame)
    }
}

impl From<CloseSession> for HostFrame {
    fn from(frame: CloseSession) -> HostFrame {
        HostFrame::CloseSession(frame)
    }
}

impl From<GetStats> for HostFrame {
    fn from(frame: GetStats) -> HostFrame {
        HostFrame::GetStats(frame)
    }
}
