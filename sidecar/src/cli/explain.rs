//! `isolate-sidecar explain`: loads an SDK as for a snapshot, and tells what it took from its
//! surroundings meanwhile. A snapshot keeps that, and all sessions see the same.

use std::fs::File;
use std::io::{self, Write};

use protocol::frame::WarmSnapshot;
use protocol::{EnvVar, LimitsRequest, ModuleOptions};
use sidecar::{ExitCode, cannot_start, init_log, take_stdout};

use super::engine::{self, EngineError};
use super::run::{Directories, DirectoryError};

/// What `explain` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 explained, 1 no snapshot can be made of it, 2 usage.")]
pub(super) struct Args {
    /// What to evaluate, in order.
    #[arg(value_name = "SPECIFIER", required = true)]
    entries: Vec<String>,

    /// A directory to load modules from, and where the SDK sees it (`/app` for the first).
    /// Without this, the current directory.
    #[arg(long, value_name = "HOSTDIR[=GUESTDIR]", default_value = ".")]
    root: Vec<String>,

    /// An environment variable of the SDK.
    #[arg(long, value_name = "NAME=VALUE")]
    env: Vec<String>,

    /// A condition for `exports` and `imports`, beyond Node's own.
    #[arg(long, value_name = "NAME")]
    conditions: Vec<String>,

    /// Print a JSON list of `[kind, what, place, times]`.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, thiserror::Error)]
enum ExplainError {
    #[error("{0}")]
    Directory(#[from] DirectoryError),
    #[error("--env {0:?} is not NAME=VALUE")]
    Env(String),
    #[error("{0}")]
    Engine(#[from] EngineError),
    #[error("the record cannot be read: {0}")]
    Record(#[from] serde_json::Error),
    #[error("{0}")]
    Io(#[from] io::Error),
}

pub(super) fn run(args: Args) -> ExitCode {
    init_log();
    match explain(args) {
        Ok(code) => code,
        Err(err @ (ExplainError::Directory(_) | ExplainError::Env(_))) => {
            cannot_start(ExitCode::Usage, &err)
        }
        Err(err @ ExplainError::Engine(_)) => cannot_start(ExitCode::CannotStart, &err),
        Err(err) => cannot_start(ExitCode::Internal, &err),
    }
}

fn explain(args: Args) -> Result<ExitCode, ExplainError> {
    let mut output = File::from(take_stdout()?);
    let is_json = args.json;
    let record = match engine::explain_snapshot(&spec(args)?)? {
        Ok(record) => record,
        Err(failure) => {
            writeln!(io::stderr(), "isolate-sidecar explain: {}", failure.message)?;
            return Ok(ExitCode::GuestException);
        }
    };
    if is_json {
        writeln!(output, "{record}")?;
        return Ok(ExitCode::Clean);
    }
    let mut notes: Vec<(String, String, String, u32)> = serde_json::from_str(&record)?;
    notes.sort();
    if notes.is_empty() {
        writeln!(output, "nothing was taken while it was loaded")?;
    }
    for (kind, what, place, times) in notes {
        let times = match times {
            1 => String::new(),
            times => format!("  ({times} times)"),
        };
        writeln!(output, "{kind:<9} {what:<32} {place}{times}")?;
    }
    Ok(ExitCode::Clean)
}

fn spec(args: Args) -> Result<WarmSnapshot, ExplainError> {
    let directories = Directories::parse(&args.root)?;
    let variable = |text: String| match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(EnvVar {
            name: name.to_owned(),
            value: value.to_owned(),
        }),
        _ => Err(ExplainError::Env(text)),
    };
    Ok(WarmSnapshot {
        roots: directories.roots(),
        entries: args.entries,
        script: None,
        env: args
            .env
            .into_iter()
            .map(variable)
            .collect::<Result<_, _>>()?,
        argv: Vec::new(),
        cwd: directories.cwd(),
        conditions: args.conditions,
        modules: ModuleOptions::default(),
        limits: LimitsRequest::default(),
    })
}
