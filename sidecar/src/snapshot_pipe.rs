//! What passes between the sidecar and the child process that makes a snapshot. What the
//! child writes is also what is kept on disk.
//!
//! ```text
//!  parent -> child, standard input    a WarmSnapshot frame, end of stream
//!  child -> parent, standard output   a Refused frame, end of stream; or
//!
//!  +---------------------+---------------+-------------+----------------------------+
//!  | SnapshotReady frame | u32 big-endian| header, JSON| blob, SnapshotReady.bytes  |
//!  +---------------------+---------------+-------------+----------------------------+
//! ```
//!
//! Spaces at the end of the header let the blob begin at a multiple of eight bytes.
//!
//! Both ends are the same build, so the header has no version. What comes out of the child
//! is nevertheless read like anything from outside: hostile code ran in there.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};

use bytes::{Buf, Bytes, BytesMut};
use host_bridge::reader::Observations;
use host_bridge::snapshot_cache::MAX_SNAPSHOT_BYTES;
use host_bridge::{BuiltSnapshot, SnapshotImage, SnapshotModule, SnapshotReport};
use protocol::bounds::MAX_FRAME_CEILING;
use protocol::frame::{Frame, HEAD_LEN, Kind, Refused, SnapshotReady, WarmSnapshot};
use protocol::{
    Decoded, EncodeError, Envelope, FrameDecoder, FrameError, HostFrame, Reason, RequestId,
    SessionId, SidecarFrame,
};
use serde::{Deserialize, Serialize};

use crate::error::clipped;

/// The longest result that is read, in bytes.
pub(crate) const MAX_RESULT: usize = MAX_SNAPSHOT_BYTES;
/// What the place of the blob is a multiple of.
const ALIGNMENT: usize = 8;

/// Bytes in the pipe that are not what they should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PipeError {
    /// The stream ends too early.
    #[error("the stream is cut short")]
    CutShort,
    /// The stream goes on after its end.
    #[error("the stream is followed by {0} more bytes")]
    Trailing(usize),
    /// The stream is longer than anything that is read.
    #[error("the stream is longer than {0} bytes")]
    TooLong(usize),
    /// A frame does not parse.
    #[error("{0}")]
    Frame(FrameError),
    /// A frame cannot be written.
    #[error("{0}")]
    Encode(#[from] EncodeError),
    /// Another kind of frame was expected.
    #[error("{0} was not expected")]
    Kind(Kind),
    /// The header does not parse, or cannot be written.
    #[error("the header: {0}")]
    Header(#[from] serde_json::Error),
    /// The pipe itself.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// How a build went, as the child tells it.
#[derive(Debug)]
pub(crate) enum Answer {
    Built(Box<BuiltSnapshot>),
    Failure(Reason, String),
}

#[derive(Serialize, Deserialize)]
struct Header {
    modules: Vec<Module>,
    entries: BTreeMap<String, String>,
    cwd: String,
    seen: Option<Observations>,
}

#[derive(Serialize, Deserialize)]
struct Module {
    url: String,
    attribute: String,
}

/// Parent: what the child is to read.
pub(crate) fn encode_spec(warm: WarmSnapshot) -> Result<Bytes, PipeError> {
    let mut bytes = BytesMut::new();
    let request = RequestId::new(1);
    HostFrame::from(warm).encode(SessionId::CONNECTION, request, &mut bytes)?;
    Ok(bytes.freeze())
}

/// Child: reads the spec to the end of the stream.
///
/// # Errors
///
/// When it is not exactly one `WarmSnapshot` frame.
pub fn read_spec(input: &mut dyn Read) -> Result<WarmSnapshot, PipeError> {
    let max = usize::try_from(MAX_FRAME_CEILING)
        .unwrap_or(usize::MAX)
        .saturating_add(HEAD_LEN);
    let limit = u64::try_from(max).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    input.take(limit).read_to_end(&mut bytes)?;
    if bytes.len() > max {
        return Err(PipeError::TooLong(max));
    }
    let mut bytes = BytesMut::from(Bytes::from(bytes));
    let warm = match take_frame::<HostFrame>(&mut bytes)?.frame {
        HostFrame::WarmSnapshot(warm) => warm,
        other => return Err(PipeError::Kind(other.kind())),
    };
    if !bytes.is_empty() {
        return Err(PipeError::Trailing(bytes.len()));
    }
    Ok(warm)
}

/// Child: a snapshot was made.
///
/// # Errors
///
/// When the parent does not read.
pub fn write_image(output: &mut dyn Write, built: &BuiltSnapshot) -> Result<(), PipeError> {
    let (image, report) = (&built.image, &built.report);
    let ready = SnapshotReady {
        key: image.key,
        bytes: u64::try_from(image.blob.len()).unwrap_or(u64::MAX),
        modules: report.modules,
        build_us: report.build_us,
        evaluate_us: report.evaluate_us,
        reused: false,
        files: report.files,
        from_cache: false,
    };
    let header = Header {
        modules: image.modules.iter().map(Module::from).collect(),
        entries: image.entries.clone(),
        cwd: image.cwd.clone(),
        seen: built.seen.clone(),
    };
    let ready = encode_answer(ready)?;
    let mut header = serde_json::to_vec(&header)?;
    let before = [ready.len(), size_of::<u32>()].iter().sum();
    pad(&mut header, before);
    let header_len = u32::try_from(header.len()).map_err(|_| PipeError::TooLong(MAX_RESULT))?;
    output.write_all(&ready)?;
    output.write_all(&header_len.to_be_bytes())?;
    output.write_all(&header)?;
    output.write_all(&image.blob)?;
    output.flush()?;
    Ok(())
}

/// Child: no snapshot can be made, and this is why.
///
/// # Errors
///
/// When the parent does not read.
pub fn write_failure(
    output: &mut dyn Write,
    reason: Reason,
    message: String,
) -> Result<(), PipeError> {
    let refused = Refused {
        kind: Kind::WarmSnapshot.to_wire(),
        reason,
        message: clipped(message),
        limit: None,
    };
    output.write_all(&encode_answer(refused)?)?;
    output.flush()?;
    Ok(())
}

/// Parent: what the child has written, whole.
pub(crate) fn read_answer(bytes: Bytes) -> Result<Answer, PipeError> {
    // Only the head of the stream is decoded as a frame: the blob is sliced, not copied.
    let frame_len = first_frame_len(&bytes)?;
    let mut rest = bytes;
    let mut first = BytesMut::from(rest.split_to(frame_len).as_ref());
    let ready = match take_frame::<SidecarFrame>(&mut first)?.frame {
        SidecarFrame::SnapshotReady(ready) => ready,
        SidecarFrame::Refused(refused) if rest.is_empty() => {
            return Ok(Answer::Failure(refused.reason, refused.message));
        }
        SidecarFrame::Refused(_) => return Err(PipeError::Trailing(rest.len())),
        other => return Err(PipeError::Kind(other.kind())),
    };
    let header_len = rest.try_get_u32().map_err(|_| PipeError::CutShort)?;
    let header: Header = serde_json::from_slice(&take(&mut rest, u64::from(header_len))?)?;
    let blob = take(&mut rest, ready.bytes)?;
    if !rest.is_empty() {
        return Err(PipeError::Trailing(rest.len()));
    }
    let image = SnapshotImage {
        key: ready.key,
        blob,
        modules: header.modules.into_iter().map(Into::into).collect(),
        entries: header.entries,
        cwd: header.cwd,
        is_mapped: false,
    };
    let report = SnapshotReport {
        build_us: ready.build_us,
        evaluate_us: ready.evaluate_us,
        modules: ready.modules,
        files: ready.files,
    };
    let seen = header.seen;
    Ok(Answer::Built(Box::new(BuiltSnapshot {
        image,
        report,
        seen,
    })))
}

/// Lengthens a header that `before` bytes precede.
fn pad(header: &mut Vec<u8>, before: usize) {
    while !before
        .saturating_add(header.len())
        .is_multiple_of(ALIGNMENT)
    {
        header.push(b' ');
    }
}

fn encode_answer(frame: impl Into<SidecarFrame>) -> Result<Bytes, PipeError> {
    let mut bytes = BytesMut::new();
    let request = RequestId::new(1);
    frame
        .into()
        .encode(SessionId::CONNECTION, request, &mut bytes)?;
    Ok(bytes.freeze())
}

fn take_frame<F: Frame>(bytes: &mut BytesMut) -> Result<Envelope<F>, PipeError> {
    let mut decoder = FrameDecoder::new();
    decoder.set_max_body(MAX_FRAME_CEILING);
    match decoder.decode(bytes).map_err(PipeError::Frame)? {
        Some(Decoded::Frame(envelope)) => Ok(envelope),
        Some(Decoded::Rejected(_, err)) => Err(PipeError::Frame(err)),
        None => Err(PipeError::CutShort),
    }
}

/// Length of the frame at the front, head included.
fn first_frame_len(bytes: &[u8]) -> Result<usize, PipeError> {
    let body_len = bytes.first_chunk().ok_or(PipeError::CutShort)?;
    let len = usize::try_from(u32::from_be_bytes(*body_len))
        .unwrap_or(usize::MAX)
        .saturating_add(HEAD_LEN);
    if bytes.len() < len {
        return Err(PipeError::CutShort);
    }
    Ok(len)
}

fn take(rest: &mut Bytes, len: u64) -> Result<Bytes, PipeError> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    if rest.len() < len {
        return Err(PipeError::CutShort);
    }
    Ok(rest.split_to(len))
}

impl From<&SnapshotModule> for Module {
    fn from(module: &SnapshotModule) -> Module {
        Module {
            url: module.url.clone(),
            attribute: module.attribute.clone(),
        }
    }
}

impl From<Module> for SnapshotModule {
    fn from(module: Module) -> SnapshotModule {
        SnapshotModule {
            url: module.url,
            attribute: module.attribute,
        }
    }
}

#[cfg(test)]
mod tests;
