//! Limits end the request that passed them, and the next one runs as if nothing had been.

use std::time::{Duration, Instant};

use crate::support::{Session, function, json, spec};
use host_bridge::{ExitReason, SessionEvent};
use protocol::{CallMode, LimitKind, Outcome};

fn limited(wall_ms: u64) -> Session {
    let mut spec = spec(1);
    spec.limits.wall_ms = wall_ms;
    spec.functions = vec![
        function("wait", CallMode::Sync),
        function("later", CallMode::Async),
    ];
    Session::open(spec)
}

#[track_caller]
fn ends_by_wall(source: &str) {
    let mut session = limited(300);
    for _ in 0..2 {
        let started = Instant::now();
        match session.script(source) {
            Outcome::LimitExceeded(report) => assert_eq!(report.which, LimitKind::Wall),
            other => panic!("{other:?}"),
        }
        let took = started.elapsed();
        assert!(took >= Duration::from_millis(300), "{took:?}");
        assert!(took < Duration::from_secs(3), "{took:?}");
        assert_eq!(json(&session.script("1 + 1")), "2");
    }
}

#[test]
fn endless_loop() {
    ends_by_wall("for (;;) {}");
}

#[test]
fn optimised_loop_of_builtins() {
    ends_by_wall("for (;;) new Array(1000).fill(1)");
}

#[test]
fn promise_jobs_without_end() {
    ends_by_wall("function again() { Promise.resolve().then(again) } again(); 1");
}

#[test]
fn loop_in_a_timer() {
    ends_by_wall("new Promise(() => setTimeout(() => { for (;;) {} }, 1))");
}

#[test]
fn try_finally_continue() {
    ends_by_wall("for (;;) { try { for (;;) {} } finally { continue } }");
}

#[test]
fn regular_expression() {
    ends_by_wall("/^(a+)+$/.test('a'.repeat(40) + 'b')");
}

#[test]
fn blocked_synchronous_call() {
    ends_by_wall("host.wait()");
}

#[test]
fn unanswered_asynchronous_call() {
    ends_by_wall("host.later()");
}

#[test]
fn getter_while_the_result_is_encoded() {
    ends_by_wall("({ get a() { for (;;) {} } })");
    ends_by_wall("({ toJSON() { for (;;) {} } })");
    ends_by_wall("({ then(ok) { for (;;) {} } })");
}

#[test]
fn cpu_limit() {
    let mut spec = spec(1);
    spec.limits.cpu_ms = 100;
    let mut session = Session::open(spec);
    match session.script("for (;;) {}") {
        Outcome::LimitExceeded(report) => assert_eq!(report.which, LimitKind::Cpu),
        other => panic!("{other:?}"),
    }
    assert_eq!(json(&session.script("1 + 1")), "2");
}

#[test]
fn a_promise_that_nobody_settles_is_told_at_once() {
    let mut session = Session::open(spec(1));
    match session.script("new Promise(() => {})") {
        Outcome::Exception(error) => {
            assert_eq!(error.code.as_deref(), Some("ERR_UNSETTLED_PROMISE"));
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn ends_by_memory(source: &str) {
    let mut spec = spec(1);
    spec.limits.heap_bytes = 32 << 20;
    let mut session = Session::open(spec);
    let mut neighbour = Session::open(crate::support::spec(2));
    match session.script(source) {
        Outcome::LimitExceeded(report) => assert_eq!(report.which, LimitKind::Memory),
        Outcome::Exception(error) => {
            assert_eq!(error.name, "RangeError", "{error:?}");
            return;
        }
        other => panic!("{other:?}"),
    }
    // What is left may be within the limit, and then the session goes on.
    session.try_script("1 + 1");
    match session.event() {
        SessionEvent::Exited { reason, .. } => assert!(
            matches!(reason, ExitReason::MemoryExceeded | ExitReason::EngineOom),
            "{reason:?}"
        ),
        SessionEvent::Finished { outcome, .. } => assert_eq!(json(&outcome), "2"),
        other => panic!("{other:?}"),
    }
    assert_eq!(json(&neighbour.script("1 + 1")), "2");
}

#[test]
fn memory_small_objects() {
    ends_by_memory("const all = []; for (;;) all.push({ a: 1 })");
}

#[test]
fn memory_catch_and_retry() {
    ends_by_memory("const all = []; for (;;) { try { for (;;) all.push([1, 2, 3]) } catch {} }");
}

#[test]
fn memory_growing_map() {
    ends_by_memory("const map = new Map(); for (let i = 0; ; i++) map.set(i, i)");
}

#[test]
fn memory_spread_of_a_long_string() {
    ends_by_memory("[...'x'.repeat(5e8)]");
}

#[test]
fn memory_array_buffers() {
    ends_by_memory(
        "const all = []; for (let i = 0; i < 256; i++) all.push(new Uint8Array(1 << 20)); all.length",
    );
}

#[test]
fn an_array_that_v8_cannot_make() {
    ends_by_memory("'a'.repeat(2 ** 28).split('')");
}

#[test]
fn an_array_buffer_over_the_limit_is_a_range_error_and_nothing_else() {
    let mut spec = spec(1);
    spec.limits.heap_bytes = 32 << 20;
    let mut session = Session::open(spec);
    let source = "try { new Uint8Array(1e9) } catch (error) { error.name }";
    assert_eq!(json(&session.script(source)), "\"RangeError\"");
    let source =
        "const all = []; try { for (;;) all.push(new Uint8Array(1 << 20)) } catch {} all.length";
    let kept: u32 = json(&session.script(source)).parse().unwrap();
    assert!((20..=32).contains(&kept), "{kept}");
}

#[test]
fn memory_json() {
    ends_by_memory(
        "const text = JSON.stringify(Array.from({ length: 1e5 }, (_, i) => 'string ' + i)); \
         const all = []; for (;;) all.push(JSON.parse(text))",
    );
}

#[test]
fn recursion_without_end_is_a_range_error() {
    let mut session = Session::open(spec(1));
    match session.script("function f() { return f() + 1 } f()") {
        Outcome::Exception(error) => assert_eq!(error.name, "RangeError", "{error:?}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(json(&session.script("1 + 1")), "2");
}

#[test]
fn memory_in_a_promise_job() {
    ends_by_memory("Promise.resolve().then(() => { const all = []; for (;;) all.push({}) }); 1");
}
