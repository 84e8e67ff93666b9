//! What can be wrong with a request or with the connection, and what answers it.

use std::io;

use host_bridge::{MAX_COMMANDS, OpenError, SendError};
use protocol::frame::{GoAway, Kind, Refused};
use protocol::{
    FrameError, LimitKind, LimitReport, PROTOCOL_VERSION, Reason, RequestId, SessionId, bounds,
};

use crate::ExitCode;
use crate::admission::NoRoom;
use crate::validate::InvalidArgument;

/// A frame of the host has no effect. It is answered with `Refused`; all else goes on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error("{0}")]
    Frame(FrameError),
    #[error("Hello was answered already")]
    HelloRepeated,
    #[error("request id 0 belongs to no request; choose another")]
    NoRequestId,
    #[error("no session {0} is open")]
    UnknownSession(SessionId),
    #[error("session {0} exists already; close it first or choose another id")]
    DuplicateSession(SessionId),
    #[error("request {0} is in flight already")]
    DuplicateRequest(RequestId),
    #[error("session {0} is being closed")]
    SessionClosing(SessionId),
    #[error("{MAX_COMMANDS} requests wait in this session, which is the most")]
    Busy,
    #[error("{0} snapshots wait to be made, which is the most")]
    BuildsBusy(usize),
    #[error("no host call {0} waits for a reply: it was answered, gave up waiting, or never was")]
    UnknownCall(RequestId),
    #[error("{limit} sessions are open, which is the most")]
    TooManySessions { limit: u32 },
    #[error("{0}")]
    NoMemory(#[from] NoRoom),
    #[error("{open} sessions are open, and {err}")]
    NoRoom { open: u32, err: OpenError },
    #[error("{0}")]
    Open(OpenError),
    #[error("{0}")]
    InvalidArgument(#[from] InvalidArgument),
    #[error("a value of {len} bytes exceeds the limit of {limit}")]
    MessageTooLarge { len: u64, limit: u32 },
    #[error("the sidecar is shutting down")]
    ShuttingDown,
    #[error("too many sessions of this process are parked for good; start another sidecar")]
    Draining,
}

impl RequestError {
    pub(crate) fn reason(&self) -> Reason {
        match self {
            RequestError::Frame(err) => err.reason(),
            RequestError::HelloRepeated => Reason::HelloRepeated,
            RequestError::NoRequestId | RequestError::InvalidArgument(_) => Reason::InvalidArgument,
            RequestError::UnknownSession(_) => Reason::UnknownSession,
            RequestError::DuplicateSession(_) => Reason::DuplicateSession,
            RequestError::DuplicateRequest(_) => Reason::DuplicateRequest,
            RequestError::SessionClosing(_) => Reason::SessionClosed,
            RequestError::Busy | RequestError::BuildsBusy(_) => Reason::Busy,
            RequestError::UnknownCall(_) => Reason::UnknownCall,
            RequestError::TooManySessions { .. }
            | RequestError::NoMemory(_)
            | RequestError::NoRoom { .. } => Reason::TooManySessions,
            RequestError::Open(OpenError::UnknownSnapshot(_)) => Reason::UnknownSnapshot,
            RequestError::Open(_) => Reason::OpenFailed,
            RequestError::MessageTooLarge { .. } => Reason::LimitExceeded,
            RequestError::ShuttingDown | RequestError::Draining => Reason::ShuttingDown,
        }
    }

    fn limit(&self) -> Option<LimitReport> {
        let max_commands = u64::try_from(MAX_COMMANDS).unwrap_or(u64::MAX);
        match self {
            RequestError::Busy => Some(LimitReport::new(
                LimitKind::Requests,
                max_commands,
                max_commands.saturating_add(1),
            )),
            RequestError::BuildsBusy(most) => {
                let limit = u64::try_from(*most).unwrap_or(u64::MAX);
                let usage = limit.saturating_add(1);
                Some(LimitReport::new(LimitKind::Requests, limit, usage))
            }
            RequestError::TooManySessions { limit } | RequestError::NoRoom { open: limit, .. } => {
                let limit = u64::from(*limit);
                let usage = limit.saturating_add(1);
                Some(LimitReport::new(LimitKind::Sessions, limit, usage))
            }
            RequestError::NoMemory(no_room) => Some(memory_report(*no_room)),
            RequestError::MessageTooLarge { len, limit } => Some(LimitReport::new(
                LimitKind::Message,
                u64::from(*limit),
                *len,
            )),
            _ => None,
        }
    }

    /// The answer, for a frame of this kind.
    pub(crate) fn to_refused(&self, kind: Kind) -> Refused {
        Refused {
            kind: kind.to_wire(),
            reason: self.reason(),
            message: clipped(self.to_string()),
            limit: self.limit(),
        }
    }

    /// Why a session did not take a request.
    pub(crate) fn not_sent(session: SessionId, err: SendError) -> RequestError {
        match err {
            SendError::QueueFull => RequestError::Busy,
            _ => RequestError::SessionClosing(session),
        }
    }
}

fn memory_report(no_room: NoRoom) -> LimitReport {
    let (limit, usage) = match no_room {
        NoRoom::Limits {
            asked,
            taken,
            limit,
        } => (limit, taken.saturating_add(asked)),
        NoRoom::Pressure { used, limit } => (limit, used),
        NoRoom::Machine { available, reserve } => (reserve, available),
    };
    LimitReport {
        raise: clipped(no_room.to_string()),
        ..LimitReport::new(LimitKind::Memory, limit, usage)
    }
}

/// The connection cannot go on. It is answered with `GoAway`, and the process ends.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectionError {
    #[error("{0} came before Hello")]
    HelloExpected(Kind),
    #[error(
        "versions {min} to {max} are offered, and this sidecar speaks version {PROTOCOL_VERSION}"
    )]
    UnsupportedVersion { min: u16, max: u16 },
    #[error("{0}")]
    Frame(FrameError),
    #[error("the stream ended inside a frame")]
    CutShort,
    #[error("standard input cannot be read: {0}")]
    Read(io::Error),
    #[error("{waiting} bytes wait for the host, which does not read")]
    HostNotReading { waiting: usize },
}

impl ConnectionError {
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            ConnectionError::HelloExpected(_)
            | ConnectionError::UnsupportedVersion { .. }
            | ConnectionError::Frame(_)
            | ConnectionError::CutShort => ExitCode::Protocol,
            ConnectionError::Read(_) => ExitCode::Internal,
            ConnectionError::HostNotReading { .. } => ExitCode::HostNotReading,
        }
    }

    fn reason(&self) -> Reason {
        match self {
            ConnectionError::HelloExpected(_) => Reason::HelloExpected,
            ConnectionError::UnsupportedVersion { .. } => Reason::UnsupportedVersion,
            ConnectionError::Frame(err) => err.reason(),
            ConnectionError::CutShort => Reason::Malformed,
            ConnectionError::Read(_) => Reason::Internal,
            ConnectionError::HostNotReading { .. } => Reason::HostNotReading,
        }
    }

    pub(crate) fn to_go_away(&self) -> GoAway {
        GoAway {
            reason: self.reason(),
            message: clipped(self.to_string()),
        }
    }
}

/// A text that fits where the protocol has an explanation.
pub(crate) fn clipped(mut text: String) -> String {
    bounds::clip(&mut text, bounds::MAX_TEXT);
    text
}
