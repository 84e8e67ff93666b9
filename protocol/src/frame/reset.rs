//! `Reset`: a session is gone, and all its open requests with it.

use crate::bounds::{MAX_TEXT, clip};
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, Reason, SessionStats};

/// The terminal reply to every open request of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reset {
    /// Why.
    pub reason: Reason,
    /// The same for people, with the details.
    pub message: String,
    /// What the session did, if that is still known.
    pub stats: Option<SessionStats>,
}

impl Reset {
    /// Ends a session. The message is cut to its bound.
    pub fn new(reason: Reason, message: impl Into<String>, stats: Option<SessionStats>) -> Reset {
        let mut message = message.into();
        clip(&mut message, MAX_TEXT);
        Reset {
            reason,
            message,
            stats,
        }
    }
}

impl Wire for Reset {
    fn load(src: &mut Reader) -> Result<Reset, FrameError> {
        Ok(Reset {
            reason: Reason::load(src)?,
            message: src.text("reset.message", MAX_TEXT)?,
            stats: src.option("reset.stats", SessionStats::load)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.reason.encode(dst)?;
        dst.text("reset.message", MAX_TEXT, &self.message)?;
        dst.option(self.stats.as_ref(), |dst, value| value.encode(dst))?;
        Ok(())
    }
}
