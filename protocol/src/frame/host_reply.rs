//! `HostReply`: the host's answer to a `HostCall`.

use crate::bounds::{MAX_MESSAGE, MAX_NAME};
use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError, Value};

/// Answers the call in the head's request field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostReply {
    /// The answer.
    pub reply: Reply,
}

/// What a host function came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// It returned.
    Ok(Value),
    /// It failed; the guest sees an `Error`.
    Err(HostError),
}

/// An error of a host function, as the guest sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// The error's `name`.
    pub name: String,
    /// The error's `message`.
    pub message: String,
    /// The error's `code`, if any.
    pub code: Option<String>,
}

impl Wire for HostReply {
    fn load(src: &mut Reader) -> Result<HostReply, FrameError> {
        Ok(HostReply {
            reply: Reply::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.reply.encode(dst)?;
        Ok(())
    }
}

impl Wire for Reply {
    fn load(src: &mut Reader) -> Result<Reply, FrameError> {
        match src.tag("reply")? {
            0 => Value::load(src).map(Reply::Ok),
            1 => HostError::load(src).map(Reply::Err),
            other => Err(unknown_tag("reply", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Reply::Ok(value) => {
                dst.tag(0);
                value.encode(dst)?;
            }
            Reply::Err(value) => {
                dst.tag(1);
                value.encode(dst)?;
            }
        }
        Ok(())
    }
}

impl Wire for HostError {
    fn load(src: &mut Reader) -> Result<HostError, FrameError> {
        Ok(HostError {
            name: src.text("host_error.name", MAX_NAME)?,
            message: src.text("host_error.message", MAX_MESSAGE)?,
            code: src.option("host_error.code", |src| {
                src.text("host_error.code", MAX_NAME)
            })?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.text("host_error.name", MAX_NAME, &self.name)?;
        dst.text("host_error.message", MAX_MESSAGE, &self.message)?;
        dst.option(self.code.as_ref(), |dst, text| {
            dst.text("host_error.code", MAX_NAME, text)
        })?;
        Ok(())
    }
}
