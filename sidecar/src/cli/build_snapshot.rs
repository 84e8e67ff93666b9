//! `isolate-sidecar build-snapshot`: one snapshot, then the end. Hostile code may run in
//! here, so the process dies with its parent and has limits on its time and its memory.

use std::fs::File;
use std::io;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use protocol::Limits;
use sidecar::{
    ExitCode, PipeError, cannot_start, init_log, read_spec, take_stdout, write_failure, write_image,
};

use super::engine::{self, EngineError};

/// Seconds on the CPU beyond the limit of the build, for the engine's own start and end.
const SPARE_CPU_SECONDS: u64 = 10;
/// Bytes beyond three times the heap limit, which is as far as the guard of the heap lets it
/// grow to unwind: for the engine itself, texts of modules and the blob.
const SPARE_BYTES: u64 = 2 << 30;

#[derive(Debug, thiserror::Error)]
enum BuildSnapshotError {
    #[error("the spec: {0}")]
    Spec(PipeError),
    #[error("the result: {0}")]
    Result(PipeError),
    #[error("{0}")]
    Engine(#[from] EngineError),
    #[error("{0}")]
    Io(#[from] io::Error),
}

pub(super) fn run() -> ExitCode {
    let parent = getppid();
    // Fails only for a number that is no signal.
    let _ = set_pdeathsig(Signal::SIGKILL);
    if getppid() != parent {
        return ExitCode::ParentDied;
    }
    init_log();
    match build() {
        Ok(()) => ExitCode::Clean,
        Err(err @ BuildSnapshotError::Engine(_)) => cannot_start(ExitCode::CannotStart, &err),
        Err(err) => cannot_start(ExitCode::Internal, &err),
    }
}

fn build() -> Result<(), BuildSnapshotError> {
    // A stray print must not corrupt the result.
    let mut output = File::from(take_stdout()?);
    let mut input = io::stdin().lock();
    let spec = read_spec(&mut input).map_err(BuildSnapshotError::Spec)?;
    limit_process(
        spec.limits.cpu_ms.unwrap_or(Limits::DEFAULT.cpu_ms),
        spec.limits.heap_bytes.unwrap_or(Limits::DEFAULT.heap_bytes),
    );
    let last_words = output.try_clone()?;
    let built = engine::build_snapshot(&spec, move |failure| {
        // The error is that the parent does not read; the process ends either way.
        let _ = write_failure(&mut &last_words, failure.reason, failure.message);
        #[expect(
            clippy::disallowed_methods,
            reason = "the engine cannot go on, and was about to end the process in this way"
        )]
        std::process::abort();
    });
    match built? {
        Ok(built) => write_image(&mut output, &built),
        Err(failure) => write_failure(&mut output, failure.reason, failure.message),
    }
    .map_err(BuildSnapshotError::Result)
}

/// What the engine's own guards should have prevented ends here. Where a limit cannot be
/// set, the parent's deadline remains.
fn limit_process(cpu_ms: u64, heap_bytes: u64) {
    let seconds = cpu_ms.div_ceil(1000).saturating_add(SPARE_CPU_SECONDS);
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_CPU) {
        let seconds = seconds.min(most);
        let _ = setrlimit(Resource::RLIMIT_CPU, seconds, most);
    }
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_DATA) {
        let bytes = heap_bytes
            .saturating_mul(3)
            .saturating_add(SPARE_BYTES)
            .min(most);
        let _ = setrlimit(Resource::RLIMIT_DATA, bytes, bytes);
    }
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
}
