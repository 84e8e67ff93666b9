//! The world that a session is given: directories, environment, host functions.

use crate::bounds::{MAX_ENV_BYTES, MAX_ENV_VALUE, MAX_LIST, MAX_NAME, MAX_PATH};
use crate::error::Fault;
use crate::wire::{Reader, Wire, Writer, malformed, over_bound, unknown_tag};
use crate::{EncodeError, FrameError, ValueFormat};

/// A host directory that the guest sees under a path of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Root {
    /// The directory on the host, absolute.
    pub host: String,
    /// Where the guest sees it: absolute, such as `/app`.
    pub guest: String,
}

/// Whether the guest waits for a host call or gets a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallMode {
    /// The guest gets a promise.
    Async,
    /// The guest's thread waits for the reply.
    Sync,
}

/// A function of the host that the guest may call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostFunction {
    /// The name that the guest calls and that `HostCall` carries.
    pub name: String,
    /// How the guest waits.
    pub mode: CallMode,
    /// How arguments are written. Replies may come in any format.
    pub format: ValueFormat,
}

/// One environment variable of the guest. The sidecar's own are never seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EnvVar {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

impl Wire for Root {
    fn load(src: &mut Reader) -> Result<Root, FrameError> {
        Ok(Root {
            host: src.text("root.host", MAX_PATH)?,
            guest: src.text("root.guest", MAX_PATH)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("root.host", MAX_PATH, &self.host)?;
        dst.text("root.guest", MAX_PATH, &self.guest)?;
        Ok(())
    }
}

impl Wire for CallMode {
    fn load(src: &mut Reader) -> Result<CallMode, FrameError> {
        match src.tag("call_mode")? {
            0 => Ok(CallMode::Async),
            1 => Ok(CallMode::Sync),
            other => Err(unknown_tag("call_mode", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            CallMode::Async => dst.tag(0),
            CallMode::Sync => dst.tag(1),
        }
        Ok(())
    }
}

impl Wire for HostFunction {
    fn load(src: &mut Reader) -> Result<HostFunction, FrameError> {
        Ok(HostFunction {
            name: src.text("host_function.name", MAX_NAME)?,
            mode: CallMode::load(src)?,
            format: ValueFormat::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("host_function.name", MAX_NAME, &self.name)?;
        self.mode.encode(dst)?;
        self.format.encode(dst)?;
        Ok(())
    }
}

impl Wire for EnvVar {
    fn load(src: &mut Reader) -> Result<EnvVar, FrameError> {
        Ok(EnvVar {
            name: src.text("env_var.name", MAX_NAME)?,
            value: src.text("env_var.value", MAX_ENV_VALUE)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("env_var.name", MAX_NAME, &self.name)?;
        dst.text("env_var.value", MAX_ENV_VALUE, &self.value)?;
        Ok(())
    }
}

impl EnvVar {
    fn len(&self) -> usize {
        self.name.len().saturating_add(self.value.len())
    }
}

/// Reads an environment: bounded by variable and as a whole.
pub(crate) fn load_env(src: &mut Reader) -> Result<Vec<EnvVar>, FrameError> {
    let mut total = 0_usize;
    src.list("env", MAX_LIST, |src| {
        let var = EnvVar::load(src)?;
        total = total.saturating_add(var.len());
        match env_fault(total) {
            Some(fault) => Err(malformed("env", fault)),
            None => Ok(var),
        }
    })
}

/// Writes what [`load_env`] reads.
pub(crate) fn encode_env(env: &[EnvVar], dst: &mut Writer<'_>) -> Result<(), EncodeError> {
    let total = env.iter().map(EnvVar::len).fold(0, usize::saturating_add);
    if let Some(fault) = env_fault(total) {
        return Err(over_bound("env", fault));
    }
    dst.values("env", MAX_LIST, env)
}

fn env_fault(total: usize) -> Option<Fault> {
    (MAX_ENV_BYTES < total).then_some(Fault::TooLong {
        len: u64::try_from(total).unwrap_or(u64::MAX),
        bound: MAX_ENV_BYTES,
    })
}
