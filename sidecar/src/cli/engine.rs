//! The one file of this crate that names the engine.

#[cfg(feature = "v8-engine")]
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;
#[cfg(feature = "v8-engine")]
use std::{path::PathBuf, sync::Arc};

#[cfg(feature = "v8-engine")]
use host_bridge::blob_cache::{BlobCache, BlobCacheError, BlobCacheOptions};
#[cfg(feature = "v8-engine")]
use host_bridge::snapshot_cache::SnapshotCache;
use host_bridge::{BuiltSnapshot, Engine, SealedImage};
use protocol::frame::WarmSnapshot;
use protocol::{Isolation, Reason};
#[cfg(feature = "v8-engine")]
use sidecar::{ChildCommand, ProcessEngine, WorkerTranslator};

/// Why the engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum EngineError {
    /// V8 cannot be initialised here.
    #[cfg(feature = "v8-engine")]
    #[error(transparent)]
    Platform(#[from] runtime::PlatformError),
    /// V8 runs, and sessions cannot.
    #[cfg(feature = "v8-engine")]
    #[error(transparent)]
    Start(#[from] runtime::EngineStartError),
    /// Children cannot be started.
    #[cfg(feature = "v8-engine")]
    #[error("the operating system refused a thread: {0}")]
    Thread(std::io::Error),
    /// The directory for compiled code and snapshots cannot be used.
    #[cfg(feature = "v8-engine")]
    #[error("--cache-dir {}: {reason}", directory.display())]
    Cache {
        directory: PathBuf,
        reason: BlobCacheError,
    },
    /// The build has no engine: it was made with `--no-default-features`.
    #[cfg(not(feature = "v8-engine"))]
    #[error("this build has no JavaScript engine; it is for tests of the router")]
    Missing,
}

/// Why a snapshot was not made, for the host.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: Reason,
    pub(super) message: String,
}

/// Bytes of compiled code that are kept on disk: 512 MiB.
#[cfg(feature = "v8-engine")]
const CODE_CACHE_BYTES: u64 = 512 << 20;
/// Bytes of snapshots that are kept on disk: 2 GiB.
#[cfg(feature = "v8-engine")]
const SNAPSHOT_CACHE_BYTES: u64 = 2 << 30;

/// Starts the engine. Main thread, before any other thread exists. Compiled code of modules
/// and snapshots are kept in `cache_dir`, if one is given. Sessions get at least the isolation `least`.
#[cfg(feature = "v8-engine")]
pub(super) fn start(
    cache_dir: Option<&Path>,
    least: Isolation,
    grace: Duration,
) -> Result<Box<dyn Engine>, EngineError> {
    cache_dir.map(make_cache_dir).transpose()?;
    let code_cache = cache_dir.map(open_code_cache).transpose()?;
    let platform = runtime::Platform::init()?;
    let snapshot_cache = cache_dir.map(open_snapshot_cache).transpose()?;
    let options = runtime::EngineOptions {
        code_cache,
        snapshot_cache: snapshot_cache.map(Arc::new),
        translator: Arc::new(WorkerTranslator::new(ChildCommand::translator())),
        slots: None,
        base: None,
    };
    let threads = Box::new(runtime::ThreadEngine::new(&platform, options)?);
    let engine = ProcessEngine::new(threads, least, ChildCommand::child(grace));
    Ok(Box::new(engine.map_err(EngineError::Thread)?))
}

/// Starts the engine of a child. As [`start`], but that nothing is kept on disk: what a broken
/// child wrote there would reach others.
#[cfg(feature = "v8-engine")]
pub(super) fn start_in_child(base: Option<SealedImage>) -> Result<Box<dyn Engine>, EngineError> {
    let platform = runtime::Platform::init()?;
    let options = runtime::EngineOptions {
        code_cache: None,
        snapshot_cache: None,
        translator: Arc::new(WorkerTranslator::new(ChildCommand::translator())),
        slots: None,
        base,
    };
    Ok(Box::new(runtime::ThreadEngine::new(&platform, options)?))
}

#[cfg(feature = "v8-engine")]
fn make_cache_dir(cache_dir: &Path) -> Result<(), EngineError> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(cache_dir)
        .map_err(|error| unusable(cache_dir)(BlobCacheError::from(error)))
}

#[cfg(feature = "v8-engine")]
fn open_code_cache(cache_dir: &Path) -> Result<BlobCache, EngineError> {
    let options = BlobCacheOptions::new(CODE_CACHE_BYTES);
    BlobCache::open(&cache_dir.join("code"), options).map_err(unusable(cache_dir))
}

/// V8 must be initialised: it has a say in what its snapshots are good for.
#[cfg(feature = "v8-engine")]
fn open_snapshot_cache(cache_dir: &Path) -> Result<SnapshotCache, EngineError> {
    let directory = cache_dir.join("snapshots");
    let maker = runtime::snapshot_maker();
    SnapshotCache::open(&directory, SNAPSHOT_CACHE_BYTES, maker, runtime::map_file)
        .map_err(unusable(cache_dir))
}

#[cfg(feature = "v8-engine")]
fn unusable(cache_dir: &Path) -> impl Fn(BlobCacheError) -> EngineError {
    move |reason| EngineError::Cache {
        directory: cache_dir.to_owned(),
        reason,
    }
}

/// Makes a snapshot in this process. Main thread, before any other thread exists. Where the
/// engine runs out of memory, `lost` must end the process.
#[cfg(feature = "v8-engine")]
pub(super) fn build_snapshot(
    spec: &WarmSnapshot,
    lost: impl Fn(BuildFailure) + 'static,
) -> Result<Result<BuiltSnapshot, BuildFailure>, EngineError> {
    let platform = runtime::Platform::init()?;
    let failure = |error: runtime::SnapshotError| BuildFailure {
        reason: error.reason(),
        message: error.to_string(),
    };
    let built = runtime::build_snapshot(&platform, spec, move |error| lost(failure(error)));
    Ok(built.map_err(failure))
}

/// What the entries of a snapshot take from their surroundings, as JSON. Main thread, as
/// above.
#[cfg(feature = "v8-engine")]
pub(super) fn explain_snapshot(
    spec: &WarmSnapshot,
) -> Result<Result<String, BuildFailure>, EngineError> {
    let platform = runtime::Platform::init()?;
    let explained = runtime::explain_snapshot(&platform, spec).map_err(|error| BuildFailure {
        reason: error.reason(),
        message: error.to_string(),
    });
    Ok(explained)
}

/// There is none in this build.
#[cfg(not(feature = "v8-engine"))]
pub(super) fn start(
    _: Option<&Path>,
    _: Isolation,
    _: Duration,
) -> Result<Box<dyn Engine>, EngineError> {
    Err(EngineError::Missing)
}

/// There is none in this build.
#[cfg(not(feature = "v8-engine"))]
pub(super) fn start_in_child(_: Option<SealedImage>) -> Result<Box<dyn Engine>, EngineError> {
    Err(EngineError::Missing)
}

/// There is no engine to make one.
#[cfg(not(feature = "v8-engine"))]
pub(super) fn build_snapshot(
    _: &WarmSnapshot,
    _: impl Fn(BuildFailure) + 'static,
) -> Result<Result<BuiltSnapshot, BuildFailure>, EngineError> {
    Err(EngineError::Missing)
}

/// There is no engine to load anything.
#[cfg(not(feature = "v8-engine"))]
pub(super) fn explain_snapshot(
    _: &WarmSnapshot,
) -> Result<Result<String, BuildFailure>, EngineError> {
    Err(EngineError::Missing)
}
