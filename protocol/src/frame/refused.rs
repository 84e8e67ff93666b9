//! `Refused`: one frame of the host has no effect; the connection goes on.

use super::{Head, Kind};
use crate::bounds::{MAX_TEXT, clip};
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, LimitReport, Reason};

/// The terminal reply to a frame that was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The kind byte of the refused frame.
    pub kind: u8,
    /// Why.
    pub reason: Reason,
    /// The same for people, with the details.
    pub message: String,
    /// The limit that was reached, if one was.
    pub limit: Option<LimitReport>,
}

impl Refused {
    /// Refuses a frame of `kind`. The message is cut to its bound.
    pub fn new(kind: Kind, reason: Reason, message: impl Into<String>) -> Refused {
        let mut message = message.into();
        clip(&mut message, MAX_TEXT);
        Refused {
            kind: kind.to_wire(),
            reason,
            message,
            limit: None,
        }
    }

    /// Refuses a frame of `kind` over a limit that was reached.
    pub fn over_limit(kind: Kind, reason: Reason, limit: LimitReport) -> Refused {
        let LimitReport {
            limit: most, usage, ..
        } = limit;
        let which = limit.which.as_str();
        let message = format!("{which} limit of {most} exceeded: {usage}");
        Refused {
            limit: Some(limit),
            ..Refused::new(kind, reason, message)
        }
    }

    /// The answer to a frame that the decoder rejected.
    pub fn rejected(head: &Head, error: &FrameError) -> Refused {
        Refused::new(head.kind, error.reason(), error.to_string())
    }
}

impl Wire for Refused {
    fn load(src: &mut Reader) -> Result<Refused, FrameError> {
        Ok(Refused {
            kind: src.number("refused.kind")?,
            reason: Reason::load(src)?,
            message: src.text("refused.message", MAX_TEXT)?,
            limit: src.option("refused.limit", LimitReport::load)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.kind);
        self.reason.encode(dst)?;
        dst.text("refused.message", MAX_TEXT, &self.message)?;
        dst.option(self.limit.as_ref(), |dst, value| value.encode(dst))?;
        Ok(())
    }
}
