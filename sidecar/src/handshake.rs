//! The first exchange: which version both sides speak and how large a body may be.

use protocol::PROTOCOL_VERSION;
use protocol::bounds::{HELLO_MAX_FRAME, MAX_FRAME, MAX_FRAME_CEILING};
use protocol::frame::{Hello, Kind};

use crate::error::ConnectionError;

/// Whether `Hello` was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// Only `Hello` is expected.
    Expected,
    /// Everything else is.
    Done,
}

impl Handshake {
    /// Whether a frame of this kind may come now.
    ///
    /// # Errors
    ///
    /// [`ConnectionError::HelloExpected`] for anything before `Hello`.
    pub(crate) fn admit(self, kind: Kind) -> Result<(), ConnectionError> {
        match self {
            Handshake::Expected if kind != Kind::Hello => Err(ConnectionError::HelloExpected(kind)),
            Handshake::Expected | Handshake::Done => Ok(()),
        }
    }
}

/// The version that both sides speak.
///
/// # Errors
///
/// [`ConnectionError::UnsupportedVersion`] when there is none.
pub(crate) fn agreed_version(hello: &Hello) -> Result<u16, ConnectionError> {
    if (hello.min_version..=hello.max_version).contains(&PROTOCOL_VERSION) {
        Ok(PROTOCOL_VERSION)
    } else {
        Err(ConnectionError::UnsupportedVersion {
            min: hello.min_version,
            max: hello.max_version,
        })
    }
}

/// The largest body from `Hello` on: what the host asks for, 0 standing for the default,
/// but not more than `ceiling`, and never less than what `Hello` itself may have.
pub(crate) fn agreed_max_frame(asked: u32, ceiling: u32) -> u32 {
    let asked = if asked == 0 { MAX_FRAME } else { asked };
    asked.min(ceiling).clamp(HELLO_MAX_FRAME, MAX_FRAME_CEILING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(min_version: u16, max_version: u16) -> Hello {
        Hello {
            min_version,
            max_version,
            client: "test".to_owned(),
            max_frame: 0,
        }
    }

    #[test]
    fn a_version_in_common_is_found() {
        assert_eq!(agreed_version(&hello(0, 7)).unwrap(), PROTOCOL_VERSION);
        assert_eq!(agreed_version(&hello(4, 4)).unwrap(), PROTOCOL_VERSION);
        for (min, max) in [(5, 9), (0, 3), (4, 3), (9, 5)] {
            assert!(agreed_version(&hello(min, max)).is_err(), "{min}..={max}");
        }
    }

    #[test]
    fn the_frame_limit_is_what_both_accept() {
        assert_eq!(agreed_max_frame(0, MAX_FRAME_CEILING), MAX_FRAME);
        assert_eq!(agreed_max_frame(0, 1 << 20), 1 << 20);
        assert_eq!(agreed_max_frame(1 << 20, MAX_FRAME_CEILING), 1 << 20);
        assert_eq!(agreed_max_frame(1, MAX_FRAME_CEILING), HELLO_MAX_FRAME);
        assert_eq!(agreed_max_frame(u32::MAX, u32::MAX), MAX_FRAME_CEILING);
    }
}
