//! What idle sessions do: 50 that have each run `1+1` are left alone. Counted are context switches and CPU time of the session
//! threads, for both processes over the same stretch of time.

use std::thread;
use std::time::Duration;

use protocol::SessionId;
use serde_json::{Value, json};

use crate::error::Result;
use crate::procfs::{Activity, SESSION_THREAD, activity};
use crate::report::{Row, Verdict};
use crate::rows::{Context, PEER, bare, script};

const SESSIONS: u32 = 50;
const HEAP_MIB: u32 = 32;
/// For what a process still does after it has answered.
const SETTLE: Duration = Duration::from_secs(1);

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let time = context.pick(Duration::from_secs(3), Duration::from_secs(10));
    let mut sidecar = context.sidecar()?;
    let mut peer = context.peer()?;
    for n in 1..=SESSIONS {
        let session = SessionId(n);
        sidecar.open(session, bare(HEAP_MIB))?;
        sidecar.run(session, script("1+1"), "2")?;
        if let Some(peer) = &mut peer {
            let session = format!("{n:032x}");
            peer.create(&session, HEAP_MIB)?;
            peer.execute(&session, "1+1")?;
            peer.result()?;
        }
    }
    let pids = [Some(sidecar.pid()), peer.as_ref().map(|peer| peer.pid())];
    thread::sleep(SETTLE);
    let before = pids.map(|pid| pid.map(look));
    thread::sleep(time);
    let [ours, other] = std::array::from_fn(|side| {
        let before = before.get(side)?.as_ref()?.as_ref().ok()?;
        let after = look((*pids.get(side)?)?).ok()?;
        Some([after[0].since(before[0]), after[1].since(before[1])])
    });
    let quiet = ours.is_some_and(|[sessions, _]: [Activity; 2]| {
        sessions.threads == u64::from(SESSIONS) && sessions.switches == 0 && sessions.cpu_ns == 0
    });
    let seconds = time.as_secs();
    Ok(vec![Row {
        name: "idle".to_owned(),
        what: format!("wake-ups of {SESSIONS} idle sessions in {seconds} s"),
        ours: show(ours),
        other: format!("{PEER}: {}", show(other)),
        ratio: String::new(),
        bar: "0".to_owned(),
        verdict: Verdict::from(quiet),
        notes: notes(ours),
        data: json!({ "seconds": seconds, "ours": to_json(ours), "other": to_json(other) }),
    }])
}

/// The session threads, and all threads.
fn look(pid: u32) -> Result<[Activity; 2]> {
    Ok([activity(pid, SESSION_THREAD)?, activity(pid, "")?])
}

fn show(side: Option<[Activity; 2]>) -> String {
    side.map_or_else(
        || "not there".to_owned(),
        |[sessions, _]| {
            let cpu_ms = sessions.cpu_ns as f64 / 1e6;
            format!("{}, CPU {cpu_ms:.3} ms", sessions.switches)
        },
    )
}

fn notes(ours: Option<[Activity; 2]>) -> Vec<String> {
    ours.into_iter()
        .map(|[sessions, all]| {
            format!(
                "{} session threads; all {} threads of the sidecar together: {} switches, {:.3} ms",
                sessions.threads,
                all.threads,
                all.switches,
                all.cpu_ns as f64 / 1e6,
            )
        })
        .collect()
}

fn to_json(side: Option<[Activity; 2]>) -> Value {
    side.map_or(Value::Null, |both| {
        let one = |what: Activity| json!({ "threads": what.threads, "switches": what.switches, "cpu_ns": what.cpu_ns });
        let [sessions, all] = both.map(one);
        json!({ "session_threads": sessions, "all_threads": all })
    })
}
