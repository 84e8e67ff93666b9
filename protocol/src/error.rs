//! What can be wrong with a frame, and how far the damage reaches.

use crate::frame::Kind;
use crate::{Reason, SessionId};

/// How far the damage of an error reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// One request fails; the session lives.
    Request,
    /// One session ends; the connection lives.
    Session,
    /// Framing is lost or the peer is hostile: `GoAway`, and the process exits.
    Connection,
}

/// Bytes from the other side that do not follow the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The head announces a longer body than this side accepts.
    #[error("body of {announced} bytes exceeds the limit of {limit}")]
    FrameTooLarge {
        /// What the head announces, in bytes.
        announced: u32,
        /// What this side accepts, in bytes.
        limit: u32,
    },
    /// The reserved bits of the head are not zero: the stream is out of step.
    #[error("reserved bits {0:#06x} of the head are not zero")]
    ReservedNotZero(u16),
    /// The kind byte is not one that this version knows.
    #[error("frame kind {0:#04x} is unknown")]
    UnknownKind(u8),
    /// Only the other side sends this kind.
    #[error("{0} is not sent in this direction")]
    WrongDirection(Kind),
    /// A flag is set that this version does not know.
    #[error("flags {flags:#04x} of {kind} are unknown")]
    UnknownFlags {
        /// The frame.
        kind: Kind,
        /// All its flags.
        flags: u8,
    },
    /// A connection frame names a session, or a session frame names none.
    #[error("session {session} is not allowed on {kind}")]
    BadSessionId {
        /// The frame.
        kind: Kind,
        /// The session in its head.
        session: SessionId,
    },
    /// The body does not parse.
    #[error("{field} {fault}")]
    Malformed {
        /// The field that was being read, such as `hello.client`.
        field: &'static str,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// What is wrong with a field of a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The body ends before the field does.
    #[error("is cut short by the end of the body")]
    Truncated,
    /// The body goes on after its last field.
    #[error("is followed by {count} more bytes")]
    TrailingBytes {
        /// How many bytes are left.
        count: usize,
    },
    /// The bytes are not a number or truth value of the field's type.
    #[error("is not a number of its type")]
    BadNumber,
    /// The bytes are not UTF-8.
    #[error("is not UTF-8")]
    NotUtf8,
    /// The tag of an enum or option is not one that this version knows.
    #[error("has the unknown tag {0}")]
    UnknownTag(u32),
    /// The text has more bytes than its bound.
    #[error("has {len} bytes, over its bound of {bound}")]
    TooLong {
        /// Bytes announced.
        len: u64,
        /// Bytes allowed; see [`bounds`](crate::bounds).
        bound: usize,
    },
    /// The list has more elements than its bound.
    #[error("has {count} elements, over its bound of {bound}")]
    TooMany {
        /// Elements announced.
        count: u64,
        /// Elements allowed; see [`bounds`](crate::bounds).
        bound: usize,
    },
    /// The chain is longer than its bound.
    #[error("is nested deeper than its bound of {bound}")]
    TooDeep {
        /// Levels allowed; see [`bounds`](crate::bounds).
        bound: usize,
    },
}

impl FrameError {
    /// How far this error reaches. The head is trusted for every error but the two
    /// that make the next frame boundary unknowable.
    pub fn scope(&self) -> Scope {
        match self {
            FrameError::FrameTooLarge { .. } | FrameError::ReservedNotZero(_) => Scope::Connection,
            FrameError::UnknownKind(_)
            | FrameError::WrongDirection(_)
            | FrameError::UnknownFlags { .. }
            | FrameError::BadSessionId { .. }
            | FrameError::Malformed { .. } => Scope::Request,
        }
    }

    /// The reason for the `Refused` or `GoAway` that answers it.
    pub fn reason(&self) -> Reason {
        match self {
            FrameError::FrameTooLarge { .. } => Reason::FrameTooLarge,
            FrameError::UnknownKind(_) => Reason::UnknownKind,
            FrameError::WrongDirection(_) => Reason::WrongDirection,
            FrameError::UnknownFlags { .. } => Reason::UnknownFlags,
            FrameError::BadSessionId { .. } => Reason::BadSessionId,
            FrameError::ReservedNotZero(_) | FrameError::Malformed { .. } => Reason::Malformed,
        }
    }
}

/// A frame of this side that cannot be sent. Nothing of it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The body is longer than the other side accepts.
    #[error("body of {len} bytes exceeds the limit of {limit}")]
    FrameTooLarge {
        /// Length of the body, in bytes.
        len: u64,
        /// What the other side accepts, in bytes.
        limit: u32,
    },
    /// A connection frame is addressed to a session, or a session frame to none.
    #[error("session {session} is not allowed on {kind}")]
    BadSessionId {
        /// The frame.
        kind: Kind,
        /// The session it is addressed to.
        session: SessionId,
    },
    /// A field is over its bound; the other side would not read it.
    #[error("{field} {fault}")]
    OverBound {
        /// The field, such as `hello.client`.
        field: &'static str,
        /// Which bound, and by how much.
        fault: Fault,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: FrameError, scope: Scope, reason: Reason, text: &str) {
        assert_eq!(error.scope(), scope);
        assert_eq!(error.reason(), reason);
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn each_error_has_a_scope_a_reason_and_a_line() {
        let (kind, session) = (Kind::Execute, SessionId(0));
        check(
            FrameError::FrameTooLarge {
                announced: 9,
                limit: 8,
            },
            Scope::Connection,
            Reason::FrameTooLarge,
            "body of 9 bytes exceeds the limit of 8",
        );
        check(
            FrameError::ReservedNotZero(1),
            Scope::Connection,
            Reason::Malformed,
            "reserved bits 0x0001 of the head are not zero",
        );
        check(
            FrameError::UnknownKind(0x7f),
            Scope::Request,
            Reason::UnknownKind,
            "frame kind 0x7f is unknown",
        );
        check(
            FrameError::WrongDirection(kind),
            Scope::Request,
            Reason::WrongDirection,
            "Execute is not sent in this direction",
        );
        check(
            FrameError::UnknownFlags { kind, flags: 4 },
            Scope::Request,
            Reason::UnknownFlags,
            "flags 0x04 of Execute are unknown",
        );
        check(
            FrameError::BadSessionId { kind, session },
            Scope::Request,
            Reason::BadSessionId,
            "session 0 is not allowed on Execute",
        );
        check(
            FrameError::Malformed {
                field: "hello.client",
                fault: Fault::TooLong {
                    len: 1025,
                    bound: 1024,
                },
            },
            Scope::Request,
            Reason::Malformed,
            "hello.client has 1025 bytes, over its bound of 1024",
        );
    }
}
