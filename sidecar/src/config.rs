//! What the command line and the environment decide. Nothing else reads either.

use std::path::PathBuf;
use std::time::Duration;

use protocol::bounds::MAX_FRAME_CEILING;
use protocol::{Isolation, Limits};

use crate::machine::default_max_sessions;
use crate::signals::Parent;
use crate::trace::TraceLevel;

/// The variable with the log filter, in the syntax of `tracing_subscriber::EnvFilter`.
pub const LOG_VARIABLE: &str = "ISOLATE_SIDECAR_LOG";
/// The variable that asks for traces: `roundtrips` or `calls`.
pub const TRACE_VARIABLE: &str = "ISOLATE_SIDECAR_TRACE";

/// Multiple of the default that a limit may reach when the command line does not say.
const DEFAULT_HEADROOM: u64 = 10;

/// Settings of a serving process.
#[derive(Debug, Clone)]
pub struct Config {
    /// The most that a session can be given.
    pub ceilings: Limits,
    /// Sessions at one time.
    pub max_sessions: u32,
    /// What a session gets that asks for no isolation, or less than this. The engine must do
    /// the same.
    pub isolation: Isolation,
    /// Further processes that take sessions whose heap limits do not fit the cage of this
    /// one. More than 0 needs an engine that has them.
    pub further_processes: u32,
    /// Sum of heap limits in one process, in percent of what its cage holds, where there is no
    /// further process. `None`: until the process really uses much.
    pub heap_overcommit: Option<u32>,
    /// The largest body that can be agreed on, in bytes.
    pub max_frame: u32,
    /// How long a session may take to be opened. Nothing of a guest runs meanwhile.
    pub open_within: Duration,
    /// How long a session that is closed, or a request that is told to stop, may take for it
    /// before the session is given up.
    pub grace: Duration,
    /// Sessions whose thread may be parked for good before the process takes no new ones.
    pub max_parked: u32,
    /// Bytes of memory that may wait for the host, besides what its guests send. While there
    /// are more, no frame of the host is read.
    pub max_unread: usize,
    /// How long a host of which no frame is read may take to read something itself.
    pub read_within: Duration,
    /// The program that makes snapshots.
    pub builder: ChildCommand,
    /// What is traced on standard error. [`serve_stdio`](crate::serve_stdio) takes it from
    /// the environment.
    pub trace: TraceLevel,
    /// The process whose death ends this one; `None` does not watch.
    pub parent: Option<Parent>,
}

/// A program with arguments that does a part of the work: makes a snapshot, or translates.
#[derive(Debug, Clone)]
pub struct ChildCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

impl Config {
    /// Ceilings that hold when the command line does not say: 1 GiB of heap, 10 times the
    /// default of everything else.
    pub fn default_ceilings() -> Limits {
        let default = Limits::DEFAULT;
        let headroom = u32::try_from(DEFAULT_HEADROOM).unwrap_or(1);
        Limits {
            heap_bytes: 1 << 30,
            cpu_ms: default.cpu_ms.saturating_mul(DEFAULT_HEADROOM),
            wall_ms: default.wall_ms.saturating_mul(DEFAULT_HEADROOM),
            output_bytes: default.output_bytes.saturating_mul(DEFAULT_HEADROOM),
            host_calls_in_flight: default.host_calls_in_flight.saturating_mul(headroom),
            host_call_timeout_ms: default
                .host_call_timeout_ms
                .saturating_mul(DEFAULT_HEADROOM),
            timers: default.timers.saturating_mul(headroom),
            message_bytes: default.message_bytes.saturating_mul(headroom),
        }
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            ceilings: Config::default_ceilings(),
            max_sessions: default_max_sessions(),
            isolation: Isolation::Thread,
            further_processes: 0,
            heap_overcommit: None,
            max_frame: MAX_FRAME_CEILING,
            open_within: Duration::from_secs(30),
            grace: Duration::from_millis(700),
            max_parked: 16,
            max_unread: 16 * 1024 * 1024,
            read_within: Duration::from_secs(10),
            builder: ChildCommand::builder(),
            trace: TraceLevel::Off,
            parent: None,
        }
    }
}

impl ChildCommand {
    /// Reads a spec, writes the image of a snapshot.
    pub fn builder() -> ChildCommand {
        ChildCommand::this_program("build-snapshot")
    }

    /// Serves a host, under a supervisor.
    pub fn serve() -> ChildCommand {
        ChildCommand::this_program("serve")
    }

    /// Serves a sidecar, for sessions in a process of their own.
    pub fn child(grace: Duration) -> ChildCommand {
        let mut command = ChildCommand::this_program("serve-child");
        command.args.push("--grace-ms".to_owned());
        command.args.push(grace.as_millis().to_string());
        command
    }

    /// Translates what it is sent.
    pub fn translator() -> ChildCommand {
        ChildCommand::this_program("translate")
    }

    /// This very executable, even when its file was replaced or removed meanwhile.
    fn this_program(subcommand: &str) -> ChildCommand {
        ChildCommand {
            program: PathBuf::from("/proc/self/exe"),
            args: vec![subcommand.to_owned()],
        }
    }
}

/// The log filter of the environment; warnings and errors when it does not say.
pub fn log_filter() -> String {
    variable(LOG_VARIABLE).unwrap_or_else(|| "warn".to_owned())
}

/// The value of an environment variable that this program defines.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where the environment is read"
)]
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
