//! PROTOCOL.md 7.1: what is refused, after which everything goes on.

use protocol::frame::{
    Call, CallTarget, Cancel, CloseSession, GetStats, HostReply, Kind, Ping, Pong, Reply, Until,
};
use protocol::{
    CallMode, EnvVar, HostFrame, HostFunction, LimitKind, Reason, Root, SidecarFrame, SnapshotKey,
    Value, ValueFormat,
};

use crate::support::{Host, encoded, execute, open};

const PING: Ping = Ping { payload: [7; 8] };

/// Sends `frame` as it is and checks that it is refused and the connection goes on.
fn check_refused(frame: &[u8], to: (u32, u64), reason: Reason) -> String {
    let mut host = Host::start();
    host.send_bytes(frame);
    let refused = host.expect_refused(to.0, to.1, reason);
    assert_eq!(refused.kind, frame[4]);
    host.send(0, 99, PING);
    assert!(matches!(host.next().frame, SidecarFrame::Pong(_)));
    refused.message
}

#[test]
fn ping_is_answered_and_a_stray_pong_ignored() {
    let mut host = Host::start();
    host.send(0, 5, Pong { payload: [1; 8] });
    host.send(0, 6, PING);
    let pong = SidecarFrame::Pong(Pong { payload: [7; 8] });
    assert_eq!(host.expect(0, 6), pong);
}

#[test]
fn unknown_kind() {
    let mut frame = encoded(0, 9, PING);
    frame[4] = 0xee;
    check_refused(&frame, (0, 9), Reason::UnknownKind);
}

#[test]
fn wrong_direction() {
    let mut frame = encoded(0, 9, PING);
    frame[4] = Kind::Welcome.to_wire();
    check_refused(&frame, (0, 9), Reason::WrongDirection);
}

#[test]
fn unknown_flags() {
    let mut frame = encoded(0, 9, PING);
    frame[5] = 1;
    check_refused(&frame, (0, 9), Reason::UnknownFlags);
}

#[test]
fn a_connection_frame_with_a_session() {
    let mut frame = encoded(0, 9, PING);
    frame[11] = 3;
    check_refused(&frame, (3, 9), Reason::BadSessionId);
}

#[test]
fn a_session_frame_without_a_session() {
    let mut frame = encoded(1, 9, execute("echo:1"));
    frame[11] = 0;
    check_refused(&frame, (0, 9), Reason::BadSessionId);
}

#[test]
fn a_body_that_does_not_parse_names_the_field() {
    let mut frame = encoded(0, 9, PING);
    frame.extend_from_slice(&[0]);
    frame[3] += 1;
    let message = check_refused(&frame, (0, 9), Reason::Malformed);
    assert!(!message.is_empty());
}

#[test]
fn a_session_that_does_not_exist() {
    let call = Call {
        target: CallTarget::Global {
            name: "f".to_owned(),
        },
        args: Value::Undefined,
        until: Until::Settled,
        result: ValueFormat::Json,
    };
    let reply = HostReply {
        reply: Reply::Ok(Value::Undefined),
    };
    let frames: [HostFrame; 6] = [
        execute("echo:1").into(),
        call.into(),
        reply.into(),
        Cancel {}.into(),
        CloseSession {}.into(),
        GetStats {}.into(),
    ];
    for frame in frames {
        let bytes = encoded(7, 9, frame);
        check_refused(&bytes, (7, 9), Reason::UnknownSession);
    }
}

#[test]
fn an_id_in_use_leaves_the_session_untouched() {
    let mut host = Host::start();
    host.open(1);
    host.send(1, 2, open(&[]));
    host.expect_refused(1, 2, Reason::DuplicateSession);
    host.check_alive(1, 3);
}

#[test]
fn a_request_id_in_flight_leaves_that_request_untouched() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 5, "gate\necho:1");
    let frames: [HostFrame; 3] = [
        execute("echo:2").into(),
        GetStats {}.into(),
        CloseSession {}.into(),
    ];
    for frame in frames {
        let kind = frame.kind();
        host.send(1, 5, frame);
        let refused = host.expect_refused(1, 5, Reason::DuplicateRequest);
        assert_eq!(refused.kind, kind.to_wire());
    }
    host.gate.open();
    assert_eq!(host.expect_outcome(1, 5), crate::support::ok("1"));
    host.check_alive(1, 5);
}

#[test]
fn the_id_of_open_session_is_in_flight_until_it_is_answered() {
    let mut host = Host::start();
    host.send(1, 5, open(&["open-waits"]));
    host.execute(1, 5, "echo:1");
    host.expect_refused(1, 5, Reason::DuplicateRequest);
    host.gate.open();
    assert!(matches!(host.expect(1, 5), SidecarFrame::SessionOpened(_)));
    host.check_alive(1, 5);
}

#[test]
fn request_id_0_is_no_request() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 0, "echo:1");
    host.expect_refused(1, 0, Reason::InvalidArgument);
    host.send(0, 0, GetStats {});
    host.expect_refused(0, 0, Reason::InvalidArgument);
    host.check_alive(1, 1);
}

#[test]
fn arguments_that_make_no_sense() {
    let mut host = Host::start();
    let f = || HostFunction {
        name: "g".to_owned(),
        mode: CallMode::Sync,
        format: ValueFormat::Json,
    };
    let root = |host: &str, guest: &str| Root {
        host: host.to_owned(),
        guest: guest.to_owned(),
    };
    let mut cases = Vec::new();
    for (field, word) in [
        ("cwd", "cwd"),
        ("roots-guest", "roots"),
        ("roots-host", "roots"),
        ("functions", "functions"),
        ("env", "env"),
    ] {
        let mut frame = open(&[]);
        match field {
            "cwd" => frame.cwd = "relative".to_owned(),
            "roots-guest" => frame.roots = vec![root("/tmp", "/a/../b")],
            "roots-host" => frame.roots = vec![root("tmp", "/a")],
            "functions" => frame.functions = vec![f(), f()],
            _ => {
                frame.env = vec![EnvVar {
                    name: String::new(),
                    value: String::new(),
                }];
            }
        }
        cases.push((frame, word));
    }
    for (frame, word) in cases {
        host.send(1, 1, frame);
        let refused = host.expect_refused(1, 1, Reason::InvalidArgument);
        assert!(refused.message.starts_with(word), "{}", refused.message);
    }
    host.open(1);
}

#[test]
fn a_snapshot_that_does_not_exist() {
    let mut host = Host::start();
    let mut frame = open(&[]);
    frame.snapshot = Some(SnapshotKey([3; 32]));
    host.send(1, 1, frame);
    let refused = host.expect_refused(1, 1, Reason::UnknownSnapshot);
    assert!(refused.message.contains("0303"), "{}", refused.message);
    host.open(1);
}

#[test]
fn a_session_that_cannot_be_opened_frees_its_id() {
    let mut host = Host::start();
    host.send(1, 1, open(&["open-fails"]));
    let refused = host.expect_refused(1, 1, Reason::OpenFailed);
    assert_eq!(refused.message, "argv says so");
    host.open(1);
}

#[test]
fn no_room_for_a_thread_is_too_many_sessions() {
    let mut host = Host::start();
    host.open(2);
    host.send(1, 1, open(&["no-thread"]));
    let limit = host.expect_refused(1, 1, Reason::TooManySessions).limit;
    assert_eq!(limit.unwrap().which, LimitKind::Sessions);
    host.open(1);
}
