//! `GetStats`: ask for counters.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// Asks for the counters of the session in the head; session 0 is the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GetStats {}

impl Wire for GetStats {
    fn load(_: &mut Reader) -> Result<GetStats, FrameError> {
        Ok(GetStats {})
    }

    fn encode(&self, _: &mut Writer<'_>) -> Result<(), EncodeError> {
        Ok(())
    }
}
