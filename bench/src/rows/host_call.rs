//! A synchronous host call: the guest calls a function of the host again and again within one request, and each call is answered at
//! once. A round trip is the time from one call's arrival at the host to the next one's. Against it stands a bare exchange of as many
//! bytes over pipes; for information, both once more on one processor, and secure-exec-v8.

use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use protocol::frame::{Code, HEAD_LEN, HostReply, OpenSession, OutcomeFrame, Reply};
use protocol::{Envelope, Outcome, SessionId, SidecarFrame, Value};
use serde_json::json;

use crate::error::{MeasureError, Result};
use crate::pairs::{Extent, Pairs};
use crate::peers::echo::Echo;
use crate::peers::secure_exec::{Event, SecureExec};
use crate::report::{Row, Unit};
use crate::rows::syscalls;
use crate::rows::{BOUND, Context, PEER, bare, execute, script, sync_function};
use crate::sidecar::{Ending, Sidecar, ending_of, expect_json};
use crate::stats::median;

/// Calls of one sample.
const CALLS: usize = 2000;
/// The guest's own account: milliseconds for all calls.
const OURS: &str = "{
  const start = performance.now();
  for (let i = 0; i < 2000; i++) host.ping('0123456789abcdef');
  performance.now() - start;
}";
const PEERS: &str = "for (let i = 0; i < 2000; i++) _fsExists('0123456789abcdef');";
/// What the host replies, as JSON.
const REPLY: &[u8] = br#""0123456789abcdef""#;
const BAR: f64 = 2.5;

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let extent = Extent {
        pairs: context.pick(2, 5),
        warm_up: 1,
        time: context.pick(Duration::from_secs(2), Duration::from_secs(5)),
    };
    let mut rows = vec![against_pipes(context, extent)?];
    rows.extend(pinned(|| on_one_processor(context, extent))?);
    rows.extend(against_peer(context, extent)?);
    Ok(rows)
}

fn against_pipes(context: &Context, extent: Extent) -> Result<Row> {
    let (mut pairs, mut guest_us, mut sizes) = (Pairs::default(), Vec::new(), (0, 0));
    for _ in 0..context.processes() {
        let mut host = Host::start(context)?;
        let (these_sizes, these_pairs) = host.beside_echo(context, extent)?;
        sizes = these_sizes;
        pairs.append(these_pairs);
        guest_us.append(&mut host.guest_us);
    }
    let mut row = Row::compared(
        "host-call",
        "synchronous host call, round trip",
        (Unit::Microseconds, &pairs),
        "bare pipes",
        Some(BAR),
    );
    row.notes.push(format!(
        "{} bytes out and {} in a call; by the guest's own clock {} a call",
        sizes.0,
        sizes.1,
        Unit::Microseconds.show(&guest_us),
    ));
    let counted = syscalls::per_call(context);
    row.notes
        .extend(counted.as_ref().map(syscalls::Counted::show));
    if let Some(data) = row.data.as_object_mut() {
        data.insert("call_bytes".to_owned(), json!([sizes.0, sizes.1]));
        data.insert("guest_us".to_owned(), json!(median(&guest_us)));
        let counted = counted.map(|counted| counted.to_json());
        data.insert("syscalls".to_owned(), json!(counted));
    }
    Ok(row)
}

/// Without what it costs to wake another processor: what is left is work, and switching between threads.
fn on_one_processor(context: &Context, extent: Extent) -> Result<Row> {
    let mut pairs = Pairs::default();
    for _ in 0..context.processes() {
        let (_, these) = Host::start(context)?.beside_echo(context, extent)?;
        pairs.append(these);
    }
    Ok(Row::compared(
        "host-call-one-cpu",
        "the same, all on one processor",
        (Unit::Microseconds, &pairs),
        "bare pipes",
        None,
    ))
}

fn against_peer(context: &Context, extent: Extent) -> Result<Option<Row>> {
    let mut pairs = Pairs::default();
    for _ in 0..context.processes() {
        let Some(mut peer) = context.peer()? else {
            return Ok(None);
        };
        peer.create(PEER, 128)?;
        let mut host = Host::start(context)?;
        let mut other = || p50(&peer_round_trips(&mut peer)?);
        pairs.append(Pairs::take(
            extent,
            &mut || host.sample(),
            Some(&mut other),
        )?);
    }
    Ok(Some(Row::compared(
        "host-call-peer",
        "the same, on all processors",
        (Unit::Microseconds, &pairs),
        PEER,
        None,
    )))
}

impl Context {
    /// Processes of each side, one after the other: on which processors the kernel lets threads meet is decided anew for each, and
    /// makes a round trip several times as long or as short.
    fn processes(&self) -> usize {
        self.pick(4, 15)
    }
}

/// Runs `measure` with this thread, and so with all processes that it starts, on the first processor that it may use. `None` where
/// the system does not say which these are.
fn pinned(measure: impl FnOnce() -> Result<Row>) -> Result<Option<Row>> {
    let this_thread = Pid::from_raw(0);
    let Ok(all) = sched_getaffinity(this_thread) else {
        return Ok(None);
    };
    let mut one = CpuSet::new();
    let first = (0..CpuSet::count()).find(|cpu| all.is_set(*cpu) == Ok(true));
    let set = |cpus| {
        sched_setaffinity(this_thread, cpus)
            .map_err(|errno| MeasureError::io("choose processors")(errno.into()))
    };
    if first.is_none_or(|cpu| one.set(cpu).is_err()) {
        return Ok(None);
    }
    set(&one)?;
    let row = measure();
    set(&all)?;
    row.map(Some)
}

/// A session that calls, and what answers it.
struct Host {
    sidecar: Sidecar,
    /// Microseconds a call by the guest's clock, one for each sample.
    guest_us: Vec<f64>,
}

const SESSION: SessionId = SessionId(1);

/// What a session needs to run the calls.
pub(super) fn caller() -> OpenSession {
    OpenSession {
        functions: vec![sync_function("ping")],
        ..bare(128)
    }
}

impl Host {
    fn start(context: &Context) -> Result<Host> {
        let mut sidecar = context.sidecar()?;
        sidecar.open(SESSION, caller())?;
        Ok(Host {
            sidecar,
            guest_us: Vec::new(),
        })
    }

    /// Takes turns with a bare exchange of as many bytes as calls and replies have.
    fn beside_echo(
        &mut self,
        context: &Context,
        extent: Extent,
    ) -> Result<((usize, usize), Pairs)> {
        let sizes = self.sizes()?;
        let mut echo = Echo::start(&context.this, sizes, BOUND, &context.log("echo"))?;
        let mut other = || p50(&echo.round_trips(CALLS)?);
        let pairs = Pairs::take(extent, &mut || self.sample(), Some(&mut other))?;
        Ok((sizes, pairs))
    }

    /// The p50 of [`CALLS`] round trips, in microseconds.
    fn sample(&mut self) -> Result<f64> {
        let (times, guest_ms) = answer_calls(&mut self.sidecar, SESSION, OURS)?;
        self.guest_us.push(guest_ms * 1e3 / CALLS as f64);
        p50(&times)
    }

    /// Bytes on the wire of a call and of its reply.
    fn sizes(&mut self) -> Result<(usize, usize)> {
        let request = self
            .sidecar
            .send(SESSION, script("host.ping('0123456789abcdef')"))?;
        loop {
            let envelope = self.sidecar.next()?;
            if matches!(envelope.frame, SidecarFrame::HostCall(_)) {
                let (session, call) = (envelope.session, envelope.request);
                let mut wire = BytesMut::new();
                envelope.frame.encode(session, call, &mut wire)?;
                self.sidecar.answer(session, call, reply())?;
                let ending = self.sidecar.ending(session, request)?;
                expect_json(&ending, r#""0123456789abcdef""#)?;
                // The reply's variant, the value's variant, the length of its text and the text.
                let body = REPLY.len().saturating_add(3);
                return Ok((wire.len(), HEAD_LEN.saturating_add(body)));
            }
        }
    }
}

/// Runs `source`, answers all its calls, and gives the times between them in microseconds and the number it comes to.
pub(super) fn answer_calls(
    sidecar: &mut Sidecar,
    session: SessionId,
    source: &str,
) -> Result<(Vec<f64>, f64)> {
    let code = Code::Script {
        name: "/measure.js".to_owned(),
        source: source.to_owned().into(),
    };
    let request = sidecar.send(session, execute(code))?;
    let mut arrivals = Arrivals::default();
    loop {
        match sidecar.next()? {
            Envelope {
                request: call,
                frame: SidecarFrame::HostCall(_),
                ..
            } => {
                arrivals.note();
                sidecar.answer(session, call, reply())?;
            }
            other => {
                if let Some(ending) = ending_of(other, session, request)? {
                    return Ok((arrivals.times, number_of(&ending)?));
                }
            }
        }
    }
}

fn number_of(ending: &Ending) -> Result<f64> {
    let text = match ending {
        Ending::Outcome(OutcomeFrame {
            outcome: Outcome::Ok(value),
            ..
        }) => String::from_utf8_lossy(value.bytes()).into_owned(),
        other => return Err(MeasureError::unexpected("a number", other)),
    };
    text.parse()
        .map_err(|_| MeasureError::unexpected("a number", text))
}

fn reply() -> HostReply {
    HostReply {
        reply: Reply::Ok(Value::Json(REPLY.to_vec().into())),
    }
}

fn peer_round_trips(peer: &mut SecureExec) -> Result<Vec<f64>> {
    peer.execute(PEER, PEERS)?;
    let mut arrivals = Arrivals::default();
    loop {
        match peer.next()? {
            Event::Call { id } => {
                arrivals.note();
                peer.answer(PEER, id)?;
            }
            Event::Result { exit_code: 0 } => return Ok(arrivals.times),
            other => return Err(MeasureError::unexpected("a call", other)),
        }
    }
}

/// The times between arrivals, in microseconds.
#[derive(Default)]
struct Arrivals {
    last: Option<Instant>,
    times: Vec<f64>,
}

impl Arrivals {
    fn note(&mut self) {
        let now = Instant::now();
        let since = self.last.replace(now);
        self.times
            .extend(since.map(|last| now.duration_since(last).as_secs_f64() * 1e6));
    }
}

fn p50(times: &[f64]) -> Result<f64> {
    median(times).ok_or(MeasureError::Missing("no round trip"))
}
