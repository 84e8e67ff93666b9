//! The program's own command line, as far as it needs no engine.

use std::process::{Command, Output, Stdio};

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_isolate-sidecar"))
        .args(args)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn version_and_help() {
    let version = run(&["--version"]);
    assert_eq!(version.status.code(), Some(0));
    assert!(version.stdout.starts_with(b"isolate-sidecar "));
    let help = run(&["serve", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    assert!(
        String::from_utf8(help.stdout)
            .unwrap()
            .contains("--max-sessions")
    );
}

#[test]
fn mistakes_are_usage_errors() {
    for args in [
        &[][..],
        &["swerve"],
        &["serve", "--max-sessions", "0"],
        &["serve", "--max-frame", "1"],
        &["serve", "--max-frame", "67108865"],
        &["serve", "--heap-mb-ceiling", "7"],
        &["serve", "--nonsense"],
    ] {
        let output = run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_spec_that_is_none_is_an_error_of_the_child() {
    let output = run(&["build-snapshot"]);
    assert_eq!(output.status.code(), Some(70));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text, "isolate-sidecar: the spec: the stream is cut short\n");
}

#[test]
#[cfg(not(feature = "v8-engine"))]
fn a_build_without_an_engine_says_so() {
    let output = run(&["serve"]);
    assert_eq!(output.status.code(), Some(74));
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
}
