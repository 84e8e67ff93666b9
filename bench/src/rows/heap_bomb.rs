//! A guest that takes memory until it is stopped, in a heap of 32 MiB, with ten neighbours that answer meanwhile. Each bomb gets a
//! process of its own, so that memory which an earlier one left behind hides nothing.

use std::time::Instant;

use protocol::frame::{OutcomeFrame, Reset};
use protocol::{Outcome, SessionId, SidecarFrame};
use serde_json::json;

use crate::error::{MeasureError, Result};
use crate::procfs::{reset_peak, resident_kib};
use crate::report::{Row, Unit, Verdict, figures};
use crate::rows::{Context, bare, milliseconds_since, script};
use crate::sidecar::{Ending, Sidecar, expect_json};
use crate::stats::Summary;

const HEAP_MIB: u32 = 32;
const NEIGHBOURS: u32 = 10;
const BOMB: SessionId = SessionId(100);
/// Opened when all is over.
const LATECOMER: SessionId = SessionId(101);

/// Name, what it is, script.
const BOMBS: [(&str, &str, &str); 6] = [
    (
        "objects",
        "an array of objects",
        "const a = []; for (;;) a.push({ n: a.length })",
    ),
    (
        "map",
        "a growing Map",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, {})",
    ),
    (
        "spread",
        "an array spread into itself",
        "let a = [0]; for (;;) a = [...a, ...a]",
    ),
    (
        "strings",
        "strings kept",
        "const a = []; for (;;) a.push(Array(1000).fill(a.length).join())",
    ),
    (
        "buffers",
        "array buffers kept",
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
    ),
    (
        "retry",
        "an array of arrays, errors caught",
        "const a = []; for (;;) try { for (;;) a.push(Array(100).fill(a.length)) } catch {}",
    ),
];

/// What came of a bomb.
struct Contained {
    ending: String,
    time_ms: f64,
    /// Growth of the resident set at its peak, in MiB.
    growth_mib: f64,
    /// Times of the neighbours' answers meanwhile.
    neighbours_ms: Vec<f64>,
}

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    Ok(BOMBS.iter().map(|bomb| row(context, *bomb)).collect())
}

fn row(context: &Context, (name, what, source): (&str, &str, &'static str)) -> Row {
    let found = explode(context, source);
    let (ours, data) = match &found {
        Err(_) => ("no".to_owned(), json!({ "contained": false })),
        Ok(bomb) => {
            let over = bomb.growth_mib - f64::from(HEAP_MIB);
            (
                format!("yes, {} MiB over: {}", figures(over.max(0.0)), bomb.ending),
                json!({
                    "contained": true, "ending": bomb.ending, "time_ms": bomb.time_ms, "growth_mib": bomb.growth_mib,
                    "over_mib": over, "neighbours_ms": Summary::of(&bomb.neighbours_ms).map(Summary::to_json),
                }),
            )
        }
    };
    let notes = match &found {
        Err(error) => vec![error.with_causes()],
        Ok(bomb) => vec![format!(
            "ended after {} ms, resident memory {} MiB above before at its peak; {} answers of neighbours meanwhile in {}, at most {} ms",
            figures(bomb.time_ms),
            figures(bomb.growth_mib),
            bomb.neighbours_ms.len(),
            Unit::Milliseconds.show(&bomb.neighbours_ms),
            Summary::of(&bomb.neighbours_ms).map_or_else(String::new, |all| figures(all.max)),
        )],
    };
    Row {
        name: format!("heap-bomb-{name}"),
        what: format!("32 MiB for: {what}"),
        ours,
        other: String::new(),
        ratio: String::new(),
        bar: "contained".to_owned(),
        verdict: Verdict::from(found.is_ok()),
        notes,
        data,
    }
}

fn explode(context: &Context, source: &'static str) -> Result<Contained> {
    let mut sidecar = context.sidecar()?;
    let neighbours: Vec<SessionId> = (1..=NEIGHBOURS).map(SessionId).collect();
    for session in neighbours.iter().copied().chain([BOMB]) {
        sidecar.open(session, bare(HEAP_MIB))?;
        sidecar.run(session, script("1+1"), "2")?;
    }
    let pid = sidecar.pid();
    reset_peak(pid)?;
    let (before, _) = resident_kib(pid)?;
    let start = Instant::now();
    sidecar.send(BOMB, script(source))?;
    let mut site = Site {
        sidecar,
        endings: Vec::new(),
    };
    let mut neighbours_ms = Vec::new();
    for session in neighbours.iter().cycle() {
        neighbours_ms.push(site.ask(*session)?);
        if !site.endings.is_empty() {
            break;
        }
    }
    let time_ms = milliseconds_since(start);
    let (_, peak) = resident_kib(pid)?;

    // The same process and all who are left answer.
    for session in &neighbours {
        site.ask(*session)?;
    }
    site.sidecar.send(LATECOMER, bare(HEAP_MIB))?;
    site.ask(LATECOMER)?;
    Ok(Contained {
        ending: site.endings.join(", then "),
        time_ms,
        growth_mib: peak.saturating_sub(before) as f64 / 1024.0,
        neighbours_ms,
    })
}

/// The process in which a bomb goes off.
struct Site {
    sidecar: Sidecar,
    /// How the bomb ended: its request first, and its session too where the heap is beyond repair.
    endings: Vec<String>,
}

impl Site {
    /// Asks a session for an answer, checks it, and tells how many milliseconds it took. Takes note of what comes of the bomb meanwhile.
    fn ask(&mut self, session: SessionId) -> Result<f64> {
        let start = Instant::now();
        let request = self.sidecar.send(session, script("6*7"))?;
        loop {
            let envelope = self.sidecar.next()?;
            let (from, about) = (envelope.session, envelope.request);
            let ending = match envelope.frame {
                SidecarFrame::Outcome(outcome) => Ending::Outcome(outcome),
                SidecarFrame::Reset(reset) => Ending::Lost(reset),
                SidecarFrame::SessionOpened(_) | SidecarFrame::SessionEvent(_) => continue,
                other => return Err(MeasureError::unexpected("an outcome", other)),
            };
            if from == BOMB {
                self.endings.push(ending_name(&ending)?);
            } else if from == session && about == request {
                expect_json(&ending, "42")?;
                return Ok(milliseconds_since(start));
            } else {
                return Err(MeasureError::unexpected(
                    "an answer of the neighbour",
                    ending,
                ));
            }
        }
    }
}

/// How the bomb ended; a value is no ending for it.
fn ending_name(ending: &Ending) -> Result<String> {
    match ending {
        Ending::Outcome(OutcomeFrame {
            outcome: Outcome::LimitExceeded(report),
            ..
        }) => Ok(format!("limit {}", report.which.as_str())),
        Ending::Outcome(OutcomeFrame {
            outcome: Outcome::Exception(error),
            ..
        }) => Ok(error.name.clone()),
        Ending::Lost(Reset { reason, .. }) => Ok(format!("lost, {}", reason.as_str())),
        Ending::Outcome(other) => Err(MeasureError::unexpected(
            "an end by the limit",
            &other.outcome,
        )),
    }
}
