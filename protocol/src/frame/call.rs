//! `Call`: call a function of the guest.

use super::Until;
use crate::bounds::{MAX_NAME, MAX_PATH};
use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError, Value, ValueFormat};

/// Calls a function. Answered by `Called`, `Refused` or the session's `Reset`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Which function.
    pub target: CallTarget,
    /// Its arguments: an encoded array, or `undefined` for none.
    pub args: Value,
    /// When the request is over.
    pub until: Until,
    /// How the result is written.
    pub result: ValueFormat,
}

/// Which function of the guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallTarget {
    /// An export of a module.
    Export {
        /// The module, resolved from the working directory.
        specifier: String,
        /// The export.
        name: String,
    },
    /// A property of the global object.
    Global {
        /// The property.
        name: String,
    },
}

impl Wire for Call {
    fn load(src: &mut Reader) -> Result<Call, FrameError> {
        Ok(Call {
            target: CallTarget::load(src)?,
            args: Value::load(src)?,
            until: Until::load(src)?,
            result: ValueFormat::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.target.encode(dst)?;
        self.args.encode(dst)?;
        self.until.encode(dst)?;
        self.result.encode(dst)?;
        Ok(())
    }
}

impl Wire for CallTarget {
    fn load(src: &mut Reader) -> Result<CallTarget, FrameError> {
        match src.tag("call_target")? {
            0 => Ok(CallTarget::Export {
                specifier: src.text("call_target.export.specifier", MAX_PATH)?,
                name: src.text("call_target.export.name", MAX_NAME)?,
            }),
            1 => Ok(CallTarget::Global {
                name: src.text("call_target.global.name", MAX_NAME)?,
            }),
            other => Err(unknown_tag("call_target", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            CallTarget::Export { specifier, name } => {
                dst.tag(0);
                dst.text("call_target.export.specifier", MAX_PATH, specifier)?;
                dst.text("call_target.export.name", MAX_NAME, name)?;
            }
            CallTarget::Global { name } => {
                dst.tag(1);
                dst.text("call_target.global.name", MAX_NAME, name)?;
            }
        }
        Ok(())
    }
}
