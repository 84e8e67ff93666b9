//! Values that cross between guest and host.

use std::ops::Deref;

use bytes::Bytes;

use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError};

/// A run of bytes that is sliced from the frame it came in and never copied.
///
/// A decoded blob keeps the read buffer of its frame alive. Whoever keeps a small
/// blob for long copies it out with [`Blob::detach`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Blob(pub Bytes);

impl Blob {
    /// A blob that borrows nothing: for constants.
    pub const fn from_static(bytes: &'static [u8]) -> Blob {
        Blob(Bytes::from_static(bytes))
    }

    /// The bytes, without copying.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }

    /// A copy that does not keep the frame's read buffer alive.
    pub fn detach(&self) -> Blob {
        Blob(Bytes::copy_from_slice(&self.0))
    }
}

impl Deref for Blob {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Bytes> for Blob {
    fn from(bytes: Bytes) -> Blob {
        Blob(bytes)
    }
}

impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Blob {
        Blob(Bytes::from(bytes))
    }
}

impl From<String> for Blob {
    fn from(text: String) -> Blob {
        Blob(Bytes::from(text))
    }
}

impl From<&'static str> for Blob {
    fn from(text: &'static str) -> Blob {
        Blob(Bytes::from_static(text.as_bytes()))
    }
}

/// How a value is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueFormat {
    /// JSON text in UTF-8.
    Json,
    /// V8's structured clone, version header included. Node's `v8.deserialize`
    /// reads it as it is.
    V8,
    /// The bytes of a buffer or a string, as they are.
    Raw,
}

/// A JavaScript value, written as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `undefined`: no value.
    Undefined,
    /// See [`ValueFormat::Json`].
    Json(Blob),
    /// See [`ValueFormat::V8`].
    V8(Blob),
    /// See [`ValueFormat::Raw`].
    Raw(Blob),
}

impl Value {
    /// How the value is written, or `None` for `undefined`.
    pub fn format(&self) -> Option<ValueFormat> {
        match self {
            Value::Undefined => None,
            Value::Json(_) => Some(ValueFormat::Json),
            Value::V8(_) => Some(ValueFormat::V8),
            Value::Raw(_) => Some(ValueFormat::Raw),
        }
    }

    /// The written bytes; empty for `undefined`.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Value::Undefined => &[],
            Value::Json(blob) | Value::V8(blob) | Value::Raw(blob) => blob,
        }
    }
}

impl Wire for ValueFormat {
    fn load(src: &mut Reader) -> Result<ValueFormat, FrameError> {
        match src.tag("value_format")? {
            0 => Ok(ValueFormat::Json),
            1 => Ok(ValueFormat::V8),
            2 => Ok(ValueFormat::Raw),
            other => Err(unknown_tag("value_format", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            ValueFormat::Json => dst.tag(0),
            ValueFormat::V8 => dst.tag(1),
            ValueFormat::Raw => dst.tag(2),
        }
        Ok(())
    }
}

impl Wire for Value {
    fn load(src: &mut Reader) -> Result<Value, FrameError> {
        match src.tag("value")? {
            0 => Ok(Value::Undefined),
            1 => src.blob("value.json").map(Value::Json),
            2 => src.blob("value.v8").map(Value::V8),
            3 => src.blob("value.raw").map(Value::Raw),
            other => Err(unknown_tag("value", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Value::Undefined => dst.tag(0),
            Value::Json(blob) => {
                dst.tag(1);
                dst.blob(blob);
            }
            Value::V8(blob) => {
                dst.tag(2);
                dst.blob(blob);
            }
            Value::Raw(blob) => {
                dst.tag(3);
                dst.blob(blob);
            }
        }
        Ok(())
    }
}
