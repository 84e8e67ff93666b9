//! Why a snapshot was not made: what stood in the way, by name.

use protocol::{JsError, LimitKind, LimitReport, Reason};

/// Why there is no snapshot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A root cannot be opened.
    #[error("{0}")]
    Root(String),
    /// Code of the entry threw.
    #[error("'{entry}' threw while the snapshot was made: {}{}", .error.stack, absent(.error))]
    Threw {
        /// The specifier, or the script's name.
        entry: String,
        /// What it threw.
        error: Box<JsError>,
    },
    /// Code of the entry passed a limit.
    #[error("'{entry}' passed the {} limit while the snapshot was made: {} of {}{}; {}",
        .report.which.as_str(), .report.usage, .report.limit, waited(.report, *.cpu_ms), .report.raise.replace("OpenSession", "WarmSnapshot"))]
    Limit {
        /// The specifier, or the script's name.
        entry: String,
        /// Which limit.
        report: LimitReport,
        /// Milliseconds for which code ran.
        cpu_ms: u64,
    },
    /// Code of the entry awaits at the top level of a module what nothing can settle.
    #[error("'{entry}' never finishes loading: what is awaited at the top level of {} never settles", .modules.join(", "))]
    Awaits {
        /// The specifier.
        entry: String,
        /// URL and line of each `await`.
        modules: Vec<String>,
    },
    /// The heap limit is passed so far that V8 gives up.
    #[error(
        "the engine ran out of memory while the snapshot was made; ask for a larger limits.heap_bytes in WarmSnapshot, which was {limit}"
    )]
    OutOfMemory {
        /// Bytes of the heap limit.
        limit: u64,
    },
    /// The watchdog's thread could not be started.
    #[error("the operating system refused a thread")]
    NoThread,
    /// A fault of ours.
    #[error("the realm could not be made")]
    Bootstrap,
    /// The realm holds, or lacks, what no snapshot can do with or without.
    #[error("{0}")]
    Refused(String),
    /// A session cannot be opened from it: the entries broke the realm.
    #[error(
        "no session can be opened from the snapshot: its code has removed or changed globals \
         that the realm needs"
    )]
    NotRestored,
    /// V8 gave no blob.
    #[error("V8 could not serialise the heap")]
    NotSerialised,
}

/// What an SDK cannot have while a snapshot is made, where that is what it failed over.
fn absent(error: &JsError) -> &'static str {
    if error.message == "WebAssembly is not defined" {
        "; there is no WebAssembly while a snapshot is made: use it when it is first needed"
    } else {
        ""
    }
}

/// A build that was waiting most of its time has a timer or an interval in it.
fn waited(report: &LimitReport, cpu_ms: u64) -> String {
    let is_waiting = report.which == LimitKind::Wall && cpu_ms < report.usage / 2;
    match is_waiting {
        true => format!(", of which code ran for {cpu_ms}"),
        false => String::new(),
    }
}

impl SnapshotError {
    /// How it is told to the host.
    pub fn reason(&self) -> Reason {
        match self {
            SnapshotError::Root(_) => Reason::InvalidArgument,
            SnapshotError::Bootstrap | SnapshotError::NoThread => Reason::Internal,
            _ => Reason::SnapshotFailed,
        }
    }
}
