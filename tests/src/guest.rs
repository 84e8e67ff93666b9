//! Sidecars and sessions in one call, and what guests came to.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use isolate_sidecar_client::{
    CallMode, Finished, JsError, LimitReport, LimitsRequest, ModuleOptions, Outcome, Responder,
    Root, Session, SessionOptions, Sidecar, SidecarCommand, Value, ValueFormat, import, script,
};

use crate::program::{Program, program, workspace};

/// How a request ended, and how long the host waited for it.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub outcome: Outcome,
    /// How long the host waited.
    pub took: Duration,
}

/// A sidecar with its defaults.
pub fn sidecar() -> Sidecar {
    sidecar_with(&[])
}

/// A sidecar with these arguments after `serve`.
pub fn sidecar_with(args: &[&str]) -> Sidecar {
    SidecarCommand::new(program(Program::Sidecar))
        .args(args)
        .client("e2e-tests")
        .spawn()
        .unwrap()
}

/// A session with its defaults, and no directory.
pub fn session(sidecar: &Sidecar) -> Session {
    open(sidecar, SessionOptions::default())
}

/// A session without host functions.
pub fn open(sidecar: &Sidecar, options: SessionOptions) -> Session {
    sidecar.session(options).open().unwrap()
}

/// Options with limits on the heap, in MiB, and on elapsed time; 0 takes the default.
pub fn limits(heap_mib: u64, wall_ms: u64) -> SessionOptions {
    let given = |number: u64| (number != 0).then_some(number);
    SessionOptions {
        limits: LimitsRequest {
            heap_bytes: given(heap_mib).map(|mib| mib.saturating_mul(1 << 20)),
            wall_ms: given(wall_ms),
            ..LimitsRequest::default()
        },
        ..SessionOptions::default()
    }
}

/// Runs a script to its end.
#[track_caller]
pub fn run(session: &Session, code: impl Into<String>) -> Ended {
    let begun = Instant::now();
    let Finished { outcome, .. } = session.execute(script("test.js", code.into())).unwrap();
    let took = begun.elapsed();
    Ended { outcome, took }
}

/// Whether a session, or one that was opened before something bad happened, does its work.
#[track_caller]
pub fn answers(session: &Session) {
    let ended = run(session, "[1, 2, 3].map((n) => n * 2).join()");
    assert_eq!(json(ended.outcome), "2,4,6");
    assert!(ended.took < Duration::from_secs(5), "{:?}", ended.took);
}

/// The value of a script that ends well.
#[track_caller]
pub fn ok(session: &Session, code: &str) -> serde_json::Value {
    json(run(session, code).outcome)
}

/// The value of an outcome that must be good, `null` for `undefined`.
#[track_caller]
pub fn json(outcome: Outcome) -> serde_json::Value {
    match outcome {
        Outcome::Ok(Value::Undefined) => serde_json::Value::Null,
        Outcome::Ok(value) => serde_json::from_slice(value.bytes()).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// The error of an outcome that must be an exception.
#[track_caller]
pub fn error(outcome: Outcome) -> JsError {
    match outcome {
        Outcome::Exception(error) => error,
        other => panic!("{other:?}"),
    }
}

/// The report of an outcome that must be over a limit.
#[track_caller]
pub fn limit(outcome: Outcome) -> LimitReport {
    match outcome {
        Outcome::LimitExceeded(report) => report,
        other => panic!("{other:?}"),
    }
}

/// The bytes of a value as text.
pub fn text_of(value: &Value) -> String {
    String::from_utf8_lossy(value.bytes()).into_owned()
}

/// A directory of the host, for the guest.
pub fn root(host: &Path, guest: &str) -> Root {
    Root {
        host: host.to_str().unwrap().to_owned(),
        guest: guest.to_owned(),
    }
}

/// The project of the demonstration, with its packages, at `/app`.
pub fn demo_root() -> Root {
    root(&fixtures().join("demo"), "/app")
}

/// The folder of all fixtures.
pub fn fixtures() -> PathBuf {
    workspace().join("fixtures")
}

/// Host calls that were made and not answered, and who may answer them.
pub type Unanswered = Arc<Mutex<Vec<Responder>>>;

/// A session with a host function that nobody answers by itself.
pub fn unanswered(sidecar: &Sidecar, name: &str, mode: CallMode) -> (Session, Unanswered) {
    let kept = Unanswered::default();
    let keep = Arc::clone(&kept);
    let session = sidecar
        .session(SessionOptions::default())
        .deferred(name, mode, ValueFormat::Json, move |_, responder| {
            keep.lock().unwrap().push(responder);
        })
        .open()
        .unwrap();
    (session, kept)
}

/// Writes `files` below `folder` and opens a session that has it as `/app`, without other roots.
pub fn project(
    sidecar: &Sidecar,
    folder: &Path,
    modules: ModuleOptions,
    files: &[(&str, &str)],
) -> Session {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let options = SessionOptions {
        roots: vec![root(folder, "/app")],
        modules,
        ..SessionOptions::default()
    };
    open(sidecar, options)
}

/// How the import of `specifier` ended.
#[track_caller]
pub fn imported(session: &Session, specifier: &str) -> Outcome {
    session.execute(import(specifier)).unwrap().outcome
}

/// The code of the error that a request ended with.
#[track_caller]
pub fn code_of(outcome: Outcome) -> String {
    let error = error(outcome);
    error
        .code
        .clone()
        .unwrap_or_else(|| panic!("no code: {error:?}"))
}
