//! A bare session: from the first byte of the request for it to the result of `1+1`. Closed again outside the measured time.

use std::time::{Duration, Instant};

use protocol::{SessionId, SidecarFrame};

use crate::error::Result;
use crate::pairs::{Extent, Pairs};
use crate::peers::secure_exec::SecureExec;
use crate::procfs::settle;
use crate::report::{Row, Unit};
use crate::rows::{Context, PEER, bare, milliseconds_since, script};
use crate::sidecar::{Ending, Sidecar, ending_of, expect_json};

const HEAP_MIB: u32 = 128;
/// How long the thread of a closed session may go on until the next session is opened all the same.
const SETTLE: Duration = Duration::from_millis(50);
const BAR: f64 = 0.75;

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let extent = Extent {
        pairs: context.pick(60, 500),
        warm_up: 5,
        time: context.pick(Duration::from_secs(8), Duration::from_secs(60)),
    };
    let mut sidecar = context.sidecar()?;
    let mut peer = context.peer()?;
    let mut parts = Parts::default();
    let mut n = 0_u32;
    let mut ours = || {
        n = n.saturating_add(1);
        open_ours(&mut sidecar, SessionId(n), &mut parts)
    };
    let mut m = 0_u32;
    let mut other = peer.as_mut().map(|peer| {
        move || {
            m = m.saturating_add(1);
            open_peer(peer, &format!("{m:032x}"))
        }
    });
    let other = other.as_mut().map(|other| other as _);
    let pairs = Pairs::take(extent, &mut ours, other)?;
    let mut row = Row::compared(
        "open",
        "open a bare session, first result",
        (Unit::Milliseconds, &pairs),
        PEER,
        Some(BAR),
    );
    let [opened, executed] = [&parts.opened, &parts.executed].map(|ms| Unit::Milliseconds.show(ms));
    row.notes.push(format!(
        "by the sidecar's own account {opened} to open and {executed} to execute"
    ));
    Ok(vec![row])
}

/// What the sidecar says of the two parts, in milliseconds.
#[derive(Default)]
struct Parts {
    opened: Vec<f64>,
    executed: Vec<f64>,
}

fn open_ours(sidecar: &mut Sidecar, session: SessionId, parts: &mut Parts) -> Result<f64> {
    let start = Instant::now();
    sidecar.send(session, bare(HEAP_MIB))?;
    let request = sidecar.send(session, script("1+1"))?;
    let ending = loop {
        let envelope = sidecar.next()?;
        if let SidecarFrame::SessionOpened(opened) = &envelope.frame {
            parts.opened.push(opened.open_us as f64 / 1e3);
        }
        if let Some(ending) = ending_of(envelope, session, request)? {
            break ending;
        }
    };
    let time = milliseconds_since(start);
    expect_json(&ending, "2")?;
    if let Ending::Outcome(outcome) = &ending {
        parts.executed.push(outcome.usage.wall_us as f64 / 1e3);
    }
    sidecar.close(session)?;
    settle(sidecar.pid(), 0, SETTLE)?;
    Ok(time)
}

fn open_peer(peer: &mut SecureExec, session: &str) -> Result<f64> {
    let start = Instant::now();
    peer.create(session, HEAP_MIB)?;
    peer.execute(session, "1+1")?;
    peer.result()?;
    let time = milliseconds_since(start);
    peer.destroy(session)?;
    settle(peer.pid(), 0, SETTLE)?;
    Ok(time)
}
