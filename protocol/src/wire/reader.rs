//! Reads a body. Reserves nothing that the other side merely announces.

use bincode::error::DecodeError;
use bytes::{Buf, Bytes};

use super::{CONFIG, Number, Wire};
use crate::error::{Fault, FrameError};
use crate::{Blob, SnapshotKey};

/// The unread rest of a body.
///
/// Invariant: every method either takes its field off the front or fails; none
/// reserves more memory than the body has bytes left, but for the small, fixed
/// size of a list element.
#[derive(Debug)]
pub(crate) struct Reader {
    rest: Bytes,
}

impl Reader {
    pub(crate) fn new(body: Bytes) -> Reader {
        Reader { rest: body }
    }

    /// PROTOCOL.md 3: a body ends with its last field.
    pub(crate) fn finish(self) -> Result<(), FrameError> {
        match self.rest.len() {
            0 => Ok(()),
            count => Err(malformed("body", Fault::TrailingBytes { count })),
        }
    }

    pub(crate) fn number<T: Number>(&mut self, field: &'static str) -> Result<T, FrameError> {
        bincode::decode_from_reader(self, CONFIG).map_err(|err| match err {
            DecodeError::UnexpectedEnd { .. } => malformed(field, Fault::Truncated),
            _ => malformed(field, Fault::BadNumber),
        })
    }

    /// The tag of an enum; the caller answers unknown ones with [`unknown_tag`].
    pub(crate) fn tag(&mut self, field: &'static str) -> Result<u32, FrameError> {
        self.number(field)
    }

    /// Whether an option holds a value, which then follows.
    pub(crate) fn is_some(&mut self, field: &'static str) -> Result<bool, FrameError> {
        match self.number::<u8>(field)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(unknown_tag(field, other.into())),
        }
    }

    pub(crate) fn option<T>(
        &mut self,
        field: &'static str,
        load: impl FnOnce(&mut Reader) -> Result<T, FrameError>,
    ) -> Result<Option<T>, FrameError> {
        match self.is_some(field)? {
            true => load(self).map(Some),
            false => Ok(None),
        }
    }

    pub(crate) fn text(&mut self, field: &'static str, bound: usize) -> Result<String, FrameError> {
        let len = self.number::<u64>(field)?;
        let bytes = match usize::try_from(len) {
            Ok(len) if len <= bound => self.take(field, len)?,
            _ => return Err(malformed(field, Fault::TooLong { len, bound })),
        };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(malformed(field, Fault::NotUtf8)),
        }
    }

    pub(crate) fn list<T>(
        &mut self,
        field: &'static str,
        bound: usize,
        mut load: impl FnMut(&mut Reader) -> Result<T, FrameError>,
    ) -> Result<Vec<T>, FrameError> {
        let count = self.number::<u64>(field)?;
        if usize::try_from(count).is_ok_and(|count| count <= bound) {
            (0..count).map(|_| load(self)).collect()
        } else {
            Err(malformed(field, Fault::TooMany { count, bound }))
        }
    }

    pub(crate) fn texts(
        &mut self,
        field: &'static str,
        bound: usize,
    ) -> Result<Vec<String>, FrameError> {
        self.list(field, crate::bounds::MAX_LIST, |src| src.text(field, bound))
    }

    pub(crate) fn values<T: Wire>(
        &mut self,
        field: &'static str,
        bound: usize,
    ) -> Result<Vec<T>, FrameError> {
        self.list(field, bound, T::load)
    }

    /// Slices the body; the frame limit is what bounds it.
    pub(crate) fn blob(&mut self, field: &'static str) -> Result<Blob, FrameError> {
        let len = self.number::<u64>(field)?;
        match usize::try_from(len) {
            Ok(len) => self.take(field, len).map(Blob),
            Err(_) => Err(malformed(field, Fault::Truncated)),
        }
    }

    pub(crate) fn array<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<[u8; N], FrameError> {
        let mut array = [0; N];
        match self.rest.try_copy_to_slice(&mut array) {
            Ok(()) => Ok(array),
            Err(_) => Err(malformed(field, Fault::Truncated)),
        }
    }

    pub(crate) fn snapshot_key(&mut self, field: &'static str) -> Result<SnapshotKey, FrameError> {
        self.array(field).map(SnapshotKey)
    }

    fn take(&mut self, field: &'static str, len: usize) -> Result<Bytes, FrameError> {
        if self.rest.len() < len {
            return Err(malformed(field, Fault::Truncated));
        }
        Ok(self.rest.split_to(len))
    }
}

impl bincode::de::read::Reader for Reader {
    fn read(&mut self, bytes: &mut [u8]) -> Result<(), DecodeError> {
        let additional = bytes.len().saturating_sub(self.rest.len());
        let short = |_| DecodeError::UnexpectedEnd { additional };
        self.rest.try_copy_to_slice(bytes).map_err(short)
    }
}

pub(crate) fn malformed(field: &'static str, fault: Fault) -> FrameError {
    FrameError::Malformed { field, fault }
}

pub(crate) fn unknown_tag(field: &'static str, tag: u32) -> FrameError {
    malformed(field, Fault::UnknownTag(tag))
}
