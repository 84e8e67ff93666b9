//! Guests that do not stop by themselves, with a wall-clock limit of 300 ms: how long until their outcome. Each time the next request
//! in the same session must come to the right result.

use std::time::Instant;

use protocol::frame::{OpenSession, OutcomeFrame};
use protocol::{LimitKind, LimitsRequest, Outcome, SessionId};
use serde_json::json;

use crate::error::{MeasureError, Result};
use crate::report::{Row, Verdict, figures};
use crate::rows::{Context, bare, milliseconds_since, script, sync_function};
use crate::sidecar::{Ending, Sidecar};
use crate::stats::Summary;

const WALL_MS: u64 = 300;
/// No outcome may be earlier or later, in milliseconds.
const BAR: (f64, f64) = (300.0, 450.0);
/// What a clock that reads microseconds may miss, in milliseconds.
const EARLY: f64 = 1.0;

/// Name, what it is, script.
const GUESTS: [(&str, &str, &str); 8] = [
    ("loop", "endless loop", "for (;;);"),
    (
        "fill",
        "loop over an optimised inner loop",
        "for (;;) new Array(1000).fill(1)",
    ),
    (
        "promise-jobs",
        "promise jobs that make promise jobs",
        "function f() { Promise.resolve().then(f) } f()",
    ),
    (
        "await",
        "endless loop that awaits",
        "(async () => { for (;;) await null })()",
    ),
    (
        "async-calls",
        "asynchronous function that calls itself",
        "async function f() { await null; f() } f()",
    ),
    (
        "microtasks",
        "queueMicrotask again and again",
        "function f() { queueMicrotask(f) } f()",
    ),
    (
        "regexp",
        "backtracking regular expression",
        "/^(a+)+$/.test('a'.repeat(64) + 'b')",
    ),
    (
        "host-call",
        "synchronous host call without a reply",
        "host.wait()",
    ),
];

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let times = context.pick(3, 15);
    Ok(GUESTS
        .iter()
        .map(|guest| row(context, *guest, times))
        .collect())
}

fn row(context: &Context, (name, what, source): (&str, &str, &'static str), n: usize) -> Row {
    let mut times = Vec::new();
    let failure = stop_often(context, source, n, &mut times).err();
    let in_time =
        Summary::of(&times).is_some_and(|times| times.min >= BAR.0 - EARLY && times.max <= BAR.1);
    Row {
        name: format!("deadline-{name}"),
        what: format!("300 ms for: {what}"),
        ours: Summary::of(&times).map_or_else(String::new, |times| {
            let [p50, max] = [times.p50, times.max].map(figures);
            format!("{p50} ms, slowest {max} ms")
        }),
        other: String::new(),
        ratio: String::new(),
        bar: "300–450 ms".to_owned(),
        verdict: Verdict::from(failure.is_none() && in_time),
        notes: failure.iter().map(MeasureError::with_causes).collect(),
        data: json!({
            "unit": "ms", "ours": Summary::of(&times).map(Summary::to_json), "samples": times,
            "next_request_right": failure.is_none(),
        }),
    }
}

/// Adds to `times` until a failure, so that what came before it is shown.
fn stop_often(
    context: &Context,
    source: &'static str,
    n: usize,
    times: &mut Vec<f64>,
) -> Result<()> {
    let mut sidecar = context.sidecar()?;
    let session = SessionId(1);
    sidecar.open(session, limited())?;
    for _ in 0..n {
        times.push(stop(&mut sidecar, session, source)?);
        sidecar.run(session, script("6*7"), "42")?;
    }
    sidecar.close(session)
}

fn stop(sidecar: &mut Sidecar, session: SessionId, source: &'static str) -> Result<f64> {
    let start = Instant::now();
    let request = sidecar.send(session, script(source))?;
    let ending = sidecar.ending(session, request)?;
    let time = milliseconds_since(start);
    match ending {
        Ending::Outcome(OutcomeFrame {
            outcome: Outcome::LimitExceeded(report),
            ..
        }) if report.which == LimitKind::Wall => Ok(time),
        other => Err(MeasureError::unexpected(
            "the limit on wall-clock time",
            other,
        )),
    }
}

fn limited() -> OpenSession {
    let spec = bare(128);
    OpenSession {
        limits: LimitsRequest {
            wall_ms: Some(WALL_MS),
            ..spec.limits
        },
        functions: vec![sync_function("wait")],
        ..spec
    }
}
