//! A thread that does not come back by its deadline ends the process, after everyone was
//! told.

use protocol::Reason;
use sidecar::ExitCode;

use crate::support::{Host, open, timed};

#[test]
fn a_session_that_does_not_close_ends_the_process() {
    let mut host = Host::start();
    host.open(1);
    host.open(2);
    host.begin(2, 1, "spin");
    host.begin(1, 1, "stuck");
    host.close(1, 2);
    // The reset is the answer to both open requests of the stuck session.
    host.expect_reset(1, Reason::StuckSession);
    host.expect_reset(2, Reason::StuckSession);
    let go_away = host.expect_go_away(Reason::StuckSession, ExitCode::StuckSession);
    assert!(go_away.message.contains("session 1"), "{}", go_away.message);
}

#[test]
fn a_session_that_comes_back_in_time_does_not() {
    let mut host = Host::start_with(|config| config.grace = std::time::Duration::from_secs(60));
    host.open(1);
    host.begin(1, 1, "gate");
    host.close(1, 2);
    host.sync();
    host.gate.open();
    host.expect_closed(1, 2);
    host.open(1);
}

#[test]
fn a_request_far_over_its_wall_limit_ends_the_process() {
    let mut host = Host::start();
    host.send(1, 1, {
        let mut frame = open(&[]);
        frame.limits.wall_ms = Some(1);
        frame
    });
    host.expect(1, 1);
    host.execute(1, 2, "stuck");
    host.expect_reset(1, Reason::StuckSession);
    host.expect_go_away(Reason::StuckSession, ExitCode::StuckSession);
}

#[test]
fn a_session_that_does_not_open_ends_the_process() {
    let mut host = Host::start_with(|config| {
        config.open_within = std::time::Duration::from_millis(1);
    });
    host.send(1, 1, open(&["open-stuck"]));
    host.expect_reset(1, Reason::StuckSession);
    host.expect_go_away(Reason::StuckSession, ExitCode::StuckSession);
}

#[test]
fn a_stuck_session_does_not_outlive_the_end_of_stdin() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "stuck");
    let (code, took) = timed(|| {
        host.close_input();
        host.exit_code()
    });
    assert_eq!(code, ExitCode::Clean);
    assert!(took.as_secs() < 2, "{took:?}");
}
