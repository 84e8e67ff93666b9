//! `serve --supervise`: the sidecar may crash, and its host goes on.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::time::Duration;

use e2e_tests::{answers, children_of, is_gone_within, session, sidecar_with, signal, within};
use isolate_sidecar_client::{
    Lost, LostCause, Outcome, Reason, RequestError, SessionOptions, Sidecar, SnapshotSpec, script,
};

const SIGTERM: i32 = 15;
const SIGKILL: i32 = 9;

fn supervised() -> Sidecar {
    sidecar_with(&["--supervise"])
}

/// The sidecar proper.
fn inner(sidecar: &Sidecar) -> u32 {
    let supervisor = sidecar.pid().unwrap();
    let there = within(Duration::from_secs(10), || {
        children_of(supervisor).first().copied()
    });
    there.unwrap()
}

/// Kills the sidecar proper and waits for the next.
fn kill_inner(sidecar: &Sidecar) {
    let (pid, n_before) = (inner(sidecar), sidecar.restarts());
    signal(pid, SIGKILL);
    let restarted = within(Duration::from_secs(20), || {
        sidecar.serve_for(Duration::from_millis(5));
        let is_over = n_before < sidecar.restarts() || sidecar.lost().is_some();
        is_over.then_some(())
    });
    assert!(restarted.is_some());
    assert_ne!(inner_or_none(sidecar), Some(pid));
}

fn inner_or_none(sidecar: &Sidecar) -> Option<u32> {
    children_of(sidecar.pid().unwrap()).first().copied()
}

#[track_caller]
fn check_lost<T: std::fmt::Debug>(result: Result<T, RequestError>) {
    match result {
        Err(RequestError::SessionLost {
            reason: Reason::ProcessLost,
            message,
            ..
        }) => assert!(message.contains("SIGKILL"), "{message}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_crash_costs_the_sessions_and_not_the_connection() {
    let sidecar = supervised();
    let spec = SnapshotSpec {
        script: Some("globalThis.warmed = 1".to_owned()),
        ..SnapshotSpec::default()
    };
    let key = sidecar.warm_snapshot(spec.clone()).unwrap().key;
    let sessions: Vec<_> = (0..5).map(|_| session(&sidecar)).collect();
    let running: Vec<_> = sessions
        .iter()
        .map(|session| session.start(script("endless.js", "for (;;);")).unwrap())
        .collect();
    signal(inner(&sidecar), SIGKILL);
    for running in running {
        check_lost(running.wait());
    }
    for lost in &sessions {
        check_lost(lost.execute(script("after.js", "1")));
    }
    let next = session(&sidecar);
    answers(&next);
    assert_eq!(sidecar.restarts(), 1);
    let from_lost = SessionOptions {
        snapshot: Some(key),
        ..SessionOptions::default()
    };
    match sidecar.session(from_lost.clone()).open() {
        Err(RequestError::Refused {
            reason: Reason::UnknownSnapshot,
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(sidecar.warm_snapshot(spec).unwrap().key, key);
    let again = sidecar.session(from_lost).open().unwrap();
    let warmed = again.execute(script("w.js", "warmed")).unwrap().outcome;
    assert!(matches!(warmed, Outcome::Ok(_)));
}

#[test]
fn a_sidecar_that_always_crashes_is_given_up() {
    let sidecar = supervised();
    for _ in 0..5 {
        kill_inner(&sidecar);
    }
    assert_eq!(sidecar.restarts(), 5);
    kill_inner(&sidecar);
    let lost = sidecar.lost().unwrap();
    let Lost {
        cause: LostCause::GoAway { reason, .. },
        ..
    } = &*lost
    else {
        panic!("{lost:?}");
    };
    assert_eq!((*reason, lost.exit_code()), (Reason::ProcessLost, Some(76)));
}

#[test]
fn an_end_in_order_passes_through() {
    let status = supervised().close().unwrap();
    assert_eq!(status.code(), Some(0));
    let sidecar = supervised();
    answers(&session(&sidecar));
    let status = sidecar.shutdown(Duration::from_secs(1)).unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    let sidecar = supervised();
    let own = session(&sidecar);
    answers(&own);
    signal(sidecar.pid().unwrap(), SIGTERM);
    let lost = within(Duration::from_secs(10), || {
        sidecar.serve_for(Duration::from_millis(5));
        sidecar.lost()
    });
    assert_eq!(lost.unwrap().exit_code(), Some(143));
}

#[test]
fn the_sidecar_dies_with_its_supervisor() {
    let sidecar = supervised();
    let own = session(&sidecar);
    let _running = own.start(script("endless.js", "for (;;);")).unwrap();
    let pid = inner(&sidecar);
    signal(sidecar.pid().unwrap(), SIGKILL);
    assert!(is_gone_within(pid, Duration::from_secs(4)));
}
