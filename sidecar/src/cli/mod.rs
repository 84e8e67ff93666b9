//! The command line: one file a subcommand.

mod build_snapshot;
mod engine;
mod explain;
mod run;
mod serve;
mod serve_child;
mod translate;

use clap::{Parser, Subcommand, ValueEnum};
use protocol::Isolation;
use sidecar::ExitCode;

/// Runs JavaScript that nobody has to trust, in V8 isolates, for a host process.
#[derive(Debug, Parser)]
#[command(name = "isolate-sidecar", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve a host over standard input and output, in the protocol of PROTOCOL.md.
    Serve(serve::Args),
    /// Run one guest in a sidecar of its own, as `node` would, and print what it prints.
    Run(Box<run::Args>),
    /// Load an SDK as for a snapshot and tell what it took from its surroundings meanwhile:
    /// variables, clocks, random numbers, files, listeners, timers. docs/SNAPSHOTS.md says what
    /// that means for sessions.
    Explain(explain::Args),
    /// Run sessions of a sidecar that is the host on standard input, a socket. The sidecar starts
    /// itself in this way.
    #[command(hide = true)]
    ServeChild(serve_child::Args),
    /// Make one snapshot: reads its spec from standard input, writes it to standard output.
    /// The sidecar starts itself in this way.
    #[command(hide = true)]
    BuildSnapshot,
    /// Translate what a sidecar sends over standard input, a socket. The sidecar starts itself
    /// in this way.
    #[command(hide = true)]
    Translate,
}

/// Where sessions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IsolationArg {
    /// On a thread of the sidecar.
    Thread,
    /// In a process of its own.
    Process,
}

impl From<IsolationArg> for Isolation {
    fn from(arg: IsolationArg) -> Isolation {
        match arg {
            IsolationArg::Thread => Isolation::Thread,
            IsolationArg::Process => Isolation::Process,
        }
    }
}

/// Runs what the command line asks for. Clap itself answers `--help`, `--version` and
/// mistakes, the latter with [`ExitCode::Usage`].
pub(crate) fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Serve(args) => serve::run(&args),
        Command::Run(args) => run::run(*args),
        Command::Explain(args) => explain::run(args),
        Command::ServeChild(args) => serve_child::run(&args),
        Command::BuildSnapshot => build_snapshot::run(),
        Command::Translate => translate::run(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
