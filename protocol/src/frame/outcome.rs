//! `Outcome`: the answer to `Execute`.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, Outcome, Usage};

/// How an `Execute` ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeFrame {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
}

impl Wire for OutcomeFrame {
    fn load(src: &mut Reader) -> Result<OutcomeFrame, FrameError> {
        Ok(OutcomeFrame {
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
