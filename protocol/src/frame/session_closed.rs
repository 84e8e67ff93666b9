//! `SessionClosed`: the answer to `CloseSession`.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, SessionStats};

/// The session is gone and its id is free.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionClosed {
    /// What the session did.
    pub stats: SessionStats,
}

impl Wire for SessionClosed {
    fn load(src: &mut Reader) -> Result<SessionClosed, FrameError> {
        Ok(SessionClosed {
            stats: SessionStats::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.stats.encode(dst)?;
        Ok(())
    }
}
