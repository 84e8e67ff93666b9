//! PROTOCOL.md 6.5.

use protocol::frame::{HostCall, HostError, HostReply, Kind, Reply};
use protocol::{Blob, CallMode, Outcome, Reason, SidecarFrame, Value};

use crate::support::{Frame, Host, ok};

fn expect_call(host: &mut Host, session: u32) -> (u64, HostCall) {
    let frame = host.wait_for(|frame| {
        frame.session == session && matches!(frame.frame, SidecarFrame::HostCall(_))
    });
    match frame.frame {
        SidecarFrame::HostCall(call) => (frame.request, call),
        _ => unreachable!(),
    }
}

#[test]
fn arguments_out_and_result_in() {
    let mut host = Host::start();
    host.open(1);
    for (script, mode) in [
        ("host:f:[1,2]", CallMode::Async),
        ("sync-host:f:[1,2]", CallMode::Sync),
    ] {
        host.execute(1, 1, script);
        let (id, call) = expect_call(&mut host, 1);
        assert_eq!((call.method.as_str(), call.mode), ("f", mode));
        assert_eq!(call.args, Value::Json(Blob::from("[1,2]")));
        host.reply(1, id, "{\"a\":1}");
        assert_eq!(host.expect_outcome(1, 1), ok("{\"a\":1}"));
    }
}

#[test]
fn an_error_of_the_host_is_the_guests() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "host:f:[]");
    let (id, _) = expect_call(&mut host, 1);
    let reply = Reply::Err(HostError {
        name: "TypeError".to_owned(),
        message: "no".to_owned(),
        code: Some("ENO".to_owned()),
    });
    host.send(1, id, HostReply { reply });
    let Outcome::Exception(error) = host.expect_outcome(1, 1) else {
        panic!("no exception");
    };
    assert_eq!(
        (error.name.as_str(), error.message.as_str()),
        ("TypeError", "no")
    );
    assert_eq!(error.code.as_deref(), Some("ENO"));
}

#[test]
fn calls_of_a_session_come_in_order_and_are_answered_in_any() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "burst:f:3:5\necho:1");
    let ids: Vec<_> = (0..3).map(|_| expect_call(&mut host, 1).0).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    for id in ids.into_iter().rev() {
        host.reply(1, id, "0");
    }
    assert_eq!(host.expect_outcome(1, 1), ok("1"));
}

#[test]
fn a_second_reply_and_a_reply_to_no_call_are_refused() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "host:f:[]\ngate");
    let (id, _) = expect_call(&mut host, 1);
    host.reply(1, id, "1");
    host.reply(1, id, "2");
    let refused = host.expect_refused(1, id, Reason::UnknownCall);
    assert_eq!(refused.kind, Kind::HostReply.to_wire());
    host.reply(1, 4711, "1");
    host.expect_refused(1, 4711, Reason::UnknownCall);
    host.gate.open();
    assert_eq!(host.expect_outcome(1, 1), ok("1"));
}

#[test]
fn call_ids_and_request_ids_have_nothing_to_do_with_each_other() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "host:f:[]");
    let (id, _) = expect_call(&mut host, 1);
    assert_eq!(id, 1, "the same number on purpose");
    host.reply(1, id, "5");
    assert_eq!(host.expect_outcome(1, 1), ok("5"));
}

#[test]
fn sessions_do_not_answer_for_each_other() {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    host.execute(1, 1, "host:f:[]");
    let (id, _) = expect_call(&mut host, 1);
    host.reply(2, id, "6");
    host.expect_refused(2, id, Reason::UnknownCall);
    host.reply(1, id, "5");
    assert_eq!(host.expect_outcome(1, 1), ok("5"));
}

#[test]
fn with_its_session_a_call_is_void() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "sync-host:f:[]");
    let (id, _) = expect_call(&mut host, 1);
    host.close(1, 2);
    assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
    host.expect_closed(1, 2);
    host.reply(1, id, "5");
    host.expect_refused(1, id, Reason::UnknownSession);
}

#[test]
fn an_unhandled_rejection_belongs_to_the_running_request() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 8, "reject:oh\necho:1");
    let Frame { request, frame, .. } = host.next();
    assert_eq!(request, 8);
    let SidecarFrame::SessionEvent(event) = frame else {
        panic!("no event");
    };
    assert!(format!("{event:?}").contains("oh"));
    assert_eq!(host.expect_outcome(1, 8), ok("1"));
}

#[test]
fn a_call_never_overtakes_what_its_guest_did_before() {
    let mut host = Host::start();
    host.open(1);
    let n = 300;
    let script = "print:a\nreject:b\nsync-host:f:[]\n".repeat(n);
    host.execute(1, 1, &script);
    for _ in 0..n {
        let kinds: Vec<_> = (0..2).map(|_| host.next().frame.kind()).collect();
        assert_eq!(kinds, [Kind::Output, Kind::SessionEvent]);
        let call = host.next();
        assert_eq!(call.frame.kind(), Kind::HostCall);
        host.reply(1, call.request, "1");
    }
    assert_eq!(host.expect_outcome(1, 1), ok("1"));
}

#[test]
fn calls_of_many_sessions_at_once_are_whole_and_answered() {
    let mut host = Host::start();
    let (n_sessions, n_calls) = (8, 100);
    for session in 1..=n_sessions {
        host.open(session);
        let script = "sync-host:f:[1]\n".repeat(n_calls);
        host.execute(session, 1, &script);
    }
    for _ in 0..n_sessions * n_calls as u32 {
        let call = host.wait_for(|frame| frame.frame.kind() == Kind::HostCall);
        host.reply(call.session, call.request, "7");
    }
    for session in 1..=n_sessions {
        assert_eq!(host.expect_outcome(session, 1), ok("7"));
    }
}
