//! The way to a snapshot: what this process has, what is on disk, what somebody else is just
//! making, and a build of our own.
//!
//! ```text
//!  known here ─no─> on disk ─no─> lock of the spec ─waited─> on disk ─no─> build ─> disk
//!     │ yes           │ yes            │ too long                ^           ^
//!     v               v                └──────────────────────── │ ──────────┘
//!   answer          map it                     other sidecars ───┘
//! ```
//!
//! What is known or on disk counts while all files are as they were. The lock is kept until
//! the file has its name, so of many sidecars with one cold cache one builds. It is a means
//! to save work and nothing depends on it: a sidecar that has waited as long as a build may
//! take builds for itself, and so does one where the file system has no locks.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use host_bridge::blob_cache::KeyLock;
use host_bridge::reader::{HostDirectories, Observations, ReaderOptions, SharedSources, Still};
use host_bridge::snapshot_cache::{CacheKey, SnapshotCache};
use host_bridge::{BuiltSnapshot, SnapshotImage};
use protocol::frame::{SnapshotReady, WarmSnapshot};
use protocol::{Limits, Root};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::child::{self, BuildError};
use crate::config::ChildCommand;
use crate::snapshot_pipe::{Answer, encode_spec, read_answer, write_image};

/// Where snapshots come from.
#[derive(Debug)]
pub(crate) struct Workshop {
    command: ChildCommand,
    grace: Duration,
    cache: Option<Arc<SnapshotCache>>,
}

/// A snapshot that is there.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) ready: SnapshotReady,
    /// `None` when the engine has it.
    pub(crate) image: Option<SnapshotImage>,
    /// What must hold for it to be used again.
    pub(crate) seen: Option<Arc<Observations>>,
}

/// What the engine has of a spec.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) ready: SnapshotReady,
    pub(crate) seen: Arc<Observations>,
}

/// What is asked for.
struct Order {
    roots: Vec<Root>,
    spec: Bytes,
    within: Duration,
}

impl Workshop {
    pub(super) fn new(
        command: ChildCommand,
        grace: Duration,
        cache: Option<Arc<SnapshotCache>>,
    ) -> Workshop {
        Workshop {
            command,
            grace,
            cache,
        }
    }

    /// Finds the snapshot, or builds it.
    pub(super) async fn make(
        &self,
        warm: WarmSnapshot,
        known: Option<Arc<Known>>,
    ) -> Result<Made, BuildError> {
        let wall_ms = warm.limits.wall_ms.unwrap_or(Limits::DEFAULT.wall_ms);
        let order = Arc::new(Order {
            roots: warm.roots.clone(),
            spec: encode_spec(warm)?,
            within: Duration::from_millis(wall_ms).saturating_add(self.grace),
        });
        if let Some(known) = known {
            let order = Arc::clone(&order);
            if let Some(made) = blocking(move || known.still(&order.roots)).await {
                return Ok(made);
            }
        }
        match &self.cache {
            Some(cache) => self.make_for(cache, order).await,
            None => Ok(Made::new(self.build(&order).await?.1)),
        }
    }

    async fn make_for(
        &self,
        cache: &Arc<SnapshotCache>,
        order: Arc<Order>,
    ) -> Result<Made, BuildError> {
        let key = cache.key_of(&order.spec);
        if let Some(made) = find(cache, key, &order).await {
            return Ok(made);
        }
        let (lock, has_waited) = lock(cache, key, order.within).await;
        if has_waited && let Some(made) = find(cache, key, &order).await {
            return Ok(made);
        }
        let (written, built) = self.build(&order).await?;
        if built.seen.is_none() {
            tracing::info!("a snapshot is not kept on disk: what it depends on is not known");
            return Ok(Made::new(built));
        }
        let cache = Arc::clone(cache);
        let kept = blocking(move || {
            let kept = keep(&cache, &key, &written);
            drop(lock);
            kept
        });
        let built = kept.await.unwrap_or(built);
        Ok(Made::new(built))
    }

    async fn build(&self, order: &Order) -> Result<(Bytes, BuiltSnapshot), BuildError> {
        child::build(&self.command, order.spec.clone(), order.within).await
    }
}

impl Made {
    fn new(built: BuiltSnapshot) -> Made {
        let BuiltSnapshot {
            image,
            report,
            seen,
        } = built;
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
        Made {
            ready,
            image: Some(image),
            seen: seen.map(Arc::new),
        }
    }
}

impl Known {
    fn still(&self, roots: &[Root]) -> Option<Made> {
        let seen = match compare(roots, &self.seen)? {
            Still::Renewed(seen) => Arc::new(seen),
            _ => Arc::clone(&self.seen),
        };
        let ready = SnapshotReady {
            reused: true,
            from_cache: true,
            ..self.ready.clone()
        };
        Some(Made {
            ready,
            image: None,
            seen: Some(seen),
        })
    }
}

/// What is on disk, if it is sound and all files are as they were.
async fn find(cache: &Arc<SnapshotCache>, key: CacheKey, order: &Arc<Order>) -> Option<Made> {
    let (cache, order) = (Arc::clone(cache), Arc::clone(order));
    blocking(move || {
        let mut built = get(&cache, &key)?;
        if let Still::Renewed(seen) = compare(&order.roots, built.seen.as_ref()?)? {
            built.seen = Some(seen);
            // The next lookup need not read the files again.
            let mut written = Vec::new();
            if write_image(&mut written, &built).is_ok() {
                put(&cache, &key, &written);
            }
        }
        let mut made = Made::new(built);
        made.ready.from_cache = true;
        Some(made)
    })
    .await
}

fn get(cache: &SnapshotCache, key: &CacheKey) -> Option<BuiltSnapshot> {
    match read_answer(cache.get(key)?) {
        Ok(Answer::Built(mut built)) => {
            built.image.is_mapped = true;
            Some(*built)
        }
        _ => None,
    }
}

fn put(cache: &SnapshotCache, key: &CacheKey, written: &[u8]) -> bool {
    let put = cache.put(key, written);
    if let Err(error) = &put {
        tracing::warn!(%error, "a snapshot is not kept on disk");
    }
    put.is_ok()
}

/// Keeps what a build wrote, and gives it back as others will see it.
fn keep(cache: &SnapshotCache, key: &CacheKey, written: &[u8]) -> Option<BuiltSnapshot> {
    put(cache, key, written).then(|| get(cache, key))?
}

/// `None` when something is not as it was.
fn compare(roots: &[Root], seen: &Observations) -> Option<Still> {
    let roots: Vec<(&str, &str)> = roots
        .iter()
        .map(|root| (root.host.as_str(), root.guest.as_str()))
        .collect();
    let options = ReaderOptions {
        shared: Arc::new(SharedSources::new(0)),
        ..ReaderOptions::default()
    };
    let directories = HostDirectories::open_with(&roots, options).ok()?;
    match directories.compare(seen) {
        Still::Changed(path) => {
            tracing::info!(path, "a snapshot is out of date");
            None
        }
        still => Some(still),
    }
}

/// Takes the lock of a key, and says whether somebody had it.
async fn lock(
    cache: &Arc<SnapshotCache>,
    key: CacheKey,
    within: Duration,
) -> (Option<KeyLock>, bool) {
    let at_once = Arc::clone(cache);
    match spawn_blocking(move || at_once.try_lock(&key)).await {
        Ok(Ok(None)) => {}
        Ok(Ok(lock)) => return (lock, false),
        _ => return (None, false),
    }
    tracing::debug!("somebody else builds this snapshot");
    let cache = Arc::clone(cache);
    let waiting = spawn_blocking(move || cache.lock(&key));
    match timeout(within, waiting).await {
        Ok(Ok(lock)) => (lock.ok(), true),
        _ => {
            tracing::warn!(?within, "a build elsewhere does not end");
            (None, true)
        }
    }
}

/// Runs what reads files where nobody waits for it but this task.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Option<T> + Send + 'static,
) -> Option<T> {
    // The error is that it panicked, which its message has told.
    spawn_blocking(work).await.ok().flatten()
}
