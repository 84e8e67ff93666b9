//! `cargo xtask hostile-report`: every hostile guest once, each in a sidecar of its own beside ten neighbours, and a table by class.

mod table;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{ExitCode, Stdio},
};

use e2e_tests::{Hostile, Trial};
use isolate_sidecar_client::{Isolation, SessionOptions, SidecarCommand, SpawnError};

const USAGE: &str = "usage: cargo xtask hostile-report --sidecar FILE [options]

  --sidecar FILE  the sidecar to try
  --only PREFIX   guests whose name starts so
  --isolation I   thread or process, what each guest's session runs in (thread)
  --out FILE      where the table goes (bench/results/hostile.md)
  --all FILE      where a line for each guest goes";

/// How often the memory of a sidecar is measured beside which nothing happens.
const NOISE_RUNS: usize = 7;

/// One guest and what was seen of it.
pub(crate) struct Row {
    pub(crate) hostile: Hostile,
    pub(crate) trial: Trial,
    pub(crate) same_pid: bool,
}

struct Options {
    sidecar: PathBuf,
    only: String,
    isolation: Isolation,
    out: PathBuf,
    all: Option<PathBuf>,
}

#[derive(Debug, thiserror::Error)]
enum ReportError {
    #[error("cannot start {0}: {1}")]
    Start(PathBuf, SpawnError),
    #[error("cannot write {0}: {1}")]
    Write(PathBuf, io::Error),
}

pub(crate) fn main(root: &Path, args: impl Iterator<Item = String>) -> ExitCode {
    let Some(options) = parse(args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(root, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(err) => {
            eprintln!("hostile-report: {err}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
    let mut sidecar = None;
    let mut only = String::new();
    let mut isolation = Isolation::Thread;
    let mut out = PathBuf::from("bench/results/hostile.md");
    let mut all = None;
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--sidecar" => sidecar = Some(PathBuf::from(args.next()?)),
            "--only" => only = args.next()?,
            "--isolation" => {
                isolation = match args.next()?.as_str() {
                    "thread" => Isolation::Thread,
                    "process" => Isolation::Process,
                    _ => return None,
                };
            }
            "--out" => out = PathBuf::from(args.next()?),
            "--all" => all = Some(PathBuf::from(args.next()?)),
            _ => return None,
        }
    }
    Some(Options {
        sidecar: sidecar?,
        only,
        isolation,
        out,
        all,
    })
}

fn run(root: &Path, options: &Options) -> Result<(), ReportError> {
    let session = SessionOptions {
        isolation: options.isolation.clone(),
        ..SessionOptions::default()
    };
    let noise = noise(&options.sidecar, &session)?;
    let guests = Hostile::read_all(&root.join("fixtures/hostile"));
    let guests = guests
        .into_iter()
        .filter(|guest| guest.name.starts_with(&options.only));
    let rows = guests
        .map(|guest| tried(&options.sidecar, &session, guest))
        .collect::<Result<Vec<Row>, _>>()?;
    let report = table::report(&rows, &noise, &options.isolation);
    write(&root.join(&options.out), &report)?;
    if let Some(all) = &options.all {
        write(all, &table::lines(&rows))?;
    }
    eprintln!("{report}");
    Ok(())
}

fn tried(sidecar: &Path, session: &SessionOptions, hostile: Hostile) -> Result<Row, ReportError> {
    let sidecar = start(sidecar)?;
    let pid = sidecar.pid();
    let trial = Trial::run(&sidecar, &hostile, session.clone());
    let faults = trial.faults(&hostile);
    if !faults.is_empty() {
        eprintln!("{}: {}", hostile.name, faults.join("; "));
    }
    let same_pid = sidecar.lost().is_none() && sidecar.pid() == pid;
    Ok(Row {
        hostile,
        trial,
        same_pid,
    })
}

/// By how much the memory of a sidecar rises when the guest does nothing, in KiB, sorted.
fn noise(program: &Path, session: &SessionOptions) -> Result<Vec<u64>, ReportError> {
    let mut seen = Vec::new();
    for _ in 0..NOISE_RUNS {
        let sidecar = start(program)?;
        let idle = Hostile::from_source("idle", "js", "// ending: ok\n1".to_owned());
        seen.push(Trial::run(&sidecar, &idle, session.clone()).grown_kib);
    }
    seen.sort_unstable();
    Ok(seen)
}

fn start(program: &Path) -> Result<isolate_sidecar_client::Sidecar, ReportError> {
    // What it logs of its guests' ends is in the table.
    let command = SidecarCommand::new(program).stderr(Stdio::null());
    let spawned = command.client("hostile-report").spawn();
    spawned.map_err(|err| ReportError::Start(program.to_owned(), err))
}

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(path, text));
    written.map_err(|err| ReportError::Write(path.to_owned(), err))
}
