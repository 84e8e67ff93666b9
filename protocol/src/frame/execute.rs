//! `Execute`: run code in a session.

use crate::bounds::MAX_PATH;
use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{Blob, EncodeError, FrameError, Value, ValueFormat};

/// Runs code. Answered by `Outcome`, `Refused` or the session's `Reset`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execute {
    /// What to run.
    pub code: Code,
    /// When the request is over.
    pub until: Until,
    /// How the result is written.
    pub result: ValueFormat,
    /// A value for the code.
    pub input: Value,
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// A classic script; its value is that of its last statement.
    Script {
        /// Its file name in stacks.
        name: String,
        /// Its text, UTF-8.
        source: Blob,
    },
    /// A module whose source comes along; its value is its default export.
    Module {
        /// Its path, from which its own imports are resolved.
        name: String,
        /// Its text, UTF-8.
        source: Blob,
    },
    /// A module to import; its value is its default export.
    Import {
        /// The specifier, resolved from the working directory.
        specifier: String,
    },
}

/// When a request is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Until {
    /// When the value is there: a promise has settled.
    Settled,
    /// When besides nothing is left to wait for: no timer, no host call.
    Drained,
}

impl Wire for Execute {
    fn load(src: &mut Reader) -> Result<Execute, FrameError> {
        Ok(Execute {
            code: Code::load(src)?,
            until: Until::load(src)?,
            result: ValueFormat::load(src)?,
            input: Value::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.code.encode(dst)?;
        self.until.encode(dst)?;
        self.result.encode(dst)?;
        self.input.encode(dst)?;
        Ok(())
    }
}

impl Wire for Code {
    fn load(src: &mut Reader) -> Result<Code, FrameError> {
        match src.tag("code")? {
            0 => Ok(Code::Script {
                name: src.text("code.script.name", MAX_PATH)?,
                source: src.blob("code.script.source")?,
            }),
            1 => Ok(Code::Module {
                name: src.text("code.module.name", MAX_PATH)?,
                source: src.blob("code.module.source")?,
            }),
            2 => Ok(Code::Import {
                specifier: src.text("code.import.specifier", MAX_PATH)?,
            }),
            other => Err(unknown_tag("code", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Code::Script { name, source } => {
                dst.tag(0);
                dst.text("code.script.name", MAX_PATH, name)?;
                dst.blob(source);
            }
            Code::Module { name, source } => {
                dst.tag(1);
                dst.text("code.module.name", MAX_PATH, name)?;
                dst.blob(source);
            }
            Code::Import { specifier } => {
                dst.tag(2);
                dst.text("code.import.specifier", MAX_PATH, specifier)?;
            }
        }
        Ok(())
    }
}

impl Wire for Until {
    fn load(src: &mut Reader) -> Result<Until, FrameError> {
        match src.tag("until")? {
            0 => Ok(Until::Settled),
            1 => Ok(Until::Drained),
            other => Err(unknown_tag("until", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Until::Settled => dst.tag(0),
            Until::Drained => dst.tag(1),
        }
        Ok(())
    }
}
