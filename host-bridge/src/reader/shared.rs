//! Contents that sessions share while the file does not change.

use std::any::{Any, TypeId};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nix::sys::stat::FileStat;
use sha2::{Digest as _, Sha256};

/// Bytes of contents that are kept by default: 256 MiB.
const DEFAULT_CAPACITY: u64 = 256 << 20;
/// What one entry counts as beside its contents, so that empty files are bounded too.
const ENTRY_BYTES: u64 = 512;
/// How old the last change must be. File systems stamp changes with a coarse clock, so two
/// changes within one tick look alike; ten milliseconds is the coarsest tick of Linux.
const DEFAULT_SETTLE_TIME: Duration = Duration::from_millis(50);

/// The contents of one file: bytes, their digest, and what is derived from them.
///
/// A clone is the same contents. Files that do not change between two sessions have one.
#[derive(Clone)]
pub struct FileContents(Arc<Inner>);

struct Inner {
    bytes: Bytes,
    digest: OnceLock<[u8; 32]>,
    derived: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl FileContents {
    pub(super) fn new(bytes: Vec<u8>) -> FileContents {
        FileContents(Arc::new(Inner {
            bytes: Bytes::from(bytes),
            digest: OnceLock::new(),
            derived: Mutex::default(),
        }))
    }

    /// The bytes; a clone of them copies nothing.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.0.bytes
    }

    /// SHA-256 of the bytes, computed when first asked for.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *self
            .0
            .digest
            .get_or_init(|| Sha256::digest(&self.0.bytes).into())
    }

    /// The `T` that `make` computes from the bytes, computed once for all sessions that
    /// share them. `make` must depend on nothing else.
    ///
    /// Memory of a derived value is not counted against the capacity of
    /// [`SharedSources`]: keep it smaller than the bytes.
    pub fn derived<T: Send + Sync + 'static>(&self, make: impl FnOnce(&Bytes) -> T) -> Arc<T> {
        let key = TypeId::of::<T>();
        let known = lock(&self.0.derived).get(&key).cloned();
        if let Some(Ok(value)) = known.map(Arc::downcast::<T>) {
            return value;
        }
        // Made without the lock: a slow `make` holds up nobody, and of two threads that
        // make the same value at once the first to be done gives it to both.
        let made = Arc::new(make(&self.0.bytes));
        let kept = lock(&self.0.derived)
            .entry(key)
            .or_insert_with(|| Arc::clone(&made) as Arc<dyn Any + Send + Sync>)
            .clone();
        kept.downcast::<T>().unwrap_or(made)
    }

    /// Whether both are one copy in memory.
    #[must_use]
    pub fn is_same(&self, other: &FileContents) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What keeping these contents counts as.
    fn weight(&self) -> u64 {
        u64::try_from(self.0.bytes.len())
            .unwrap_or(u64::MAX)
            .saturating_add(ENTRY_BYTES)
    }
}

impl fmt::Debug for FileContents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileContents")
            .field("n_bytes", &self.0.bytes.len())
            .finish_non_exhaustive()
    }
}

/// What tells one state of a file from another. A file that is written to, replaced or
/// touched gets another stamp.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FileStamp {
    device: u64,
    inode: u64,
    size: i64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl FileStamp {
    pub(super) fn new(stat: &FileStat) -> FileStamp {
        FileStamp {
            device: stat.st_dev,
            inode: stat.st_ino,
            size: stat.st_size,
            modified: (stat.st_mtime, stat.st_mtime_nsec),
            changed: (stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    /// Whether the last change is older than `settle_time`. A change in the future is not.
    fn is_settled(&self, settle_time: Duration) -> bool {
        let (Ok(seconds), Ok(nanoseconds)) =
            (u64::try_from(self.changed.0), u32::try_from(self.changed.1))
        else {
            return false;
        };
        SystemTime::UNIX_EPOCH
            .checked_add(Duration::new(seconds, nanoseconds))
            .and_then(|changed| changed.elapsed().ok())
            .is_some_and(|age| settle_time <= age)
    }
}

/// Contents of files, shared by the sessions of one process and bounded in bytes.
///
/// A file is known by device, inode, size and times, never by its name, so a changed file
/// is read again. When the capacity is reached, the contents that came first go first; who
/// holds them keeps them.
#[derive(Debug)]
pub struct SharedSources {
    capacity: u64,
    settle_time: Duration,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    contents: HashMap<FileStamp, FileContents>,
    /// Keys of `contents`, oldest first.
    order: VecDeque<FileStamp>,
    n_bytes: u64,
}

impl Default for SharedSources {
    fn default() -> SharedSources {
        SharedSources::new(DEFAULT_CAPACITY)
    }
}

impl SharedSources {
    /// Keeps up to `capacity` bytes.
    #[must_use]
    pub fn new(capacity: u64) -> SharedSources {
        SharedSources::with_settle_time(capacity, DEFAULT_SETTLE_TIME)
    }

    /// Keeps up to `capacity` bytes of files whose last change is older than `settle_time`.
    #[must_use]
    pub fn with_settle_time(capacity: u64, settle_time: Duration) -> SharedSources {
        SharedSources {
            capacity,
            settle_time,
            table: Mutex::default(),
        }
    }

    /// Bytes kept now, with a fixed amount for each file.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        lock(&self.table).n_bytes
    }

    pub(super) fn get(&self, stamp: &FileStamp) -> Option<FileContents> {
        lock(&self.table).contents.get(stamp).cloned()
    }

    /// Keeps `contents` if it may be kept, and gives back what all share from now on.
    pub(super) fn insert(&self, stamp: FileStamp, contents: FileContents) -> FileContents {
        let weight = contents.weight();
        if self.capacity < weight || !stamp.is_settled(self.settle_time) {
            return contents;
        }
        let mut table = lock(&self.table);
        if let Some(known) = table.contents.get(&stamp) {
            return known.clone();
        }
        table.make_room(self.capacity.saturating_sub(weight));
        table.n_bytes = table.n_bytes.saturating_add(weight);
        table.order.push_back(stamp.clone());
        table.contents.insert(stamp, contents.clone());
        contents
    }
}

impl Table {
    fn make_room(&mut self, target: u64) {
        while target < self.n_bytes {
            let Some(oldest) = self.order.pop_front() else {
                return;
            };
            if let Some(contents) = self.contents.remove(&oldest) {
                self.n_bytes = self.n_bytes.saturating_sub(contents.weight());
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
