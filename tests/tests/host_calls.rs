//! Functions of the host that guests call.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use e2e_tests::{answers, error, json, ok, run, session, sidecar, unanswered};
use isolate_sidecar_client::{
    CallMode, GuestEvent, HostError, LimitKind, LimitsRequest, Outcome, Responder, SessionOptions,
    Value, ValueFormat, script,
};
use serde_json::json;

/// Answers with its arguments.
fn echo(args: Value) -> Result<Value, HostError> {
    Ok(args)
}

fn refuse(_: Value) -> Result<Value, HostError> {
    Err(HostError {
        name: "QuotaError".to_owned(),
        message: "nothing left".to_owned(),
        code: Some("E_QUOTA".to_owned()),
    })
}

#[test]
fn a_synchronous_call_returns_its_value() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions::default())
        .function("echo", CallMode::Sync, echo)
        .function("refuse", CallMode::Sync, refuse)
        .open()
        .unwrap();
    assert_eq!(
        ok(&session, "host.echo(1, 'two', { three: [3] })"),
        json!([1, "two", { "three": [3] }])
    );
    let caught =
        "try { host.refuse(); } catch (e) { [e instanceof Error, e.name, e.message, e.code] }";
    assert_eq!(
        ok(&session, caught),
        json!([true, "QuotaError", "nothing left", "E_QUOTA"])
    );
    let thrown = error(run(&session, "host.refuse()").outcome);
    assert_eq!(
        (thrown.name.as_str(), thrown.code.as_deref()),
        ("QuotaError", Some("E_QUOTA"))
    );
    let many = "let sum = 0; for (let i = 0; i < 500; i++) sum += host.echo(i)[0]; sum";
    assert_eq!(ok(&session, many), 124_750);
    session.close().unwrap();
}

#[test]
fn an_asynchronous_call_returns_a_promise() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions::default())
        .function("echo", CallMode::Async, echo)
        .function("refuse", CallMode::Async, refuse)
        .open()
        .unwrap();
    let source = "const all = [...Array(200).keys()].map((i) => host.echo(i));
        Promise.all(all).then((lists) => lists.flat().length)";
    assert_eq!(ok(&session, source), 200);
    let caught = "host.refuse().catch((e) => e.code)";
    assert_eq!(ok(&session, caught), "E_QUOTA");
}

#[test]
fn values_cross_in_the_format_of_the_function() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions::default())
        .function_in("clone", CallMode::Sync, ValueFormat::V8, echo)
        .function("bytes", CallMode::Sync, |_| {
            Ok(Value::Raw(vec![0, 255].into()))
        })
        .function("nothing", CallMode::Sync, |_| Ok(Value::Undefined))
        .open()
        .unwrap();
    assert_eq!(
        ok(&session, "host.clone(new Map([[1, 2n]]))[0].get(1) === 2n"),
        true
    );
    assert_eq!(
        ok(&session, "[...new Uint8Array(host.bytes())]"),
        json!([0, 255])
    );
    assert_eq!(ok(&session, "typeof host.nothing()"), "undefined");
    error(run(&session, "host.clone(() => 1)").outcome);
}

#[test]
fn only_the_named_functions_are_there() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions::default())
        .function("echo", CallMode::Sync, echo)
        .open()
        .unwrap();
    assert_eq!(ok(&session, "Object.keys(host)"), json!(["echo"]));
    assert_eq!(
        error(run(&session, "host.readFile('/etc/passwd')").outcome).name,
        "TypeError"
    );
    let chain = "try { host.echo(1n) } catch (e) { typeof e.constructor.constructor('return process')().mainModule }";
    assert_eq!(ok(&session, chain), "undefined");
}

#[test]
fn round_trips_are_counted_by_method() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions::default())
        .function("echo", CallMode::Sync, echo)
        .function("refuse", CallMode::Async, refuse)
        .open()
        .unwrap();
    let source = "host.echo(1); host.echo(2); host.refuse().catch(() => 0)";
    let finished = session.execute(script("a.js", source)).unwrap();
    assert_eq!(finished.usage.round_trips, 3);
    let mut stats = session.close().unwrap();
    stats.methods.sort_by(|a, b| a.method.cmp(&b.method));
    let counts: Vec<_> = stats
        .methods
        .iter()
        .map(|m| (m.method.as_str(), m.count, m.errors))
        .collect();
    assert_eq!(counts, [("echo", 2, 0), ("refuse", 1, 1)]);
    assert!(
        stats.methods[0].p50_us > 0 && stats.bytes_out > 0 && stats.bytes_in > 0,
        "{stats:?}"
    );
}

#[test]
fn calls_in_flight_and_their_time_are_limited() {
    let sidecar = sidecar();
    let kept: Arc<Mutex<Vec<Responder>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let warned = Arc::new(Mutex::new(Vec::new()));
    let warn = Arc::clone(&warned);
    let session = sidecar
        .session(SessionOptions {
            limits: LimitsRequest {
                host_calls_in_flight: Some(3),
                host_call_timeout_ms: Some(200),
                ..LimitsRequest::default()
            },
            ..SessionOptions::default()
        })
        .deferred(
            "never",
            CallMode::Async,
            ValueFormat::Json,
            move |_, responder| {
                keep.lock().unwrap().push(responder);
            },
        )
        .on_event(move |_, event| {
            if let GuestEvent::LimitWarning(report) = event {
                warn.lock().unwrap().push(report.which);
            }
        })
        .open()
        .unwrap();
    let source = "Promise.allSettled([1, 2, 3, 4, 5].map(async () => host.never()))
        .then((all) => all.map(({ status, reason }) => [status, typeof reason.code]))";
    let all = ok(&session, source);
    assert_eq!(all, json!(vec![json!(["rejected", "string"]); 5]));
    assert_eq!(kept.lock().unwrap().len(), 3);
    let told = warned.lock().unwrap().clone();
    let count = |which| told.iter().filter(|seen| **seen == which).count();
    assert_eq!(count(LimitKind::HostCalls), 2);
    assert_eq!(count(LimitKind::HostCallTimeout), 3);
    // Answers that come too late do no harm.
    kept.lock()
        .unwrap()
        .drain(..)
        .for_each(|late| late.reply(Ok(Value::Undefined)));
    answers(&session);
}

#[test]
fn a_call_may_outlive_its_request() {
    let sidecar = sidecar();
    let (session, kept) = unanswered(&sidecar, "later", CallMode::Async);
    assert_eq!(
        ok(
            &session,
            "host.later().then((v) => { globalThis.got = v }); 'started'"
        ),
        "started"
    );
    sidecar.serve_for(Duration::from_millis(100));
    for responder in kept.lock().unwrap().drain(..) {
        responder.reply(Ok(Value::Json("7".into())));
    }
    let waiting = "new Promise((done) => { const look = () => globalThis.got ? done(got) : setTimeout(look, 5); look() })";
    assert_eq!(ok(&session, waiting), 7);
}

#[test]
fn an_answer_to_a_session_that_is_gone_does_no_harm() {
    let sidecar = sidecar();
    let (closing, kept) = unanswered(&sidecar, "later", CallMode::Async);
    ok(&closing, "host.later().catch(() => {}); 0");
    sidecar.serve_for(Duration::from_millis(100));
    closing.close().unwrap();
    assert_eq!(kept.lock().unwrap().len(), 1);
    kept.lock()
        .unwrap()
        .drain(..)
        .for_each(|late| late.reply(Ok(Value::Undefined)));
    answers(&session(&sidecar));
}

#[test]
fn values_over_the_limit_fail_the_call_and_not_the_session() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions {
            limits: LimitsRequest {
                message_bytes: Some(10_000),
                ..LimitsRequest::default()
            },
            ..SessionOptions::default()
        })
        .function("echo", CallMode::Sync, echo)
        .function("large", CallMode::Sync, |_| {
            Ok(Value::Raw(vec![1; 20_000].into()))
        })
        .open()
        .unwrap();
    for call in ["host.echo('x'.repeat(20_000))", "host.large()"] {
        let source = format!("try {{ {call}; 'passed' }} catch (e) {{ typeof e.code }}");
        assert_eq!(ok(&session, &source), "string", "{call}");
    }
    let outcome = run(&session, "'x'.repeat(20_000)").outcome;
    let Outcome::LimitExceeded(report) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!((report.which, report.limit), (LimitKind::Message, 10_000));
    answers(&session);
}

#[test]
fn large_values_go_both_ways_at_once() {
    let sidecar = sidecar();
    let session = sidecar
        .session(SessionOptions::default())
        .function_in("echo", CallMode::Async, ValueFormat::V8, echo)
        .open()
        .unwrap();
    let source = "const one = new Uint8Array(4 << 20).fill(7);
        Promise.all(Array.from({ length: 6 }, () => host.echo(one))).then((all) => all.map(([b]) => b.byteLength))";
    let finished = session.execute(script("a.js", source)).unwrap();
    let sizes = json(finished.outcome);
    assert_eq!(sizes.as_array().map(Vec::len), Some(6), "{sizes}");
}
