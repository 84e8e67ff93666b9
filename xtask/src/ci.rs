//! `cargo xtask ci`: `make test`, for those who think in cargo commands. The list of steps is in the Makefile alone.

use std::{
    path::Path,
    process::{Command, ExitCode},
};

#[expect(
    clippy::disallowed_methods,
    reason = "the rule against starting processes is for the sidecar"
)]
pub(crate) fn run(root: &Path) -> ExitCode {
    match Command::new("make").arg("test").current_dir(root).status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("ci: cannot run make: {error}");
            ExitCode::FAILURE
        }
    }
}
