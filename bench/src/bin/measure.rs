//! `measure`: runs the measurements and prints the table. See `bench/README.md`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sidecar_bench::main()
}
