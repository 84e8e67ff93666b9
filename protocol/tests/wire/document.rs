//! PROTOCOL.md says what the code does: kinds, reasons, bounds, limits, examples.

use std::fs;
use std::path::Path;

use protocol::frame::{HEAD_LEN, Kind, Sender};
use protocol::{Limits, Reason, bounds};

use crate::support::{decode_host, decode_sidecar};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../PROTOCOL.md");
    fs::read_to_string(path).unwrap()
}

#[track_caller]
fn check(document: &str, line: &str) {
    let found = document.lines().any(|found| found.starts_with(line));
    assert!(found, "PROTOCOL.md has no line that begins {line:?}");
}

#[test]
fn every_kind_has_a_row_and_a_section() {
    let document = document();
    for (section, kind) in (1..).zip(Kind::ALL) {
        let direction = match kind.sender() {
            Sender::Host => "host → sidecar",
            Sender::Sidecar => "sidecar → host",
            Sender::Both => "both",
        };
        let byte = kind.to_wire();
        check(&document, &format!("### 5.{section} {kind} ({byte:#04x})"));
        check(
            &document,
            &format!("| {byte:#04x} | {kind} | {direction} |"),
        );
    }
}

#[test]
fn every_reason_has_a_row() {
    let document = document();
    for reason in Reason::ALL {
        let (number, name) = (reason.to_wire(), reason.as_str());
        check(&document, &format!("| {number} | {reason:?} | `{name}` |"));
    }
}

#[test]
fn every_bound_has_a_row() {
    let document = document();
    for (name, value) in [
        ("MAX_LIST", bounds::MAX_LIST),
        ("MAX_NAME", bounds::MAX_NAME),
        ("MAX_GROUP", bounds::MAX_GROUP),
        ("MAX_PATH", bounds::MAX_PATH),
        ("MAX_ARG", bounds::MAX_ARG),
        ("MAX_ENV_VALUE", bounds::MAX_ENV_VALUE),
        ("MAX_ENV_BYTES", bounds::MAX_ENV_BYTES),
        ("MAX_SCRIPT", bounds::MAX_SCRIPT),
        ("MAX_TEXT", bounds::MAX_TEXT),
        ("MAX_MESSAGE", bounds::MAX_MESSAGE),
        ("MAX_STACK", bounds::MAX_STACK),
        ("MAX_STACK_FRAMES", bounds::MAX_STACK_FRAMES),
        ("MAX_CAUSES", bounds::MAX_CAUSES),
    ] {
        check(&document, &format!("| {name} | {value} |"));
    }
    let (hello, default) = (bounds::HELLO_MAX_FRAME, bounds::MAX_FRAME);
    let ceiling = bounds::MAX_FRAME_CEILING;
    check(&document, &format!("| body before `Welcome` | {hello} |"));
    let agreed = format!("`Welcome.max_frame`, by default {default}, at most {ceiling}");
    check(&document, &format!("| body afterwards | {agreed} |"));
}

#[test]
fn every_limit_has_a_row_with_default_and_floor() {
    let document = document();
    let (most, least) = (Limits::DEFAULT, Limits::FLOOR);
    for (name, default, floor) in [
        ("heap_bytes", most.heap_bytes, least.heap_bytes),
        ("cpu_ms", most.cpu_ms, least.cpu_ms),
        ("wall_ms", most.wall_ms, least.wall_ms),
        ("output_bytes", most.output_bytes, least.output_bytes),
        (
            "host_calls_in_flight",
            most.host_calls_in_flight.into(),
            least.host_calls_in_flight.into(),
        ),
        (
            "host_call_timeout_ms",
            most.host_call_timeout_ms,
            least.host_call_timeout_ms,
        ),
        ("timers", most.timers.into(), least.timers.into()),
        (
            "message_bytes",
            most.message_bytes.into(),
            least.message_bytes.into(),
        ),
    ] {
        let row = format!("| {name} | {default}");
        let row = document.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("no row for {name}"));
        assert_eq!(row.split(" | ").nth(2), Some(&*floor.to_string()), "{row}");
    }
}

#[test]
fn the_examples_are_frames() {
    let document = document();
    let mut examples = 0;
    for block in document.split("```hex\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let bytes = block.lines().flat_map(|line| {
            let bytes = line.split('#').next().unwrap_or_default();
            bytes.split_whitespace()
        });
        let wire: Vec<u8> = bytes.map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
        assert!(wire.len() > HEAD_LEN);
        assert!(decode_host(&wire).is_ok() || decode_sidecar(&wire).is_ok());
        examples += 1;
    }
    assert_eq!(examples, 2);
}
