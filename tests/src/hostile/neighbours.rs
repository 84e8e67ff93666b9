//! Sessions beside a hostile guest that compute something known, over and over.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use isolate_sidecar_client::{
    CallMode, Finished, HostError, Outcome, Pending, RequestError, Session, SessionOptions,
    Sidecar, Value, call_global, script,
};

/// How long nobody computes between two rounds.
const PACE: Duration = Duration::from_millis(40);
/// The slowest answer that a neighbour may give.
const SLOWEST: Duration = Duration::from_secs(10);

/// A step of a neighbour: arithmetic, an array, a text, a host call of each kind and a count
/// that lives on. [`expected`] computes the same.
const STEP: &str = "
    let steps = 0;
    globalThis.step = async (seed) => {
      const seen = [];
      let x = seed >>> 0;
      for (let i = 0; i < 320; i++) {
        x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
        if (i % 16 === 0) seen.push(x);
      }
      const text = JSON.stringify(seen.sort((a, b) => a - b));
      let sum = 2166136261;
      for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16777619) >>> 0;
      sum = host.mix(sum);
      sum = await host.mixLater(sum);
      steps += 1;
      return [sum, steps];
    };
";

/// Sessions of one sidecar that compute and are checked.
#[derive(Debug)]
pub struct Neighbours {
    sessions: Vec<Session>,
    rounds: AtomicU32,
}

/// What the neighbours came to.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// How many times every neighbour was asked.
    pub rounds: u32,
    /// The first answer that was wrong, and whose.
    pub wrong: Option<String>,
    /// The longest time that a round of all neighbours took.
    pub slowest: Duration,
}

impl Neighbours {
    /// Opens so many, and lets each compute a few times.
    ///
    /// # Errors
    ///
    /// What the sidecar refused.
    pub fn open(sidecar: &Sidecar, n: usize) -> Result<Neighbours, RequestError> {
        let open = || {
            let session = sidecar
                .session(SessionOptions::default())
                .function("mix", CallMode::Sync, answer)
                .function("mixLater", CallMode::Async, answer)
                .open()?;
            session.execute(script("neighbour.js", STEP))?;
            Ok(session)
        };
        let sessions = (0..n)
            .map(|_| open())
            .collect::<Result<_, RequestError>>()?;
        let neighbours = Neighbours {
            sessions,
            rounds: AtomicU32::new(0),
        };
        (0..3).for_each(|_| drop(neighbours.round()));
        Ok(neighbours)
    }

    /// Lets all compute, again and again, until `stop`, and then once more.
    pub fn compute(
        &self,
        sidecar: &Sidecar,
        stop: &AtomicBool,
        mut between: impl FnMut(),
    ) -> Checked {
        let mut checked = Checked::default();
        let mut is_last = false;
        while checked.wrong.is_none() {
            let begun = Instant::now();
            checked.wrong = self.round().err();
            checked.slowest = checked.slowest.max(begun.elapsed());
            checked.rounds = checked.rounds.saturating_add(1);
            between();
            if is_last {
                break;
            }
            is_last = stop.load(Ordering::Acquire);
            if !is_last {
                sidecar.serve_for(PACE);
            }
        }
        checked
    }

    /// One answer of each, checked.
    ///
    /// # Errors
    ///
    /// What was wrong, in words.
    pub fn round(&self) -> Result<(), String> {
        let round = self
            .rounds
            .fetch_add(1, Ordering::Relaxed)
            .saturating_add(1);
        let asked = self.sessions.iter().zip(0_u32..).map(|(session, n)| {
            let seed = seed(round, n);
            let args = Value::Json(format!("[{seed}]").into());
            (n, session.start_call(call_global("step", args)))
        });
        let asked: Vec<_> = asked.collect();
        for (n, pending) in asked {
            let pending = pending.map_err(|err| format!("neighbour {n}: {err}"))?;
            check(round, n, pending)?;
        }
        Ok(())
    }
}

fn check(round: u32, n: u32, pending: Pending) -> Result<(), String> {
    let finished = match pending.wait_for(SLOWEST) {
        Ok(finished) => finished.map_err(|err| format!("neighbour {n}: {err}"))?,
        Err(_) => return Err(format!("neighbour {n}: no answer within {SLOWEST:?}")),
    };
    let Finished { outcome, .. } = finished;
    let right = format!("[{},{round}]", expected(seed(round, n)));
    match outcome {
        Outcome::Ok(value) if value.bytes() == right.as_bytes() => Ok(()),
        other => Err(format!("neighbour {n}: {right} expected, {other:?} seen")),
    }
}

fn seed(round: u32, n: u32) -> u32 {
    round.wrapping_mul(2_654_435_761).wrapping_add(n)
}

/// What [`STEP`] comes to.
fn expected(seed: u32) -> u32 {
    let mut seen = Vec::new();
    let mut x = seed;
    for i in 0..320_u32 {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if i.is_multiple_of(16) {
            seen.push(x);
        }
    }
    seen.sort_unstable();
    let listed: Vec<String> = seen.iter().map(u32::to_string).collect();
    let text = format!("[{}]", listed.join(","));
    let sum = text.bytes().fold(2_166_136_261_u32, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(16_777_619)
    });
    mix(mix(sum))
}

fn mix(sum: u32) -> u32 {
    sum.rotate_left(7).wrapping_mul(31).wrapping_add(7)
}

/// The host's part of a step: the arguments are `[SUM]`.
fn answer(args: Value) -> Result<Value, HostError> {
    let text = String::from_utf8_lossy(args.bytes()).into_owned();
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match inner.and_then(|text| text.parse().ok()) {
        Some(sum) => Ok(Value::Json(mix(sum).to_string().into())),
        None => Err(HostError {
            name: "TypeError".to_owned(),
            message: format!("no number: {text}"),
            code: None,
        }),
    }
}
