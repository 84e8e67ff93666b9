//! PROTOCOL.md 4.3: how the connection ends.

use protocol::frame::{CloseSession, GetStats, Ping, Shutdown};
use protocol::{HostFrame, Outcome, Reason};
use sidecar::ExitCode;

use crate::support::{Host, encoded, execute, ok, open, timed};

fn shutdown(grace_ms: u32) -> Shutdown {
    Shutdown { grace_ms }
}

#[test]
fn without_sessions_it_is_over_at_once() {
    let mut host = Host::start();
    host.send(0, 9, shutdown(60_000));
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}

#[test]
fn with_idle_sessions_it_is_over_at_once() {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    host.send(0, 9, shutdown(60_000));
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}

#[test]
fn running_and_waiting_requests_end_within_the_grace() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "gate\necho:1");
    host.execute(1, 2, "echo:2");
    host.send(0, 9, shutdown(60_000));
    host.sync();
    host.gate.open();
    assert_eq!(host.expect_outcome(1, 1), ok("1"));
    assert_eq!(host.expect_outcome(1, 2), ok("2"));
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}

#[test]
fn after_the_grace_what_runs_is_cancelled_and_what_waits_refused() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "spin");
    host.execute(1, 2, "echo:2");
    host.send(0, 9, shutdown(1));
    assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
    host.expect_refused(1, 2, Reason::SessionClosed);
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}

#[test]
fn new_work_is_refused_and_the_rest_goes_on() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "gate\necho:1");
    host.send(0, 9, shutdown(60_000));
    host.send(2, 1, open(&[]));
    host.expect_refused(2, 1, Reason::ShuttingDown);
    host.execute(1, 2, "echo:2");
    host.expect_refused(1, 2, Reason::ShuttingDown);
    host.send(0, 2, crate::snapshots::warm("s"));
    host.expect_refused(0, 2, Reason::ShuttingDown);
    host.send(1, 3, GetStats {});
    host.expect(1, 3);
    host.send(1, 4, CloseSession {});
    host.sync();
    host.gate.open();
    host.expect_closed(1, 4);
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}

#[test]
fn a_session_that_does_not_stop_makes_it_73() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "stuck");
    host.send(0, 9, shutdown(1));
    host.expect_reset(1, Reason::StuckSession);
    host.expect_go_away(Reason::StuckSession, ExitCode::StuckSession);
}

#[test]
fn the_end_of_stdin_is_a_clean_end() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "spin");
    let ((), took) = timed(|| {
        host.close_input();
        assert_eq!(host.expect_outcome(1, 1), Outcome::Cancelled);
        host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
    });
    assert!(took.as_secs() < 2, "{took:?}");
}

#[test]
fn the_end_of_stdin_within_a_frame_is_not() {
    for at in [1, 19, 20, 23] {
        let mut host = Host::start();
        let frame = encoded(1, 1, execute("echo:1"));
        host.send_bytes(&frame[..at]);
        host.close_input();
        host.expect_go_away(Reason::Malformed, ExitCode::Protocol);
    }
}

#[test]
fn frames_before_the_end_of_stdin_are_handled() {
    let mut host = Host::start();
    host.send(0, 5, Ping { payload: [3; 8] });
    host.close_input();
    host.expect(0, 5);
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}

#[test]
fn a_closed_stdout_is_noticed_while_nothing_is_written() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "spin");
    let (code, took) = timed(|| {
        host.hang_up();
        host.exit_code()
    });
    assert_eq!(code, ExitCode::HostNotReading);
    assert!(took.as_secs() < 2, "{took:?}");
}

#[test]
fn frames_after_go_away_have_no_effect() {
    let mut host = Host::connect(|_| {});
    let mut bytes = encoded(0, 1, Ping { payload: [0; 8] });
    let late: HostFrame = crate::support::hello(4, 4, 0).into();
    bytes.extend_from_slice(&encoded(0, 2, late));
    host.send_bytes(&bytes);
    host.expect_go_away(Reason::HelloExpected, ExitCode::Protocol);
}
