//! How a request ends. Guest failure is data, not an `Err`.

use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError, JsError, LimitReport, Value};

/// How one run of guest code ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The code ran to its end; here is its value.
    Ok(Value),
    /// The guest threw, or its promise was rejected.
    Exception(JsError),
    /// A limit stopped it.
    LimitExceeded(LimitReport),
    /// The host cancelled it.
    Cancelled,
}

impl Wire for Outcome {
    fn load(src: &mut Reader) -> Result<Outcome, FrameError> {
        match src.tag("outcome")? {
            0 => Value::load(src).map(Outcome::Ok),
            1 => JsError::load(src).map(Outcome::Exception),
            2 => LimitReport::load(src).map(Outcome::LimitExceeded),
            3 => Ok(Outcome::Cancelled),
            other => Err(unknown_tag("outcome", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Outcome::Ok(value) => {
                dst.tag(0);
                value.encode(dst)?;
            }
            Outcome::Exception(value) => {
                dst.tag(1);
                value.encode(dst)?;
            }
            Outcome::LimitExceeded(value) => {
                dst.tag(2);
                value.encode(dst)?;
            }
            Outcome::Cancelled => dst.tag(3),
        }
        Ok(())
    }
}
