//! What a child is: a sidecar that serves a sidecar over the socket that is its standard
//! input. Standard output is the way for snapshots.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use host_bridge::{
    Engine, EventSender, OpenError, OpenSpec, SealedImage, SessionHandle, SnapshotImage,
};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{dup2_stdin, getppid};
use protocol::Limits;
use protocol::bounds::MAX_FRAME_CEILING;

use super::images;
use crate::log::init_log;
use crate::process::{cannot_start, run};
use crate::{Config, ExitCode, Transport, TransportError, take_stdout};

/// When memory runs out, the kernel is to take children before the sidecar itself.
const OOM_SCORE: &str = "500";

/// Serves a sidecar until it closes the socket. `start_engine` is called on this thread, which
/// must be the main one, while it is the only one.
pub fn serve_as_child<E: Display>(
    grace: Duration,
    start_engine: impl FnOnce(Option<SealedImage>) -> Result<Box<dyn Engine>, E>,
) -> ExitCode {
    let parent = getppid();
    // Fails only for a number that is no signal.
    let _ = set_pdeathsig(Signal::SIGKILL);
    if getppid() != parent {
        return ExitCode::ParentDied;
    }
    init_log();
    harden();
    let (transport, images) = match adopt_sockets() {
        Ok(both) => both,
        Err(err) => return cannot_start(ExitCode::Usage, &err),
    };
    // Sent before this process was started.
    let base = images::receive(&images).ok().flatten();
    let engine = match start_engine(base) {
        Ok(engine) => Box::new(ChildEngine { engine, images }),
        Err(err) => return cannot_start(ExitCode::CannotStart, &err),
    };
    match run(engine, transport, config(grace)) {
        Ok(code) => code,
        Err(err) => cannot_start(ExitCode::CannotStart, &err),
    }
}

/// A crash must not write guest memory to disk. Where either cannot be set, it cannot.
fn harden() {
    let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
}

fn adopt_sockets() -> Result<(Transport, OwnedFd), TransportError> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output: OwnedFd = input.try_clone()?;
    let transport = Transport::new(input, output)?;
    dup2_stdin(File::open("/dev/null")?)?;
    Ok((transport, take_stdout()?))
}

/// All is admitted: what is asked for here is within the limits of the sidecar already.
fn config(grace: Duration) -> Config {
    Config {
        ceilings: Limits {
            heap_bytes: u64::MAX,
            cpu_ms: u64::MAX,
            wall_ms: u64::MAX,
            output_bytes: u64::MAX,
            host_calls_in_flight: u32::MAX,
            host_call_timeout_ms: u64::MAX,
            timers: u32::MAX,
            message_bytes: u32::MAX,
        },
        max_sessions: u32::MAX,
        max_frame: MAX_FRAME_CEILING,
        grace,
        max_parked: u32::MAX,
        ..Config::default()
    }
}

/// The engine of a child. It takes snapshots over when a session is to start from one.
#[derive(Debug)]
struct ChildEngine {
    engine: Box<dyn Engine>,
    images: OwnedFd,
}

impl Engine for ChildEngine {
    fn open(
        &self,
        spec: OpenSpec,
        events: EventSender,
    ) -> Result<Box<dyn SessionHandle>, OpenError> {
        if spec.snapshot.is_some() {
            while let Ok(Some(image)) = images::receive(&self.images) {
                self.engine.add_sealed(image)?;
            }
        }
        self.engine.open(spec, events)
    }

    fn add_snapshot(&self, image: SnapshotImage) -> Result<(), OpenError> {
        self.engine.add_snapshot(image)
    }

    fn n_snapshots(&self) -> usize {
        self.engine.n_snapshots()
    }

    fn version(&self) -> String {
        self.engine.version()
    }
}
