//! One file of the cache: a mark, a digest, and the blob.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nix::errno::Errno;
use nix::fcntl::{OFlag, openat, renameat};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, futimens};
use nix::sys::time::TimeSpec;
use nix::unistd::{UnlinkatFlags, unlinkat};
use sha2::{Digest as _, Sha256};

use super::{BlobCacheOptions, KEY_BYTES, MapFile};

/// What every file begins with; the digit is the version of the layout.
const MARK: &[u8; 8] = b"ISOBLOB1";
const DIGEST_BYTES: usize = 32;
const HEAD_BYTES: usize = MARK.len() + DIGEST_BYTES;

pub(super) fn is_regular(stat: &FileStat) -> bool {
    SFlag::from_bits_truncate(stat.st_mode) & SFlag::S_IFMT == SFlag::S_IFREG
}

/// The blob in `file`, if the file is whole and belongs to `key`.
pub(super) fn read(
    mut file: File,
    key: &[u8; KEY_BYTES],
    options: &BlobCacheOptions,
) -> Option<Vec<u8>> {
    let (stat, n_blob) = look(&file, options)?;
    let mut head = [0; HEAD_BYTES];
    file.read_exact(&mut head).ok()?;
    let mut blob = vec![0; n_blob];
    file.read_exact(&mut blob).ok()?;
    if !is_head_of(&head, key, &blob) {
        return None;
    }
    note_use(&file, &stat, options.use_tick);
    Some(blob)
}

/// As [`read`], and nothing is copied. It begins at a multiple of eight bytes.
pub(super) fn map(
    file: &File,
    key: &[u8; KEY_BYTES],
    options: &BlobCacheOptions,
    map: MapFile,
) -> Option<Bytes> {
    let (stat, n_blob) = look(file, options)?;
    let mut blob = map(file, n_blob.saturating_add(HEAD_BYTES)).ok()?;
    if blob.len() != n_blob.saturating_add(HEAD_BYTES) {
        return None;
    }
    let head = blob.split_to(HEAD_BYTES);
    if !is_head_of(&head, key, &blob) {
        return None;
    }
    note_use(file, &stat, options.use_tick);
    Some(blob)
}

/// What the file system says of a file that can be one of ours, and the bytes of its blob.
fn look(file: &File, options: &BlobCacheOptions) -> Option<(FileStat, usize)> {
    let stat = fstat(file).ok()?;
    let size = usize::try_from(stat.st_size).ok()?;
    let n_blob = size.checked_sub(HEAD_BYTES)?;
    (is_regular(&stat) && n_blob <= options.max_blob_bytes).then_some((stat, n_blob))
}

fn is_head_of(head: &[u8], key: &[u8; KEY_BYTES], blob: &[u8]) -> bool {
    let (mark, digest) = head.split_at(MARK.len().min(head.len()));
    mark == MARK && digest == digest_of(key, blob)
}

/// The time of change of a file is the time of its last use, to the tick.
fn note_use(file: &File, stat: &FileStat, tick: Duration) {
    let seconds = u64::try_from(stat.st_mtime).unwrap_or(0);
    let used = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds));
    let age = used.and_then(|used| used.elapsed().ok());
    if age.is_some_and(|age| tick <= age) {
        // Who cannot write the time uses the blob all the same.
        let _ = futimens(file, &TimeSpec::UTIME_NOW, &TimeSpec::UTIME_NOW);
    }
}

/// Writes a file as `temporary`, which nobody else may be writing, and renames it to `name`;
/// says how many bytes it has.
pub(super) fn write(
    directory: BorrowedFd<'_>,
    (temporary, name): (&str, &str),
    key: &[u8; KEY_BYTES],
    blob: &[u8],
    options: &BlobCacheOptions,
) -> Result<u64, Errno> {
    // Whoever maps a file relies on that nobody writes to it once it has its name.
    let flags =
        OFlag::O_WRONLY | OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mode = Mode::S_IRUSR | Mode::S_IWUSR;
    let mut file = File::from(openat(directory, temporary, flags, mode)?);
    let written = file
        .write_all(MARK)
        .and_then(|()| file.write_all(&digest_of(key, blob)))
        .and_then(|()| file.write_all(blob))
        .and_then(|()| match options.is_durable {
            true => file.sync_all(),
            false => Ok(()),
        })
        .map_err(|error: io::Error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))
        .and_then(|()| renameat(directory, temporary, directory, name));
    if let Err(errno) = written {
        // A full disk must not keep a piece of what did not fit.
        let _ = unlinkat(directory, temporary, UnlinkatFlags::NoRemoveDir);
        return Err(errno);
    }
    let size = HEAD_BYTES.saturating_add(blob.len());
    Ok(u64::try_from(size).unwrap_or(u64::MAX))
}

fn digest_of(key: &[u8; KEY_BYTES], blob: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update(blob);
    hash.finalize().into()
}
