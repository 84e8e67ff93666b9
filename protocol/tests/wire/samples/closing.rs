//! The end of a session, its events and counters.

use protocol::frame::{
    CloseSession, GetStats, GuestEvent, SessionClosed, SessionEvent, Stats, StatsBody,
};
use protocol::{JsError, LimitKind, LimitReport, MethodStats, ProcessStats, SessionStats};

use super::{Sample, host, sidecar, text};

pub(super) fn all() -> Vec<Sample> {
    vec![
        host("empty", (1, 8), CloseSession {}),
        sidecar(
            "with_methods",
            (1, 8),
            SessionClosed {
                stats: session_stats(),
            },
        ),
        sidecar(
            "unhandled_rejection",
            (1, 0),
            SessionEvent {
                event: GuestEvent::UnhandledRejection(JsError::default()),
            },
        ),
        sidecar(
            "limit_warning",
            (1, 6),
            SessionEvent {
                event: GuestEvent::LimitWarning(LimitReport::new(LimitKind::HostCalls, 1024, 1025)),
            },
        ),
        host("process", (0, 9), GetStats {}),
        host("session", (1, 9), GetStats {}),
        sidecar(
            "process",
            (0, 9),
            Stats {
                stats: StatsBody::Process(process_stats()),
            },
        ),
        sidecar(
            "session",
            (1, 9),
            Stats {
                stats: StatsBody::Session(session_stats()),
            },
        ),
    ]
}

pub(super) fn session_stats() -> SessionStats {
    SessionStats {
        requests: 1,
        round_trips: 2,
        bytes_out: 3,
        bytes_in: 4,
        methods: vec![MethodStats {
            method: text("fs.read"),
            count: 5,
            errors: 6,
            bytes_out: 7,
            bytes_in: 8,
            p50_us: 9,
            p99_us: 10,
            max_us: 11,
        }],
        modules_from_reader: 12,
        modules_from_snapshot: 13,
        modules_from_host: 14,
        heap_used_bytes: 15,
        heap_peak_bytes: 16,
        external_bytes: 17,
        external_peak_bytes: 18,
        cpu_us: 19,
        output_dropped_bytes: 20,
    }
}

fn process_stats() -> ProcessStats {
    ProcessStats {
        uptime_ms: 1,
        sessions_opening: 2,
        sessions_idle: 3,
        sessions_running: 4,
        sessions_closing: 5,
        sessions_quarantined: 6,
        sessions_opened_total: 7,
        snapshots: 8,
        frames_in: 9,
        frames_out: 10,
        frames_refused: 11,
        outbox_control_bytes: 12,
        outbox_output_bytes: 13,
        outbox_peak_bytes: 14,
        quarantined_bytes: 15,
        outbox_control_peak_bytes: 16,
        outbox_output_peak_bytes: 17,
        frames_waiting: 18,
        frames_waiting_peak: 19,
        reports_waiting: 20,
        reports_waiting_peak: 21,
        requests_waiting: 22,
        requests_waiting_peak: 23,
        host_calls_in_flight: 24,
        resident_bytes: 25,
        heap_used_bytes: 26,
        external_bytes: 27,
        heap_limit_bytes: 28,
        threads: 29,
    }
}
