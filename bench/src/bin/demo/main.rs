//! The demonstration: a host that starts a sidecar, makes a snapshot of two packages from
//! npm, opens sessions from it and runs a small module in each, beside sessions that start
//! without the snapshot. Prints what it saw as a table, and fails when a promise does not
//! hold: one round trip a session, no module from the host, every outcome good.
//!
//! Reading order: `scene.rs` (what is done), `memory.rs`, `table.rs`.
#![forbid(unsafe_code)]

mod memory;
mod scene;
mod table;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use self::scene::{Scene, SceneError};

/// Runs the demonstration and prints a table.
#[derive(Debug, Parser)]
struct Args {
    /// The project: a directory with `src/validate.mjs` and the packages that it imports.
    #[arg(long, value_name = "DIR", default_value = "fixtures/demo")]
    project: PathBuf,

    /// The sidecar [default: beside this program].
    #[arg(long, value_name = "FILE")]
    sidecar: Option<PathBuf>,

    /// Sessions of either kind whose median is shown.
    #[arg(long, value_name = "N", default_value_t = 9,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(table) => match print(&table) {
            Ok(()) => ExitCode::SUCCESS,
            Err(err) => fail(format_args!("cannot print: {err}")),
        },
        Err(err) => fail(err),
    }
}

fn run(args: Args) -> Result<String, SceneError> {
    let seen = Scene::set(args.sidecar, &args.project)?.play(args.rounds)?;
    Ok(table::render(&seen))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a host: no frames go over its standard output"
)]
fn print(table: &str) -> io::Result<()> {
    io::stdout().lock().write_all(table.as_bytes())
}

fn fail(reason: impl Display) -> ExitCode {
    // The error is that nobody can be told.
    let _ = writeln!(io::stderr(), "demo: {reason}");
    ExitCode::FAILURE
}
