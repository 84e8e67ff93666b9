//! Contents that sessions share while the file does not change.

use std::any::{Any, TypeId};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use nix::sys::stat::FileStat;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Bytes of contents that are kept by default: 256 MiB.
const DEFAULT_CAPACITY: u64 = 256 << 20;
/// What one entry counts as beside its contents, so that empty files are bounded too.
const ENTRY_BYTES: u64 = 512;
/// What one derived value counts as beside the bytes that it is said to hold.
const DERIVED_BYTES: u64 = 128;
/// How old the last change must be. File systems stamp changes with a coarse clock, so two
/// changes within one tick look alike; ten milliseconds is the coarsest tick of Linux.
const DEFAULT_SETTLE_TIME: Duration = Duration::from_millis(50);

/// The contents of one file: bytes, their digest, and what is derived from them.
///
/// A clone is the same contents. Files that do not change between two sessions have one.
#[derive(Clone)]
pub struct FileContents(Arc<Inner>);

struct Inner {
    /// The bytes once, in two forms: an `Arc` can be handed to an engine as a raw pointer.
    shared: Arc<[u8]>,
    bytes: Bytes,
    digest: OnceLock<[u8; 32]>,
    derived: Mutex<HashMap<TypeId, Derived>>,
    /// Where these contents are kept, once they are.
    home: OnceLock<Home>,
}

/// A value that is computed from contents, and what keeping it counts as.
struct Derived {
    value: Arc<dyn Any + Send + Sync>,
    n_bytes: u64,
}

/// The table that keeps some contents, and their key in it.
struct Home {
    table: Weak<Mutex<Table>>,
    stamp: FileStamp,
}

impl FileContents {
    pub(super) fn new(bytes: Vec<u8>) -> FileContents {
        let shared: Arc<[u8]> = Arc::from(bytes);
        FileContents(Arc::new(Inner {
            bytes: Bytes::from_owner(Arc::clone(&shared)),
            shared,
            digest: OnceLock::new(),
            derived: Mutex::default(),
            home: OnceLock::new(),
        }))
    }

    /// The bytes; a clone of them copies nothing.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.0.bytes
    }

    /// The same bytes as shared memory.
    #[must_use]
    pub fn shared(&self) -> &Arc<[u8]> {
        &self.0.shared
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
    /// Beside the value `make` says how many bytes of memory it holds, which count against
    /// the capacity of [`SharedSources`] as the bytes of the file do.
    pub fn derived_weighed<T: Send + Sync + 'static>(
        &self,
        make: impl FnOnce(&Bytes) -> (T, usize),
    ) -> Arc<T> {
        if let Some(value) = self.get_derived() {
            return value;
        }
        // Made without the lock: a slow `make` holds up nobody, and of two threads that
        // make the same value at once the first to be done gives it to both.
        let (made, n_bytes) = make(&self.0.bytes);
        let made = Arc::new(made);
        let kept = lock(&self.0.derived)
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Derived::new(&made, n_bytes))
            .downcast();
        self.count_again();
        kept.unwrap_or(made)
    }

    /// The `T` of these contents, if it has been made or set.
    #[must_use]
    pub fn get_derived<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        lock(&self.0.derived).get(&TypeId::of::<T>())?.downcast()
    }

    /// Makes `value`, which holds `n_bytes` of memory, the `T` of these contents in place
    /// of the one there may be. Who holds the former one keeps it.
    pub fn set_derived<T: Send + Sync + 'static>(&self, value: T, n_bytes: usize) -> Arc<T> {
        let value = Arc::new(value);
        let derived = Derived::new(&value, n_bytes);
        let former = lock(&self.0.derived).insert(TypeId::of::<T>(), derived);
        // Its destructor is not ours to run under the lock.
        drop(former);
        self.count_again();
        value
    }

    /// Whether both are one copy in memory.
    #[must_use]
    pub fn is_same(&self, other: &FileContents) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What keeping these contents, and all that is derived from them, counts as.
    fn weight(&self) -> u64 {
        let n_bytes = u64::try_from(self.0.bytes.len()).unwrap_or(u64::MAX);
        lock(&self.0.derived)
            .values()
            .fold(n_bytes.saturating_add(ENTRY_BYTES), |weight, derived| {
                weight.saturating_add(derived.n_bytes)
            })
    }

    /// Tells the table that keeps these contents, if one does, that their weight changed.
    fn count_again(&self) {
        let home = self.0.home.get();
        if let Some((table, stamp)) =
            home.and_then(|home| Some((home.table.upgrade()?, &home.stamp)))
        {
            let dropped = lock(&table).count_again(stamp, self);
            drop(dropped);
        }
    }
}

impl Derived {
    fn new<T: Send + Sync + 'static>(value: &Arc<T>, n_bytes: usize) -> Derived {
        Derived {
            value: Arc::clone(value) as Arc<dyn Any + Send + Sync>,
            n_bytes: u64::try_from(n_bytes)
                .unwrap_or(u64::MAX)
                .saturating_add(DERIVED_BYTES),
        }
    }

    fn downcast<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.value).downcast().ok()
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Contents of files and what is derived from them, shared by the sessions of one process
/// and bounded in bytes.
///
/// A file is known by device, inode, size and times, never by its name, so a changed file
/// is read again. When the capacity is reached, the contents that came first go first; who
/// holds them keeps them.
#[derive(Debug)]
pub struct SharedSources {
    settle_time: Duration,
    table: Arc<Mutex<Table>>,
}

#[derive(Debug)]
struct Table {
    capacity: u64,
    kept: HashMap<FileStamp, Kept>,
    /// Keys of `kept`, oldest first.
    order: VecDeque<FileStamp>,
    n_bytes: u64,
}

#[derive(Debug)]
struct Kept {
    contents: FileContents,
    /// What `Table::n_bytes` has counted for them.
    weight: u64,
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
            settle_time,
            table: Arc::new(Mutex::new(Table {
                capacity,
                kept: HashMap::new(),
                order: VecDeque::new(),
                n_bytes: 0,
            })),
        }
    }

    /// Bytes kept now, with a fixed amount for each file and each derived value.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        lock(&self.table).n_bytes
    }

    pub(super) fn get(&self, stamp: &FileStamp) -> Option<FileContents> {
        let table = lock(&self.table);
        Some(table.kept.get(stamp)?.contents.clone())
    }

    /// Whether contents that are read from now on may be kept under `stamp`.
    pub(super) fn is_settled(&self, stamp: &FileStamp) -> bool {
        stamp.is_settled(self.settle_time)
    }

    /// Keeps `contents` if there is room, and gives back what all share from now on. The
    /// stamp was settled before they were read.
    pub(super) fn insert(&self, stamp: FileStamp, contents: FileContents) -> FileContents {
        let weight = contents.weight();
        let mut table = lock(&self.table);
        if table.capacity < weight {
            return contents;
        }
        if let Some(known) = table.kept.get(&stamp) {
            return known.contents.clone();
        }
        let target = table.capacity.saturating_sub(weight);
        let dropped = table.make_room(target);
        let home = Home {
            table: Arc::downgrade(&self.table),
            stamp: stamp.clone(),
        };
        // Contents come here once, right after they are read.
        let _ = contents.0.home.set(home);
        table.keep(stamp, contents.clone(), weight);
        drop(table);
        drop(dropped);
        contents
    }
}

impl Table {
    fn keep(&mut self, stamp: FileStamp, contents: FileContents, weight: u64) {
        self.n_bytes = self.n_bytes.saturating_add(weight);
        self.order.push_back(stamp.clone());
        self.kept.insert(stamp, Kept { contents, weight });
    }

    /// Drops the oldest contents until `target` bytes remain. They are returned, so that
    /// the destructors of what is derived from them run without the lock.
    fn make_room(&mut self, target: u64) -> Vec<FileContents> {
        let mut dropped = Vec::new();
        while target < self.n_bytes {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            dropped.extend(self.forget(&oldest));
        }
        dropped
    }

    /// Counts `contents` anew if they are kept, and makes room where they have grown. What
    /// is too heavy for the whole table goes itself.
    fn count_again(&mut self, stamp: &FileStamp, contents: &FileContents) -> Vec<FileContents> {
        let Some(kept) = self.kept.get_mut(stamp) else {
            return Vec::new();
        };
        if !kept.contents.is_same(contents) {
            return Vec::new();
        }
        let weight = contents.weight();
        let former = std::mem::replace(&mut kept.weight, weight);
        self.n_bytes = self.n_bytes.saturating_sub(former).saturating_add(weight);
        if self.capacity < weight {
            self.order.retain(|other| other != stamp);
            return self.forget(stamp).into_iter().collect();
        }
        self.make_room(self.capacity)
    }

    /// The caller takes the key out of `order`.
    fn forget(&mut self, stamp: &FileStamp) -> Option<FileContents> {
        let kept = self.kept.remove(stamp)?;
        self.n_bytes = self.n_bytes.saturating_sub(kept.weight);
        Some(kept.contents)
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code that can panic runs while a lock is held.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
