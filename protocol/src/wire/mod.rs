//! How bodies become values and back: bincode 2, `config::standard()`, with a
//! named bound on everything whose length the other side chooses.
//!
//! bincode supplies the numbers. Texts, lists and blobs are read here, because
//! their lengths come from outside: bincode would reserve what they announce.

mod reader;
mod writer;

pub(crate) use self::reader::{Reader, malformed, unknown_tag};
pub(crate) use self::writer::{Writer, over_bound};

use bincode::config::{Configuration, standard};

use crate::{EncodeError, FrameError};

const CONFIG: Configuration = standard();

/// A value with a place in a body. `load` and `encode` list the same fields in
/// the same order, with the same bounds.
pub(crate) trait Wire: Sized {
    /// Reads the value off the front of `src`.
    fn load(src: &mut Reader) -> Result<Self, FrameError>;

    /// Writes the value at the end of `dst`.
    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError>;
}

/// Numbers and truth values: what bincode reads and writes by itself.
pub(crate) trait Number: bincode::Encode + bincode::Decode<()> {}

impl Number for bool {}
impl Number for u8 {}
impl Number for u16 {}
impl Number for u32 {}
impl Number for u64 {}
