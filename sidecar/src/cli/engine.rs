//! The one file of this crate that names the engine.

#[cfg(feature = "v8-engine")]
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::Duration;
#[cfg(feature = "v8-engine")]
use std::{path::PathBuf, sync::Arc};

#[cfg(feature = "v8-engine")]
use host_bridge::blob_cache::{BlobCache, BlobCacheError};
use host_bridge::{Engine, SealedImage, SnapshotImage, SnapshotReport};
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
    /// The directory for compiled code cannot be used.
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

/// Starts the engine. Main thread, before any other thread exists. Compiled code of modules
/// is kept in `cache_dir`, if one is given. Sessions get at least the isolation `least`.
#[cfg(feature = "v8-engine")]
pub(super) fn start(
    cache_dir: Option<&Path>,
    least: Isolation,
    grace: Duration,
) -> Result<Box<dyn Engine>, EngineError> {
    let code_cache = cache_dir.map(open_code_cache).transpose()?;
    let platform = runtime::Platform::init()?;
    let options = runtime::EngineOptions {
        code_cache,
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
        translator: Arc::new(WorkerTranslator::new(ChildCommand::translator())),
        slots: None,
        base,
    };
    Ok(Box::new(runtime::ThreadEngine::new(&platform, options)?))
}

#[cfg(feature = "v8-engine")]
fn open_code_cache(cache_dir: &Path) -> Result<BlobCache, EngineError> {
    let failed = |reason| EngineError::Cache {
        directory: cache_dir.to_owned(),
        reason,
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(cache_dir)
        .map_err(|error| failed(BlobCacheError::from(error)))?;
    BlobCache::open(&cache_dir.join("code"), CODE_CACHE_BYTES).map_err(failed)
}

/// Makes a snapshot in this process. Main thread, before any other thread exists.
#[cfg(feature = "v8-engine")]
pub(super) fn build_snapshot(
    spec: &WarmSnapshot,
) -> Result<Result<(SnapshotImage, SnapshotReport), BuildFailure>, EngineError> {
    let platform = runtime::Platform::init()?;
    let built = runtime::build_snapshot(&platform, spec).map_err(|error| BuildFailure {
        reason: error.reason(),
        message: error.to_string(),
    });
    Ok(built)
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
) -> Result<Result<(SnapshotImage, SnapshotReport), BuildFailure>, EngineError> {
    Err(EngineError::Missing)
}

/// There is no engine to load anything.
#[cfg(not(feature = "v8-engine"))]
pub(super) fn explain_snapshot(
    _: &WarmSnapshot,
) -> Result<Result<String, BuildFailure>, EngineError> {
    Err(EngineError::Missing)
}
