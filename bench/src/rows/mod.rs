//! One measurement a file.

mod cached;
mod deadlines;
mod fairness;
mod heap_bomb;
mod host_call;
mod idle;
mod load;
mod memory;
mod open;
mod snapshot;
mod syscalls;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use protocol::frame::{Code, Execute, OpenSession, Until};
use protocol::{CallMode, HostFunction, LimitsRequest, Value, ValueFormat};

use crate::error::Result;
use crate::peers::secure_exec::SecureExec;
use crate::report::Row;
use crate::sidecar::Sidecar;

/// Makes a measurement; one may fill several lines of the table.
type Measure = fn(&Context) -> Result<Vec<Row>>;

/// Every measurement with its name, in the order of the table.
pub(crate) const ROWS: [(&str, Measure); 10] = [
    ("open", open::measure),
    ("memory", memory::measure),
    ("snapshot", snapshot::measure),
    ("snapshot-cached", cached::measure),
    ("load", load::measure),
    ("host-call", host_call::measure),
    ("idle", idle::measure),
    ("deadline", deadlines::measure),
    ("heap-bomb", heap_bomb::measure),
    ("fairness", fairness::measure),
];

/// How secure-exec-v8 is called in the table.
const PEER: &str = "secure-exec-v8";

/// The longest that any process of a measurement lives.
const BOUND: Duration = Duration::from_secs(120);

/// What all measurements need to know.
#[derive(Debug)]
pub(crate) struct Context {
    /// Whether a short sample is enough.
    pub(crate) quick: bool,
    pub(crate) sidecar: PathBuf,
    /// Where secure-exec-v8 is, if it is there.
    pub(crate) peer: Option<PathBuf>,
    /// The folder with packages to import.
    pub(crate) project: PathBuf,
    /// The folder with the packages that are loaded from files.
    pub(crate) packages: PathBuf,
    /// The folder with the agent SDK Pi, if it is installed.
    pub(crate) pi: PathBuf,
    pub(crate) out: PathBuf,
    /// This program.
    pub(crate) this: PathBuf,
}

impl Context {
    /// `quick` in a short run, `full` in a long one.
    fn pick<T>(&self, quick: T, full: T) -> T {
        if self.quick { quick } else { full }
    }

    /// Where the standard error of a process goes.
    pub(crate) fn log(&self, process: &str) -> PathBuf {
        self.out.join(format!("{process}.stderr"))
    }

    fn sidecar(&self) -> Result<Sidecar> {
        Sidecar::start(&self.sidecar, BOUND, &self.log("sidecar"))
    }

    fn peer(&self) -> Result<Option<SecureExec>> {
        self.peer
            .as_ref()
            .map(|program| SecureExec::start(program, BOUND, &self.log("secure-exec-v8")))
            .transpose()
    }
}

/// A session with a heap of `heap_mib` and nothing else.
fn bare(heap_mib: u32) -> OpenSession {
    OpenSession {
        snapshot: None,
        roots: Vec::new(),
        limits: LimitsRequest {
            heap_bytes: Some(u64::from(heap_mib).saturating_mul(1 << 20)),
            ..LimitsRequest::default()
        },
        env: Vec::new(),
        argv: Vec::new(),
        cwd: "/".to_owned(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        functions: Vec::new(),
        isolation: protocol::Isolation::Thread,
    }
}

/// A function of the host that the guest waits for.
fn sync_function(name: &str) -> HostFunction {
    HostFunction {
        name: name.to_owned(),
        mode: CallMode::Sync,
        format: ValueFormat::Json,
    }
}

/// Runs `source` and asks for its value as JSON.
fn script(source: &'static str) -> Execute {
    execute(Code::Script {
        name: "/measure.js".to_owned(),
        source: source.into(),
    })
}

/// Runs `code` and asks for its value as JSON.
fn execute(code: Code) -> Execute {
    Execute {
        code,
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    }
}

fn milliseconds_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
