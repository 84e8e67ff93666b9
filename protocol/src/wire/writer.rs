//! Writes a body. What is over a bound or over the frame limit is not written.

use bytes::{BufMut, BytesMut};

use super::{CONFIG, Number, Wire};
use crate::error::{EncodeError, Fault};

/// The end of a body.
///
/// Invariant: `dst` grows by at most `limit` bytes; beyond that, bytes are only
/// counted, so that the error can say how long the body is.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    dst: &'a mut BytesMut,
    len: u64,
    limit: u32,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(dst: &'a mut BytesMut, limit: u32) -> Writer<'a> {
        Writer { dst, len: 0, limit }
    }

    /// The length of the body, if it is within the limit.
    pub(crate) fn finish(self) -> Result<u32, EncodeError> {
        match u32::try_from(self.len) {
            Ok(len) if len <= self.limit => Ok(len),
            _ => Err(EncodeError::FrameTooLarge {
                len: self.len,
                limit: self.limit,
            }),
        }
    }

    pub(crate) fn number<T: Number>(&mut self, number: T) {
        let result = bincode::encode_into_writer(number, self, CONFIG);
        debug_assert!(result.is_ok(), "a number and this writer cannot fail");
    }

    pub(crate) fn tag(&mut self, tag: u32) {
        self.number(tag);
    }

    pub(crate) fn option<T>(
        &mut self,
        option: Option<T>,
        encode: impl FnOnce(&mut Writer<'a>, T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        self.number(u8::from(option.is_some()));
        match option {
            Some(value) => encode(self, value),
            None => Ok(()),
        }
    }

    pub(crate) fn text(
        &mut self,
        field: &'static str,
        bound: usize,
        text: &str,
    ) -> Result<(), EncodeError> {
        let len = count(text.len());
        if bound < text.len() {
            return Err(over_bound(field, Fault::TooLong { len, bound }));
        }
        self.number(len);
        self.put(text.as_bytes());
        Ok(())
    }

    pub(crate) fn list<T>(
        &mut self,
        field: &'static str,
        bound: usize,
        list: &[T],
        mut encode: impl FnMut(&mut Writer<'a>, &T) -> Result<(), EncodeError>,
    ) -> Result<(), EncodeError> {
        let count = count(list.len());
        if bound < list.len() {
            return Err(over_bound(field, Fault::TooMany { count, bound }));
        }
        self.number(count);
        list.iter().try_for_each(|value| encode(self, value))
    }

    pub(crate) fn texts(
        &mut self,
        field: &'static str,
        bound: usize,
        texts: &[String],
    ) -> Result<(), EncodeError> {
        self.list(field, crate::bounds::MAX_LIST, texts, |dst, text| {
            dst.text(field, bound, text)
        })
    }

    pub(crate) fn values<T: Wire>(
        &mut self,
        field: &'static str,
        bound: usize,
        values: &[T],
    ) -> Result<(), EncodeError> {
        self.list(field, bound, values, |dst, value| value.encode(dst))
    }

    pub(crate) fn blob(&mut self, blob: &[u8]) {
        self.number(count(blob.len()));
        self.put(blob);
    }

    /// Bytes whose number both sides know: no length in front.
    pub(crate) fn array(&mut self, array: &[u8]) {
        self.put(array);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.len = self.len.saturating_add(count(bytes.len()));
        if self.len <= u64::from(self.limit) {
            self.dst.put_slice(bytes);
        }
    }
}

impl bincode::enc::write::Writer for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), bincode::error::EncodeError> {
        self.put(bytes);
        Ok(())
    }
}

pub(crate) fn over_bound(field: &'static str, fault: Fault) -> EncodeError {
    EncodeError::OverBound { field, fault }
}

/// A length of this machine as it travels.
fn count(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}
