//! `Called`: the answer to `Call`.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, Outcome, Usage};

/// How a `Call` ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledFrame {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
}

impl Wire for CalledFrame {
    fn load(src: &mut Reader) -> Result<CalledFrame, FrameError> {
        Ok(CalledFrame {
            outcome: Outcome::load(src)?,
            usage: Usage::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.outcome.encode(dst)?;
        self.usage.encode(dst)?;
        Ok(())
    }
}
