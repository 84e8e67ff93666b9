//! The command line of `measure`, and the run as a whole.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::error::{MeasureError, Result};
use crate::machine::{Machine, npm_version};
use crate::peers::echo;
use crate::report::{Row, Verdict, table, write_json};
use crate::rows::{Context, ROWS};
use crate::sidecar::Sidecar;

/// Measures the sidecar against what it is compared to.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Args {
    /// A short sample of everything, in less than a minute
    #[arg(long)]
    quick: bool,
    /// The sidecar's program
    #[arg(long, default_value = "target/release/isolate-sidecar")]
    sidecar: PathBuf,
    /// The program `secure-exec-v8`; its rows are left out where it is not there
    #[arg(
        long,
        default_value = "bench/peers/node_modules/@secure-exec/v8-linux-x64-gnu/secure-exec-v8"
    )]
    peer: PathBuf,
    /// The folder with zod and lodash-es under node_modules
    #[arg(long, default_value = "fixtures/demo")]
    project: PathBuf,
    /// The folder with the packages of the row `load` under node_modules
    #[arg(long, default_value = "fixtures/packages")]
    packages: PathBuf,
    /// The folder with the agent SDK Pi under node_modules
    #[arg(long, default_value = "fixtures/pi")]
    pi: PathBuf,
    /// Where JSON and logs go
    #[arg(long, default_value = "bench/out")]
    out: PathBuf,
    /// Only these measurements, separated by commas
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Fail when a bar is missed
    #[arg(long)]
    strict: bool,
    #[command(subcommand)]
    part: Option<Part>,
}

/// What the measurements start this program for.
#[derive(Debug, Subcommand)]
enum Part {
    /// Reads and writes this many bytes, again and again
    #[command(hide = true)]
    Echo { read: usize, write: usize },
}

/// Runs `measure`.
#[expect(clippy::print_stderr, reason = "a developer tool talks to a terminal")]
pub fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(Part::Echo { read, write }) = args.part {
        return match echo::serve(read, write) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    match measure(&args) {
        Ok(rows) => {
            let bad = |row: &Row| match row.verdict {
                Verdict::NotMeasured => true,
                Verdict::Missed => args.strict,
                Verdict::Met | Verdict::NoBar => false,
            };
            if rows.iter().any(bad) {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            }
        }
        Err(error) => {
            eprintln!("measure: {}", error.with_causes());
            ExitCode::FAILURE
        }
    }
}

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer tool talks to a terminal"
)]
fn measure(args: &Args) -> Result<Vec<Row>> {
    let context = context(args)?;
    let log = context.log("sidecar");
    let ours = Sidecar::start(&context.sidecar, Duration::from_secs(10), &log)?.version();
    let peer = match &context.peer {
        Some(program) => npm_version(program).unwrap_or_else(|| "unknown".to_owned()),
        None => "not there; bench/run installs it".to_owned(),
    };
    let mut machine = Machine::look(ours, peer);
    let mut rows = Vec::new();
    for (name, run) in ROWS {
        if !args.only.is_empty() && !args.only.iter().any(|only| only == name) {
            continue;
        }
        eprintln!("measure: {name}");
        match run(&context) {
            Ok(found) => rows.extend(found),
            Err(error) => rows.push(Row::failed(name, &error)),
        }
    }
    machine.look_again();
    write_json(&context.out, &machine, &rows)?;
    println!("{}", table(&machine, &rows));
    Ok(rows)
}

fn context(args: &Args) -> Result<Context> {
    if let Some(unknown) = args
        .only
        .iter()
        .find(|only| !ROWS.iter().any(|(name, _)| name == only))
    {
        let names: Vec<&str> = ROWS.iter().map(|(name, _)| *name).collect();
        return Err(MeasureError::unexpected(
            format!("one of {names:?}"),
            unknown,
        ));
    }
    fs::create_dir_all(&args.out)
        .map_err(MeasureError::io(format!("create {}", args.out.display())))?;
    let project = fs::canonicalize(&args.project)
        .map_err(MeasureError::io(format!("find {}", args.project.display())))?;
    Ok(Context {
        quick: args.quick,
        sidecar: args.sidecar.clone(),
        peer: args.peer.exists().then(|| args.peer.clone()),
        project,
        packages: fs::canonicalize(&args.packages).map_err(MeasureError::io(format!(
            "find {}",
            args.packages.display()
        )))?,
        pi: fs::canonicalize(&args.pi).unwrap_or_else(|_| args.pi.clone()),
        out: args.out.clone(),
        this: std::env::current_exe().map_err(MeasureError::io("find this program"))?,
    })
}
