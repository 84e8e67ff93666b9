//! Cancelling: what runs, what waits, what has ended.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::time::{Duration, Instant};

use e2e_tests::{answers, json, session, sidecar, unanswered};
use isolate_sidecar_client::{
    CallMode, Outcome, Pending, Reason, RequestError, Session, Sidecar, script,
};

/// Cancels `pending` once it has had time to start, and says how it ended.
#[track_caller]
fn cancelled(sidecar: &Sidecar, session: &Session, pending: Pending) -> Outcome {
    sidecar.serve_for(Duration::from_millis(100));
    let begun = Instant::now();
    session.cancel(&pending);
    let outcome = pending.wait().unwrap().outcome;
    assert!(
        begun.elapsed() < Duration::from_secs(1),
        "{:?}",
        begun.elapsed()
    );
    outcome
}

#[test]
fn what_runs_is_stopped_and_the_session_goes_on() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    for endless in [
        "for (;;);",
        "for (;;) new Array(1000).fill(1)",
        "for (;;) { try { for (;;); } catch {} finally { continue; } }",
        "(async () => { for (;;) await null; })()",
        "new Promise((done) => setTimeout(done, 1e6))",
    ] {
        let pending = session.start(script("a.js", endless)).unwrap();
        assert_eq!(
            cancelled(&sidecar, &session, pending),
            Outcome::Cancelled,
            "{endless}"
        );
        answers(&session);
    }
}

#[test]
fn what_runs_between_requests_is_stopped_by_closing() {
    let sidecar = sidecar();
    let neighbour = session(&sidecar);
    let spinning = session(&sidecar);
    let code = "setTimeout(() => { for (;;); }, 1); 1";
    let started = spinning.execute(script("a.js", code)).unwrap();
    assert_eq!(json(started.outcome), 1);
    sidecar.serve_for(Duration::from_millis(100));
    let begun = Instant::now();
    spinning.close().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(1), "{begun:?}");
    answers(&neighbour);
}

#[test]
fn a_blocked_synchronous_call_is_woken() {
    let sidecar = sidecar();
    let (session, kept) = unanswered(&sidecar, "never", CallMode::Sync);
    let pending = session.start(script("a.js", "host.never()")).unwrap();
    assert_eq!(cancelled(&sidecar, &session, pending), Outcome::Cancelled);
    assert_eq!(kept.lock().unwrap().len(), 1);
    answers(&session);
}

#[test]
fn what_waits_ends_without_having_run() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let running = session.start(script("a.js", "for (;;);")).unwrap();
    let waiting = session
        .start(script("a.js", "globalThis.ran = true"))
        .unwrap();
    session.cancel(&waiting);
    assert_eq!(cancelled(&sidecar, &session, running), Outcome::Cancelled);
    assert_eq!(waiting.wait().unwrap().outcome, Outcome::Cancelled);
    assert_eq!(e2e_tests::ok(&session, "typeof ran"), "undefined");
}

#[test]
fn what_has_ended_cannot_be_cancelled_nor_what_comes_after() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let first = session.start(script("a.js", "1")).unwrap();
    let late = first.canceller();
    assert_eq!(json(first.wait().unwrap().outcome), 1);
    let second = session.start(script(
        "a.js",
        "new Promise((done) => setTimeout(() => done(2), 100))",
    ));
    late.cancel();
    assert_eq!(json(second.unwrap().wait().unwrap().outcome), 2);
}

#[test]
fn closing_a_session_cancels_what_it_runs() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    let running = session.start(script("a.js", "for (;;);")).unwrap();
    let waiting = session.start(script("a.js", "1")).unwrap();
    sidecar.serve_for(Duration::from_millis(50));
    let begun = Instant::now();
    session.close().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(running.wait().unwrap().outcome, Outcome::Cancelled);
    match waiting.wait() {
        Err(RequestError::Refused { reason, .. }) => assert_eq!(reason, Reason::SessionClosed),
        Ok(finished) => assert_eq!(finished.outcome, Outcome::Cancelled),
        other => panic!("{other:?}"),
    }
}
