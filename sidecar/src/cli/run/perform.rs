//! Running a plan: a sidecar, its snapshot, its sessions.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use isolate_sidecar_client::{
    Canceller, GuestEvent, JsError, Limits, Output, Pending, RequestError, Session, SessionOptions,
    Sidecar, SidecarCommand, Stream, Usage,
};
use protocol::bounds::MAX_FRAME_CEILING;

use super::ending::{Ending, usage_of};
use super::interrupt::Interrupt;
use super::plan::Plan;
use super::terminal::Terminal;

/// This very program, even when its file was replaced meanwhile.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// What one session came to.
#[derive(Debug)]
pub(super) struct Performed {
    pub(super) ending: Ending,
    pub(super) usage: Usage,
    pub(super) output: Vec<Piece>,
}

/// Output of one stream, as long as no other comes between.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) stream: Stream,
    pub(super) text: Vec<u8>,
}

/// What a session tells while it runs.
#[derive(Debug, Default)]
struct Told {
    output: Vec<Piece>,
    unhandled: Option<JsError>,
    canceller: Option<Canceller>,
}

/// A session under way.
struct Running {
    session: Session,
    pending: Pending,
    told: Arc<Mutex<Told>>,
    begun: Instant,
}

impl Performed {
    fn without_session(ending: Ending) -> Performed {
        Performed {
            ending,
            usage: Usage::default(),
            output: Vec::new(),
        }
    }
}

/// Runs the plan; one result a session, in order, and never none.
pub(super) fn perform(plan: &Plan, terminal: &Terminal) -> Vec<Performed> {
    let command = SidecarCommand::new(OWN_PROGRAM)
        .args(plan.serve_args())
        .client("isolate-sidecar run")
        .max_frame(MAX_FRAME_CEILING)
        .own_group();
    let all = match command.spawn() {
        Ok(sidecar) => perform_in(&sidecar, plan, terminal),
        Err(err) => Err(Ending::lost(err)),
    };
    all.unwrap_or_else(|ending| vec![Performed::without_session(ending)])
}

fn perform_in(
    sidecar: &Sidecar,
    plan: &Plan,
    terminal: &Terminal,
) -> Result<Vec<Performed>, Ending> {
    let interrupt = Interrupt::watch().map_err(Ending::lost)?;
    let mut options = plan.options.clone();
    if let Some(spec) = &plan.snapshot {
        let ready = sidecar.warm_snapshot(spec.clone());
        options.snapshot = Some(ready.map_err(|err| Ending::no_snapshot(&err))?.key);
    }
    let begun: Vec<Result<Running, Ending>> = (0..plan.n_sessions)
        .map(|_| begin(sidecar, options.clone(), plan, terminal, &interrupt))
        .collect();
    Ok(begun.into_iter().map(finish).collect())
}

fn begin(
    sidecar: &Sidecar,
    options: SessionOptions,
    plan: &Plan,
    terminal: &Terminal,
    interrupt: &Interrupt,
) -> Result<Running, Ending> {
    let failed = |err| Ending::of_error(err, &Limits::DEFAULT);
    let told = Arc::new(Mutex::new(Told::default()));
    let (on_output, on_event) = (Arc::clone(&told), Arc::clone(&told));
    let streams = terminal.streams();
    let session = sidecar
        .session(options)
        .on_output(move |_, output| {
            let keeps_up = streams.write(output.stream, &output.text);
            let mut told = lock(&on_output);
            match keeps_up {
                Some(true) => {}
                Some(false) => told.cancel(),
                None => told.keep(&output),
            }
        })
        .on_event(move |_, event| {
            if let GuestEvent::UnhandledRejection(error) = event {
                lock(&on_event).reject(error);
            }
        })
        .open()
        .map_err(failed)?;
    let pending = session.start(plan.execute.clone()).map_err(failed)?;
    interrupt.reaches(pending.canceller());
    lock(&told).may_cancel(pending.canceller());
    Ok(Running {
        session,
        pending,
        told,
        begun: Instant::now(),
    })
}

fn finish(begun: Result<Running, Ending>) -> Performed {
    let running = match begun {
        Ok(running) => running,
        Err(ending) => return Performed::without_session(ending),
    };
    let limits = *running.session.limits();
    let result = running.pending.wait();
    let mut told = lock(&running.told);
    let unhandled = told.unhandled.take();
    let (ending, usage) = match result {
        Ok(finished) => (
            Ending::of_outcome(finished.outcome, unhandled),
            finished.usage,
        ),
        Err(err) => {
            let usage = usage_with_wall(&err, running.begun);
            (Ending::of_error(err, &limits), usage)
        }
    };
    Performed {
        ending,
        usage,
        output: std::mem::take(&mut told.output),
    }
}

fn usage_with_wall(err: &RequestError, begun: Instant) -> Usage {
    Usage {
        wall_us: u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        ..usage_of(err)
    }
}

impl Told {
    fn keep(&mut self, output: &Output) {
        match self.output.last_mut() {
            Some(last) if last.stream == output.stream => last.text.extend_from_slice(&output.text),
            _ => self.output.push(Piece {
                stream: output.stream,
                text: output.text.to_vec(),
            }),
        }
    }

    /// As in Node, nothing runs any more after the first unhandled rejection.
    fn reject(&mut self, error: JsError) {
        self.unhandled.get_or_insert(error);
        self.cancel();
    }

    fn cancel(&self) {
        if let Some(canceller) = &self.canceller {
            canceller.cancel();
        }
    }

    fn may_cancel(&mut self, canceller: Canceller) {
        if self.unhandled.is_some() {
            canceller.cancel();
        }
        self.canceller = Some(canceller);
    }
}

fn lock(told: &Mutex<Told>) -> std::sync::MutexGuard<'_, Told> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}
