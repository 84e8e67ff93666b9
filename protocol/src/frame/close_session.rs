//! `CloseSession`: end a session.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// Ends the session. Answered by `SessionClosed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CloseSession {}

impl Wire for CloseSession {
    fn load(_: &mut Reader) -> Result<CloseSession, FrameError> {
        Ok(CloseSession {})
    }

    fn encode(&self, _: &mut Writer<'_>) -> Result<(), EncodeError> {
        Ok(())
    }
}
