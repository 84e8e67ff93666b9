//! Modules load as in real Node, over the sample of trees that every change must pass. The full run is
//! `cargo xtask conformance-modules`.

use e2e_tests::{Program, program, run_program};

/// It keeps two processes of Node and a sidecar busy.
#[test]
fn alone_modules_load_as_in_node() {
    let (sidecar, out) = (program(Program::Sidecar), tempfile::tempdir().unwrap());
    let (sidecar, out_text) = (sidecar.to_str().unwrap(), out.path().to_str().unwrap());
    let args = [
        "conformance-modules",
        "--sample",
        "--sidecar",
        sidecar,
        "--out",
        out_text,
    ];
    let ran = run_program(env!("CARGO_BIN_EXE_xtask").as_ref(), &args, b"");
    let differences = std::fs::read_to_string(out.path().join("differences.txt"));
    assert_eq!(
        ran.code,
        0,
        "{}{}{}",
        ran.stdout,
        ran.stderr,
        differences.unwrap_or_default()
    );
}
