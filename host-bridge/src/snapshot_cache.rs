//! Snapshots on disk, for all sidecars of this user: what a build gave, under a key of what
//! it was asked for and who asked.
//!
//! A key does not name files, for which files a build reads shows when it runs. What is kept
//! under it says what was read, found and missed
//! ([`Observations`](crate::reader::Observations)), and is good while all of that holds.

use std::io;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::blob_cache::{
    BlobCache, BlobCacheError, BlobCacheOptions, KEY_BYTES, KeyLock, MapFile, PutError,
};

/// Bytes of the largest snapshot with all that is said about it: 256 MiB.
pub const MAX_SNAPSHOT_BYTES: usize = 256 << 20;
/// Least time between two notes that a snapshot was used.
const USE_TICK: Duration = Duration::from_secs(60);

/// Names what is kept for one spec.
pub type CacheKey = [u8; KEY_BYTES];

/// A directory of snapshots, bounded in bytes.
#[derive(Debug)]
pub struct SnapshotCache {
    blobs: BlobCache,
    maker: [u8; 32],
    map: MapFile,
}

impl SnapshotCache {
    /// Opens `directory` for snapshots of `capacity` bytes together, made by a build and an
    /// engine that `maker` stands for, and mapped by `map`. As [`BlobCache::open`].
    ///
    /// # Errors
    ///
    /// [`BlobCacheError`].
    pub fn open(
        directory: &Path,
        capacity: u64,
        maker: [u8; 32],
        map: MapFile,
    ) -> Result<SnapshotCache, BlobCacheError> {
        let options = BlobCacheOptions {
            capacity,
            max_blob_bytes: MAX_SNAPSHOT_BYTES,
            is_durable: true,
            use_tick: USE_TICK,
        };
        let blobs = BlobCache::open(directory, options)?;
        Ok(SnapshotCache { blobs, maker, map })
    }

    /// The key of what `spec` asks for.
    #[must_use]
    pub fn key_of(&self, spec: &[u8]) -> CacheKey {
        let mut digest = Sha256::new();
        digest.update(self.maker);
        digest.update(spec);
        digest.finalize().into()
    }

    /// What is kept under `key`, mapped and found sound.
    #[must_use]
    pub fn get(&self, key: &CacheKey) -> Option<Bytes> {
        self.blobs.get_mapped(key, self.map)
    }

    /// Keeps what a build gave.
    ///
    /// # Errors
    ///
    /// [`PutError`].
    pub fn put(&self, key: &CacheKey, made: &[u8]) -> Result<(), PutError> {
        self.blobs.put(key, made)
    }

    /// Waits until nobody else builds for `key`: [`BlobCache::lock`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn lock(&self, key: &CacheKey) -> io::Result<KeyLock> {
        self.blobs.lock(key)
    }

    /// As [`SnapshotCache::lock`], and `None` where it would wait.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_lock(&self, key: &CacheKey) -> io::Result<Option<KeyLock>> {
        self.blobs.try_lock(key)
    }
}
