//! Entries in the sidecar: one process, a session for each entry, its tree lent at the path that it has on the disk.

use std::path::Path;
use std::time::Duration;

use isolate_sidecar_client::{
    JsError, LimitsRequest, Outcome, RequestError, Root, SessionOptions, Sidecar, SidecarCommand,
    Transcript, Until, import, script,
};
use serde_json::{Value, json};

use super::seen::Seen;
use super::{ConformanceError, Job, PRELUDE};

const MAX_OUTPUT: usize = 8 << 20;
const WALL_MS: u64 = 20_000;
const PATIENCE: Duration = Duration::from_secs(30);

/// What the sidecar saw, in the order of the jobs.
pub(super) fn run(program: &Path, jobs: &[Job<'_>]) -> Result<Vec<Seen>, ConformanceError> {
    let mut sidecar = start(program)?;
    let mut seen = Vec::new();
    for job in jobs {
        let (lines, uncaught) = match entry(&sidecar, job) {
            Ok(told) => told,
            Err(error) => {
                let gone = matches!(error, RequestError::SidecarLost(_));
                if gone {
                    sidecar = start(program)?;
                }
                (Vec::new(), Some(json!({"lost": error.to_string()})))
            }
        };
        seen.push(Seen::new(&job.root, &lines, uncaught.as_ref()));
    }
    Ok(seen)
}

fn start(program: &Path) -> Result<Sidecar, ConformanceError> {
    let command = SidecarCommand::new(program).client("conformance");
    let spawned = command.patience(PATIENCE).spawn();
    spawned.map_err(ConformanceError::Sidecar)
}

type Told = (Vec<Value>, Option<Value>);

fn entry(sidecar: &Sidecar, job: &Job<'_>) -> Result<Told, RequestError> {
    let transcript = Transcript::new(MAX_OUTPUT);
    let root = job.root.display().to_string();
    let options = SessionOptions {
        roots: vec![Root {
            host: root.clone(),
            guest: root.clone(),
        }],
        argv: vec!["node".to_owned(), job.path()],
        cwd: root,
        conditions: job.tree.conditions.clone(),
        limits: LimitsRequest {
            wall_ms: Some(WALL_MS),
            ..LimitsRequest::default()
        },
        ..SessionOptions::default()
    };
    let session = sidecar.session(options);
    let session = session.on_output(transcript.recorder()).open()?;
    // A script has a global `require`, as `node -e` has it; an entry has none.
    let prelude = format!("{PRELUDE}\ndelete globalThis.require;");
    session.execute(script("prelude.js", prelude))?;
    let mut execute = import(job.path());
    execute.until = Until::Drained;
    let ended = session.execute(execute)?.outcome;
    session.execute(script("finish.js", "t.finish()"))?;
    session.close()?;
    let told = transcript.take_text();
    let lines = told
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    Ok((lines.collect(), uncaught(&ended)))
}

fn uncaught(outcome: &Outcome) -> Option<Value> {
    match outcome {
        Outcome::Ok(_) => None,
        Outcome::Exception(error) => Some(exception(error)),
        Outcome::LimitExceeded(report) => Some(json!({"limit": report.which.as_str()})),
        Outcome::Cancelled => Some(json!("cancelled")),
    }
}

fn exception(error: &JsError) -> Value {
    let message = error.message.lines().next().unwrap_or_default();
    match error.code.as_deref() {
        Some("ERR_UNSETTLED_PROMISE") => json!({"code": "ERR_UNSETTLED_PROMISE"}),
        Some(code) => json!({"name": error.name, "code": code, "message": message}),
        None => json!({"name": error.name, "message": message}),
    }
}
