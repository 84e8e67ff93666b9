//! `isolate-sidecar translate`: a process that translates for a sidecar until that hangs up.

use std::io;
use std::os::fd::AsFd;

use sidecar::{ExitCode, cannot_start, serve_translations};

pub(super) fn run() -> ExitCode {
    let connection = io::stdin().as_fd().try_clone_to_owned();
    match connection.and_then(serve_translations) {
        Ok(()) => ExitCode::Clean,
        Err(err) => cannot_start(ExitCode::Internal, &err),
    }
}
