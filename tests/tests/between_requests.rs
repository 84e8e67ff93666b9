//! What a guest does between requests: it holds up no request, no cancellation and no end
//! of its session for longer than a bounded time.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use e2e_tests::{answers, json, limit, limits, ok, open, sidecar, unanswered};
use isolate_sidecar_client::{
    CallMode, GuestEvent, LimitKind, Outcome, Session, SessionOptions, Sidecar, script,
};

const SPIN: &str = "setTimeout(() => { for (;;); }, 1); 1";

/// A session whose guest spins between requests.
fn spinning(sidecar: &Sidecar, options: SessionOptions) -> Session {
    let session = open(sidecar, options);
    let started = session.execute(script("a.js", SPIN)).unwrap();
    assert_eq!(json(started.outcome), 1);
    sidecar.serve_for(Duration::from_millis(100));
    session
}

#[test]
fn it_makes_way_for_a_request() {
    let sidecar = sidecar();
    let (warned, warnings) = sync_channel(8);
    let session = sidecar
        .session(SessionOptions::default())
        .on_event(move |_, event| {
            let _ = warned.try_send(event);
        })
        .open()
        .unwrap();
    ok(&session, SPIN);
    sidecar.serve_for(Duration::from_millis(100));
    let begun = Instant::now();
    assert_eq!(ok(&session, "2 + 2"), 4);
    let took = begun.elapsed();
    assert!(Duration::from_millis(900) < took, "{took:?}");
    assert!(took < Duration::from_millis(2_500), "{took:?}");
    let GuestEvent::LimitWarning(report) = warnings.try_recv().unwrap() else {
        unreachable!();
    };
    assert_eq!((report.which, report.limit), (LimitKind::Wall, 1000));
    assert!(report.raise.contains("between requests"), "{report:?}");
}

#[test]
fn the_clock_of_a_request_begins_when_it_does() {
    let sidecar = sidecar();
    let session = spinning(&sidecar, limits(0, 1_500));
    let ended = session.execute(script("a.js", "for (;;);")).unwrap();
    assert_eq!(limit(ended.outcome).limit, 1_500);
    answers(&session);
    assert!(sidecar.lost().is_none());
}

#[test]
fn it_does_not_hold_up_a_cancellation() {
    let sidecar = sidecar();
    let session = spinning(&sidecar, SessionOptions::default());
    let waiting = session.start(script("a.js", "globalThis.ran = 1")).unwrap();
    let begun = Instant::now();
    session.cancel(&waiting);
    assert_eq!(waiting.wait().unwrap().outcome, Outcome::Cancelled);
    assert!(begun.elapsed() < Duration::from_millis(800), "{begun:?}");
    assert_eq!(ok(&session, "typeof ran"), "undefined");
}

#[test]
fn it_does_not_begin_behind_the_end_of_its_session() {
    let sidecar = sidecar();
    for _ in 0..20 {
        let (session, kept) = unanswered(&sidecar, "wait", CallMode::Async);
        ok(&session, "host.wait().then(() => { for (;;); }); 1");
        let responder = kept.lock().unwrap().pop().unwrap();
        let begun = Instant::now();
        responder.reply(Ok(isolate_sidecar_client::Value::Undefined));
        session.close().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(1), "{begun:?}");
    }
    sidecar.ping().unwrap();
}

#[test]
fn callbacks_without_end_make_way_too() {
    let sidecar = sidecar();
    let session = open(&sidecar, SessionOptions::default());
    ok(
        &session,
        "globalThis.registry = new FinalizationRegistry(() => {
            const until = Date.now() + 3;
            while (Date.now() < until);
        });
        for (let i = 0; i < 20_000; i++) registry.register({}, i);
        for (let i = 0; i < 200; i++) new Uint8Array(1 << 20);
        1",
    );
    sidecar.serve_for(Duration::from_millis(300));
    let begun = Instant::now();
    assert_eq!(ok(&session, "2 + 2"), 4);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(6), "{took:?}");
}
