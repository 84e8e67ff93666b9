//! `GoAway`: the connection ends and the process exits.

use crate::bounds::{MAX_TEXT, clip};
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, Reason};

/// The last frame that the sidecar writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoAway {
    /// Why.
    pub reason: Reason,
    /// The same for people, with the details.
    pub message: String,
}

impl GoAway {
    /// Ends the connection. The message is cut to its bound.
    pub fn new(reason: Reason, message: impl Into<String>) -> GoAway {
        let mut message = message.into();
        clip(&mut message, MAX_TEXT);
        GoAway { reason, message }
    }
}

impl Wire for GoAway {
    fn load(src: &mut Reader) -> Result<GoAway, FrameError> {
        Ok(GoAway {
            reason: Reason::load(src)?,
            message: src.text("go_away.message", MAX_TEXT)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.reason.encode(dst)?;
        dst.text("go_away.message", MAX_TEXT, &self.message)?;
        Ok(())
    }
}
