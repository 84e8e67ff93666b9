//! `cargo xtask hostile-loops`: whether loops stop when they are told to.
//!
//! Loops of every shape, and every built-in function of the realm, run in real sessions until
//! a deadline. How late the outcome comes is told by the clock of the session's thread, which a
//! busy machine does not delay; what was late is run again by itself.

mod known;
mod options;
mod programs;
mod run;
mod table;

use std::fs;
use std::process::ExitCode;

use self::known::Known;
use self::options::{Options, USAGE};
use self::programs::Program;
use self::run::{Ended, Ran};
use self::table::{is_good, table};

/// What was late is run again so often, and the best counts.
const AGAIN: usize = 2;

/// Runs the command.
pub(crate) fn main(args: impl Iterator<Item = String>) -> ExitCode {
    let Some(options) = Options::parse(args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match measure(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hostile-loops: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("no sidecar: {0}")]
    Spawn(#[from] isolate_sidecar_client::SpawnError),
    #[error("the realm did not list its built-in functions")]
    NoList,
    #[error("the table cannot be written: {0}")]
    Write(#[from] std::io::Error),
    #[error("not stopped in time, and not known: {0}")]
    Unknown(String),
}

fn measure(options: &Options) -> Result<(), Failure> {
    let paths = run::built_ins(options)?;
    if paths.len() < 500 {
        return Err(Failure::NoList);
    }
    let programs = programs::programs(options, &paths);
    let n_programs = programs.len();
    let mut all = run::run(options, programs)?;
    for _ in 0..AGAIN {
        again(options, &mut all)?;
    }
    let head = format!(
        "# Loops and their deadline\n\n`cargo xtask hostile-loops --seed {} --count {}`: {n_programs} \
         programs, {} built-in functions in the realm, deadline {} ms of CPU time.",
        options.seed,
        options.count,
        paths.len(),
        options.deadline_ms
    );
    let known = Known::read();
    let text = table(&head, &all, &known);
    match &options.out {
        Some(out) => fs::write(out, &text)?,
        None => eprintln!("{text}"),
    }
    let unknown: Vec<&str> = all
        .iter()
        .filter(|ran| !is_good(ran))
        // How late a loop that V8 compiles meanwhile is stopped is chance.
        .filter(|ran| !(options.is_sample && matches!(ran.ended, Ended::Stopped { .. })))
        .map(|ran| ran.program.name.as_str())
        .filter(|name| known.reason(name).is_none())
        .collect();
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(Failure::Unknown(unknown.join(", "))),
    }
}

/// Runs what was late once more, one program at a time.
fn again(options: &Options, all: &mut Vec<Ran>) -> Result<(), Failure> {
    let alone = Options {
        jobs: 1,
        ..options.clone()
    };
    let (good, bad): (Vec<Ran>, Vec<Ran>) = all.drain(..).partition(is_good);
    let programs: Vec<Program> = bad.into_iter().map(|ran| ran.program).collect();
    *all = good;
    all.append(&mut run::run(&alone, programs)?);
    Ok(())
}
