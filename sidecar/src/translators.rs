//! Translations from TypeScript in processes of their own, see `worker.rs`: what exhausts the
//! library costs one of these and an error of that text.
//!
//! A session's thread takes a worker, speaks to it itself and gives it back. Workers are
//! started when they are first needed. Invariant: whoever waits, for a worker or for its
//! answer, is let go by a stop of its request, so no translation makes a session stuck.

mod worker;

use std::collections::BTreeSet;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use host_bridge::typescript::pipe::Answer;
use host_bridge::typescript::{
    Client, JavaScript, MAX_TEXT_BYTES, Request, Translator, TypeScriptError,
};

use self::worker::{Failure, Worker};
pub use self::worker::{TRANSLATION_CPU, serve_translations};
use crate::config::ChildCommand;

/// Workers at one time.
const MAX_WORKERS: usize = 2;
/// Sessions that may wait for a worker.
const MAX_WAITING: usize = 4096;
/// How long a session waits for a worker.
const WAIT: Duration = Duration::from_secs(30);
/// How long a translation may take, as time passes. Its time on the CPU ends most before;
/// this is for a machine that has none to give.
const WITHIN: Duration = Duration::from_secs(15);

/// Translates in other processes. Cheap until the first translation.
#[derive(Debug)]
pub struct WorkerTranslator(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    command: ChildCommand,
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Worker>,
    /// Workers that are out with a session, and those that are being started.
    n_out: usize,
    /// Who waits: what its session has cost, and its number in the order of coming.
    line: BTreeSet<(Duration, u64)>,
    last_ticket: u64,
}

/// What a stop of the request reaches: see [`Pool::wake`].
#[derive(Debug, Default)]
struct Waiter {
    stopped: AtomicBool,
    /// The connection to the worker that answers.
    connection: Mutex<Option<UnixStream>>,
}

impl WorkerTranslator {
    /// Workers are made by `command`; none is made yet.
    pub fn new(command: ChildCommand) -> WorkerTranslator {
        WorkerTranslator(Arc::new(Pool {
            command,
            state: Mutex::default(),
            bell: Condvar::new(),
        }))
    }
}

impl Translator for WorkerTranslator {
    fn translate(
        &self,
        text: &str,
        request: &Request<'_>,
        client: Client<'_>,
    ) -> Result<JavaScript, TypeScriptError> {
        if MAX_TEXT_BYTES < text.len() {
            return Err(TypeScriptError::TooLong {
                size: text.len(),
                limit: MAX_TEXT_BYTES,
            });
        }
        let pool = &self.0;
        let waiter = Arc::new(Waiter::default());
        let _wake = client.terminator.on_stop({
            let (pool, waiter) = (Arc::clone(pool), Arc::clone(&waiter));
            move || pool.wake(&waiter)
        });
        let mut worker = pool.take(&waiter, client.counters.helpers_cpu())?;
        let answer = waiter.talk(&mut worker, text, request);
        let failure = match answer {
            Ok(answer) => {
                client.counters.helper(answer.cpu);
                pool.give_back(Some(worker));
                return answer.made;
            }
            Err(failure) => failure,
        };
        client.counters.helper(worker.unanswered_cpu());
        let made = match waiter.stopped.load(Ordering::Acquire) {
            true => TypeScriptError::Stopped,
            false => worker.end(&failure),
        };
        drop(worker);
        pool.give_back(None);
        Err(made)
    }
}

impl Pool {
    /// A worker that lives, when it is this waiter's turn: whose session has cost least goes
    /// first, so that few texts wait for many.
    fn take(&self, waiter: &Waiter, cost: Duration) -> Result<Worker, TypeScriptError> {
        let mut state = self.state();
        if MAX_WAITING <= state.line.len() {
            return Err(TypeScriptError::Busy {
                waited: Duration::ZERO,
            });
        }
        state.last_ticket = state.last_ticket.wrapping_add(1);
        let ticket = (cost, state.last_ticket);
        state.line.insert(ticket);
        let begun = Instant::now();
        let turn = loop {
            let waited = begun.elapsed();
            if waiter.stopped.load(Ordering::Acquire) {
                break Err(TypeScriptError::Stopped);
            }
            if state.line.first() == Some(&ticket) && state.n_out < MAX_WORKERS {
                break Ok(());
            }
            if WAIT <= waited {
                break Err(TypeScriptError::Busy { waited });
            }
            let rest = WAIT.saturating_sub(waited);
            let woken = self.bell.wait_timeout(state, rest);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        };
        state.line.remove(&ticket);
        if turn.is_err() {
            drop(state);
            self.bell.notify_all();
            return Err(turn.err().unwrap_or(TypeScriptError::Internal));
        }
        state.n_out = state.n_out.saturating_add(1);
        let idle = state.idle.pop();
        drop(state);
        // Whoever is next may find the other worker free.
        self.bell.notify_all();
        if let Some(mut worker) = idle
            && worker.lives()
        {
            return Ok(worker);
        }
        Worker::start(&self.command).map_err(|error| {
            tracing::warn!(%error, "a process that translates cannot be started");
            self.give_back(None);
            TypeScriptError::NoProcess
        })
    }

    /// A worker that was taken is free, or is no more.
    fn give_back(&self, worker: Option<Worker>) {
        let mut state = self.state();
        state.n_out = state.n_out.saturating_sub(1);
        state.idle.extend(worker);
        drop(state);
        self.bell.notify_all();
    }

    /// Any thread: the waiter's request is stopped. Never blocks for long: no lock in here is
    /// held by anybody who waits.
    fn wake(&self, waiter: &Waiter) {
        waiter.stopped.store(true, Ordering::Release);
        if let Some(connection) = &*waiter.connection() {
            // The error is that it is shut already.
            let _ = connection.shutdown(std::net::Shutdown::Both);
        }
        // Whoever is about to wait holds the lock, and has not looked or will be woken.
        drop(self.state());
        self.bell.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is torn by a panic under the lock: plain data is moved.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    fn talk(
        &self,
        worker: &mut Worker,
        text: &str,
        request: &Request<'_>,
    ) -> Result<Answer, Failure> {
        *self.connection() = Some(worker.connection()?);
        let answer = match self.stopped.load(Ordering::Acquire) {
            true => Err(Failure::Ended),
            false => worker.translate(text, request, WITHIN),
        };
        // From here on a stop is too late for this worker.
        *self.connection() = None;
        match self.stopped.load(Ordering::Acquire) {
            // Its connection may be shut.
            true => Err(Failure::Ended),
            false => answer,
        }
    }

    fn connection(&self) -> MutexGuard<'_, Option<UnixStream>> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
