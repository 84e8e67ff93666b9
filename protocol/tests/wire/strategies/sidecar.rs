//! What the sidecar sends.

use proptest::option;
use proptest::prelude::*;
use protocol::SnapshotKey;
use protocol::frame::{
    CalledFrame, GoAway, GuestEvent, HostCall, Level, OutcomeFrame, Output, Ping, Pong, Refused,
    Reset, SessionClosed, SessionEvent, SessionOpened, SidecarFrame, SnapshotReady, Stats,
    StatsBody, Stream, Welcome,
};

use super::vocabulary::{
    blob, js_error, limit_report, limits, mode, num32, num64, outcome, process_stats, reason,
    session_stats, text, texts, usage, value,
};

fn sidecar<F: Into<SidecarFrame>>(
    frames: impl Strategy<Value = F> + 'static,
) -> BoxedStrategy<SidecarFrame> {
    frames.prop_map_into().boxed()
}

/// Strategies for the frames that the sidecar sends, one a kind.
pub(super) fn sidecar_kinds() -> Vec<BoxedStrategy<SidecarFrame>> {
    let refused = (any::<u8>(), reason(), text(), option::of(limit_report())).prop_map(
        |(kind, reason, message, limit)| Refused {
            kind,
            reason,
            message,
            limit,
        },
    );
    let reset = (reason(), text(), option::of(session_stats()))
        .prop_map(|(reason, message, stats)| Reset::new(reason, message, stats));
    let stats = prop_oneof![
        process_stats().prop_map(StatsBody::Process),
        session_stats().prop_map(StatsBody::Session),
    ];
    let event = prop_oneof![
        js_error().prop_map(GuestEvent::UnhandledRejection),
        limit_report().prop_map(GuestEvent::LimitWarning),
    ];
    let ended = || (outcome(), usage());
    let mut kinds = vec![
        sidecar(any::<[u8; 8]>().prop_map(|payload| Ping { payload })),
        sidecar(any::<[u8; 8]>().prop_map(|payload| Pong { payload })),
        sidecar((reason(), text()).prop_map(|(reason, message)| GoAway { reason, message })),
        sidecar(refused),
        sidecar(reset),
        sidecar(ended().prop_map(|(outcome, usage)| OutcomeFrame { outcome, usage })),
        sidecar(ended().prop_map(|(outcome, usage)| CalledFrame { outcome, usage })),
        sidecar(session_stats().prop_map(|stats| SessionClosed { stats })),
        sidecar(event.prop_map(|event| SessionEvent { event })),
        sidecar(stats.prop_map(|stats| Stats { stats })),
    ];
    kinds.extend(sidecar_opening_kinds());
    kinds.extend(sidecar_running_kinds());
    kinds
}

fn sidecar_opening_kinds() -> [BoxedStrategy<SidecarFrame>; 3] {
    let welcome = (
        (any::<u16>(), text(), text(), num32()),
        (num32(), limits(), limits(), texts()),
    )
        .prop_map(
            |((version, build, v8, max_frame), (max_sessions, a, b, features))| Welcome {
                version,
                build,
                v8,
                max_frame,
                max_sessions,
                ceilings: a,
                defaults: b,
                features,
            },
        );
    let ready = (
        any::<[u8; 32]>(),
        proptest::array::uniform2(num32()),
        proptest::array::uniform3(num64()),
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(key, [modules, files], n, [reused, from_cache])| SnapshotReady {
                key: SnapshotKey(key),
                bytes: n[0],
                modules,
                build_us: n[1],
                evaluate_us: n[2],
                reused,
                files,
                from_cache,
            },
        );
    let opened =
        (limits(), num64()).prop_map(|(limits, open_us)| SessionOpened { limits, open_us });
    [sidecar(welcome), sidecar(ready), sidecar(opened)]
}

fn sidecar_running_kinds() -> [BoxedStrategy<SidecarFrame>; 2] {
    const LEVELS: [Level; 7] = [
        Level::Raw,
        Level::Log,
        Level::Info,
        Level::Warn,
        Level::Error,
        Level::Debug,
        Level::Trace,
    ];
    let host_call =
        (text(), mode(), value()).prop_map(|(method, mode, args)| HostCall { method, mode, args });
    let stream = prop_oneof![Just(Stream::Stdout), Just(Stream::Stderr)];
    let output = (stream, 0..LEVELS.len(), blob()).prop_map(|(stream, level, text)| Output {
        stream,
        level: LEVELS[level],
        text,
    });
    [sidecar(host_call), sidecar(output)]
}
