//! A host that reads late, or not at all.

use std::time::Duration;

use protocol::frame::{GetStats, Ping, StatsBody};
use protocol::{Reason, SidecarFrame};
use sidecar::ExitCode;

use crate::support::{Host, encoded, ok, open};

#[test]
fn guests_cannot_fill_the_outbox_with_host_calls() {
    let mut host = Host::start_with(|config| config.max_unread = 256 * 1024);
    let n_sessions = 8;
    let n_calls = 40;
    for session in 1..=n_sessions {
        host.open(session);
        // 40 MiB each, 320 MiB together; none of it has been read.
        host.execute(session, 1, &format!("burst:f:{n_calls}:1048576\necho:1"));
    }
    for _ in 0..n_sessions * n_calls {
        let call = host.wait_for(|frame| matches!(frame.frame, SidecarFrame::HostCall(_)));
        host.reply(call.session, call.request, "0");
    }
    for session in 1..=n_sessions {
        assert_eq!(host.expect_outcome(session, 1), ok("1"));
    }
    host.send(0, 9, GetStats {});
    let SidecarFrame::Stats(stats) = host.expect(0, 9) else {
        panic!("no Stats");
    };
    let StatsBody::Process(stats) = stats.stats else {
        panic!("not of the process");
    };
    let peak = stats.outbox_peak_bytes;
    assert!(peak <= (33 << 20) + (1 << 20) + 512 * 1024, "{peak}");
    assert_eq!(stats.outbox_control_bytes, 0);
}

#[test]
fn an_answer_goes_ahead_of_what_floods_of_others_have_waiting() {
    let mut host = Host::start();
    let n_sessions = 20;
    for session in 1..=n_sessions {
        host.open(session);
        // A MiB each, of which the socket takes little.
        host.execute(session, 1, "burst:f:1000:1000");
    }
    host.open(21);
    let opened = host.n_read();
    host.check_alive(21, 1);
    let ahead = host.n_read() - opened;
    // What the socket holds and what reports were in front of it, a quantum of each session
    // and what goes with it: less than a fifth of what there is.
    assert!(ahead < 4 << 20, "{ahead} bytes");
}

#[test]
fn small_calls_pass_while_large_ones_wait() {
    let mut host = Host::start();
    for session in 1..=6 {
        host.open(session);
        host.begin(session, 1, "burst:f:8:1048576");
    }
    host.open(7);
    host.check_alive(7, 1);
}

#[test]
fn a_session_whose_calls_are_not_read_can_be_closed() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "burst:f:40:1048576");
    host.close(1, 2);
    host.expect_outcome(1, 1);
    host.expect_closed(1, 2);
}

/// Sends `frames` as long as the sidecar takes them; says how many bytes that were.
fn flood(host: &mut Host, frames: &[u8]) -> usize {
    let mut sent = 0;
    while let Ok(n) = host.send_some(frames) {
        sent += n;
        assert!(sent < 64 << 20, "the sidecar takes everything");
    }
    sent
}

fn impatient(config: &mut sidecar::Config) {
    config.max_unread = 64 * 1024;
    config.read_within = Duration::from_millis(200);
}

#[test]
fn replies_of_any_kind_that_are_not_read_end_the_process() {
    let bad_kind = {
        let mut bytes = encoded(0, 1, Ping { payload: [0; 8] });
        bytes[4] = 0xEE;
        bytes
    };
    for frame in [
        encoded(0, 1, Ping { payload: [0; 8] }),
        encoded(0, 1, GetStats {}),
        encoded(77, 1, GetStats {}),
        encoded(1, 1, GetStats {}),
        encoded(1, 1, open(&[])),
        encoded(1, 7, protocol::frame::CloseSession {}),
        encoded(5, 7, protocol::frame::CloseSession {}),
        bad_kind,
    ] {
        let mut host = Host::start_with(impatient);
        host.open(1);
        let sent = flood(&mut host, &frame.repeat(1000));
        // What the socket holds, the queue before the router, and what it has answered.
        assert!(sent < 8 << 20, "{sent}");
        assert_eq!(host.exit_code(), ExitCode::HostNotReading);
    }
}

#[test]
fn no_frame_is_read_while_too_many_replies_wait() {
    let mut host = Host::start_with(|config| {
        config.max_unread = 64 * 1024;
        config.read_within = Duration::from_secs(60);
    });
    let sent = flood(
        &mut host,
        &encoded(0, 1, Ping { payload: [0; 8] }).repeat(1000),
    );
    let n_pings = sent / 28;
    for _ in 0..n_pings {
        assert!(matches!(host.next().frame, SidecarFrame::Pong(_)));
    }
    // The rest of a ping that was cut short.
    let ping = encoded(0, 2, Ping { payload: [0; 8] });
    host.send_bytes(&encoded(0, 1, Ping { payload: [0; 8] })[sent % 28..]);
    host.send_bytes(&ping);
    host.wait_for(|frame| frame.request == 2);
    let stats = host.process_stats();
    assert!(stats.outbox_peak_bytes < 64 * 1024, "{stats:?}");
}

#[test]
fn a_hang_up_is_seen_while_no_frame_is_read() {
    let mut host = Host::start_with(|config| {
        config.max_unread = 64 * 1024;
        config.read_within = Duration::from_secs(60);
    });
    flood(
        &mut host,
        &encoded(0, 1, Ping { payload: [0; 8] }).repeat(1000),
    );
    host.hang_up();
    assert_eq!(host.exit_code(), ExitCode::HostNotReading);
}

#[test]
fn a_host_that_reads_late_is_not_punished() {
    let mut host = Host::start_with(|config| config.max_unread = 1 << 20);
    let pings = encoded(0, 1, Ping { payload: [0; 8] }).repeat(10_000);
    host.send_bytes(&pings);
    for _ in 0..10_000 {
        assert!(matches!(host.next().frame, SidecarFrame::Pong(_)));
    }
    host.send(0, 2, protocol::frame::Shutdown { grace_ms: 0 });
    host.expect_go_away(Reason::ShuttingDown, ExitCode::Clean);
}
