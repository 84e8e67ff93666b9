//! The one file of this crate that names the engine.

use host_bridge::{Engine, SnapshotImage, SnapshotReport, SnapshotSpec};
use protocol::Reason;

/// Why the engine cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum EngineError {
    /// The build has no engine: it was made with `--no-default-features`.
    #[error("this build has no JavaScript engine; it is for tests of the router")]
    Missing,
}

/// Starts the engine. Main thread, before any other thread exists.
pub(super) fn start() -> Result<Box<dyn Engine>, EngineError> {
    Err(EngineError::Missing)
}

/// Why a snapshot was not made, for the host.
#[derive(Debug)]
pub(super) struct BuildFailure {
    pub(super) reason: Reason,
    pub(super) message: String,
}

/// Makes a snapshot in this process. Main thread, before any other thread exists.
pub(super) fn build_snapshot(
    _: &SnapshotSpec,
) -> Result<Result<(SnapshotImage, SnapshotReport), BuildFailure>, EngineError> {
    Err(EngineError::Missing)
}
