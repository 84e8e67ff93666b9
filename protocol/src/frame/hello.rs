//! `Hello`: the first frame of the host. Which versions and sizes it can take.

use crate::bounds::{HELLO_MAX_FRAME, MAX_FRAME, MAX_FRAME_CEILING, MAX_NAME};
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, PROTOCOL_VERSION};

/// Opens the connection. Answered by `Welcome` or `GoAway`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// Lowest protocol version the host speaks.
    pub min_version: u16,
    /// Highest protocol version the host speaks.
    pub max_version: u16,
    /// Who the host is, for logs.
    pub client: String,
    /// Largest body the host wants to send or receive, in bytes; 0 for the default.
    pub max_frame: u32,
}

impl Hello {
    /// The highest version that both sides speak, if there is one.
    ///
    /// PROTOCOL.md 4.1: without one the answer is `GoAway(UnsupportedVersion)`.
    pub fn common_version(&self) -> Option<u16> {
        let range = self.min_version..=self.max_version;
        range
            .contains(&PROTOCOL_VERSION)
            .then_some(PROTOCOL_VERSION)
    }

    /// The longest body from here on, where the sidecar accepts `ours`.
    ///
    /// PROTOCOL.md 4.1: 0 asks for the default, and no answer is below what may be
    /// sent before `Hello` or above what the protocol admits.
    pub fn agreed_max_frame(&self, ours: u32) -> u32 {
        let asked = match self.max_frame {
            0 => MAX_FRAME,
            asked => asked,
        };
        asked.min(ours).clamp(HELLO_MAX_FRAME, MAX_FRAME_CEILING)
    }
}

impl Wire for Hello {
    fn load(src: &mut Reader) -> Result<Hello, FrameError> {
        Ok(Hello {
            min_version: src.number("hello.min_version")?,
            max_version: src.number("hello.max_version")?,
            client: src.text("hello.client", MAX_NAME)?,
            max_frame: src.number("hello.max_frame")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.min_version);
        dst.number(self.max_version);
        dst.text("hello.client", MAX_NAME, &self.client)?;
        dst.number(self.max_frame);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hello(min_version: u16, max_version: u16, max_frame: u32) -> Hello {
        Hello {
            min_version,
            max_version,
            client: String::new(),
            max_frame,
        }
    }

    #[test]
    fn the_version_must_be_common() {
        assert_eq!(hello(4, 4, 0).common_version(), Some(4));
        assert_eq!(hello(0, 9, 0).common_version(), Some(4));
        assert_eq!(hello(5, 9, 0).common_version(), None);
        assert_eq!(hello(0, 3, 0).common_version(), None);
        assert_eq!(hello(9, 0, 0).common_version(), None);
    }

    #[test]
    fn the_frame_limit_is_the_smaller_one_within_reason() {
        let agreed = |asked, ours| hello(1, 1, asked).agreed_max_frame(ours);
        assert_eq!(agreed(0, u32::MAX), MAX_FRAME);
        assert_eq!(agreed(1, MAX_FRAME), HELLO_MAX_FRAME);
        assert_eq!(agreed(HELLO_MAX_FRAME + 1, MAX_FRAME), HELLO_MAX_FRAME + 1);
        assert_eq!(agreed(MAX_FRAME + 1, MAX_FRAME), MAX_FRAME);
        assert_eq!(agreed(u32::MAX, u32::MAX), MAX_FRAME_CEILING);
        assert_eq!(agreed(0, 0), HELLO_MAX_FRAME);
    }
}
