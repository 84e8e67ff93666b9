//! Calls to the host: both modes, errors, counts, timeouts, cancellation.

use crate::support::{Session, function, json, spec};
use protocol::frame::{Code, HostError, Reply, Until};
use protocol::{Blob, CallMode, Outcome, Value};

fn session() -> Session {
    let mut spec = spec(1);
    spec.functions = vec![
        function("later", CallMode::Async),
        function("now", CallMode::Sync),
    ];
    Session::open(spec)
}

fn script(source: &str) -> Code {
    Code::Script {
        name: "main.js".into(),
        source: source.to_owned().into(),
    }
}

fn reply(text: &'static str) -> Reply {
    Reply::Ok(Value::Json(Blob::from_static(text.as_bytes())))
}

#[test]
fn both_modes_and_their_count() {
    let mut session = session();
    let source = "(async () => [host.now(1, 'x'), await host.later({ a: 2 })])()";
    let request = session.send(script(source), Until::Settled);
    let mut seen = Vec::new();
    let (outcome, usage) = session.finish(request, |method, args| {
        seen.push(format!("{method}{args}"));
        Some(reply("{\"ok\":true}"))
    });
    assert_eq!(json(&outcome), r#"[{"ok":true},{"ok":true}]"#);
    assert_eq!(seen, [r#"now[1,"x"]"#, r#"later[{"a":2}]"#]);
    assert_eq!(usage.round_trips, 2);
    let stats = session.handle.stats();
    assert_eq!(stats.methods.len(), 2);
    assert_eq!(stats.methods[0].count, 1);
}

#[test]
fn errors_of_the_host_are_errors_of_the_realm() {
    let mut session = session();
    let source = "try { host.now() } catch (e) { [e instanceof TypeError, e.message, e.code, e.constructor.constructor('return typeof process')()] }";
    let request = session.send(script(source), Until::Settled);
    let (outcome, _) = session.finish(request, |_, _| {
        Some(Reply::Err(HostError {
            name: "TypeError".into(),
            message: "no".into(),
            code: Some("E_NO".into()),
        }))
    });
    assert_eq!(json(&outcome), r#"[true,"no","E_NO","object"]"#);
    assert_eq!(session.handle.stats().methods[0].errors, 1);
}

#[test]
fn cancel_wakes_a_blocked_call_and_the_next_request_runs() {
    let mut session = session();
    let request = session.send(script("host.now()"), Until::Settled);
    match session.event() {
        host_bridge::SessionEvent::HostCall { .. } => {}
        other => panic!("{other:?}"),
    }
    session.handle.cancel(request);
    assert_eq!(session.finish(request, |_, _| None).0, Outcome::Cancelled);
    assert_eq!(json(&session.script("1 + 1")), "2");
}

#[test]
fn a_late_reply_is_refused() {
    let mut session = session();
    let request = session.send(script("host.now()"), Until::Settled);
    let call = match session.event() {
        host_bridge::SessionEvent::HostCall { call, .. } => call,
        other => panic!("{other:?}"),
    };
    session.handle.cancel(request);
    session.finish(request, |_, _| None);
    let command = host_bridge::SessionCommand::Reply {
        call,
        reply: reply("1"),
    };
    assert_eq!(
        session.handle.try_send(command),
        Err(host_bridge::SendError::UnknownCall)
    );
}

#[test]
fn a_call_that_is_not_answered_in_time_fails() {
    let mut spec = spec(1);
    spec.limits.host_call_timeout_ms = 20;
    spec.functions = vec![
        function("later", CallMode::Async),
        function("now", CallMode::Sync),
    ];
    let mut session = Session::open(spec);
    let source = "(async () => { const codes = []; \
        try { host.now() } catch (e) { codes.push(e.code) } \
        try { await host.later() } catch (e) { codes.push(e.code) } return codes })()";
    assert_eq!(
        json(&session.script(source)),
        r#"["ERR_HOST_CALL_TIMEOUT","ERR_HOST_CALL_TIMEOUT"]"#
    );
}
