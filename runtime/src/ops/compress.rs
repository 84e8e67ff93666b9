//! Compression in one go, for `zlib`. What comes out may not be larger than the caller says nor than the session has
//! memory for, and long work ends when the guest is to stop.

use std::io::{ErrorKind, Read};

use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState};
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::bytes::{bytes_of, copied, is_stopping};
use crate::Scope;
use crate::externals::{Native, table};
use crate::guards::uncounted;
use crate::session::State;
use crate::strings::string;
use crate::value::bytes_to_view;

const PIECE: usize = 1 << 16;
/// The most that is worth the best qualities of Brotli.
const SLOW: usize = 1 << 17;
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) fn natives() -> Vec<Native> {
    table! {
        "compress" => compress,
        "decompress" => decompress,
        "crc32" => crc32,
    }
}

/// Why there is no output; JavaScript makes the error of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Failure {
    Header,
    Data,
    Truncated,
    TooLarge,
    NoMemory,
    Stopped,
}

impl Failure {
    fn name(self) -> &'static str {
        match self {
            Failure::Header => "header",
            Failure::Data => "data",
            Failure::Truncated => "truncated",
            Failure::TooLarge => "large",
            Failure::NoMemory => "memory",
            Failure::Stopped => "stopped",
        }
    }
}

/// Where output goes, and when it is enough.
struct Sink<'a> {
    bytes: Vec<u8>,
    max: usize,
    has_room: &'a dyn Fn(usize) -> bool,
    is_stopping: &'a dyn Fn() -> bool,
}

impl Sink<'_> {
    fn push(&mut self, piece: &[u8]) -> Result<(), Failure> {
        let length = self.bytes.len().saturating_add(piece.len());
        if length > self.max {
            return Err(Failure::TooLarge);
        }
        if (self.is_stopping)() {
            return Err(Failure::Stopped);
        }
        if !(self.has_room)(length) {
            return Err(Failure::NoMemory);
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    fn take(&mut self, mut from: impl Read) -> Result<(), Failure> {
        let mut piece = vec![0; PIECE];
        loop {
            match from.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => self.push(piece.get(..read).unwrap_or_default())?,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                    return Err(Failure::Truncated);
                }
                Err(_) => return Err(Failure::Data),
            }
        }
    }

    /// A window no larger than Brotli's encoder needs for the input, nor than the session has memory for: an encoder takes
    /// about eight times its window.
    fn window(&self, wanted: u32, input: usize) -> u32 {
        let needed = usize::BITS.saturating_sub(input.leading_zeros());
        // An encoder works on twice its window between two looks at its input.
        let most = if input > SLOW { 20 } else { 24 };
        let mut window = wanted.clamp(10, most).min(needed.max(10));
        while window > 10 && !(self.has_room)(8_usize.checked_shl(window).unwrap_or(usize::MAX)) {
            window = window.saturating_sub(1);
        }
        window
    }

    /// RFC 1951.
    fn inflate(&mut self, mut input: &[u8], mut stream: Decompress) -> Result<(), Failure> {
        let mut piece = vec![0; PIECE];
        loop {
            let (before_in, before_out) = (stream.total_in(), stream.total_out());
            let status = stream
                .decompress(input, &mut piece, FlushDecompress::None)
                .map_err(|_| Failure::Data)?;
            let read = moved(stream.total_in(), before_in);
            let written = moved(stream.total_out(), before_out);
            input = input.get(read..).unwrap_or_default();
            self.push(piece.get(..written).unwrap_or_default())?;
            match status {
                Status::StreamEnd => return Ok(()),
                _ if read == 0 && written == 0 => return Err(Failure::Truncated),
                _ => {}
            }
        }
    }

    /// RFC 7932, without the larger windows that some encoders add: those may take a GiB.
    fn unbrotli(&mut self, input: &[u8]) -> Result<(), Failure> {
        let mut state = BrotliState::new_strict(
            StandardAlloc::default(),
            StandardAlloc::default(),
            StandardAlloc::default(),
        );
        let mut piece = vec![0; PIECE];
        let (mut left, mut read, mut total) = (input.len(), 0, 0);
        loop {
            let (mut room, mut written) = (piece.len(), 0);
            let result = BrotliDecompressStream(
                &mut left,
                &mut read,
                input,
                &mut room,
                &mut written,
                &mut piece,
                &mut total,
                &mut state,
            );
            self.push(piece.get(..written).unwrap_or_default())?;
            match result {
                BrotliResult::ResultSuccess => return Ok(()),
                BrotliResult::NeedsMoreOutput => {}
                BrotliResult::NeedsMoreInput => return Err(Failure::Truncated),
                BrotliResult::ResultFailure => return Err(Failure::Data),
            }
        }
    }

    /// Members of RFC 1952, one after the other; zeros after the last are left alone.
    fn gunzip(&mut self, mut input: &[u8]) -> Result<(), Failure> {
        loop {
            if !GZIP_MAGIC.starts_with(input) && !input.starts_with(&GZIP_MAGIC) {
                return Err(Failure::Header);
            }
            let mut member = flate2::bufread::GzDecoder::new(input);
            self.take(&mut member)?;
            input = member.into_inner();
            if matches!(input.first(), None | Some(0)) {
                return Ok(());
            }
        }
    }
}

/// Input of an encoder, which ends with an error when the guest is to stop.
struct Watched<'a> {
    rest: &'a [u8],
    is_stopping: &'a dyn Fn() -> bool,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if (self.is_stopping)() {
            return Err(ErrorKind::Other.into());
        }
        self.rest.read(into)
    }
}

/// Brotli's encoder looks up from its work only now and then: with the two best qualities, which are a hundred times slower
/// than the next, only when a second or more has gone by. They are for inputs that are done by then.
fn most_quality(input: usize) -> u32 {
    if input > SLOW { 9 } else { 11 }
}

fn moved(now: u64, before: u64) -> usize {
    usize::try_from(now.saturating_sub(before)).unwrap_or(usize::MAX)
}

/// RFC 1950, 2.2: the method is 8, and the first two bytes are a multiple of 31.
fn is_zlib(input: &[u8]) -> bool {
    match input {
        [method, flags, ..] => {
            method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        _ => false,
    }
}

fn pack(
    format: &str,
    level: i32,
    window: u32,
    input: &[u8],
    sink: &mut Sink<'_>,
) -> Result<(), Failure> {
    let quality = u32::try_from(level).unwrap_or(6);
    let level = Compression::new(quality.min(9));
    let length = input.len();
    let input = Watched {
        rest: input,
        is_stopping: sink.is_stopping,
    };
    match format {
        "gzip" => sink.take(flate2::read::GzEncoder::new(input, level)),
        "deflate" => sink.take(flate2::read::ZlibEncoder::new(input, level)),
        "deflateRaw" => sink.take(flate2::read::DeflateEncoder::new(input, level)),
        _ => {
            let window = sink.window(window, length);
            let quality = quality.min(most_quality(length));
            sink.take(brotli::CompressorReader::new(input, PIECE, quality, window))
        }
    }
}

fn unpack(format: &str, input: &[u8], sink: &mut Sink<'_>) -> Result<(), Failure> {
    match format {
        "gzip" => sink.gunzip(input),
        "deflate" if input.len() < 2 => Err(Failure::Truncated),
        "deflate" if !is_zlib(input) => Err(Failure::Header),
        "deflate" => sink.inflate(input, Decompress::new(true)),
        "deflateRaw" => sink.inflate(input, Decompress::new(false)),
        _ => sink.unbrotli(input),
    }
}

/// `compress(format, level, window, view, max)` → the output, or a word for why there is none.
fn compress<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    result: v8::ReturnValue<'s, v8::Value>,
) {
    let format = args.get(0).to_rust_string_lossy(scope);
    let level = args.get(1).int32_value(scope).unwrap_or(-1);
    let window = args.get(2).uint32_value(scope).unwrap_or(22);
    let input = copied(args.get(3));
    let max = args.get(4).integer_value(scope).unwrap_or(0);
    finish(scope, result, max, |sink| {
        pack(&format, level, window, &input, sink)
    });
}

/// `decompress(format, view, max, partial)` → the same; `partial` accepts input that breaks off.
fn decompress<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    result: v8::ReturnValue<'s, v8::Value>,
) {
    let format = args.get(0).to_rust_string_lossy(scope);
    let input = copied(args.get(1));
    let max = args.get(2).integer_value(scope).unwrap_or(0);
    let is_partial = args.get(3).is_true();
    finish(scope, result, max, |sink| {
        match unpack(&format, &input, sink) {
            Err(Failure::Truncated) if is_partial => Ok(()),
            other => other,
        }
    });
}

fn finish<'s>(
    scope: &mut Scope<'s, '_>,
    mut result: v8::ReturnValue<'s, v8::Value>,
    max: i64,
    work: impl Fn(&mut Sink<'_>) -> Result<(), Failure>,
) {
    let budget = State::of(scope).map(|state| state.links.budget.clone());
    let stopping = is_stopping(scope);
    let worked = || {
        let mut sink = Sink {
            bytes: Vec::new(),
            max: usize::try_from(max).unwrap_or(0),
            has_room: &|bytes| budget.as_ref().is_none_or(|budget| budget.has_room(bytes)),
            is_stopping: &stopping,
        };
        work(&mut sink).map(|()| sink.bytes)
    };
    let made = match uncounted(worked) {
        // Garbage may have been in the way, which nobody has collected.
        Err(Failure::NoMemory) => {
            scope.low_memory_notification();
            uncounted(worked)
        }
        made => made,
    };
    match made {
        Ok(bytes) => {
            if let Some(view) = bytes_to_view(scope, &bytes) {
                result.set(view.into());
            }
        }
        Err(failure) => result.set(string(scope, failure.name()).into()),
    }
}

/// `crc32(view, value)`.
fn crc32<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let mut sum = !args.get(1).uint32_value(scope).unwrap_or(0);
    let stopping = is_stopping(scope);
    for piece in bytes_of(scope, args.get(0)).pieces() {
        if stopping() {
            return;
        }
        for byte in piece {
            sum ^= u32::from(byte);
            for _ in 0..8 {
                sum = (sum >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(sum & 1));
            }
        }
    }
    result.set_uint32(!sum);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_sink(
        max: usize,
        work: impl FnOnce(&mut Sink<'_>) -> Result<(), Failure>,
    ) -> Result<Vec<u8>, Failure> {
        let mut sink = Sink {
            bytes: Vec::new(),
            max,
            has_room: &|_| true,
            is_stopping: &|| false,
        };
        work(&mut sink)?;
        Ok(sink.bytes)
    }

    #[test]
    fn what_was_packed_is_unpacked() {
        let text = b"to be or not to be ".repeat(9000);
        for format in ["gzip", "deflate", "deflateRaw", "brotli"] {
            let packed = with_sink(usize::MAX, |sink| pack(format, 6, 22, &text, sink)).unwrap();
            assert!(packed.len() < text.len() / 10, "{format}");
            let unpack_to = |max| with_sink(max, |sink| unpack(format, &packed, sink));
            assert_eq!(
                unpack_to(text.len()).as_deref(),
                Ok(text.as_slice()),
                "{format}"
            );
            assert_eq!(
                unpack_to(text.len() - 1),
                Err(Failure::TooLarge),
                "{format}"
            );
            let half = packed.get(..packed.len() / 2).unwrap();
            let cut = with_sink(usize::MAX, |sink| unpack(format, half, sink));
            assert_eq!(cut, Err(Failure::Truncated), "{format}");
        }
    }

    #[test]
    fn what_is_not_packed_is_refused() {
        for format in ["gzip", "deflate"] {
            let refused = with_sink(usize::MAX, |sink| unpack(format, b"plain text", sink));
            assert_eq!(refused, Err(Failure::Header), "{format}");
        }
    }
}
