//! Private memory a bare session: the slope of the process's private memory over the number of idle sessions, each of which has run
//! `1+1`. A slope, so that what a process takes once is not counted.

use std::thread;
use std::time::Duration;

use protocol::SessionId;

use crate::error::{MeasureError, Result};
use crate::pairs::{Extent, Pairs};
use crate::procfs::private_kib;
use crate::report::{Row, Unit};
use crate::rows::{BOUND, Context, PEER, bare, script};
use crate::stats::slope;

const SESSIONS: u32 = 50;
/// Memory is looked at after every so many sessions.
const STEP: u32 = 10;
const HEAP_MIB: u32 = 32;
/// For what a process still does after it has answered.
const SETTLE: Duration = Duration::from_millis(50);
const BAR: f64 = 0.5;

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let extent = Extent {
        pairs: context.pick(1, 5),
        warm_up: 0,
        time: BOUND,
    };
    let mut ours = || of_ours(context);
    let mut other = || of_peer(context);
    let other = context.peer.as_ref().map(|_| &mut other as _);
    let pairs = Pairs::take(extent, &mut ours, other)?;
    Ok(vec![Row::compared(
        "memory",
        "private memory of an idle bare session",
        (Unit::Kibibytes, &pairs),
        PEER,
        Some(BAR),
    )])
}

fn of_ours(context: &Context) -> Result<f64> {
    let mut sidecar = context.sidecar()?;
    let pid = sidecar.pid();
    per_session(pid, |n| {
        let session = SessionId(n);
        sidecar.open(session, bare(HEAP_MIB))?;
        sidecar.run(session, script("1+1"), "2")
    })
}

fn of_peer(context: &Context) -> Result<f64> {
    let mut peer = context.peer()?.ok_or(MeasureError::Missing("no peer"))?;
    let pid = peer.pid();
    per_session(pid, |n| {
        let session = format!("{n:032x}");
        peer.create(&session, HEAP_MIB)?;
        peer.execute(&session, "1+1")?;
        peer.result()
    })
}

/// KiB a session of a fresh process in which `open` opens the n-th session.
fn per_session(pid: u32, mut open: impl FnMut(u32) -> Result<()>) -> Result<f64> {
    let mut points = Vec::new();
    for n in 1..=SESSIONS {
        open(n)?;
        if n % STEP == 0 {
            thread::sleep(SETTLE);
            points.push((f64::from(n), private_kib(pid)? as f64));
        }
    }
    slope(&points).ok_or(MeasureError::Missing("no slope"))
}
