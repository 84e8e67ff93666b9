//! `cargo xtask`: the chores of this workspace.
//!
//! `tidy` holds the rules that neither rustc nor clippy can hold; `ci` is everything that must pass before a change lands.
#![expect(clippy::print_stderr, reason = "a developer tool talks to a terminal")]

mod ci;
mod conformance;
mod hostile_loops;
mod hostile_report;
mod tidy;

use std::{env, path::Path, process::ExitCode};

const USAGE: &str = "usage: cargo xtask <command>

  tidy                 check the rules that neither rustc nor clippy can hold
  ci                   run all that must pass before a change lands (the same as `make test`)
  conformance-modules  compare how modules load with real Node; --help lists its options
  conformance-node-tests
                       run Node's own tests of modules, which scripts/fetch-node-tests brings
  hostile-report       run every hostile guest and write a table; --help lists its options
  hostile-loops        whether loops of every kind stop at their deadline; --help lists its options";

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let command = args.next();
    match command.as_deref() {
        Some("conformance-modules") => return conformance::main(workspace_root(), args),
        Some("hostile-loops") => return hostile_loops::main(args),
        Some("conformance-node-tests") => {
            return conformance::node_tests::main(workspace_root(), args);
        }
        Some("hostile-report") => return hostile_report::main(workspace_root(), args),
        _ => {}
    }
    match (command.as_deref(), args.next()) {
        (Some("tidy"), None) => tidy(workspace_root()),
        (Some("ci"), None) => ci::run(workspace_root()),
        (Some("help" | "--help" | "-h"), None) => {
            eprintln!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn tidy(root: &Path) -> ExitCode {
    match tidy::run(root) {
        Ok(problems) if problems.is_empty() => ExitCode::SUCCESS,
        Ok(problems) => {
            for problem in &problems {
                eprintln!("tidy: {problem}");
            }
            eprintln!("tidy: {} to solve", problems.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: cannot read {}: {error}", root.display());
            ExitCode::FAILURE
        }
    }
}

/// The parent of this package's folder, wherever the command is called from.
fn workspace_root() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package)
}
