//! What frames share.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol::frame::Until;
use protocol::{
    Blob, CallMode, JsError, LimitKind, LimitReport, Limits, LimitsRequest, MethodStats, Outcome,
    ProcessStats, Reason, SessionStats, StackFrame, Usage, Value, ValueFormat,
};

/// Numbers of every encoded length.
pub(super) fn num64() -> BoxedStrategy<u64> {
    prop_oneof![
        0..=255_u64,
        any::<u16>().prop_map_into(),
        any::<u32>().prop_map_into(),
        any::<u64>()
    ]
    .boxed()
}

pub(super) fn num32() -> BoxedStrategy<u32> {
    prop_oneof![0..=255_u32, any::<u16>().prop_map_into(), any::<u32>()].boxed()
}

pub(super) fn text() -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), ".{0,8}", "[a-z]{250,252}"].boxed()
}

pub(super) fn texts() -> BoxedStrategy<Vec<String>> {
    vec(text(), 0..4).boxed()
}

pub(super) fn blob() -> BoxedStrategy<Blob> {
    vec(any::<u8>(), 0..300).prop_map(Blob::from).boxed()
}

pub(super) fn format() -> BoxedStrategy<ValueFormat> {
    prop_oneof![
        Just(ValueFormat::Json),
        Just(ValueFormat::V8),
        Just(ValueFormat::Raw)
    ]
    .boxed()
}

pub(super) fn mode() -> BoxedStrategy<CallMode> {
    prop_oneof![Just(CallMode::Async), Just(CallMode::Sync)].boxed()
}

pub(super) fn until() -> BoxedStrategy<Until> {
    prop_oneof![Just(Until::Settled), Just(Until::Drained)].boxed()
}

pub(super) fn reason() -> BoxedStrategy<Reason> {
    prop_oneof![0..30_u16, any::<u16>()]
        .prop_map(Reason::from_wire)
        .boxed()
}

pub(super) fn value() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(Value::Undefined),
        blob().prop_map(Value::Json),
        blob().prop_map(Value::V8),
        blob().prop_map(Value::Raw),
    ]
    .boxed()
}

pub(super) fn limits() -> BoxedStrategy<Limits> {
    (
        proptest::array::uniform5(num64()),
        proptest::array::uniform3(num32()),
    )
        .prop_map(|(a, b)| Limits {
            heap_bytes: a[0],
            cpu_ms: a[1],
            wall_ms: a[2],
            output_bytes: a[3],
            host_calls_in_flight: b[0],
            host_call_timeout_ms: a[4],
            timers: b[1],
            message_bytes: b[2],
        })
        .boxed()
}

pub(super) fn limits_request() -> BoxedStrategy<LimitsRequest> {
    (limits(), any::<u8>())
        .prop_map(|(limits, mask)| {
            let has = |bit: u32| mask & (1 << bit) != 0;
            LimitsRequest {
                heap_bytes: has(0).then_some(limits.heap_bytes),
                cpu_ms: has(1).then_some(limits.cpu_ms),
                wall_ms: has(2).then_some(limits.wall_ms),
                output_bytes: has(3).then_some(limits.output_bytes),
                host_calls_in_flight: has(4).then_some(limits.host_calls_in_flight),
                host_call_timeout_ms: has(5).then_some(limits.host_call_timeout_ms),
                timers: has(6).then_some(limits.timers),
                message_bytes: has(7).then_some(limits.message_bytes),
            }
        })
        .boxed()
}

pub(super) fn limit_report() -> BoxedStrategy<LimitReport> {
    const KINDS: [LimitKind; 12] = [
        LimitKind::Memory,
        LimitKind::Cpu,
        LimitKind::Wall,
        LimitKind::Output,
        LimitKind::HostCalls,
        LimitKind::HostCallTimeout,
        LimitKind::Timers,
        LimitKind::Message,
        LimitKind::Sessions,
        LimitKind::Requests,
        LimitKind::Frame,
        LimitKind::Modules,
    ];
    (0..KINDS.len(), num64(), num64())
        .prop_map(|(which, limit, usage)| LimitReport::new(KINDS[which], limit, usage))
        .boxed()
}

pub(super) fn js_error() -> BoxedStrategy<JsError> {
    let frame = (option::of(text()), text(), num32(), num32()).prop_map(
        |(function, file, line, column)| StackFrame {
            function,
            file,
            line,
            column,
        },
    );
    let one = (text(), text(), option::of(text()), text(), vec(frame, 0..3)).prop_map(
        |(name, message, code, stack, frames)| JsError {
            name,
            message,
            code,
            stack,
            frames,
            cause: None,
        },
    );
    let chain = vec(one, 1..=9);
    chain
        .prop_map(|chain| {
            let link = |cause, error| Some(Box::new(JsError { cause, ..error }));
            *chain.into_iter().fold(None, link).unwrap()
        })
        .boxed()
}

pub(super) fn outcome() -> BoxedStrategy<Outcome> {
    prop_oneof![
        value().prop_map(Outcome::Ok),
        js_error().prop_map(Outcome::Exception),
        limit_report().prop_map(Outcome::LimitExceeded),
        Just(Outcome::Cancelled),
    ]
    .boxed()
}

pub(super) fn usage() -> BoxedStrategy<Usage> {
    proptest::array::uniform10(num64())
        .prop_map(|n| Usage {
            wall_us: n[0],
            cpu_us: n[1],
            heap_peak_bytes: n[2],
            external_peak_bytes: n[3],
            round_trips: n[4],
            modules_from_reader: n[5],
            modules_from_snapshot: n[6],
            modules_from_host: n[7],
            output_bytes: n[8],
            output_dropped_bytes: n[9],
        })
        .boxed()
}

pub(super) fn session_stats() -> BoxedStrategy<SessionStats> {
    let method = (text(), proptest::array::uniform7(num64())).prop_map(|(method, n)| MethodStats {
        method,
        count: n[0],
        errors: n[1],
        bytes_out: n[2],
        bytes_in: n[3],
        p50_us: n[4],
        p99_us: n[5],
        max_us: n[6],
    });
    (vec(method, 0..3), proptest::array::uniform13(num64()))
        .prop_map(|(methods, n)| SessionStats {
            requests: n[0],
            round_trips: n[1],
            bytes_out: n[2],
            bytes_in: n[3],
            methods,
            modules_from_reader: n[4],
            modules_from_snapshot: n[5],
            modules_from_host: n[6],
            heap_used_bytes: n[7],
            heap_peak_bytes: n[8],
            external_bytes: n[9],
            external_peak_bytes: n[10],
            cpu_us: n[11],
            output_dropped_bytes: n[12],
        })
        .boxed()
}

pub(super) fn process_stats() -> BoxedStrategy<ProcessStats> {
    (
        proptest::array::uniform6(num32()),
        proptest::array::uniform8(num64()),
        proptest::array::uniform8(num32()),
        proptest::array::uniform7(num64()),
    )
        .prop_map(|(a, b, c, d)| ProcessStats {
            uptime_ms: b[0],
            sessions_opening: a[0],
            sessions_idle: a[1],
            sessions_running: a[2],
            sessions_closing: a[3],
            sessions_quarantined: a[4],
            sessions_opened_total: b[1],
            snapshots: a[5],
            frames_in: b[2],
            frames_out: b[3],
            frames_refused: b[4],
            outbox_control_bytes: b[5],
            outbox_output_bytes: b[6],
            outbox_peak_bytes: b[7],
            quarantined_bytes: d[0],
            outbox_control_peak_bytes: d[1],
            outbox_output_peak_bytes: d[2],
            frames_waiting: c[0],
            frames_waiting_peak: c[1],
            reports_waiting: c[2],
            reports_waiting_peak: c[3],
            requests_waiting: c[4],
            requests_waiting_peak: c[5],
            host_calls_in_flight: c[6],
            resident_bytes: d[3],
            heap_used_bytes: d[4],
            external_bytes: d[5],
            heap_limit_bytes: d[6],
            threads: c[7],
        })
        .boxed()
}
