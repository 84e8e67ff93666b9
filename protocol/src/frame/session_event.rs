//! `SessionEvent`: something happened in a session that answers no request.

use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError, JsError, LimitReport};

/// Tells the host. The head's request field is the request during which it
/// happened, 0 between requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEvent {
    /// What happened.
    pub event: GuestEvent,
}

/// What can happen in a session besides the answers to its requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GuestEvent {
    /// A promise was rejected and nobody handled it.
    UnhandledRejection(JsError),
    /// A limit is near, or something was refused to the guest over one.
    LimitWarning(LimitReport),
}

impl Wire for SessionEvent {
    fn load(src: &mut Reader) -> Result<SessionEvent, FrameError> {
        Ok(SessionEvent {
            event: GuestEvent::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.event.encode(dst)?;
        Ok(())
    }
}

impl Wire for GuestEvent {
    fn load(src: &mut Reader) -> Result<GuestEvent, FrameError> {
        match src.tag("guest_event")? {
            0 => JsError::load(src).map(GuestEvent::UnhandledRejection),
            1 => LimitReport::load(src).map(GuestEvent::LimitWarning),
            other => Err(unknown_tag("guest_event", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            GuestEvent::UnhandledRejection(value) => {
                dst.tag(0);
                value.encode(dst)?;
            }
            GuestEvent::LimitWarning(value) => {
                dst.tag(1);
                value.encode(dst)?;
            }
        }
        Ok(())
    }
}
