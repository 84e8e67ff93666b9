//! Running programs in sidecars: several at once, sessions used again as long as they live.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use isolate_sidecar_client::{
    Finished, LimitKind, LimitsRequest, Outcome, RequestError, Session, SessionOptions, Sidecar,
    SidecarCommand, SpawnError, Value, script,
};

use super::options::Options;
use super::programs::{PRELUDE, Program};

/// Sessions of one sidecar, in turns.
const SESSIONS: usize = 8;
const HEAP_BYTES: u64 = 64 << 20;
/// What waits and does not work is stopped after this many times the deadline.
const WALL_TIMES: u64 = 8;
const PATIENCE: Duration = Duration::from_secs(60);

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ended {
    /// By itself: with a value or an exception.
    Itself,
    /// Over the deadline, so long after it: time of the thread on the CPU where it worked.
    Stopped { late: Duration },
    /// Over a limit that is not time.
    OtherLimit,
    /// The host had the outcome, and the session was given up.
    GivenUp,
    /// The session was lost, to its memory as a rule.
    Lost,
    /// The whole process ended.
    OutOfService,
}

/// A program and its end.
#[derive(Debug, Clone)]
pub(super) struct Ran {
    pub(super) program: Program,
    pub(super) ended: Ended,
    /// As the host saw it.
    pub(super) took: Duration,
}

/// Runs `programs`, in no order.
pub(super) fn run(options: &Options, programs: Vec<Program>) -> Result<Vec<Ran>, SpawnError> {
    let queue = Mutex::new(VecDeque::from(programs));
    let worker = || {
        let mut host = Host::start(options)?;
        let mut all = Vec::new();
        loop {
            let next = queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop_front();
            match next {
                Some(program) => all.push(host.run(program)?),
                None => return Ok(all),
            }
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(worker)).collect();
        let mut all = Vec::new();
        for worker in workers {
            // A panic is a fault of ours and goes on.
            let done = worker
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all.append(&mut done?);
        }
        Ok(all)
    })
}

/// The paths of the realm's built-in functions.
pub(super) fn built_ins(options: &Options) -> Result<Vec<String>, SpawnError> {
    let sidecar = start(&options.sidecar)?;
    let source = format!("{PRELUDE}\nlist()");
    let listed = sidecar
        .session(SessionOptions::default())
        .open()
        .and_then(|session| session.execute(script("list.js", source)));
    let paths = match listed {
        Ok(Finished {
            outcome: Outcome::Ok(Value::Json(text)),
            ..
        }) => serde_json::from_slice(&text).unwrap_or_default(),
        _ => Vec::new(),
    };
    Ok(paths)
}

/// One sidecar and its sessions.
struct Host<'a> {
    options: &'a Options,
    sidecar: Sidecar,
    sessions: VecDeque<Session>,
}

impl Host<'_> {
    fn start(options: &Options) -> Result<Host<'_>, SpawnError> {
        Ok(Host {
            options,
            sidecar: start(&options.sidecar)?,
            sessions: VecDeque::new(),
        })
    }

    fn run(&mut self, program: Program) -> Result<Ran, SpawnError> {
        let session = self.session()?;
        let source = format!("{{ {PRELUDE}\n{} }}", program.source);
        let begun = Instant::now();
        let result = session.execute(script("loop.js", source));
        let took = begun.elapsed();
        let ended = ended(&result);
        // The session is asked again: what was given up says so now.
        let next = session.execute(script("next.js", "1"));
        let ended = match (ended, next) {
            (Ended::OutOfService, _) | (_, Err(RequestError::SidecarLost(_))) => {
                Ended::OutOfService
            }
            (Ended::Stopped { .. }, Err(_)) => Ended::GivenUp,
            (ended, Err(_)) => ended,
            (ended, Ok(_)) => {
                self.sessions.push_back(session);
                ended
            }
        };
        if ended == Ended::OutOfService {
            self.restart()?;
        }
        Ok(Ran {
            program,
            ended,
            took,
        })
    }

    /// The next session; a new one where there are few. A sidecar that takes no more is
    /// replaced.
    fn session(&mut self) -> Result<Session, SpawnError> {
        if self.sessions.len() >= SESSIONS
            && let Some(session) = self.sessions.pop_front()
        {
            return Ok(session);
        }
        let options = SessionOptions {
            limits: LimitsRequest {
                heap_bytes: Some(HEAP_BYTES),
                cpu_ms: Some(self.options.deadline_ms),
                wall_ms: Some(self.options.deadline_ms.saturating_mul(WALL_TIMES)),
                ..LimitsRequest::default()
            },
            ..SessionOptions::default()
        };
        loop {
            if let Ok(session) = self.sidecar.session(options.clone()).open() {
                return Ok(session);
            }
            self.restart()?;
        }
    }

    fn restart(&mut self) -> Result<(), SpawnError> {
        self.sessions.clear();
        self.sidecar = start(&self.options.sidecar)?;
        Ok(())
    }
}

fn start(program: &Path) -> Result<Sidecar, SpawnError> {
    SidecarCommand::new(program)
        .client("hostile-loops")
        .patience(PATIENCE)
        .spawn()
}

fn ended(result: &Result<Finished, RequestError>) -> Ended {
    match result {
        Ok(finished) => match &finished.outcome {
            Outcome::LimitExceeded(report) => {
                let used = match report.which {
                    LimitKind::Cpu => finished.usage.cpu_us,
                    LimitKind::Wall => finished.usage.wall_us,
                    _ => return Ended::OtherLimit,
                };
                let late =
                    Duration::from_micros(used).saturating_sub(Duration::from_millis(report.limit));
                Ended::Stopped { late }
            }
            _ => Ended::Itself,
        },
        Err(RequestError::SidecarLost(_)) => Ended::OutOfService,
        Err(_) => Ended::Lost,
    }
}
