//! `Shutdown`: the host asks the sidecar to end.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// No new work; running requests get `grace_ms` to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shutdown {
    /// How long running requests may go on, in milliseconds.
    pub grace_ms: u32,
}

impl Wire for Shutdown {
    fn load(src: &mut Reader) -> Result<Shutdown, FrameError> {
        Ok(Shutdown {
            grace_ms: src.number("shutdown.grace_ms")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.grace_ms);
        Ok(())
    }
}
