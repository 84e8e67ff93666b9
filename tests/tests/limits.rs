//! Limits: each stops its guest in time, and nothing else.

#![expect(
    clippy::panic,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use e2e_tests::{answers, limit, limits, open, run, session, sidecar};
use isolate_sidecar_client::{
    CallMode, Finished, LimitKind, LimitsRequest, Outcome, Reason, RequestError, Responder,
    Session, SessionOptions, Value, ValueFormat, script,
};

const WALL_MS: u64 = 300;
/// What a stop may take on a busy machine.
const WITHIN: std::ops::Range<u128> = 300..1_500;

/// Fails unless `code` is stopped by its limit on elapsed time, in time, and the session
/// goes on.
#[track_caller]
fn check_wall(session: &Session, code: &str) {
    let ended = run(session, code);
    let report = limit(ended.outcome);
    assert_eq!((report.which, report.limit), (LimitKind::Wall, WALL_MS));
    assert!(report.usage >= WALL_MS, "{report:?}");
    assert!(report.raise.contains("wall_ms"), "{report:?}");
    assert!(WITHIN.contains(&ended.took.as_millis()), "{:?}", ended.took);
    answers(session);
}

#[test]
fn an_endless_loop_is_stopped() {
    let sidecar = sidecar();
    let session = open(&sidecar, limits(0, WALL_MS));
    check_wall(&session, "for (;;);");
    check_wall(
        &session,
        "for (;;) { try { for (;;); } finally { continue; } }",
    );
    session.close().unwrap();
}

#[test]
fn a_loop_that_v8_has_optimised_is_stopped() {
    let sidecar = sidecar();
    let session = open(&sidecar, limits(0, WALL_MS));
    check_wall(&session, "for (;;) new Array(1000).fill(1)");
    check_wall(
        &session,
        "let n = 0; for (;;) { for (let i = 0; i < 4; i++) n += i; }",
    );
    session.close().unwrap();
}

#[test]
fn jobs_without_end_are_stopped() {
    let sidecar = sidecar();
    let session = open(&sidecar, limits(0, WALL_MS));
    check_wall(
        &session,
        "const again = () => Promise.resolve().then(again); again(); new Promise(() => {})",
    );
    check_wall(&session, "(async () => { for (;;) await null; })()");
    check_wall(&session, "new Promise(() => setInterval(() => {}, 1))");
    session.close().unwrap();
}

#[test]
fn a_synchronous_call_without_answer_is_stopped() {
    let sidecar = sidecar();
    let kept: Arc<Mutex<Vec<Responder>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let session = sidecar
        .session(limits(0, WALL_MS))
        .deferred(
            "never",
            CallMode::Sync,
            ValueFormat::Json,
            move |_, responder| {
                keep.lock().unwrap().push(responder);
            },
        )
        .open()
        .unwrap();
    check_wall(&session, "host.never()");
    check_wall(&session, "for (;;) { try { host.never() } catch {} }");
    kept.lock()
        .unwrap()
        .drain(..)
        .for_each(|late| late.reply(Ok(Value::Undefined)));
    answers(&session);
    session.close().unwrap();
}

#[test]
fn time_on_the_cpu_has_a_limit_of_its_own() {
    let sidecar = sidecar();
    let mut options = limits(0, 20_000);
    options.limits.cpu_ms = Some(200);
    let session = open(&sidecar, options);
    let ended = run(&session, "for (;;);");
    let report = limit(ended.outcome);
    assert_eq!((report.which, report.limit), (LimitKind::Cpu, 200));
    assert!(ended.took < Duration::from_secs(4), "{:?}", ended.took);
    // Waiting is no time on the CPU.
    let waits = run(
        &session,
        "new Promise((done) => setTimeout(() => done(1), 600))",
    );
    assert_eq!(waits.outcome, Outcome::Ok(Value::Json("1".into())));
    answers(&session);
}

/// Fails unless `code` ends over its limit on memory: with an outcome, with its session, or
/// with the error of a buffer that there is no memory for.
#[track_caller]
fn check_memory(session: &Session, code: &str) {
    match session.execute(script("bomb.js", code.to_owned())) {
        Ok(Finished {
            outcome: Outcome::Exception(error),
            ..
        }) => assert_eq!(error.name, "RangeError"),
        Ok(finished) => assert_eq!(limit(finished.outcome).which, LimitKind::Memory),
        Err(RequestError::SessionLost { reason, .. }) => {
            assert!(
                matches!(reason, Reason::MemoryExceeded | Reason::EngineOom),
                "{reason}"
            );
        }
        Err(err) => panic!("{err}"),
    }
}

#[test]
fn a_heap_bomb_does_not_reach_its_neighbours() {
    let sidecar = sidecar();
    let pid = sidecar.pid();
    let neighbours: Vec<Session> = (0..10).map(|_| session(&sidecar)).collect();
    let bombs = [
        "const all = []; for (;;) all.push({ a: [1, 2, 3] });",
        "const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1));",
        "const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });",
    ];
    for bomb in bombs {
        let victim = open(&sidecar, limits(32, 20_000));
        check_memory(&victim, bomb);
        neighbours.iter().for_each(answers);
    }
    assert_eq!(sidecar.pid(), pid);
    sidecar.ping().unwrap();
}

#[test]
fn timers_are_limited() {
    let sidecar = sidecar();
    let session = open(
        &sidecar,
        SessionOptions {
            limits: LimitsRequest {
                timers: Some(10),
                ..LimitsRequest::default()
            },
            ..SessionOptions::default()
        },
    );
    let source = "let n = 0; try { for (;;) { setTimeout(() => {}, 1e6); n++; } } catch (e) { [n, typeof e.code] }";
    assert_eq!(
        e2e_tests::ok(&session, source),
        serde_json::json!([10, "string"])
    );
}

#[test]
fn limits_are_capped_by_the_command_line_and_never_zero() {
    let sidecar =
        e2e_tests::sidecar_with(&["--heap-mb-ceiling", "64", "--wall-ms-ceiling", "1000"]);
    let session = open(&sidecar, limits(512, 60_000));
    assert_eq!(session.limits().heap_bytes, 64 << 20);
    assert_eq!(session.limits().wall_ms, 1000);
    let mut nothing = limits(1, 1);
    nothing.limits.cpu_ms = Some(0);
    let session = open(&sidecar, nothing);
    assert_eq!(session.limits().heap_bytes, 8 << 20);
    assert_eq!(session.limits().cpu_ms, 1);
}

#[test]
fn sessions_are_limited() {
    let sidecar = e2e_tests::sidecar_with(&["--max-sessions", "2"]);
    let first = session(&sidecar);
    let _second = session(&sidecar);
    match sidecar.session(SessionOptions::default()).open() {
        Err(RequestError::Refused { reason, limit, .. }) => {
            assert_eq!(reason, Reason::TooManySessions);
            assert_eq!(limit.map(|report| report.limit), Some(2));
        }
        other => panic!("{other:?}"),
    }
    first.close().unwrap();
    answers(&session(&sidecar));
}
