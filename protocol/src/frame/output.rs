//! `Output`: what the guest wrote to its console or its standard streams.

use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{Blob, EncodeError, FrameError};

/// A piece of output. The head's request field is the request during which it was
/// written, 0 between requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Which stream.
    pub stream: Stream,
    /// Which console method, or raw.
    pub level: Level,
    /// The bytes; UTF-8 unless the guest wrote raw bytes.
    pub text: Blob,
}

/// A standard stream of the guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How output was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// To the stream itself, such as `process.stdout.write`.
    Raw,
    /// `console.log` and its relatives.
    Log,
    /// `console.info`.
    Info,
    /// `console.warn`.
    Warn,
    /// `console.error`.
    Error,
    /// `console.debug`.
    Debug,
    /// `console.trace`.
    Trace,
}

impl Wire for Output {
    fn load(src: &mut Reader) -> Result<Output, FrameError> {
        Ok(Output {
            stream: Stream::load(src)?,
            level: Level::load(src)?,
            text: src.blob("output.text")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.stream.encode(dst)?;
        self.level.encode(dst)?;
        dst.blob(&self.text);
        Ok(())
    }
}

impl Wire for Stream {
    fn load(src: &mut Reader) -> Result<Stream, FrameError> {
        match src.tag("stream")? {
            0 => Ok(Stream::Stdout),
            1 => Ok(Stream::Stderr),
            other => Err(unknown_tag("stream", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Stream::Stdout => dst.tag(0),
            Stream::Stderr => dst.tag(1),
        }
        Ok(())
    }
}

impl Wire for Level {
    fn load(src: &mut Reader) -> Result<Level, FrameError> {
        match src.tag("level")? {
            0 => Ok(Level::Raw),
            1 => Ok(Level::Log),
            2 => Ok(Level::Info),
            3 => Ok(Level::Warn),
            4 => Ok(Level::Error),
            5 => Ok(Level::Debug),
            6 => Ok(Level::Trace),
            other => Err(unknown_tag("level", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Level::Raw => dst.tag(0),
            Level::Log => dst.tag(1),
            Level::Info => dst.tag(2),
            Level::Warn => dst.tag(3),
            Level::Error => dst.tag(4),
            Level::Debug => dst.tag(5),
            Level::Trace => dst.tag(6),
        }
        Ok(())
    }
}
