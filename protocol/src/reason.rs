//! Why something was refused, reset or ended: stable numbers.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// Why a frame was refused, a session reset or the connection ended.
///
/// The numbers are listed in PROTOCOL.md 7.2 and never change their meaning. A
/// number that this version does not know is kept as [`Reason::Other`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// No version is common to both sides.
    UnsupportedVersion,
    /// A frame came before `Hello`.
    HelloExpected,
    /// A second `Hello` came.
    HelloRepeated,
    /// A body is longer than the limit.
    FrameTooLarge,
    /// The bytes of a frame do not parse.
    Malformed,
    /// The kind byte is not one this version knows.
    UnknownKind,
    /// A flag is set that this version does not know.
    UnknownFlags,
    /// The frame is one that only the other side sends.
    WrongDirection,
    /// A connection frame named a session, or a session frame named none.
    BadSessionId,
    /// No session has this id.
    UnknownSession,
    /// A session with this id exists already.
    DuplicateSession,
    /// A request with this id is in flight already.
    DuplicateRequest,
    /// The session's queue of requests is full.
    Busy,
    /// No host call with this id waits for a reply.
    UnknownCall,
    /// The process admits no further session.
    TooManySessions,
    /// No snapshot has this key.
    UnknownSnapshot,
    /// The snapshot could not be made.
    SnapshotFailed,
    /// The session could not be opened.
    OpenFailed,
    /// A field has a value that the request does not allow.
    InvalidArgument,
    /// The process is ending and takes no new work.
    ShuttingDown,
    /// The session's memory is exhausted beyond repair.
    MemoryExceeded,
    /// A limit was exceeded; the report that comes along says which.
    LimitExceeded,
    /// The engine ran out of memory and the session's thread is parked.
    EngineOom,
    /// The session did not stop within its grace period.
    StuckSession,
    /// The host does not read what it is sent.
    HostNotReading,
    /// The sidecar is at fault.
    Internal,
    /// The session was closed while the request waited or ran.
    SessionClosed,
    /// The process that the session ran in has ended.
    ProcessLost,
    /// A number that a later version gave a meaning to.
    Other(u16),
}

impl Reason {
    /// Every reason of this version, by number from 1.
    pub const ALL: [Reason; 28] = [
        Reason::UnsupportedVersion,
        Reason::HelloExpected,
        Reason::HelloRepeated,
        Reason::FrameTooLarge,
        Reason::Malformed,
        Reason::UnknownKind,
        Reason::UnknownFlags,
        Reason::WrongDirection,
        Reason::BadSessionId,
        Reason::UnknownSession,
        Reason::DuplicateSession,
        Reason::DuplicateRequest,
        Reason::Busy,
        Reason::UnknownCall,
        Reason::TooManySessions,
        Reason::UnknownSnapshot,
        Reason::SnapshotFailed,
        Reason::OpenFailed,
        Reason::InvalidArgument,
        Reason::ShuttingDown,
        Reason::MemoryExceeded,
        Reason::LimitExceeded,
        Reason::EngineOom,
        Reason::StuckSession,
        Reason::HostNotReading,
        Reason::Internal,
        Reason::SessionClosed,
        Reason::ProcessLost,
    ];

    /// The reason with this number.
    pub const fn from_wire(number: u16) -> Reason {
        match number {
            1 => Reason::UnsupportedVersion,
            2 => Reason::HelloExpected,
            3 => Reason::HelloRepeated,
            4 => Reason::FrameTooLarge,
            5 => Reason::Malformed,
            6 => Reason::UnknownKind,
            7 => Reason::UnknownFlags,
            8 => Reason::WrongDirection,
            9 => Reason::BadSessionId,
            10 => Reason::UnknownSession,
            11 => Reason::DuplicateSession,
            12 => Reason::DuplicateRequest,
            13 => Reason::Busy,
            14 => Reason::UnknownCall,
            15 => Reason::TooManySessions,
            16 => Reason::UnknownSnapshot,
            17 => Reason::SnapshotFailed,
            18 => Reason::OpenFailed,
            19 => Reason::InvalidArgument,
            20 => Reason::ShuttingDown,
            21 => Reason::MemoryExceeded,
            22 => Reason::LimitExceeded,
            23 => Reason::EngineOom,
            24 => Reason::StuckSession,
            25 => Reason::HostNotReading,
            26 => Reason::Internal,
            27 => Reason::SessionClosed,
            28 => Reason::ProcessLost,
            other => Reason::Other(other),
        }
    }

    /// The number as it travels.
    pub const fn to_wire(self) -> u16 {
        match self {
            Reason::UnsupportedVersion => 1,
            Reason::HelloExpected => 2,
            Reason::HelloRepeated => 3,
            Reason::FrameTooLarge => 4,
            Reason::Malformed => 5,
            Reason::UnknownKind => 6,
            Reason::UnknownFlags => 7,
            Reason::WrongDirection => 8,
            Reason::BadSessionId => 9,
            Reason::UnknownSession => 10,
            Reason::DuplicateSession => 11,
            Reason::DuplicateRequest => 12,
            Reason::Busy => 13,
            Reason::UnknownCall => 14,
            Reason::TooManySessions => 15,
            Reason::UnknownSnapshot => 16,
            Reason::SnapshotFailed => 17,
            Reason::OpenFailed => 18,
            Reason::InvalidArgument => 19,
            Reason::ShuttingDown => 20,
            Reason::MemoryExceeded => 21,
            Reason::LimitExceeded => 22,
            Reason::EngineOom => 23,
            Reason::StuckSession => 24,
            Reason::HostNotReading => 25,
            Reason::Internal => 26,
            Reason::SessionClosed => 27,
            Reason::ProcessLost => 28,
            Reason::Other(other) => other,
        }
    }

    /// The name that hosts and logs use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::UnsupportedVersion => "unsupported_version",
            Reason::HelloExpected => "hello_expected",
            Reason::HelloRepeated => "hello_repeated",
            Reason::FrameTooLarge => "frame_too_large",
            Reason::Malformed => "malformed",
            Reason::UnknownKind => "unknown_kind",
            Reason::UnknownFlags => "unknown_flags",
            Reason::WrongDirection => "wrong_direction",
            Reason::BadSessionId => "bad_session_id",
            Reason::UnknownSession => "unknown_session",
            Reason::DuplicateSession => "duplicate_session",
            Reason::DuplicateRequest => "duplicate_request",
            Reason::Busy => "busy",
            Reason::UnknownCall => "unknown_call",
            Reason::TooManySessions => "too_many_sessions",
            Reason::UnknownSnapshot => "unknown_snapshot",
            Reason::SnapshotFailed => "snapshot_failed",
            Reason::OpenFailed => "open_failed",
            Reason::InvalidArgument => "invalid_argument",
            Reason::ShuttingDown => "shutting_down",
            Reason::MemoryExceeded => "memory_exceeded",
            Reason::LimitExceeded => "limit_exceeded",
            Reason::EngineOom => "engine_oom",
            Reason::StuckSession => "stuck_session",
            Reason::HostNotReading => "host_not_reading",
            Reason::Internal => "internal",
            Reason::SessionClosed => "session_closed",
            Reason::ProcessLost => "process_lost",
            Reason::Other(_) => "other",
        }
    }
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Other(number) => write!(f, "reason {number}"),
            known => f.write_str(known.as_str()),
        }
    }
}

impl Wire for Reason {
    fn load(src: &mut Reader) -> Result<Reason, FrameError> {
        src.number("reason").map(Reason::from_wire)
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.to_wire());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stable_and_unknown_ones_are_kept() {
        for (number, reason) in (1..).zip(Reason::ALL) {
            assert_eq!(reason.to_wire(), number);
            assert_eq!(Reason::from_wire(number), reason);
        }
        for number in [0, 29, u16::MAX] {
            assert_eq!(Reason::from_wire(number), Reason::Other(number));
            assert_eq!(Reason::Other(number).to_wire(), number);
        }
    }
}
