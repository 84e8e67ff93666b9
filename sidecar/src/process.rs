//! The order in which a serving process starts, and how it leaves.
//!
//! 1. The parent is watched, so that no crash of it leaves an orphan.
//! 2. Descriptors 0 and 1 are taken away from everybody else.
//! 3. The engine starts: V8 must be initialised before any other thread exists.
//! 4. The log gets its thread, the router its runtime.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use host_bridge::Engine;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigSet, Signal};

use crate::log::{flush_log, init_log, start_log_thread};
use crate::{Config, ExitCode, Parent, TraceLevel, Transport, adopt_stdio, serve};

/// How long the last log lines may take.
const FLUSH_LOG_WITHIN: Duration = Duration::from_millis(200);

/// Serves the host on standard input and output until the connection ends. `start_engine`
/// is called on this thread, which must be the main one, while it is the only one.
pub fn serve_stdio<E: Display>(
    config: Config,
    start_engine: impl FnOnce() -> Result<Box<dyn Engine>, E>,
) -> ExitCode {
    let parent = match Parent::watch() {
        Ok(parent) => parent,
        Err(err) => return cannot_start(ExitCode::ParentDied, &err),
    };
    init_log();
    let transport = match adopt_stdio() {
        Ok(transport) => transport,
        Err(err) => return cannot_start(ExitCode::Usage, &err),
    };
    // A limit on the size of files makes a file of the cache fail, and not the process.
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    let _ = signals.thread_block();
    // A crash must not write guest memory to disk. Where that cannot be set, it cannot.
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let engine = match start_engine() {
        Ok(engine) => engine,
        Err(err) => return cannot_start(ExitCode::CannotStart, &err),
    };
    let config = Config {
        parent: Some(parent),
        trace: TraceLevel::from_environment(),
        ..config
    };
    let code = match run(engine, transport, config) {
        Ok(code) => code,
        Err(err) => return cannot_start(ExitCode::CannotStart, &err),
    };
    tracing::info!(?code, "ended");
    flush_log(FLUSH_LOG_WITHIN);
    code
}

pub(crate) fn run(
    engine: Box<dyn Engine>,
    transport: Transport,
    config: Config,
) -> io::Result<ExitCode> {
    start_log_thread()?;
    let runtime = new_runtime()?;
    let ended = runtime.block_on(async { tokio::spawn(serve(engine, transport, config)).await });
    // Whatever still runs, such as a read of a file, is left behind.
    runtime.shutdown_background();
    // The error is a panic of the router; its message is on standard error.
    Ok(ended.unwrap_or(ExitCode::Internal))
}

/// The runtime for [`serve`]: one thread.
///
/// # Errors
///
/// When the operating system refuses.
pub fn new_runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // While guests keep the router busy, the host is heard after so many polls of
        // tasks. Tokio's own 61 would let a `Cancel` wait behind megabytes of output.
        .event_interval(4)
        .build()
}

/// One readable line for whoever started the sidecar, and the code to exit with.
pub fn cannot_start(code: ExitCode, err: &dyn Display) -> ExitCode {
    // A closed standard error is no reason to fail in another way.
    let _ = writeln!(io::stderr(), "isolate-sidecar: {err}");
    code
}
