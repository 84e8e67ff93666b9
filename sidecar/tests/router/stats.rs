//! `GetStats` on the connection and on a session.

use protocol::frame::{GetStats, Stats, StatsBody};
use protocol::{ProcessStats, SidecarFrame};

use crate::support::{Host, open};

impl Host {
    pub fn process_stats(&mut self) -> ProcessStats {
        self.send(0, 9999, GetStats {});
        let SidecarFrame::Stats(Stats {
            stats: StatsBody::Process(stats),
        }) = self.expect(0, 9999)
        else {
            panic!("no Stats of the process");
        };
        stats
    }

    pub fn quarantined(&mut self) -> u32 {
        self.process_stats().sessions_quarantined
    }
}

#[test]
fn sessions_are_counted_by_state() {
    let mut host = Host::start_with(|config| config.grace = std::time::Duration::from_secs(60));
    host.send(1, 1, open(&["open-waits"]));
    host.open(2);
    host.open(3);
    host.begin(3, 1, "spin");
    host.open(4);
    host.begin(4, 1, "gate");
    host.close(4, 2);
    let stats = host.process_stats();
    let by_state = [
        stats.sessions_opening,
        stats.sessions_idle,
        stats.sessions_running,
        stats.sessions_closing,
        stats.sessions_quarantined,
    ];
    assert_eq!(by_state, [1, 1, 1, 1, 0]);
    assert_eq!(stats.sessions_opened_total, 4);
    assert_eq!(stats.heap_limit_bytes, 4 * (128 << 20));
    assert!(stats.resident_bytes > 0 && stats.threads > 4, "{stats:?}");
    host.gate.open();
    host.expect_closed(4, 2);
    assert_eq!(host.process_stats().sessions_closing, 0);
}

#[test]
fn what_waits_is_counted_and_its_peak_stays() {
    let mut host = Host::start();
    host.open(1);
    host.begin(1, 1, "gate");
    for request in 2..=6 {
        host.execute(1, request, "host:f:[1]");
    }
    let stats = host.process_stats();
    let waiting = (stats.requests_waiting, stats.requests_waiting_peak);
    assert_eq!((waiting, stats.host_calls_in_flight), ((5, 5), 0));
    host.gate.open();
    host.expect_outcome(1, 1);
    let call = host.wait_for(|frame| matches!(frame.frame, SidecarFrame::HostCall(_)));
    let stats = host.process_stats();
    let waiting = (stats.requests_waiting, stats.requests_waiting_peak);
    assert_eq!((waiting, stats.host_calls_in_flight), ((4, 5), 1));
    assert!(stats.outbox_control_peak_bytes > 0, "{stats:?}");
    host.reply(1, call.request, "1");
}

#[test]
fn frames_are_counted() {
    let mut host = Host::start();
    host.execute(1, 1, "echo:1");
    host.expect_refused(1, 1, protocol::Reason::UnknownSession);
    let stats = host.process_stats();
    assert_eq!((stats.frames_in, stats.frames_out), (3, 2));
    assert_eq!(stats.frames_refused, 1);
    assert_eq!(stats.outbox_output_bytes, 0);
}

#[test]
fn a_session_counts_its_round_trips() {
    let mut host = Host::start();
    host.open(1);
    host.execute(1, 1, "host:f:[1,2]\nsync-host:f:[]");
    for _ in 0..2 {
        let call = host.next();
        host.reply(1, call.request, "123");
    }
    host.expect_outcome(1, 1);
    host.send(1, 2, GetStats {});
    let SidecarFrame::Stats(Stats {
        stats: StatsBody::Session(stats),
    }) = host.expect(1, 2)
    else {
        panic!("no Stats of the session");
    };
    assert_eq!((stats.requests, stats.round_trips), (1, 2));
    assert_eq!((stats.bytes_out, stats.bytes_in), (7, 6));
    assert_eq!(stats.methods[0].method, "f");
    host.close(1, 3);
    assert_eq!(host.expect_closed(1, 3).stats.round_trips, 2);
}
