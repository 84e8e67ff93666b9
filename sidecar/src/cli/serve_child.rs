//! `isolate-sidecar serve-child`: sessions of another sidecar, in a process of their own.

use std::time::Duration;

use sidecar::{ExitCode, serve_as_child};

use super::engine;

/// What `serve-child` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// As of `serve`.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    grace_ms: u64,
}

pub(super) fn run(args: &Args) -> ExitCode {
    serve_as_child(Duration::from_millis(args.grace_ms), engine::start_in_child)
}
