//! `Cancel`: stop the request in the head.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// Stops a request. Has no reply of its own: the request's terminal reply is it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancel {}

impl Wire for Cancel {
    fn load(_: &mut Reader) -> Result<Cancel, FrameError> {
        Ok(Cancel {})
    }

    fn encode(&self, _: &mut Writer<'_>) -> Result<(), EncodeError> {
        Ok(())
    }
}
