//! `Ping` and `Pong`: is the other side alive? Answered ahead of queued output.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// Asks. Either side may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ping {
    /// Opaque bytes that the answer carries back.
    pub payload: [u8; 8],
}

/// Answers a [`Ping`], with the same request id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pong {
    /// The payload of the ping.
    pub payload: [u8; 8],
}

impl Wire for Ping {
    fn load(src: &mut Reader) -> Result<Ping, FrameError> {
        Ok(Ping {
            payload: src.array("ping.payload")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.array(&self.payload);
        Ok(())
    }
}

impl Wire for Pong {
    fn load(src: &mut Reader) -> Result<Pong, FrameError> {
        Ok(Pong {
            payload: src.array("pong.payload")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.array(&self.payload);
        Ok(())
    }
}
