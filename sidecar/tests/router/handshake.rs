//! PROTOCOL.md 4.1 and the first rows of 7.1.

use protocol::bounds::{HELLO_MAX_FRAME, MAX_FRAME};
use protocol::frame::{Kind, Ping};
use protocol::{PROTOCOL_VERSION, Reason, SidecarFrame};
use sidecar::ExitCode;

use crate::support::{Host, encoded, hello};

const PING: Ping = Ping { payload: [7; 8] };

#[test]
fn welcome_says_what_holds() {
    let mut host = Host::connect(|config| {
        config.max_sessions = 5;
        config.ceilings.cpu_ms = 1234;
    });
    let welcome = host.hello(0);
    assert_eq!(welcome.version, PROTOCOL_VERSION);
    assert_eq!((welcome.max_frame, welcome.max_sessions), (MAX_FRAME, 5));
    assert_eq!(welcome.ceilings.cpu_ms, 1234);
    assert_eq!(welcome.defaults.cpu_ms, 1234, "defaults are under ceilings");
    assert_eq!(welcome.v8, "fake");
    assert!(welcome.build.starts_with("isolate-sidecar "));
}

#[test]
fn no_common_version_ends_the_connection() {
    let mut host = Host::connect(|_| {});
    host.send(0, 1, hello(5, 9, 0));
    host.expect_go_away(Reason::UnsupportedVersion, ExitCode::Protocol);
}

#[test]
fn a_frame_before_hello_ends_the_connection() {
    let mut host = Host::connect(|_| {});
    host.send(0, 1, PING);
    host.expect_go_away(Reason::HelloExpected, ExitCode::Protocol);
}

#[test]
fn an_unknown_kind_before_hello_ends_the_connection() {
    let mut host = Host::connect(|_| {});
    let mut frame = encoded(0, 1, PING);
    frame[4] = 0xee;
    host.send_bytes(&frame);
    host.expect_go_away(Reason::HelloExpected, ExitCode::Protocol);
}

#[test]
fn an_unreadable_hello_is_refused_and_a_good_one_still_welcome() {
    let mut host = Host::connect(|_| {});
    let mut frame = encoded(0, 1, hello(4, 4, 0));
    let body_len = frame.len() - 20;
    frame.truncate(frame.len() - 1);
    frame[..4].copy_from_slice(&u32::try_from(body_len - 1).unwrap().to_be_bytes());
    host.send_bytes(&frame);
    let refused = host.expect_refused(0, 1, Reason::Malformed);
    assert_eq!(refused.kind, Kind::Hello.to_wire());
    host.hello(0);
}

#[test]
fn a_second_hello_is_refused_and_changes_nothing() {
    let mut host = Host::start();
    host.send(0, 2, hello(4, 4, HELLO_MAX_FRAME));
    host.expect_refused(0, 2, Reason::HelloRepeated);
    host.open(1);
    let script = format!("echo:\"{}\"", "x".repeat(100_000));
    host.execute(1, 1, &script);
    host.expect_outcome(1, 1);
}

#[test]
fn hello_frames_may_be_pipelined() {
    let mut host = Host::connect(|_| {});
    let mut bytes = encoded(0, 1, hello(4, 4, 0));
    bytes.extend_from_slice(&encoded(0, 2, PING));
    host.send_bytes(&bytes);
    assert!(matches!(host.next().frame, SidecarFrame::Welcome(_)));
    assert!(matches!(host.next().frame, SidecarFrame::Pong(_)));
}

#[test]
fn one_byte_at_a_time_is_as_good() {
    let mut host = Host::connect(|_| {});
    for byte in encoded(0, 1, hello(4, 4, 0)) {
        host.send_bytes(&[byte]);
    }
    assert!(matches!(host.next().frame, SidecarFrame::Welcome(_)));
}

#[test]
fn a_body_over_the_limit_before_hello_ends_the_connection() {
    let mut host = Host::connect(|_| {});
    let mut head = encoded(0, 1, PING);
    head.truncate(20);
    head[..4].copy_from_slice(&(HELLO_MAX_FRAME + 1).to_be_bytes());
    host.send_bytes(&head);
    host.expect_go_away(Reason::FrameTooLarge, ExitCode::Protocol);
}

#[test]
fn the_agreed_length_holds_at_and_above() {
    let mut host = Host::connect(|_| {});
    let max_frame = host.hello(100_000).max_frame;
    assert_eq!(max_frame, 100_000);
    host.open(1);
    let overhead = encoded(1, 1, crate::support::execute("")).len() - 20;
    // The source's length takes more bytes when the source is longer.
    let script = format!("{}\necho:1", " ".repeat(100_000 - overhead - 11));
    let mut frame = encoded(1, 1, crate::support::execute(&script));
    assert_eq!(frame.len() - 20, 100_000);
    host.send_bytes(&frame);
    host.expect_outcome(1, 1);
    frame[..4].copy_from_slice(&100_001_u32.to_be_bytes());
    host.send_bytes(&frame);
    host.expect_go_away(Reason::FrameTooLarge, ExitCode::Protocol);
}

#[test]
fn reserved_bits_end_the_connection() {
    let mut host = Host::start();
    let mut frame = encoded(0, 1, PING);
    frame[7] = 1;
    host.send_bytes(&frame);
    host.expect_go_away(Reason::Malformed, ExitCode::Protocol);
}
