//! `HostCall`: the guest calls a function of the host.

use crate::bounds::MAX_NAME;
use crate::wire::{Reader, Wire, Writer};
use crate::{CallMode, EncodeError, FrameError, Value};

/// A call of the guest. The head's request field is the
/// [`CallId`](crate::CallId) to answer with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCall {
    /// Which function.
    pub method: String,
    /// Whether the guest's thread waits.
    pub mode: CallMode,
    /// The arguments: an encoded array.
    pub args: Value,
}

impl Wire for HostCall {
    fn load(src: &mut Reader) -> Result<HostCall, FrameError> {
        Ok(HostCall {
            method: src.text("host_call.method", MAX_NAME)?,
            mode: CallMode::load(src)?,
            args: Value::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("host_call.method", MAX_NAME, &self.method)?;
        self.mode.encode(dst)?;
        self.args.encode(dst)?;
        Ok(())
    }
}
