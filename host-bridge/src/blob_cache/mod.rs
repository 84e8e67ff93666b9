//! Blobs on disk that outlive the process: compiled code, and whatever else is costly to
//! make and safe to lose.
//!
//! A blob is known by a key of 32 bytes that its maker derives from everything the blob
//! depends on. The directory belongs to this user alone, or it is not used: what is read
//! here is handed to an engine that trusts it. Each file carries a digest over key and
//! contents, so a truncated, damaged, foreign or renamed file is a miss, never a fault.
//! Files appear whole, by renaming, so any number of processes may share a directory.

mod file;
mod lock;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use bytes::Bytes;
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open, openat};
use nix::sys::stat::{Mode, fstat, fstatat};
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};

pub use self::lock::KeyLock;

/// Bytes of one key.
pub const KEY_BYTES: usize = 32;
/// Files that are looked at when room is made.
const MAX_FILES: usize = 100_000;
/// Names that are tried for a file before it has its own.
const MAX_TRIES: usize = 64;
/// The file that keys are locked in.
const LOCK: &str = "lock";

/// Maps a file of so many bytes, shared and for reading only.
pub type MapFile = fn(&File, usize) -> io::Result<Bytes>;

/// How blobs are kept.
#[derive(Debug, Clone, Copy)]
pub struct BlobCacheOptions {
    /// Bytes of all files together.
    pub capacity: u64,
    /// Bytes of the largest blob: 64 MiB.
    pub max_blob_bytes: usize,
    /// Whether a blob is on the disk before it has its name. Without, the digest alone tells
    /// what a loss of power has left.
    pub is_durable: bool,
    /// How old the time of last use may be before a use renews it: a day.
    pub use_tick: Duration,
}

impl BlobCacheOptions {
    /// What is small, many, and used again and again.
    #[must_use]
    pub fn new(capacity: u64) -> BlobCacheOptions {
        BlobCacheOptions {
            capacity,
            max_blob_bytes: 64 << 20,
            is_durable: false,
            use_tick: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// A directory of blobs, bounded in bytes.
#[derive(Debug)]
pub struct BlobCache {
    directory: OwnedFd,
    options: BlobCacheOptions,
    /// What the files take together, as far as this process knows.
    n_bytes: AtomicU64,
    /// Whether a thread of this process is making room.
    is_trimming: AtomicBool,
    n_written: AtomicU64,
}

/// Why a directory is not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BlobCacheError {
    /// It cannot be opened or listed.
    #[error("the cache directory cannot be used: {0}")]
    Io(Errno),
    /// It is no directory of this user alone.
    #[error(
        "the cache directory must belong to this user and be writable by nobody else: chown it, or chmod 700"
    )]
    NotPrivate,
}

impl From<std::io::Error> for BlobCacheError {
    fn from(error: std::io::Error) -> BlobCacheError {
        BlobCacheError::Io(Errno::from_raw(error.raw_os_error().unwrap_or(0)))
    }
}

/// Why a blob was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PutError {
    /// It is larger than a blob may be.
    #[error("a blob may have {limit} bytes, this one has {size}")]
    TooLarge {
        /// [`BlobCacheOptions::max_blob_bytes`].
        limit: usize,
        /// Its size in bytes.
        size: usize,
    },
    /// The file system refused.
    #[error("the blob could not be written: {0}")]
    Io(Errno),
}

/// A file of the directory.
struct Stored {
    name: Vec<u8>,
    size: u64,
    used: (i64, i64),
}

impl BlobCache {
    /// Opens `directory`, which is created with mode 700 if it is missing. Its parent must
    /// exist and be as private as itself.
    ///
    /// # Errors
    ///
    /// [`BlobCacheError`]; nothing is changed then.
    pub fn open(directory: &Path, options: BlobCacheOptions) -> Result<BlobCache, BlobCacheError> {
        make(directory)?;
        let parent = directory.parent().unwrap_or(directory);
        // Whoever may write to the parent may put another directory in the place of this one.
        open_private(parent, OFlag::empty())?;
        let directory = open_private(directory, OFlag::O_NOFOLLOW)?;
        let cache = BlobCache {
            directory,
            options,
            n_bytes: AtomicU64::new(0),
            is_trimming: AtomicBool::new(false),
            n_written: AtomicU64::new(0),
        };
        let n_bytes = total(&cache.list().map_err(BlobCacheError::Io)?);
        cache.n_bytes.store(n_bytes, Relaxed);
        Ok(cache)
    }

    /// The blob of this key, if there is a sound one.
    #[must_use]
    pub fn get(&self, key: &[u8; KEY_BYTES]) -> Option<Vec<u8>> {
        file::read(self.open_blob(key)?, key, &self.options)
    }

    /// The blob of this key, if there is a sound one, where `map` has mapped it: all
    /// processes that map it share its memory. It begins at a multiple of eight bytes.
    ///
    /// A blob that is replaced or taken away goes on to be there for who has mapped it. What
    /// nothing but the privacy of the directory prevents is that its user writes into a file.
    #[must_use]
    pub fn get_mapped(&self, key: &[u8; KEY_BYTES], map: MapFile) -> Option<Bytes> {
        file::map(&self.open_blob(key)?, key, &self.options, map)
    }

    /// Keeps `blob` under `key`, in place of what is there. The blobs that were used least
    /// recently go when the capacity is reached.
    ///
    /// # Errors
    ///
    /// [`PutError`]; what was there stays then.
    pub fn put(&self, key: &[u8; KEY_BYTES], blob: &[u8]) -> Result<(), PutError> {
        let limit = self.options.max_blob_bytes;
        if limit < blob.len() {
            let size = blob.len();
            return Err(PutError::TooLarge { limit, size });
        }
        let size = self.write(key, blob).map_err(PutError::Io)?;
        let n_bytes = self.n_bytes.fetch_add(size, Relaxed).saturating_add(size);
        if self.options.capacity < n_bytes && !self.is_trimming.swap(true, Relaxed) {
            self.trim();
            self.is_trimming.store(false, Relaxed);
        }
        Ok(())
    }

    /// Waits until no other process, and nobody in this one, holds the lock of `key`, and
    /// takes it. Locks keep nobody from reading or writing; they are for who would otherwise
    /// make the same blob at once. The lock of a process that dies is free.
    ///
    /// # Errors
    ///
    /// The file system knows no locks, or refuses the file for them.
    pub fn lock(&self, key: &[u8; KEY_BYTES]) -> io::Result<KeyLock> {
        KeyLock::wait(&self.directory, key)
    }

    /// As [`BlobCache::lock`], and `None` where it would wait.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_lock(&self, key: &[u8; KEY_BYTES]) -> io::Result<Option<KeyLock>> {
        KeyLock::try_now(&self.directory, key)
    }

    fn open_blob(&self, key: &[u8; KEY_BYTES]) -> Option<File> {
        let flags = OFlag::O_RDONLY | OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_CLOEXEC;
        let file = openat(&self.directory, name_of(key).as_str(), flags, Mode::empty()).ok()?;
        Some(File::from(file))
    }

    fn write(&self, key: &[u8; KEY_BYTES], blob: &[u8]) -> Result<u64, Errno> {
        let name = name_of(key);
        for _ in 0..MAX_TRIES {
            let n_written = self.n_written.fetch_add(1, Relaxed);
            let temporary = format!("writing-{}-{n_written}", std::process::id());
            let directory = self.directory.as_fd();
            match file::write(directory, (&temporary, &name), key, blob, &self.options) {
                // A process of the same number was there before, or is: another container.
                Err(Errno::EEXIST) => {}
                written => return written,
            }
        }
        Err(Errno::EEXIST)
    }

    /// Takes away what was used least recently, down to nine tenths of the capacity. Other
    /// processes may do the same at once: what is gone already counts as taken.
    fn trim(&self) {
        let Ok(mut files) = self.list() else {
            return;
        };
        let target = self.options.capacity;
        let target = target.saturating_sub(target / 10);
        let mut n_bytes = total(&files);
        files.sort_by_key(|file| file.used);
        for file in &files {
            if n_bytes <= target {
                break;
            }
            let name = OsStr::from_bytes(&file.name);
            let _ = unlinkat(&self.directory, name, UnlinkatFlags::NoRemoveDir);
            n_bytes = n_bytes.saturating_sub(file.size);
        }
        self.n_bytes.store(n_bytes, Relaxed);
    }

    /// The regular files of the directory, the leavings of writers that died among them.
    fn list(&self) -> Result<Vec<Stored>, Errno> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let mut directory = Dir::openat(&self.directory, ".", flags, Mode::empty())?;
        let mut files = Vec::new();
        for entry in directory.iter().take(MAX_FILES).flatten() {
            let Ok(stat) = fstatat(
                &self.directory,
                entry.file_name(),
                AtFlags::AT_SYMLINK_NOFOLLOW,
            ) else {
                continue;
            };
            if file::is_regular(&stat) && entry.file_name().to_bytes() != LOCK.as_bytes() {
                files.push(Stored {
                    name: entry.file_name().to_bytes().to_vec(),
                    size: u64::try_from(stat.st_size).unwrap_or(0),
                    used: (stat.st_mtime, stat.st_mtime_nsec),
                });
            }
        }
        Ok(files)
    }
}

fn make(directory: &Path) -> Result<(), BlobCacheError> {
    match nix::unistd::mkdir(directory, Mode::S_IRWXU) {
        Ok(()) | Err(Errno::EEXIST) => Ok(()),
        Err(errno) => Err(BlobCacheError::Io(errno)),
    }
}

/// Opens a directory that nobody else may write to.
fn open_private(directory: &Path, flags: OFlag) -> Result<OwnedFd, BlobCacheError> {
    let flags = flags | OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let directory = open(directory, flags, Mode::empty()).map_err(BlobCacheError::Io)?;
    let stat = fstat(&directory).map_err(BlobCacheError::Io)?;
    let for_others = (Mode::S_IWGRP | Mode::S_IWOTH).bits();
    if stat.st_uid == geteuid().as_raw() && stat.st_mode & for_others == 0 {
        Ok(directory)
    } else {
        Err(BlobCacheError::NotPrivate)
    }
}

fn total(files: &[Stored]) -> u64 {
    files
        .iter()
        .fold(0, |sum, file| sum.saturating_add(file.size))
}

fn name_of(key: &[u8; KEY_BYTES]) -> String {
    let mut name = String::with_capacity(KEY_BYTES.saturating_mul(2));
    for byte in key {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}
