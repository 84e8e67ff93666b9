//! `1+1` beside 50 sessions that do not stop: in a fresh session, opened for it, and in one that has been idle; and how even the
//! CPU time of the 50 is. One row a kind of guest.

use std::thread;
use std::time::{Duration, Instant};

use protocol::frame::{HostReply, OpenSession, Reply};
use protocol::{SessionId, SidecarFrame, Value};
use serde_json::json;

use crate::error::{MeasureError, Result};
use crate::procfs::{SESSION_THREAD, cpu_by_thread};
use crate::report::{Row, Verdict, figures};
use crate::rows::{Context, bare, milliseconds_since, script, sync_function};
use crate::sidecar::{Sidecar, ending_of, expect_json};
use crate::stats::{Summary, p99};

const SPINNERS: u32 = 50;
const HEAP_MIB: u32 = 32;
const IDLE: SessionId = SessionId(1_000);
/// For all to be well under way.
const SETTLE: Duration = Duration::from_secs(2);
/// The slowest one in a hundred, in milliseconds.
const BAR: f64 = 50.0;

/// Name, what it is, script.
const GUESTS: [(&str, &str, &str); 5] = [
    ("spin", "spin", "for (;;);"),
    (
        "microtasks",
        "flood the queue of microtasks",
        "function f() { queueMicrotask(f) } f()",
    ),
    (
        "timers",
        "flood timers",
        "new Promise(() => { function f() { setTimeout(f, 0) } for (let i = 0; i < 100; i++) f() })",
    ),
    (
        "garbage",
        "allocate and drop",
        "for (;;) { let a = []; for (let i = 0; i < 20000; i++) a.push({ i, s: 'x' + i }) }",
    ),
    ("host-calls", "call the host", "for (;;) host.answer(1)"),
];

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    Ok(GUESTS.iter().map(|guest| row(context, *guest)).collect())
}

/// Milliseconds from the first byte of the request to the result.
#[derive(Debug, Default)]
struct Times {
    fresh: Vec<f64>,
    idle: Vec<f64>,
    /// The most over the least CPU time among the spinners.
    evenness: Option<f64>,
}

fn row(context: &Context, (name, what, source): (&str, &str, &'static str)) -> Row {
    let mut times = Times::default();
    let failure = compete(context, source, &mut times).err();
    let (fresh, idle) = (p99(&times.fresh), p99(&times.idle));
    let met = [fresh, idle]
        .iter()
        .all(|slowest| slowest.is_some_and(|ms| ms <= BAR));
    let show = |name: &str, ms: &[f64]| {
        let [p50, p99] = [
            Summary::of(ms).map_or(0.0, |all| all.p50),
            p99(ms).unwrap_or_default(),
        ]
        .map(figures);
        format!("{name} {p50}, p99 {p99} ms")
    };
    Row {
        name: format!("fairness-{name}"),
        what: format!("1+1 beside {SPINNERS} that {what}"),
        ours: format!(
            "{}; {}",
            show("fresh", &times.fresh),
            show("idle", &times.idle)
        ),
        other: String::new(),
        ratio: String::new(),
        bar: format!("p99 ≤ {BAR} ms"),
        verdict: Verdict::from(failure.is_none() && met),
        notes: failure
            .iter()
            .map(MeasureError::with_causes)
            .chain(times.evenness.map(|ratio| {
                format!("{name}: most over least CPU time among the {SPINNERS}: {ratio:.3}")
            }))
            .collect(),
        data: json!({
            "unit": "ms", "fresh_p99": fresh, "idle_p99": idle, "fresh": times.fresh, "idle": times.idle,
            "most_over_least_cpu": times.evenness,
        }),
    }
}

fn compete(context: &Context, source: &'static str, times: &mut Times) -> Result<()> {
    let mut sidecar = context.sidecar()?;
    sidecar.open(IDLE, bare(HEAP_MIB))?;
    sidecar.run(IDLE, script("1+1"), "2")?;
    for n in 1..=SPINNERS {
        let spec = bare(HEAP_MIB);
        let session = SessionId(n);
        sidecar.send(
            session,
            OpenSession {
                functions: vec![sync_function("answer")],
                ..spec
            },
        )?;
        sidecar.send(session, script(source))?;
    }
    let start = Instant::now();
    let mut n = SPINNERS;
    // Not measured: until the spinners are open.
    while start.elapsed() < SETTLE {
        n = n.saturating_add(1);
        fresh(&mut sidecar, SessionId(n))?;
    }
    let before = cpu_by_thread(sidecar.pid(), SESSION_THREAD)?;
    let times_each = context.pick(100, 500);
    for _ in 0..times_each {
        n = n.saturating_add(1);
        times.fresh.push(fresh(&mut sidecar, SessionId(n))?);
        times.idle.push(one_plus_one(&mut sidecar, IDLE)?);
    }
    thread::sleep(context.pick(Duration::from_secs(3), Duration::from_secs(10)));
    let after = cpu_by_thread(sidecar.pid(), SESSION_THREAD)?;
    let mut used: Vec<u64> = before
        .iter()
        .filter(|(name, _)| **name != format!("{SESSION_THREAD}{}", IDLE.get()))
        .filter_map(|(name, before)| after.get(name)?.checked_sub(*before))
        .collect();
    used.sort_unstable();
    times.evenness = used
        .first()
        .zip(used.last())
        .map(|(least, most)| *most as f64 / (*least).max(1) as f64);
    Ok(())
}

fn fresh(sidecar: &mut Sidecar, session: SessionId) -> Result<f64> {
    let start = Instant::now();
    sidecar.send(session, bare(HEAP_MIB))?;
    one_plus_one(sidecar, session)?;
    let time = milliseconds_since(start);
    let close = sidecar.send(session, protocol::frame::CloseSession {})?;
    loop {
        let envelope = sidecar.next()?;
        if envelope.request == close && envelope.session == session {
            return Ok(time);
        }
        answered(sidecar, envelope.session, envelope.request, &envelope.frame)?;
    }
}

/// Runs it, and answers what the others call.
fn one_plus_one(sidecar: &mut Sidecar, session: SessionId) -> Result<f64> {
    let start = Instant::now();
    let request = sidecar.send(session, script("1+1"))?;
    loop {
        let envelope = sidecar.next()?;
        answered(sidecar, envelope.session, envelope.request, &envelope.frame)?;
        if let Some(ending) = ending_of(envelope, session, request)? {
            expect_json(&ending, "2")?;
            return Ok(milliseconds_since(start));
        }
    }
}

fn answered(
    sidecar: &mut Sidecar,
    session: SessionId,
    call: protocol::RequestId,
    frame: &SidecarFrame,
) -> Result<()> {
    match frame {
        SidecarFrame::HostCall(_) => sidecar.answer(
            session,
            call,
            HostReply {
                reply: Reply::Ok(Value::Undefined),
            },
        ),
        _ => Ok(()),
    }
}
