//! Entries in real Node, by `fixtures/conformance/node-runner.cjs`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{io, thread};

use serde_json::{Value, json};

use super::seen::Seen;
use super::{ConformanceError, Job};

/// Processes at a time.
const PROCESSES: usize = 2;
const RUNNER: &str = include_str!("../../../fixtures/conformance/node-runner.cjs");

/// What Node saw, in the order of the jobs.
pub(super) fn run(
    node: &Path,
    scratch: &Path,
    jobs: &[Job<'_>],
) -> Result<Vec<Seen>, ConformanceError> {
    let numbered: Vec<(usize, &Job<'_>)> = jobs.iter().enumerate().collect();
    let shares: Vec<Vec<(usize, &Job<'_>)>> = (0..PROCESSES)
        .map(|share| {
            let own = numbered.iter().filter(|(id, _)| id % PROCESSES == share);
            own.copied().collect()
        })
        .collect();
    let mut seen = vec![None; jobs.len()];
    thread::scope(|scope| {
        let mut running = Vec::new();
        for (number, share) in shares.iter().enumerate() {
            let work = move || run_share(node, scratch, number, share);
            let thread = thread::Builder::new().name(format!("node-{number}"));
            let thread = thread.spawn_scoped(scope, work);
            running.push(thread.map_err(ConformanceError::Io)?);
        }
        for thread in running {
            let answers = thread.join().map_err(|_| ConformanceError::Panicked)??;
            for (id, answer) in answers {
                if let Some(place) = seen.get_mut(id) {
                    *place = Some(answer);
                }
            }
        }
        Ok::<(), ConformanceError>(())
    })?;
    let all: Option<Vec<Seen>> = seen.into_iter().collect();
    all.ok_or(ConformanceError::NodeAnswers)
}

/// A module graph can bring down Node itself: its entry is passed over, and the rest goes on in a new process.
fn run_share(
    node: &Path,
    scratch: &Path,
    number: usize,
    jobs: &[(usize, &Job<'_>)],
) -> Result<Vec<(usize, Seen)>, ConformanceError> {
    let mut seen = Vec::new();
    while let Some(left @ [_, ..]) = jobs.get(seen.len()..) {
        let answers = start(node, scratch, number, left).map_err(ConformanceError::Io)?;
        for (line, (id, job)) in answers.lines().zip(left) {
            seen.push((*id, answer(line, *id, job)?));
        }
        if let Some((id, _)) = jobs.get(seen.len()) {
            seen.push((*id, Seen::crashed()));
        }
    }
    Ok(seen)
}

fn answer(line: &str, id: usize, job: &Job<'_>) -> Result<Seen, ConformanceError> {
    let answer: Value = serde_json::from_str(line).map_err(|_| ConformanceError::NodeAnswers)?;
    match (answer.get("id"), answer.get("lines")) {
        (Some(own), Some(Value::Array(lines))) if *own == id => {
            let uncaught = answer.get("uncaught").filter(|value| !value.is_null());
            Ok(Seen::new(&job.root, lines, uncaught))
        }
        _ => Err(ConformanceError::NodeAnswers),
    }
}

#[expect(clippy::disallowed_methods, reason = "Node is the oracle")]
fn start(
    node: &Path,
    scratch: &Path,
    number: usize,
    jobs: &[(usize, &Job<'_>)],
) -> io::Result<String> {
    let (list, runner) = (
        scratch.join(format!("jobs-{number}")),
        scratch.join(format!("runner-{number}.cjs")),
    );
    let mut file = std::fs::File::create(&list)?;
    for (id, job) in jobs {
        let line = json!({"id": id, "path": job.path(), "conditions": job.tree.conditions});
        writeln!(file, "{line}")?;
    }
    std::fs::write(&runner, RUNNER)?;
    let prelude = scratch.join(format!("prelude-{number}.js"));
    std::fs::write(&prelude, super::PRELUDE)?;
    let output = Command::new(node)
        .arg(&runner)
        .arg(&list)
        .arg(&prelude)
        .env_remove("NODE_OPTIONS")
        .env_remove("NODE_PATH")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
