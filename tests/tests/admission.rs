//! How many sessions one process takes: as many as its cage of heaps holds, whatever they do.
//! Further ones open in further processes.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::time::Duration;

use e2e_tests::{answers, children_of, limits, open, session, sidecar, sidecar_with, within};
use isolate_sidecar_client::{Isolation, Reason, RequestError, Session, SessionOptions, Sidecar};

/// Sessions with the default limit on the heap whose limits one process holds.
const FIT: usize = 22;
const PATIENCE: Duration = Duration::from_secs(10);

fn full(sidecar: &Sidecar) -> Vec<Session> {
    (0..FIT).map(|_| session(sidecar)).collect()
}

fn n_children(sidecar: &Sidecar) -> usize {
    children_of(sidecar.pid().unwrap()).len()
}

#[test]
fn what_does_not_fit_opens_in_a_further_process() {
    let sidecar = sidecar();
    let here = full(&sidecar);
    assert_eq!(n_children(&sidecar), 0);
    let there: Vec<Session> = (0..3).map(|_| session(&sidecar)).collect();
    // One process for the three, and one that is kept ready.
    within(PATIENCE, || (n_children(&sidecar) == 2).then_some(())).unwrap();
    here.iter().chain(&there).for_each(answers);
    // A place that becomes free is taken again.
    let mut here = here;
    here.pop().unwrap().close().unwrap();
    here.push(session(&sidecar));
    drop(there);
    within(PATIENCE, || (n_children(&sidecar) <= 1).then_some(())).unwrap();
    here.iter().for_each(answers);
}

#[test]
fn a_session_of_a_process_of_its_own_takes_no_place() {
    let sidecar = sidecar();
    let alone = SessionOptions {
        isolation: Isolation::Process,
        ..SessionOptions::default()
    };
    let alone = open(&sidecar, alone);
    let here = full(&sidecar);
    within(PATIENCE, || (n_children(&sidecar) == 2).then_some(())).unwrap();
    here.iter().chain([&alone]).for_each(answers);
}

#[test]
fn where_there_is_no_further_process_the_sum_is_bounded() {
    let sidecar = sidecar_with(&["--further-processes", "0", "--heap-overcommit", "100"]);
    let here = full(&sidecar);
    let refused = sidecar.session(SessionOptions::default()).open();
    let Err(RequestError::Refused {
        reason, message, ..
    }) = refused
    else {
        panic!("{refused:?}");
    };
    assert_eq!(reason, Reason::TooManySessions);
    assert!(message.contains("--heap-overcommit"), "{message}");
    here.iter().for_each(answers);
    for session in here {
        session.close().unwrap();
    }
    // One alone is opened whatever its limit.
    answers(&open(&sidecar, limits(1024, 0)));
}
