//! Every transition of the diagram in `session_table.rs` and PROTOCOL.md 6.1.

use protocol::frame::{Call, CallTarget, Kind, Until};
use protocol::{JsError, Outcome, Reason, SidecarFrame, Value, ValueFormat};

use crate::support::{Host, ok, open};

#[test]
fn absent_opening_idle_running_idle_closing_absent() {
    let mut host = Host::start();
    host.open(1);
    host.check_alive(1, 1);
    host.check_alive(1, 2);
    host.close(1, 3);
    assert_eq!(host.expect_closed(1, 3).stats.requests, 2);
    host.execute(1, 4, "echo:1");
    host.expect_refused(1, 4, Reason::UnknownSession);
    host.open(1);
    host.check_alive(1, 1);
}

#[test]
fn call_is_answered_by_called() {
    let mut host = Host::start();
    host.open(1);
    let call = Call {
        target: CallTarget::Global {
            name: "echo:7".to_owned(),
        },
        args: Value::Undefined,
        until: Until::Settled,
        result: ValueFormat::Json,
    };
    host.send(1, 1, call);
    let SidecarFrame::Called(called) = host.expect(1, 1) else {
        panic!("no Called");
    };
    assert_eq!(called.outcome, ok("7"));
}

#[test]
fn an_exception_is_an_outcome() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "throw:oops");
    let Outcome::Exception(JsError { message, .. }) = host.expect_outcome(1, 1) else {
        panic!("no exception");
    };
    assert_eq!(message, "oops");
    host.execute(1, 2, "over-cpu");
    assert!(matches!(
        host.expect_outcome(1, 2),
        Outcome::LimitExceeded(_)
    ));
    host.check_alive(1, 3);
}

#[test]
fn opening_running_what_came_before_opened_waits() {
    let mut host = Host::start();
    host.send(1, 1, open(&["open-waits"]));
    host.execute(1, 2, "echo:2");
    host.execute(1, 3, "echo:3");
    host.sync();
    host.gate.open();
    assert!(matches!(host.next().frame, SidecarFrame::SessionOpened(_)));
    assert_eq!(host.expect_outcome(1, 2), ok("2"));
    assert_eq!(host.expect_outcome(1, 3), ok("3"));
    host.check_alive(1, 4);
}

#[test]
fn opening_absent_what_waited_is_refused_too() {
    let mut host = Host::start();
    // Both in one write, so that the second is there before opening fails.
    let mut bytes = crate::support::encoded(1, 1, open(&["open-waits", "open-fails"]));
    bytes.extend_from_slice(&crate::support::encoded(
        1,
        2,
        crate::support::execute("echo:1"),
    ));
    host.send_bytes(&bytes);
    host.sync();
    host.gate.open();
    host.expect_refused(1, 1, Reason::OpenFailed);
    let refused = host.expect_refused(1, 2, Reason::UnknownSession);
    assert_eq!(refused.kind, Kind::Execute.to_wire());
    host.open(1);
}

#[test]
fn opening_closing_absent() {
    let mut host = Host::start();
    host.send(1, 1, open(&["open-waits"]));
    host.execute(1, 2, "print:never");
    host.close(1, 3);
    host.execute(1, 4, "echo:1");
    host.expect_refused(1, 4, Reason::SessionClosed);
    host.gate.open();
    assert!(matches!(host.expect(1, 1), SidecarFrame::SessionOpened(_)));
    let refused = host.expect_refused(1, 2, Reason::SessionClosed);
    assert_eq!(refused.kind, Kind::Execute.to_wire());
    host.expect_closed(1, 3);
    host.open(1);
}

#[test]
fn running_closing_cancels_what_runs_and_refuses_what_waits() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "spin");
    host.execute(1, 2, "print:never");
    host.execute(1, 3, "print:never");
    host.close(1, 4);
    assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
    host.expect_refused(1, 2, Reason::SessionClosed);
    host.expect_refused(1, 3, Reason::SessionClosed);
    host.expect_closed(1, 4);
}

#[test]
fn closing_takes_nothing_more() {
    let mut host = Host::start_with(|config| config.grace = std::time::Duration::from_secs(60));
    host.open(1);
    host.begin(1, 1, "gate");
    host.close(1, 2);
    host.close(1, 3);
    let refused = host.expect_refused(1, 3, Reason::SessionClosed);
    assert_eq!(refused.kind, Kind::CloseSession.to_wire());
    host.execute(1, 4, "echo:1");
    host.expect_refused(1, 4, Reason::SessionClosed);
    host.send(1, 5, open(&[]));
    host.expect_refused(1, 5, Reason::DuplicateSession);
    host.gate.open();
    host.expect_closed(1, 2);
}

#[test]
fn memory_beyond_repair_resets_the_session_alone() {
    check_reset("oom", Reason::MemoryExceeded);
}

#[test]
fn a_fault_of_ours_resets_the_session_alone() {
    let message = check_reset("bug:what we did", Reason::Internal);
    assert_eq!(message, "what we did");
}

#[test]
fn out_of_memory_in_the_engine_resets_the_session_and_counts_as_quarantined() {
    check_reset("engine-oom", Reason::EngineOom);
}

/// Runs `script` with a request waiting behind it and a neighbour.
fn check_reset(script: &str, reason: Reason) -> String {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    host.execute(1, 1, script);
    let reset = host.expect_reset(1, reason);
    assert!(reset.stats.is_some());
    // The reset is the answer to request 1; nothing else comes for it.
    host.check_alive(2, 1);
    assert_eq!(host.quarantined(), u32::from(reason == Reason::EngineOom));
    host.open(1);
    host.check_alive(1, 1);
    reset.message
}

#[test]
fn too_many_parked_threads_drain_the_process() {
    let mut host = Host::start_with(|config| config.max_parked = 1);
    for session in 1..=3 {
        host.open(session);
    }
    host.execute(1, 1, "engine-oom");
    host.expect_reset(1, Reason::EngineOom);
    host.open(4);
    host.execute(2, 1, "engine-oom");
    host.expect_reset(2, Reason::EngineOom);
    host.send(5, 1, open(&[]));
    host.expect_refused(5, 1, Reason::ShuttingDown);
    host.check_alive(3, 1);
    host.close(3, 2);
    host.expect_closed(3, 2);
    host.close(4, 2);
    host.expect_closed(4, 2);
    host.expect_go_away(Reason::StuckSession, sidecar::ExitCode::StuckSession);
}

#[test]
fn the_end_of_a_request_that_nobody_made_is_ignored() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "stray\necho:1");
    assert_eq!(host.expect_outcome(1, 1), ok("1"));
}

#[test]
fn many_sessions_at_once() {
    let mut host = Host::start();
    for session in 1..=50 {
        host.send(session, 1, open(&[]));
        host.execute(session, 2, &format!("echo:{session}"));
        host.close(session, 3);
    }
    for session in 1..=50 {
        assert!(matches!(
            host.expect(session, 1),
            SidecarFrame::SessionOpened(_)
        ));
        // Either it ran before the close came, or it was cancelled, or it was waiting.
        match host.expect(session, 2) {
            SidecarFrame::Outcome(_) => {}
            SidecarFrame::Refused(refused) => assert_eq!(refused.reason, Reason::SessionClosed),
            other => panic!("{}", other.kind()),
        }
        host.expect_closed(session, 3);
    }
}
