//! `SessionOpened`: the answer to `OpenSession`.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, Limits};

/// The session takes requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOpened {
    /// The limits that hold.
    pub limits: Limits,
    /// Time to open it, in microseconds.
    pub open_us: u64,
}

impl Wire for SessionOpened {
    fn load(src: &mut Reader) -> Result<SessionOpened, FrameError> {
        Ok(SessionOpened {
            limits: Limits::load(src)?,
            open_us: src.number("session_opened.open_us")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.limits.encode(dst)?;
        dst.number(self.open_us);
        Ok(())
    }
}
