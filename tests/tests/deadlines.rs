//! Deadlines that are short, many, or not listened to: whatever happens, the host has its
//! outcome, and neither the next request nor a neighbour is met by the stop.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use e2e_tests::{answers, json, limit, limits, open, run, session, sidecar};
use isolate_sidecar_client::{
    LimitKind, Outcome, Pending, Reason, RequestError, Session, Sidecar, script,
};

/// A built-in that V8 does not stop, and whose thread can be parked.
const DEAF: &str = "[].forEach.call({ length: 2 ** 53 - 1 }, (x) => x)";
/// What the end of such a guest may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Fails unless the session is lost because it did not stop.
#[track_caller]
fn check_given_up(session: &Session) {
    match session.execute(script("next.js", "1")) {
        Err(RequestError::SessionLost { reason, .. }) => assert_eq!(reason, Reason::StuckSession),
        other => panic!("{other:?}"),
    }
}

/// Fails unless one thread comes to be parked.
#[track_caller]
fn check_quarantined(sidecar: &Sidecar) {
    let begun = Instant::now();
    while sidecar.stats().unwrap().sessions_quarantined != 1 {
        assert!(begun.elapsed() < PATIENCE);
        sidecar.serve_for(Duration::from_millis(20));
    }
}

#[test]
fn a_guest_that_does_not_stop_is_given_up_and_nobody_else() {
    let sidecar = sidecar();
    let pid = sidecar.pid();
    let neighbour = session(&sidecar);
    let victim = open(&sidecar, limits(0, 200));
    let ended = run(&victim, DEAF);
    assert_eq!(limit(ended.outcome).which, LimitKind::Wall);
    assert!(ended.took < PATIENCE, "{:?}", ended.took);
    check_given_up(&victim);
    answers(&neighbour);
    check_quarantined(&sidecar);
    answers(&session(&sidecar));
    answers(&neighbour);
    assert_eq!(sidecar.pid(), pid);
    assert!(sidecar.lost().is_none());
}

#[test]
fn a_cancelled_guest_that_does_not_stop_is_given_up() {
    let sidecar = sidecar();
    let victim = session(&sidecar);
    let pending = victim.start(script("a.js", DEAF)).unwrap();
    sidecar.serve_for(Duration::from_millis(100));
    victim.cancel(&pending);
    assert_eq!(pending.wait().unwrap().outcome, Outcome::Cancelled);
    check_given_up(&victim);
    answers(&session(&sidecar));
}

#[test]
fn what_does_not_stop_between_requests_is_given_up() {
    let sidecar = sidecar();
    let victim = open(&sidecar, limits(0, 200));
    let started = run(&victim, format!("setTimeout(() => {DEAF}, 1); 1"));
    assert_eq!(json(started.outcome), 1);
    let begun = Instant::now();
    while victim.stats().is_ok() {
        assert!(begun.elapsed() < PATIENCE);
        sidecar.serve_for(Duration::from_millis(20));
    }
    check_given_up(&victim);
    check_quarantined(&sidecar);
    answers(&session(&sidecar));
}

#[test]
fn ten_thousand_deadlines_of_a_millisecond_leave_a_session_that_answers() {
    const N: usize = 10_000;
    const AT_A_TIME: usize = 30;
    let sidecar = sidecar();
    let hurried = open(&sidecar, limits(0, 1));
    let mut pending: VecDeque<Pending> = VecDeque::new();
    let mut n_stopped = 0_usize;
    for i in 0..N + AT_A_TIME {
        // One ends in about its time, one never.
        let code = match i % 8 {
            0 => "for (;;);",
            _ => "{ let n = 0; for (let i = 0; i < 2e4; i++) n += i; n }",
        };
        if i < N {
            pending.push_back(hurried.start(script("a.js", code)).unwrap());
        }
        if pending.len() < AT_A_TIME && i < N {
            continue;
        }
        match pending.pop_front().map(|one| one.wait().unwrap().outcome) {
            Some(Outcome::LimitExceeded(report)) => {
                assert_eq!(report.which, LimitKind::Wall);
                n_stopped += 1;
            }
            Some(outcome) => assert_eq!(json(outcome), 199_990_000),
            None => break,
        }
    }
    assert!(n_stopped >= N / 8, "{n_stopped}");
    let mut tries = (0..1_000).map(|_| run(&hurried, "1 + 1").outcome);
    assert!(tries.any(|outcome| matches!(outcome, Outcome::Ok(_))));
    answers(&session(&sidecar));
}

#[test]
fn a_stop_never_reaches_the_next_request() {
    let sidecar = sidecar();
    let session = session(&sidecar);
    for i in 0_u64..600 {
        // A cancel that comes before, during and after what it is for.
        let turns = i * 2_000;
        let code = format!("{{ let n = 0; for (let i = 0; i < {turns}; i++) n += i; n }}");
        let first = session.start(script("a.js", code)).unwrap();
        let second = session.start(script("b.js", "2 + 2")).unwrap();
        session.cancel(&first);
        match first.wait().unwrap().outcome {
            Outcome::Ok(_) | Outcome::Cancelled => {}
            other => panic!("{other:?}"),
        }
        assert_eq!(json(second.wait().unwrap().outcome), 4);
    }
}
