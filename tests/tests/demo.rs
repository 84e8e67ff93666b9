//! The demonstration, as `make run` runs it.

use e2e_tests::{Program, fixtures, program, run_program};

#[test]
fn the_demonstration_holds_its_promises() {
    let (sidecar, demo) = (program(Program::Sidecar), program(Program::Demo));
    let project = fixtures().join("demo");
    let args = [
        "--project",
        project.to_str().unwrap(),
        "--sidecar",
        sidecar.to_str().unwrap(),
        "--rounds",
        "3",
    ];
    let ran = run_program(&demo, &args, b"");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    for line in [
        "snapshot of zod and lodash-es",
        "open to first result",
        "recordSummary",
        "private memory",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {}", ran.stdout);
    }
}

#[test]
fn a_project_that_is_not_there_is_said() {
    let ran = run_program(
        &program(Program::Demo),
        &["--project", "/no/such/project"],
        b"",
    );
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.starts_with("demo: /no/such/project"),
        "{}",
        ran.stderr
    );
}
