//! The agent SDK that sessions are for, as it comes from npm: it loads, and an agent answers a prompt, in a session as in
//! Node. Its packages are large, so this is no part of `make test`: `make pi`.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::process::Command;

use e2e_tests::{fixtures, run_cli};

#[test]
fn the_sdk_loads() {
    assert_eq!(same_as_in_node("load.mjs"), "127 0.73.1 function\n");
}

#[test]
fn an_agent_answers() {
    let written = same_as_in_node("prompt.mjs");
    assert!(written.contains("Hello from the mock"), "{written}");
}

#[test]
fn an_agent_of_a_snapshot_answers() {
    let project = fixtures().join("pi");
    let program = project.join("src/prompt.mjs");
    let (root, program) = (project.to_str().unwrap(), program.to_str().unwrap());
    let sdk = "@mariozechner/pi-coding-agent";
    let common = ["--root", root, "--heap-mb", "512"];
    let from = |more: &[&str]| run_cli(&[&common[..], more].concat());
    let ran = from(&["--snapshot", sdk, program]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.stdout, from(&[program]).stdout);
    let widths = "import('@mariozechner/pi-tui').then(({ visibleWidth }) => visibleWidth('a👩‍👩‍👧字'))";
    assert_eq!(from(&["--snapshot", sdk, "-e", widths]).stdout, "5\n");
}

/// What a program of the project writes, in a session and in Node.
#[expect(clippy::disallowed_methods, reason = "asks the model of what is right")]
#[track_caller]
fn same_as_in_node(program: &str) -> String {
    let project = fixtures().join("pi");
    let program = project.join("src").join(program);
    let model = Command::new("node").arg(&program).output().unwrap();
    assert!(model.status.success(), "{model:?}");
    let (root, program) = (project.to_str().unwrap(), program.to_str().unwrap());
    let ran = run_cli(&["--root", root, "--heap-mb", "512", program]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    assert_eq!(ran.stdout, String::from_utf8(model.stdout).unwrap());
    ran.stdout
}
