//! The beginning of a connection, and frames that have no effect.

#![expect(
    clippy::panic,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::time::Duration;

use e2e_tests::{RawSidecar, sidecar};
use isolate_sidecar_client::{Limits, Reason};
use protocol::frame::{Cancel, GetStats, Head, Kind, Ping, Pong, SidecarFrame};
use protocol::{HostFrame, PROTOCOL_VERSION, RequestId, SessionId};

const PROTOCOL_ERROR: i32 = 71;

/// The reason of the `GoAway` that must come next; then the process must end with 71.
#[track_caller]
fn sent_away(sidecar: &mut RawSidecar) -> Reason {
    let SidecarFrame::GoAway(away) = sidecar.expect().frame else {
        panic!("no GoAway");
    };
    assert!(sidecar.next_frame().is_none());
    let status = sidecar.ended_within(Duration::from_secs(5));
    assert_eq!(
        status.and_then(|status| status.code()),
        Some(PROTOCOL_ERROR)
    );
    away.reason
}

/// The refusal that must come next: kind, reason, request.
#[track_caller]
fn refused(sidecar: &mut RawSidecar) -> (u8, Reason, RequestId) {
    let envelope = sidecar.expect();
    let SidecarFrame::Refused(refused) = envelope.frame else {
        panic!("{envelope:?}");
    };
    (refused.kind, refused.reason, envelope.request)
}

fn head(kind: Kind, session: u32) -> Head {
    Head::new(kind, SessionId(session), RequestId(9))
}

fn bytes(head: Head, body: &[u8]) -> Vec<u8> {
    let mut wire = Vec::new();
    let body_len = u32::try_from(body.len()).unwrap_or_default();
    Head { body_len, ..head }.encode(&mut wire);
    wire.extend_from_slice(body);
    wire
}

#[test]
fn welcome_says_what_holds() {
    let sidecar = sidecar();
    let welcome = sidecar.welcome();
    assert_eq!(welcome.version, PROTOCOL_VERSION);
    assert!(welcome.v8.starts_with("15."), "{}", welcome.v8);
    assert!(0 < welcome.max_sessions);
    assert_eq!(welcome.defaults, Limits::DEFAULT);
    assert!(welcome.defaults.heap_bytes <= welcome.ceilings.heap_bytes);
    sidecar.ping().unwrap();
}

#[test]
fn without_a_common_version_there_is_no_connection() {
    let mut sidecar = RawSidecar::silent();
    sidecar.hello(PROTOCOL_VERSION + 1, 900);
    assert_eq!(sent_away(&mut sidecar), Reason::UnsupportedVersion);
}

#[test]
fn hello_comes_first() {
    let mut sidecar = RawSidecar::silent();
    sidecar.send(0, 1, GetStats {});
    assert_eq!(sent_away(&mut sidecar), Reason::HelloExpected);
}

#[test]
fn a_range_of_versions_is_enough() {
    let mut sidecar = RawSidecar::silent();
    sidecar.hello(0, 300);
    assert_eq!(sidecar.welcome().version, PROTOCOL_VERSION);
}

#[test]
fn a_frame_over_the_limit_ends_the_connection() {
    let mut sidecar = RawSidecar::start();
    let large = Head {
        body_len: u32::MAX,
        ..head(Kind::Execute, 1)
    };
    let mut wire = Vec::new();
    large.encode(&mut wire);
    sidecar.send_bytes(&wire);
    assert_eq!(sent_away(&mut sidecar), Reason::FrameTooLarge);
}

#[test]
fn what_cannot_be_read_is_refused_and_skipped() {
    let mut sidecar = RawSidecar::start();
    let cases = [
        (
            bytes(head(Kind::Unknown(0x7f), 1), b"?"),
            0x7f,
            Reason::UnknownKind,
        ),
        (
            bytes(head(Kind::Outcome, 1), b""),
            0x15,
            Reason::WrongDirection,
        ),
        (
            bytes(head(Kind::Execute, 0), b""),
            0x14,
            Reason::BadSessionId,
        ),
        (
            bytes(head(Kind::Execute, 1), b"\xff"),
            0x14,
            Reason::Malformed,
        ),
        (
            bytes(
                Head {
                    flags: 1,
                    ..head(Kind::Execute, 1)
                },
                b"",
            ),
            0x14,
            Reason::UnknownFlags,
        ),
    ];
    for (wire, kind, reason) in cases {
        sidecar.send_bytes(&wire);
        assert_eq!(refused(&mut sidecar), (kind, reason, RequestId(9)));
    }
    sidecar.hello(PROTOCOL_VERSION, PROTOCOL_VERSION);
    assert_eq!(refused(&mut sidecar).1, Reason::HelloRepeated);
    sidecar.send(1, 4, Cancel {});
    sidecar.send(0, 5, HostFrame::Ping(Ping { payload: [3; 8] }));
    let pong = SidecarFrame::Pong(Pong { payload: [3; 8] });
    // A cancel of nothing may be refused for its session; the ping is answered in any case.
    let mut next = sidecar.expect();
    if matches!(next.frame, SidecarFrame::Refused(_)) {
        next = sidecar.expect();
    }
    assert_eq!(next.frame, pong);
}
