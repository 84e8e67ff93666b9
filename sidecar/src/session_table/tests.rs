//! The diagram, transition by transition, without threads.

use std::sync::Arc;

use host_bridge::{MAKE_WAY_AFTER, SendError, SessionCommand, SessionHandle, Way};
use protocol::frame::Kind;
use protocol::{Limits, RequestId, SessionStats};

use super::*;
use crate::credit::Pool;

const GRACE: Duration = Duration::from_secs(2);
const ID: SessionId = SessionId::new(7);
const OPEN: RequestId = RequestId::new(1);
const FIRST: RequestId = RequestId::new(2);
const SECOND: RequestId = RequestId::new(3);
const CLOSE: RequestId = RequestId::new(4);

/// Longer than any request of these tests may be there: `wall_ms` and what is added to it.
const MOST: Duration = Duration::from_millis(1000)
    .saturating_add(MAKE_WAY_AFTER)
    .saturating_add(GRACE);
const OPEN_WITHIN: Duration = Duration::from_secs(5);

/// Says this of what is in front of a request.
#[derive(Debug)]
struct NoHandle(Way);

impl SessionHandle for NoHandle {
    fn try_send(&self, _: SessionCommand) -> Result<(), SendError> {
        Ok(())
    }

    fn cancel(&self, _: RequestId) {}

    fn cancel_running(&self) {}

    fn make_way(&self, _: Duration) -> Way {
        self.0
    }

    fn stats(&self) -> SessionStats {
        SessionStats::default()
    }
}

fn table(now: Instant) -> SessionTable {
    table_with(now, Way::Begun)
}

fn table_with(now: Instant, way: Way) -> SessionTable {
    let mut table = SessionTable::new(Times {
        open_within: OPEN_WITHIN,
        grace: GRACE,
    });
    let key = table.vacancy(ID, 1).unwrap();
    let new = NewSession {
        key,
        request: OPEN,
        limits: Limits {
            wall_ms: 1000,
            ..Limits::DEFAULT
        },
        handle: Box::new(NoHandle(way)),
        credit: Arc::new(Pool::default()).credit(),
    };
    table.insert(new, now);
    table
}

fn update<T>(table: &mut SessionTable, change: impl FnOnce(&mut Session) -> T) -> T {
    table.update(ID, |session| Ok(change(session))).unwrap()
}

fn state(table: &SessionTable) -> State {
    table.get(ID).unwrap().state
}

#[test]
fn opening_idle_running_idle() {
    let now = Instant::now();
    let mut table = table(now);
    assert_eq!(state(&table), State::Opening);
    assert_eq!(update(&mut table, |s| s.opened(now)), Some(OPEN));
    assert_eq!(state(&table), State::Idle);
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    update(&mut table, |s| s.queued(SECOND, Kind::Call, now));
    assert_eq!(state(&table), State::Running);
    assert_eq!(table.get(ID).unwrap().running(), Some(FIRST));
    let finished = update(&mut table, |s| s.finished(FIRST, now)).unwrap();
    assert_eq!(finished.kind, Kind::Execute);
    assert_eq!(state(&table), State::Running);
    assert_eq!(update(&mut table, |s| s.finished(FIRST, now)), None);
    update(&mut table, |s| s.finished(SECOND, now)).unwrap();
    assert_eq!(state(&table), State::Idle);
}

#[test]
fn opening_running_when_requests_wait() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    assert_eq!(state(&table), State::Opening);
    assert_eq!(table.get(ID).unwrap().running(), None);
    update(&mut table, |s| s.opened(now));
    assert_eq!(state(&table), State::Running);
}

#[test]
fn closing_stays_closing() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    update(&mut table, |s| s.closing(Some(CLOSE), GRACE, now));
    update(&mut table, |s| s.opened(now));
    assert_eq!(state(&table), State::Closing);
    let finished = update(&mut table, |s| s.finished(FIRST, now)).unwrap();
    assert!(finished.was_waiting);
    assert_eq!(state(&table), State::Closing);
    assert!(table.get(ID).unwrap().check_new(FIRST).is_err());
    assert_eq!(update(&mut table, Session::take_close), Some(CLOSE));
    assert!(table.get(ID).unwrap().in_flight().is_empty());
}

#[test]
fn what_ran_when_the_session_was_closed_was_not_waiting() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.opened(now));
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    update(&mut table, |s| s.queued(SECOND, Kind::Execute, now));
    update(&mut table, |s| s.closing(Some(CLOSE), GRACE, now));
    let first = update(&mut table, |s| s.finished(FIRST, now)).unwrap();
    let second = update(&mut table, |s| s.finished(SECOND, now)).unwrap();
    assert!(!first.was_waiting && second.was_waiting);
}

#[test]
fn ids_are_free_once_they_are_answered() {
    let now = Instant::now();
    let mut table = table(now);
    assert!(table.get(ID).unwrap().check_new(OPEN).is_err());
    update(&mut table, |s| s.opened(now));
    assert!(table.get(ID).unwrap().check_new(OPEN).is_ok());
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    assert!(table.get(ID).unwrap().check_new(FIRST).is_err());
    update(&mut table, |s| s.finished(FIRST, now));
    assert!(table.get(ID).unwrap().check_new(FIRST).is_ok());
}

#[test]
fn an_old_key_does_not_name_a_new_session() {
    let now = Instant::now();
    let mut table = table(now);
    let old = table.get(ID).unwrap().key;
    assert!(table.is_current(old));
    assert!(table.vacancy(ID, 9).is_err(), "the id is taken");
    assert!(table.vacancy(SessionId::new(8), 1).is_err(), "full");
    table.remove(ID).unwrap();
    let new = table.vacancy(ID, 1).unwrap();
    assert_ne!(old, new);
    assert!(!table.is_current(old));
}

#[test]
fn idle_has_no_deadline_and_running_has() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.opened(now));
    // One look at the alarm that opening has set; then nothing is due.
    let late = now + OPEN_WITHIN + GRACE;
    assert_eq!(table.quarantine_overdue(late), []);
    assert_eq!(table.next_deadline(), None);
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, late));
    // Has it begun? Yes: what is left is its own limit.
    assert_eq!(table.next_deadline(), Some(late + MAKE_WAY_AFTER));
    assert_eq!(table.quarantine_overdue(late + MAKE_WAY_AFTER), []);
    assert_eq!(table.next_deadline(), Some(late + MOST));
    assert_eq!(table.quarantine_overdue(late + MOST), [ID]);
    assert_eq!(state(&table), State::Quarantined);
    assert_eq!(table.quarantine_overdue(late + MOST), []);
}

#[test]
fn what_does_not_make_way_is_quarantined_after_its_grace() {
    let now = Instant::now();
    let mut table = table_with(now, Way::Stopping);
    update(&mut table, |s| s.opened(now));
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    let told = now + MAKE_WAY_AFTER;
    assert_eq!(table.quarantine_overdue(told), []);
    let look_again = table.next_deadline().unwrap();
    assert!(told < look_again && look_again < told + GRACE);
    let just_before = told + GRACE - Duration::from_nanos(1);
    assert_eq!(table.quarantine_overdue(just_before), []);
    let look_again = table.next_deadline().unwrap();
    assert_eq!(table.quarantine_overdue(look_again), [ID]);
}

#[test]
fn what_makes_way_again_and_again_is_asked_again() {
    let now = Instant::now();
    let mut table = table_with(now, Way::Waiting);
    update(&mut table, |s| s.opened(now));
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    let mut at = now;
    while at < now + MOST - Duration::from_millis(200) {
        at = table.next_deadline().unwrap();
        assert_eq!(table.quarantine_overdue(at), []);
    }
}

#[test]
fn a_session_that_is_closed_while_it_is_opened_has_the_time_for_both() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.closing(Some(CLOSE), GRACE, now));
    assert_eq!(table.next_deadline(), Some(now + OPEN_WITHIN + GRACE));
}

#[test]
fn what_is_withdrawn_is_in_flight_no_more() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.opened(now));
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    update(&mut table, |s| s.queued(SECOND, Kind::Call, now));
    let withdrawn = update(&mut table, |s| s.withdrawn(SECOND, now)).unwrap();
    assert_eq!((withdrawn.request, withdrawn.kind), (SECOND, Kind::Call));
    assert_eq!(update(&mut table, |s| s.withdrawn(SECOND, now)), None);
    assert_eq!(state(&table), State::Running);
    update(&mut table, |s| s.withdrawn(FIRST, now));
    assert_eq!(state(&table), State::Idle);
}

#[test]
fn closing_is_quarantined_just_when_its_time_is_over() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.opened(now));
    update(&mut table, |s| s.closing(Some(CLOSE), GRACE, now));
    assert_eq!(table.next_deadline(), Some(now + GRACE));
    let just_before = now + GRACE - Duration::from_nanos(1);
    assert_eq!(table.quarantine_overdue(just_before), []);
    assert_eq!(table.quarantine_overdue(now + GRACE), [ID]);
}

#[test]
fn a_session_that_waits_for_the_host_is_not_to_blame() {
    let now = Instant::now();
    let mut table = table(now);
    update(&mut table, |s| s.opened(now));
    update(&mut table, |s| s.queued(FIRST, Kind::Execute, now));
    let credit = Arc::clone(&table.get(ID).unwrap().credit);
    let first = credit.reserve(100 << 20);
    let waiting = Arc::clone(&credit);
    let thread = std::thread::Builder::new()
        .spawn(move || drop(waiting.reserve(100 << 20)))
        .unwrap();
    while !credit.is_waiting() {
        std::thread::yield_now();
    }
    let late = now + MOST;
    assert_eq!(table.quarantine_overdue(late), []);
    assert_eq!(table.next_deadline(), Some(late + GRACE));
    drop(first);
    thread.join().unwrap();
    assert_eq!(table.quarantine_overdue(late + GRACE), [ID]);
}
