//! A sample of the loops that must stop at their deadline. The full run is
//! `cargo xtask hostile-loops`.

use e2e_tests::{Program, program, run_program};

#[test]
fn alone_loops_stop_at_their_deadline() {
    let sidecar = program(Program::Sidecar);
    let args = [
        "hostile-loops",
        "--sample",
        "--deadline-ms",
        "150",
        "--sidecar",
        sidecar.to_str().unwrap(),
    ];
    let ran = run_program(env!("CARGO_BIN_EXE_xtask").as_ref(), &args, b"");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
}
