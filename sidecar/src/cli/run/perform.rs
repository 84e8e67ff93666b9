//! Running a plan: a sidecar, its snapshot, its sessions.

use std::io;
use std::time::Instant;

use host_bridge::micros;
use isolate_sidecar_client::{
    GuestEvent, Limits, Pending, RequestError, Session, SessionOptions, Sidecar, SidecarCommand,
    Usage,
};
use protocol::bounds::MAX_FRAME_CEILING;

use super::child_log::ChildLog;
use super::ending::{Ending, usage_of};
use super::interrupt::Interrupt;
use super::plan::Plan;
use super::terminal::{Terminal, complain};
use super::told::{Piece, Shared};

/// This very program, even when its file was replaced meanwhile.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// What one session came to.
#[derive(Debug)]
pub(super) struct Performed {
    pub(super) ending: Ending,
    pub(super) usage: Usage,
    pub(super) output: Vec<Piece>,
}

/// A session under way.
struct Running {
    session: Session,
    pending: Pending,
    told: Shared,
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
    let all = child_log(plan).map_err(Ending::lost).and_then(|log| {
        let all = perform_with(&log, plan, terminal);
        let is_lost = match &all {
            Ok(all) => all.iter().any(|one| one.ending.is_our_fault()),
            Err(ending) => ending.is_our_fault(),
        };
        if is_lost {
            complain(log.last_lines());
        }
        all
    });
    all.unwrap_or_else(|ending| vec![Performed::without_session(ending)])
}

fn child_log(plan: &Plan) -> io::Result<ChildLog> {
    match plan.shows_log {
        true => Ok(ChildLog::passing_on()),
        false => ChildLog::keeping(),
    }
}

fn perform_with(
    log: &ChildLog,
    plan: &Plan,
    terminal: &Terminal,
) -> Result<Vec<Performed>, Ending> {
    let sidecar = SidecarCommand::new(OWN_PROGRAM)
        .args(plan.serve_args())
        .stderr(log.stdio().map_err(Ending::lost)?)
        .client("isolate-sidecar run")
        .max_frame(MAX_FRAME_CEILING)
        .own_group()
        .spawn()
        .map_err(Ending::lost)?;
    perform_in(&sidecar, plan, terminal)
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
    let told = Shared::default();
    let (on_output, on_event) = (told.clone(), told.clone());
    let streams = terminal.streams();
    let session = sidecar
        .session(options)
        .on_output(move |_, output| {
            let keeps_up = streams.write(output.stream, &output.text);
            let mut told = on_output.lock();
            match keeps_up {
                Some(true) => {}
                Some(false) => told.cancel(),
                None => told.keep(&output),
            }
        })
        .on_event(move |_, event| {
            if let GuestEvent::UnhandledRejection(error) = event {
                on_event.lock().reject(error);
            }
        })
        .open()
        .map_err(failed)?;
    let pending = session.start(plan.execute.clone()).map_err(failed)?;
    interrupt.reaches(pending.canceller());
    told.lock().may_cancel(pending.canceller());
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
    let mut told = running.told.lock();
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
        wall_us: micros(begun.elapsed()),
        ..usage_of(err)
    }
}
