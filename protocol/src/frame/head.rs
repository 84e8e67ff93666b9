//! The 20 bytes in front of every body (PROTOCOL.md 2).
//!
//! ```text
//!  0            4      5       6          8             12            20
//! +------------+------+-------+----------+-------------+-------------+------
//! | length u32 | kind | flags | reserved | session u32 | request u64 | body
//! +------------+------+-------+----------+-------------+-------------+------
//! ```
//!
//! All integers are big-endian. `length` counts the body only.

use bytes::{Buf, BufMut};

use super::{Kind, Sender};
use crate::{FrameError, RequestId, SessionId};

/// Size of the head on the wire.
pub const HEAD_LEN: usize = 20;

/// The fixed part of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// Which frame follows.
    pub kind: Kind,
    /// Flag bits. None is defined in version 4.
    pub flags: u8,
    /// The session the frame belongs to.
    pub session: SessionId,
    /// The request the frame belongs to.
    pub request: RequestId,
    /// How many bytes of body follow.
    pub body_len: u32,
}

impl Head {
    /// A head without flags, for a body whose length is not yet known.
    pub const fn new(kind: Kind, session: SessionId, request: RequestId) -> Head {
        Head {
            kind,
            flags: 0,
            session,
            request,
            body_len: 0,
        }
    }

    /// Reads a head. Does not judge `body_len`: the decoder does, before it
    /// reserves memory.
    ///
    /// # Errors
    ///
    /// [`FrameError::ReservedNotZero`]: the stream is out of step.
    pub fn load(raw: &[u8; HEAD_LEN]) -> Result<Head, FrameError> {
        let mut raw = &raw[..];
        let body_len = raw.get_u32();
        let kind = Kind::from_wire(raw.get_u8());
        let flags = raw.get_u8();
        let reserved = raw.get_u16();
        let session = SessionId(raw.get_u32());
        let request = RequestId(raw.get_u64());
        // PROTOCOL.md 2: reserved bits are zero.
        if reserved != 0 {
            return Err(FrameError::ReservedNotZero(reserved));
        }
        Ok(Head {
            kind,
            flags,
            session,
            request,
            body_len,
        })
    }

    /// Writes the head: [`HEAD_LEN`] bytes.
    pub fn encode(&self, dst: &mut impl BufMut) {
        dst.put_u32(self.body_len);
        dst.put_u8(self.kind.to_wire());
        dst.put_u8(self.flags);
        dst.put_u16(0);
        dst.put_u32(self.session.0);
        dst.put_u64(self.request.0);
    }

    /// Judges all but the length, for a frame that `sender` sent. The order of the
    /// checks is part of the protocol: the first that fails is reported.
    pub(crate) fn check(&self, sender: Sender) -> Result<(), FrameError> {
        let kind = self.kind;
        // PROTOCOL.md 2.2: an unknown kind is refused and skipped.
        if let Kind::Unknown(byte) = kind {
            return Err(FrameError::UnknownKind(byte));
        }
        // PROTOCOL.md 5: each kind is sent by one side, Ping and Pong by both.
        if kind.sender() != Sender::Both && kind.sender() != sender {
            return Err(FrameError::WrongDirection(kind));
        }
        // PROTOCOL.md 2.2: version 3 defines no flags.
        if self.flags != 0 {
            let flags = self.flags;
            return Err(FrameError::UnknownFlags { kind, flags });
        }
        // PROTOCOL.md 5: connection frames carry session 0, session frames do not.
        if !kind.session_rule().admits(self.session) {
            let session = self.session;
            return Err(FrameError::BadSessionId { kind, session });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: [u8; HEAD_LEN] = [
        0, 0, 1, 2, // length
        0x14, 0, 0, 0, // kind, flags, reserved
        0, 0, 0, 7, // session
        1, 2, 3, 4, 5, 6, 7, 8, // request
    ];

    #[test]
    fn is_twenty_bytes_big_endian() {
        let head = Head {
            body_len: 0x0102,
            ..Head::new(
                Kind::Execute,
                SessionId(7),
                RequestId(0x0102_0304_0506_0708),
            )
        };
        assert_eq!(Head::load(&RAW), Ok(head));
        let mut wire = Vec::new();
        head.encode(&mut wire);
        assert_eq!(wire, RAW);
    }

    #[test]
    fn reserved_bits_are_zero() {
        for at in [6, 7] {
            let mut raw = RAW;
            raw[at] = 1;
            let reserved = if at == 6 { 0x0100 } else { 1 };
            assert_eq!(Head::load(&raw), Err(FrameError::ReservedNotZero(reserved)));
        }
    }

    #[track_caller]
    fn check(kind: Kind, flags: u8, session: u32, expected: Result<(), FrameError>) {
        let head = Head {
            flags,
            ..Head::new(kind, SessionId(session), RequestId(1))
        };
        assert_eq!(head.check(Sender::Host), expected);
    }

    #[test]
    fn the_first_fault_is_reported() {
        let bad_session = |kind, session| {
            let session = SessionId(session);
            Err(FrameError::BadSessionId { kind, session })
        };
        let flags = |kind, flags| Err(FrameError::UnknownFlags { kind, flags });
        check(
            Kind::Unknown(0x7f),
            1,
            0,
            Err(FrameError::UnknownKind(0x7f)),
        );
        check(
            Kind::Outcome,
            1,
            0,
            Err(FrameError::WrongDirection(Kind::Outcome)),
        );
        check(Kind::Execute, 0x80, 0, flags(Kind::Execute, 0x80));
        check(Kind::Execute, 0, 0, bad_session(Kind::Execute, 0));
        check(Kind::Execute, 0, 1, Ok(()));
        check(Kind::Hello, 0, 1, bad_session(Kind::Hello, 1));
        check(Kind::Hello, 0, 0, Ok(()));
        check(Kind::GetStats, 0, 0, Ok(()));
        check(Kind::GetStats, 0, 1, Ok(()));
        check(Kind::Ping, 0, 0, Ok(()));
    }
}
