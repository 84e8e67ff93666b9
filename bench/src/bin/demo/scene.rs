//! What the demonstration does, and what must hold while it does it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use isolate_sidecar_client::{
    CallMode, HostError, Outcome, RequestError, Root, Session, SessionOptions, SessionStats,
    Sidecar, SidecarCommand, SnapshotKey, SnapshotReady, SnapshotSpec, SpawnError, Value,
    call_export,
};

use crate::memory::private_bytes;

/// Where the guest sees the project.
const GUEST: &str = "/app";
/// The module that each session runs: its default export is called.
const MODULE: &str = "/app/src/validate.mjs";
/// The packages in the snapshot.
const PACKAGES: [&str; 2] = ["zod", "lodash-es"];
/// The one function that the guest may call.
const FUNCTION: &str = "recordSummary";
/// Sessions that are open at once at first, and while memory is measured.
const FIRST: u32 = 3;
const AT_ONCE: u32 = 10;
/// What a sidecar without work gets to end.
const GRACE: Duration = Duration::from_secs(2);

/// Why the demonstration fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SceneError {
    #[error("{0}: {1}")]
    Path(PathBuf, #[source] io::Error),
    #[error("{0}")]
    Spawn(#[from] SpawnError),
    #[error("{what}: {source}")]
    Request {
        what: &'static str,
        source: RequestError,
    },
    #[error("cannot read the memory of the sidecar: {0}")]
    Memory(#[source] io::Error),
    #[error("the guest ended with {0:?}")]
    Outcome(Box<Outcome>),
    #[error("expected {what}, saw {seen}")]
    Expected { what: &'static str, seen: String },
}

/// The actors: the program, and the project that its guests see.
#[derive(Debug)]
pub(crate) struct Scene {
    program: PathBuf,
    project: String,
}

/// A sidecar that runs.
#[derive(Debug)]
struct Stage<'a> {
    sidecar: Sidecar,
    scene: &'a Scene,
}

/// What was seen.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) build: String,
    pub(crate) v8: String,
    pub(crate) snapshot: SnapshotReady,
    pub(crate) rounds: u32,
    pub(crate) with_snapshot: Kind,
    pub(crate) without: Kind,
}

/// What was seen of sessions of one kind.
#[derive(Debug)]
pub(crate) struct Kind {
    /// From the request to open the session to the result of the guest.
    pub(crate) first_result: Duration,
    /// Memory of the process for one more session that has given its result.
    pub(crate) private_bytes: u64,
    pub(crate) stats: SessionStats,
}

/// One session's run. The session is closed with it.
#[derive(Debug)]
struct Run {
    _session: Session,
    took: Duration,
    stats: SessionStats,
}

impl Scene {
    pub(crate) fn set(program: Option<PathBuf>, project: &Path) -> Result<Scene, SceneError> {
        let path_error = |err| SceneError::Path(project.to_owned(), err);
        let real = std::fs::canonicalize(project).map_err(path_error)?;
        Ok(Scene {
            program: program.map_or_else(beside_this, Ok)?,
            project: real.to_string_lossy().into_owned(),
        })
    }

    pub(crate) fn play(&self, rounds: u32) -> Result<Seen, SceneError> {
        let stage = self.stage()?;
        let snapshot = stage.warm_snapshot()?;
        // Three at once from the snapshot: what the rest of this repeats and measures.
        let stats = first_stats(&stage.run_at_once(FIRST, Some(snapshot.key))?);
        let (mut with, mut without) = (Vec::new(), Vec::new());
        let mut stats_without = SessionStats::default();
        for _ in 0..rounds {
            with.push(stage.run(Some(snapshot.key))?.took);
            let run = stage.run(None)?;
            without.push(run.took);
            stats_without = run.stats.clone();
        }
        let welcome = stage.sidecar.welcome().clone();
        stage.end()?;
        Ok(Seen {
            build: welcome.build,
            v8: welcome.v8,
            rounds,
            with_snapshot: Kind {
                first_result: median(with),
                private_bytes: self.private_bytes(|stage| Ok(Some(stage.warm_snapshot()?.key)))?,
                stats,
            },
            without: Kind {
                first_result: median(without),
                private_bytes: self.private_bytes(|_| Ok(None))?,
                stats: stats_without,
            },
            snapshot,
        })
    }

    /// Memory of one more session, in a sidecar of its own: what other sessions have left
    /// behind would be used again.
    fn private_bytes(
        &self,
        prepare: impl FnOnce(&Stage<'_>) -> Result<Option<SnapshotKey>, SceneError>,
    ) -> Result<u64, SceneError> {
        let stage = self.stage()?;
        let snapshot = prepare(&stage)?;
        // What all sessions share is there after the first.
        let first = stage.run(snapshot)?;
        let before = stage.private_bytes()?;
        let more = stage.run_at_once(AT_ONCE, snapshot)?;
        let grown = stage.private_bytes()?.saturating_sub(before);
        drop((first, more));
        stage.end()?;
        Ok(grown.checked_div(u64::from(AT_ONCE)).unwrap_or_default())
    }

    fn stage(&self) -> Result<Stage<'_>, SceneError> {
        let sidecar = SidecarCommand::new(&self.program).client("demo").spawn()?;
        let scene = self;
        Ok(Stage { sidecar, scene })
    }
}

impl Stage<'_> {
    fn warm_snapshot(&self) -> Result<SnapshotReady, SceneError> {
        let spec = SnapshotSpec {
            roots: vec![self.root()],
            entries: PACKAGES.map(str::to_owned).to_vec(),
            ..SnapshotSpec::default()
        };
        let snapshot = self.sidecar.warm_snapshot(spec);
        snapshot.map_err(|source| failed("the snapshot", source))
    }

    fn end(self) -> Result<(), SceneError> {
        let status = self.sidecar.shutdown(GRACE);
        match status.map_err(|source| failed("the shutdown", source))? {
            Some(status) if !status.success() => Err(SceneError::Expected {
                what: "a clean end of the sidecar",
                seen: status.to_string(),
            }),
            _ => Ok(()),
        }
    }

    /// Runs the module in `n` sessions that stay open until the last has its result.
    fn run_at_once(&self, n: u32, snapshot: Option<SnapshotKey>) -> Result<Vec<Run>, SceneError> {
        (0..n).map(|_| self.run(snapshot)).collect()
    }

    fn run(&self, snapshot: Option<SnapshotKey>) -> Result<Run, SceneError> {
        let options = SessionOptions {
            snapshot,
            roots: vec![self.root()],
            ..SessionOptions::default()
        };
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&recorded);
        let begun = Instant::now();
        let session = self
            .sidecar
            .session(options)
            .function(FUNCTION, CallMode::Async, move |args| keep(&record, args))
            .open()
            .map_err(|source| failed("a session", source))?;
        let call = call_export(MODULE, "default", Value::Undefined);
        let called = session.call(call);
        let finished = called.map_err(|source| failed("the guest", source))?;
        let took = begun.elapsed();
        let stats = session.stats();
        let stats = stats.map_err(|source| failed("statistics", source))?;
        check_result(finished.outcome)?;
        check_stats(&stats)?;
        check_recorded(&recorded)?;
        Ok(Run {
            _session: session,
            took,
            stats,
        })
    }

    fn root(&self) -> Root {
        Root {
            host: self.scene.project.clone(),
            guest: GUEST.to_owned(),
        }
    }

    fn private_bytes(&self) -> Result<u64, SceneError> {
        private_bytes(self.sidecar.pid().unwrap_or_default()).map_err(SceneError::Memory)
    }
}

/// The host function: keeps the summary and says under which name.
fn keep(recorded: &Mutex<Vec<Value>>, args: Value) -> Result<Value, HostError> {
    let mut recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
    recorded.push(args);
    let name = format!("\"summary-{}\"", recorded.len());
    Ok(Value::Json(name.into()))
}

fn check_result(outcome: Outcome) -> Result<(), SceneError> {
    let is_recorded = |value: &Value| -> bool {
        let parsed = serde_json::from_slice::<serde_json::Value>(value.bytes());
        parsed.is_ok_and(|json| {
            json.get("recordedAs")
                .is_some_and(|name| name == "summary-1")
        })
    };
    match outcome {
        Outcome::Ok(value) if is_recorded(&value) => Ok(()),
        other => Err(SceneError::Outcome(Box::new(other))),
    }
}

/// What a session costs its host: one round trip, and no module.
fn check_stats(stats: &SessionStats) -> Result<(), SceneError> {
    let methods: Vec<(&str, u64)> = stats
        .methods
        .iter()
        .map(|method| (method.method.as_str(), method.count))
        .collect();
    if stats.round_trips != 1 || methods != [(FUNCTION, 1)] {
        return Err(SceneError::Expected {
            what: "exactly one round trip, for recordSummary",
            seen: format!("{} round trips: {methods:?}", stats.round_trips),
        });
    }
    if stats.modules_from_host != 0 {
        return Err(SceneError::Expected {
            what: "no module from the host",
            seen: stats.modules_from_host.to_string(),
        });
    }
    Ok(())
}

fn check_recorded(recorded: &Mutex<Vec<Value>>) -> Result<(), SceneError> {
    let recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
    match recorded.len() {
        1 => Ok(()),
        n => Err(SceneError::Expected {
            what: "one summary at the host",
            seen: n.to_string(),
        }),
    }
}

fn first_stats(runs: &[Run]) -> SessionStats {
    runs.first()
        .map(|run| run.stats.clone())
        .unwrap_or_default()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort();
    all.get(all.len().div_ceil(2).saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

fn failed(what: &'static str, source: RequestError) -> SceneError {
    SceneError::Request { what, source }
}

fn beside_this() -> Result<PathBuf, SceneError> {
    let own = std::env::current_exe();
    let own = own.map_err(|err| SceneError::Path(PathBuf::from("this program"), err))?;
    Ok(own.with_file_name("isolate-sidecar"))
}
