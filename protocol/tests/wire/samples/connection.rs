//! Frames of the connection itself, refusals and resets.

use protocol::frame::{GoAway, Hello, Kind, Ping, Pong, Refused, Reset, Shutdown, Welcome};
use protocol::{LimitKind, LimitReport, Limits, Reason};

use super::closing::session_stats;
use super::{Sample, host, sidecar, text, texts};

pub(super) fn all() -> Vec<Sample> {
    [connection(), liveness(), refusals()]
        .into_iter()
        .flatten()
        .collect()
}

fn connection() -> Vec<Sample> {
    vec![
        host(
            "minimal",
            (0, 1),
            Hello {
                min_version: 4,
                max_version: 4,
                client: String::new(),
                max_frame: 0,
            },
        ),
        host(
            "full",
            (0, 1),
            Hello {
                min_version: 4,
                max_version: 300,
                client: text("node-client/0.1 ü"),
                max_frame: 32 * 1024 * 1024,
            },
        ),
        sidecar(
            "full",
            (0, 1),
            Welcome {
                version: 4,
                build: text("isolate-sidecar 0.1.0"),
                v8: text("15.2.0"),
                max_frame: 32 * 1024 * 1024,
                max_sessions: 64,
                ceilings: Limits {
                    heap_bytes: 1 << 32,
                    ..Limits::DEFAULT
                },
                defaults: Limits::DEFAULT,
                features: texts(&["snapshots", "wasm"]),
            },
        ),
    ]
}

fn liveness() -> Vec<Sample> {
    vec![
        host(
            "from_host",
            (0, 2),
            Ping {
                payload: *b"liveness",
            },
        ),
        sidecar("from_sidecar", (0, 0), Ping { payload: [0xff; 8] }),
        host("from_host", (0, 0), Pong { payload: [0xff; 8] }),
        sidecar(
            "from_sidecar",
            (0, 2),
            Pong {
                payload: *b"liveness",
            },
        ),
    ]
}

fn refusals() -> Vec<Sample> {
    vec![
        sidecar(
            "no_common_version",
            (0, 1),
            GoAway::new(Reason::UnsupportedVersion, "this build speaks version 4"),
        ),
        sidecar(
            "unknown_reason",
            (0, 0),
            GoAway::new(Reason::Other(4711), ""),
        ),
        host("five_seconds", (0, 3), Shutdown { grace_ms: 5000 }),
        sidecar(
            "unknown_session",
            (9, 3),
            Refused::new(Kind::Execute, Reason::UnknownSession, "no session 9"),
        ),
        sidecar(
            "over_limit",
            (9, 3),
            Refused::over_limit(
                Kind::OpenSession,
                Reason::TooManySessions,
                LimitReport::new(LimitKind::Sessions, 64, 65),
            ),
        ),
        sidecar(
            "without_stats",
            (7, 0),
            Reset::new(Reason::EngineOom, "out of memory", None),
        ),
        sidecar(
            "with_stats",
            (7, 0),
            Reset::new(Reason::MemoryExceeded, "heap", Some(session_stats())),
        ),
    ]
}
