//! Bounds just below, at and above: sessions, waiting requests, values, frames.

use host_bridge::MAX_COMMANDS;
use protocol::bounds::HELLO_MAX_FRAME;
use protocol::frame::{Execute, HostReply, Reply, SessionOpened};
use protocol::{Blob, LimitKind, Limits, Outcome, Reason, SidecarFrame, Value};

use crate::support::{Host, execute, ok, open};

#[test]
fn sessions_at_and_above_the_limit() {
    let mut host = Host::start_with(|config| config.max_sessions = 2);
    host.open(1);
    host.open(2);
    host.send(3, 1, open(&[]));
    let refused = host.expect_refused(3, 1, Reason::TooManySessions);
    let limit = refused.limit.unwrap();
    assert_eq!(
        (limit.which, limit.limit, limit.usage),
        (LimitKind::Sessions, 2, 3)
    );
    host.close(1, 2);
    host.expect_closed(1, 2);
    host.open(3);
}

#[test]
fn waiting_requests_at_and_above_the_limit() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "gate");
    let n_waiting = MAX_COMMANDS as u64;
    for request in 2..2 + n_waiting {
        host.execute(1, request, &format!("echo:{request}"));
    }
    host.execute(1, 500, "echo:500");
    let refused = host.expect_refused(1, 500, Reason::Busy);
    let limit = refused.limit.unwrap();
    assert_eq!((limit.which, limit.limit), (LimitKind::Requests, n_waiting));
    host.gate.open();
    assert_eq!(host.expect_outcome(1, 1), Outcome::Ok(Value::Undefined));
    for request in 2..2 + n_waiting {
        assert_eq!(host.next().request, request, "in order");
    }
    host.check_alive(1, 500);
}

#[test]
fn one_busy_session_does_not_make_another_busy() {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    host.begin(1, 1, "gate");
    for request in 2..50 {
        host.execute(1, request, "echo:1");
    }
    host.check_alive(2, 1);
    host.gate.open();
}

#[test]
fn limits_are_resolved_against_ceilings() {
    let mut host = Host::start_with(|config| config.ceilings.heap_bytes = 64 << 20);
    let mut frame = open(&[]);
    frame.limits.heap_bytes = Some(1 << 40);
    frame.limits.timers = Some(0);
    host.send(1, 1, frame);
    let SidecarFrame::SessionOpened(SessionOpened { limits, .. }) = host.expect(1, 1) else {
        panic!("not opened");
    };
    assert_eq!(limits.heap_bytes, 64 << 20);
    assert_eq!(limits.timers, 1, "0 never means unbounded");
    assert_eq!(limits.wall_ms, Limits::DEFAULT.wall_ms);
}

#[test]
fn an_input_at_and_above_the_message_limit() {
    let mut host = Host::start();
    let mut frame = open(&[]);
    frame.limits.message_bytes = Some(10);
    host.send(1, 1, frame);
    host.expect(1, 1);
    let with_input = |n| Execute {
        input: Value::Raw(Blob::from(vec![0; n])),
        ..execute("input")
    };
    host.send(1, 2, with_input(10));
    let input = Value::Raw(Blob::from(vec![0; 10]));
    assert_eq!(host.expect_outcome(1, 2), Outcome::Ok(input));
    host.send(1, 3, with_input(11));
    let limit = host.expect_refused(1, 3, Reason::LimitExceeded).limit;
    let limit = limit.unwrap();
    assert_eq!(
        (limit.which, limit.limit, limit.usage),
        (LimitKind::Message, 10, 11)
    );
}

#[test]
fn a_reply_over_the_message_limit_fails_the_guest_and_tells_the_host() {
    let mut host = Host::start();
    let mut frame = open(&[]);
    frame.limits.message_bytes = Some(10);
    host.send(1, 1, frame);
    host.expect(1, 1);
    host.execute(1, 2, "host:f:[]");
    let call = host.next();
    assert!(matches!(call.frame, SidecarFrame::HostCall(_)));
    let reply = Reply::Ok(Value::Raw(Blob::from(vec![0; 11])));
    host.send(1, call.request, HostReply { reply });
    host.expect_refused(1, call.request, Reason::LimitExceeded);
    let Outcome::Exception(error) = host.expect_outcome(1, 2) else {
        panic!("no exception");
    };
    assert_eq!(error.code.as_deref(), Some("ERR_MESSAGE_TOO_LARGE"));
}

#[test]
fn an_answer_that_fits_no_frame_is_replaced() {
    let mut host = Host::connect(|_| {});
    assert_eq!(host.hello(1).max_frame, HELLO_MAX_FRAME);
    host.open(1);
    host.execute(1, 1, "raw:65000");
    assert!(matches!(host.expect_outcome(1, 1), Outcome::Ok(_)));
    host.execute(1, 2, "raw:65536");
    let Outcome::LimitExceeded(limit) = host.expect_outcome(1, 2) else {
        panic!("not replaced");
    };
    assert_eq!(limit.which, LimitKind::Frame);
    assert_eq!(limit.limit, u64::from(HELLO_MAX_FRAME));
    assert!(limit.usage > limit.limit);
    host.check_alive(1, 3);
}

#[test]
fn arguments_that_fit_no_frame_fail_the_guests_call() {
    let mut host = Host::connect(|_| {});
    host.hello(1);
    host.open(1);
    host.execute(1, 1, "burst:f:1:70000");
    let Outcome::Exception(error) = host.expect_outcome(1, 1) else {
        panic!("no exception");
    };
    assert_eq!(error.code.as_deref(), Some("ERR_MESSAGE_TOO_LARGE"));
    host.execute(1, 2, "host:f:[]");
    let call = host.next();
    host.reply(1, call.request, "3");
    assert_eq!(host.expect_outcome(1, 2), ok("3"));
}
