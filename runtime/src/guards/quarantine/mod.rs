//! Parking a session thread that no longer looks for a stop.
//!
//! A thread cannot be killed: it may hold a lock of the allocator, of V8 or of ours. But where
//! the innermost code of a thread is code that V8 generated, or one of the built-ins that it
//! carries, the thread holds none: neither takes locks, and no C++ or Rust calls into them
//! with one held. So the thread is interrupted by a signal until it is met in such code, and
//! parks there for good, within the handler, all signals blocked. Its memory stays taken, and
//! everything else goes on.
//!
//! What others could wait for: nothing. Isolates share no heap but the read-only one, so no
//! collection waits for a thread of another isolate; concurrent marking and compilation of a
//! parked isolate end by themselves when they want its thread; wasm code that it used with
//! others is not freed. The process ends without joining session threads.
//!
//! A thread that is always met in C++ cannot be parked. It still has its termination pending,
//! so most such threads come back. One that does not goes on, and yields to others.

mod code;
mod signal;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use self::code::Code;
use self::signal::Answer;
pub(crate) use self::signal::{Presence, install_handler};
use super::ThreadClock;

/// Between two tries: not a multiple of what a loop might take, and short beside the time
/// that a host waits.
const BETWEEN_TRIES: [Duration; 3] = [
    Duration::from_millis(1),
    Duration::from_micros(2_300),
    Duration::from_micros(5_700),
];
/// How long a thread may take to run the handler; one that gets no CPU takes long.
const FOR_AN_ANSWER: Duration = Duration::from_millis(200);
/// Where generated code lies changes as V8 maps pages.
const LOOK_ANEW: Duration = Duration::from_millis(250);

/// A session thread, as others may name it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadName {
    pub(crate) clock: ThreadClock,
    thread: i32,
    life: u64,
}

/// What became of a thread that was to be parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parking {
    /// It is parked for good.
    Parked,
    /// It has ended by itself, or is no longer at anything that can be stuck.
    Gone,
    /// It was never met where it holds no lock.
    InVain,
}

/// Tries to park `thread` for as long as `patience`. Blocks the calling thread.
pub(crate) fn park(thread: ThreadName, patience: Duration) -> Parking {
    /// One thread at a time: there is one set of variables that the handler reads.
    static TURN: Mutex<()> = Mutex::new(());
    let started = Instant::now();
    let mut code: Option<(Code, Instant)> = None;
    let mut pauses = BETWEEN_TRIES.iter().cycle();
    signal::yield_to_others(thread.thread);
    loop {
        let now = Instant::now();
        let fresh = code
            .take()
            .filter(|(_, read)| now.saturating_duration_since(*read) < LOOK_ANEW)
            .or_else(|| Code::of_this_process().map(|code| (code, now)));
        let Some((known, read)) = fresh else {
            return Parking::InVain;
        };
        let answer = {
            let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            signal::ask(thread.thread, thread.life, &known, FOR_AN_ANSWER)
        };
        match answer {
            Answer::Parked => return Parking::Parked,
            Answer::Gone => return Parking::Gone,
            Answer::Elsewhere => {}
        }
        if started.elapsed() >= patience {
            return Parking::InVain;
        }
        code = Some((known, read));
        pauses
            .next()
            .into_iter()
            .for_each(|pause| std::thread::sleep(*pause));
    }
}
