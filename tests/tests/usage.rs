//! What outcomes say of what was used.

use std::time::Duration;

use e2e_tests::{limit, limits, open, session, sidecar, within};
use isolate_sidecar_client::{
    Call, CallMode, CallTarget, LimitKind, Outcome, SessionOptions, Until, Value, ValueFormat,
    script,
};

/// What a spin of 50 ms takes at least: `Date.now` has no parts of a millisecond.
const SPUN_US: u64 = 48_000;
const SPIN_50: &str = "((until) => { while (Date.now() < until); })(Date.now() + 50);";

#[test]
fn an_outcome_of_each_kind_has_its_usage() {
    let sidecar = sidecar();
    let session = sidecar
        .session(limits(64, 400))
        .function("f", CallMode::Sync, Ok)
        .open()
        .unwrap();
    for (code, round_trips) in [
        (format!("{SPIN_50} host.f(1); host.f(2); 1"), 2),
        (format!("{SPIN_50} host.f(1); throw 1"), 1),
        (format!("{SPIN_50} host.f(1); for (;;);"), 1),
        (format!("{SPIN_50} process.exit(3)"), 0),
    ] {
        let usage = session.execute(script("a.js", code.clone())).unwrap().usage;
        assert!(usage.wall_us >= SPUN_US, "{code}: {usage:?}");
        assert!(
            usage.cpu_us > 0 && usage.cpu_us <= usage.wall_us + 10_000,
            "{usage:?}"
        );
        assert_eq!(usage.round_trips, round_trips, "{code}");
        assert!(usage.heap_peak_bytes > 0, "{code}: {usage:?}");
    }
}

#[test]
fn a_call_has_its_usage() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let define = format!("globalThis.f = () => {{ {SPIN_50} return 1; }}; 1");
    session.execute(script("a.js", define)).unwrap();
    let called = session
        .call(Call {
            target: CallTarget::Global {
                name: "f".to_owned(),
            },
            args: Value::Undefined,
            until: Until::Settled,
            result: ValueFormat::Json,
        })
        .unwrap();
    assert_eq!(called.outcome, Outcome::Ok(Value::Json("1".into())));
    assert!(called.usage.wall_us >= SPUN_US, "{:?}", called.usage);
    assert!(called.usage.heap_peak_bytes > 0, "{:?}", called.usage);
}

#[test]
fn a_cancelled_request_has_its_usage() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let running = session.start(script("a.js", "for (;;);")).unwrap();
    sidecar.serve_for(Duration::from_millis(100));
    session.cancel(&running);
    let finished = running.wait().unwrap();
    assert_eq!(finished.outcome, Outcome::Cancelled);
    assert!(finished.usage.wall_us >= SPUN_US, "{:?}", finished.usage);
}

#[test]
fn what_ends_its_session_over_memory_has_its_usage() {
    let sidecar = sidecar();
    // One allocation alone is far over the limit, so that the engine cannot unwind.
    for bomb in [
        "const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });",
        "const all = []; for (;;) all.push(all.slice(), [1, 2, 3]);",
    ] {
        let session = open(&sidecar, limits(16, 20_000));
        let Ok(finished) = session.execute(script("bomb.js", bomb)) else {
            unreachable!("an outcome comes before the end of the session");
        };
        let usage = finished.usage;
        assert_eq!(limit(finished.outcome).which, LimitKind::Memory);
        assert!(usage.wall_us > 0 && usage.cpu_us > 0, "{bomb}: {usage:?}");
        assert!(usage.heap_peak_bytes > 8 << 20, "{bomb}: {usage:?}");
    }
}

#[test]
fn what_is_between_requests_costs_its_session() {
    let sidecar = sidecar();
    let session = open(&sidecar, SessionOptions::default());
    let work = "setTimeout(() => { let sum = 0; for (let i = 0; i < 3e7; i++) sum += Math.sqrt(i); }, 1); 1";
    session.execute(script("a.js", work)).unwrap();
    let before = session.stats().unwrap().cpu_us;
    let grown = within(Duration::from_secs(20), || {
        let after = session.stats().unwrap().cpu_us;
        (after > before + 10_000).then_some(after)
    });
    assert!(grown.is_some(), "{before}");
}
