//! `isolate-sidecar serve`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use protocol::Limits;
use protocol::bounds::{HELLO_MAX_FRAME, MAX_FRAME_CEILING};
use sidecar::{Config, ExitCode, serve_stdio, supervise};

use super::{IsolationArg, engine};

/// What `serve` takes. Whatever is not given has the default that `Config` documents.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Sessions at one time [default: half of the memory at 8 MiB a session, 64 to 4096].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_sessions: Option<u32>,

    /// Processes beside the first that take sessions when the heap limits of those that are
    /// open come to more than 2.75 GiB in each: so much a process holds whatever its guests do.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(0..=1024))]
    further_processes: u32,

    /// When no further process is to be had: sum of the heap limits in the first, in percent of
    /// those 2.75 GiB [default: until the process uses 2 GiB]. With 100 no guest can take
    /// memory from another; with more, sessions that hold more than their equal part are ended
    /// when all heaps together are full.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    heap_overcommit: Option<u32>,

    /// Largest body of a frame that a host can ask for, in bytes [default: 67108864].
    #[arg(long, value_name = "BYTES",
          value_parser = clap::value_parser!(u32)
              .range(i64::from(HELLO_MAX_FRAME)..=i64::from(MAX_FRAME_CEILING)))]
    max_frame: Option<u32>,

    /// Most heap that a session can ask for, in MiB [default: 1024].
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(8..=1 << 20))]
    heap_mb_ceiling: Option<u64>,

    /// Most time on the CPU that a request can ask for, in milliseconds [default: 300000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    cpu_ms_ceiling: Option<u64>,

    /// Most elapsed time that a request can ask for, in milliseconds [default: 3000000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    wall_ms_ceiling: Option<u64>,

    /// Most output that a request can ask for, in bytes [default: 167772160].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    output_ceiling: Option<u64>,

    /// Most host calls in flight that a session can ask for [default: 10240].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    host_calls_ceiling: Option<u32>,

    /// Longest timeout of a host call that a session can ask for, in milliseconds
    /// [default: 300000].
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    host_call_timeout_ms_ceiling: Option<u64>,

    /// Most timers that a session can ask for [default: 40960].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    timers_ceiling: Option<u32>,

    /// Largest value between guest and host that a session can ask for, in bytes
    /// [default: 167772160].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1..))]
    message_ceiling: Option<u32>,

    /// How long a session may take to stop before it is given up, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 700,
          value_parser = clap::value_parser!(u64).range(1..))]
    grace_ms: u64,

    /// Sessions whose thread may be parked for good, after an out-of-memory in the engine or
    /// because it did not stop, before no new sessions are taken.
    #[arg(long, value_name = "N", default_value_t = 16)]
    max_parked: u32,

    /// Serve from a process of its own, which is started anew when it crashes; the host is told
    /// which sessions are lost, and goes on.
    #[arg(long)]
    supervise: bool,

    /// Where sessions run that ask for nothing more: on threads of the sidecar, or each in a
    /// process of its own.
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = IsolationArg::Thread)]
    isolation: IsolationArg,

    /// Keep compiled code of modules and snapshots in this directory, for the next sidecar
    /// and for others at the same time. It is made if it is missing, and must be writable by
    /// this user alone.
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> ExitCode {
    if args.supervise {
        return supervise(own_args());
    }
    let config = args.config();
    let grace = config.grace;
    serve_stdio(config, || {
        engine::start(args.cache_dir.as_deref(), args.isolation.into(), grace)
    })
}

/// What follows `serve` on our command line, for the sidecar that is supervised.
fn own_args() -> Vec<OsString> {
    std::env::args_os()
        .skip(2)
        .filter(|arg| arg != "--supervise")
        .collect()
}

impl Args {
    fn config(&self) -> Config {
        let default = Config::default();
        let most = default.ceilings;
        Config {
            ceilings: Limits {
                heap_bytes: self
                    .heap_mb_ceiling
                    .map_or(most.heap_bytes, |mib| mib.saturating_mul(1 << 20)),
                cpu_ms: self.cpu_ms_ceiling.unwrap_or(most.cpu_ms),
                wall_ms: self.wall_ms_ceiling.unwrap_or(most.wall_ms),
                output_bytes: self.output_ceiling.unwrap_or(most.output_bytes),
                host_calls_in_flight: self.host_calls_ceiling.unwrap_or(most.host_calls_in_flight),
                host_call_timeout_ms: self
                    .host_call_timeout_ms_ceiling
                    .unwrap_or(most.host_call_timeout_ms),
                timers: self.timers_ceiling.unwrap_or(most.timers),
                message_bytes: self.message_ceiling.unwrap_or(most.message_bytes),
            },
            max_sessions: self.max_sessions.unwrap_or(default.max_sessions),
            isolation: self.isolation.into(),
            further_processes: self.further_processes,
            heap_overcommit: self.heap_overcommit.or(default.heap_overcommit),
            max_frame: self.max_frame.unwrap_or(default.max_frame),
            grace: Duration::from_millis(self.grace_ms),
            max_parked: self.max_parked,
            ..default
        }
    }
}
