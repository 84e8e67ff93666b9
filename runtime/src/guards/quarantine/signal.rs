//! The signal that parks a thread, and its handler.
//!
//! The handler may interrupt anything, so it reads and writes atomics, writes to one
//! descriptor and pauses, and nothing else.
#![expect(
    unsafe_code,
    reason = "what a thread is at is only seen by a signal handler"
)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::eventfd::{EfdFlags, EventFd};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::{getpid, gettid, pause};

use super::code::{Code, MAX_RANGES};
use super::{ThreadClock, ThreadName};

/// Nothing else in this process uses it, and its default is to do nothing.
const SIGNAL: Signal = Signal::SIGURG;
/// No thread.
const NOBODY: u64 = 0;

thread_local! {
    /// Which life of a session this thread is in; `NOBODY` where it may not be parked.
    static LIFE: Cell<u64> = const { Cell::new(NOBODY) };
}

/// The life that is to be parked. Whoever takes it out decides: the handler, which answers
/// then, or who asked and waits no longer.
static WANTED: AtomicU64 = AtomicU64::new(NOBODY);
/// Generated code: starts and ends, empty where there are fewer.
static STARTS: [AtomicUsize; MAX_RANGES] = [const { AtomicUsize::new(0) }; MAX_RANGES];
static ENDS: [AtomicUsize; MAX_RANGES] = [const { AtomicUsize::new(0) }; MAX_RANGES];
/// The life that was parked last.
static PARKED: AtomicU64 = AtomicU64::new(NOBODY);
/// The life that was met in other code.
static ELSEWHERE: AtomicU64 = AtomicU64::new(NOBODY);
/// What tells that the handler has answered; empty where there is no handler.
static BELL: OnceLock<EventFd> = OnceLock::new();
/// Its descriptor, for the handler.
static BELL_DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);

/// While it lives, the thread may be parked. It must not be held where the thread, running
/// generated code, could hold a lock.
#[derive(Debug)]
pub(crate) struct Presence(ThreadName);

/// What the handler found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Parked,
    Elsewhere,
    Gone,
}

impl Presence {
    /// Of the calling thread.
    pub(crate) fn of_this_thread() -> Presence {
        static LAST: AtomicU64 = AtomicU64::new(NOBODY);
        let life = LAST.fetch_add(1, SeqCst).wrapping_add(1);
        LIFE.set(life);
        Presence(ThreadName {
            clock: ThreadClock::of_this_thread(),
            thread: gettid().as_raw(),
            life,
        })
    }

    pub(crate) fn name(&self) -> ThreadName {
        self.0
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        LIFE.set(NOBODY);
    }
}

/// Installs the handler. Once, before any session.
pub(crate) fn install_handler() {
    let flags = EfdFlags::EFD_CLOEXEC | EfdFlags::EFD_NONBLOCK;
    let bell = match EventFd::from_flags(flags) {
        Ok(bell) => BELL.get_or_init(|| bell),
        Err(error) => {
            tracing::warn!(%error, "a stuck thread ends the process");
            return;
        }
    };
    BELL_DESCRIPTOR.store(bell.as_raw_fd(), SeqCst);
    // What is parked stays parked: no other signal may be handled above it.
    let action = SigAction::new(
        SigHandler::SigAction(interrupted),
        SaFlags::SA_RESTART | SaFlags::SA_SIGINFO,
        SigSet::all(),
    );
    // SAFETY: `interrupted` does nothing that is not allowed in a signal handler.
    let installed = unsafe { sigaction(SIGNAL, &action) };
    if let Err(error) = installed {
        tracing::warn!(%error, "a stuck thread ends the process");
    }
}

/// Asks `thread` to park if its life is still `life` and it is in `code`. One at a time.
pub(super) fn ask(thread: i32, life: u64, code: &Code, patience: Duration) -> Answer {
    let Some(bell) = BELL.get() else {
        return Answer::Elsewhere;
    };
    for (index, (start, end)) in STARTS.iter().zip(&ENDS).enumerate() {
        let range = code.ranges().get(index).cloned().unwrap_or(0..0);
        start.store(range.start, SeqCst);
        end.store(range.end, SeqCst);
    }
    let _ = bell.read();
    ELSEWHERE.store(NOBODY, SeqCst);
    WANTED.store(life, SeqCst);
    if !send(thread) {
        WANTED.store(NOBODY, SeqCst);
        return Answer::Gone;
    }
    wait(bell, patience);
    let withdrawn = WANTED
        .compare_exchange(life, NOBODY, SeqCst, SeqCst)
        .is_ok();
    // Otherwise the handler has it, and answers as soon as it gets the CPU.
    while !withdrawn && PARKED.load(SeqCst) != life && ELSEWHERE.load(SeqCst) != life {
        wait(bell, patience);
    }
    match PARKED.load(SeqCst) == life {
        true => Answer::Parked,
        false => Answer::Elsewhere,
    }
}

extern "C" fn interrupted(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let life = LIFE.get();
    if life == NOBODY
        || WANTED
            .compare_exchange(life, NOBODY, SeqCst, SeqCst)
            .is_err()
    {
        return;
    }
    if !is_code(counter(context)) {
        ELSEWHERE.store(life, SeqCst);
        ring();
        return;
    }
    PARKED.store(life, SeqCst);
    ring();
    loop {
        pause();
    }
}

/// The address of the instruction that was interrupted.
fn counter(context: *mut c_void) -> usize {
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel passes the context of what was interrupted to a handler with
    // `SA_SIGINFO`, and it is valid until the handler returns.
    let machine = unsafe { &(*context).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    let counter = usize::try_from(libc::REG_RIP)
        .ok()
        .and_then(|index| machine.gregs.get(index).copied())
        .and_then(|counter| usize::try_from(counter).ok());
    #[cfg(target_arch = "aarch64")]
    let counter = usize::try_from(machine.pc).ok();
    counter.unwrap_or(0)
}

fn is_code(address: usize) -> bool {
    STARTS
        .iter()
        .zip(&ENDS)
        .any(|(start, end)| (start.load(SeqCst)..end.load(SeqCst)).contains(&address))
}

/// Async-signal-safe: tells who asked that there is an answer.
fn ring() {
    let errno = Errno::last_raw();
    let one = 1_u64.to_ne_bytes();
    // SAFETY: the descriptor is never closed, and eight bytes are read from `one`.
    let _ = unsafe { libc::write(BELL_DESCRIPTOR.load(SeqCst), one.as_ptr().cast(), one.len()) };
    Errno::set_raw(errno);
}

/// Sends the signal; `false` when there is no such thread any more.
fn send(thread: i32) -> bool {
    let process = getpid().as_raw();
    // SAFETY: the call takes numbers only. A number that now names another thread of this
    // process reaches a handler that sees another life and does nothing.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, process, thread, SIGNAL as c_int) };
    sent == 0
}

/// Lets `thread` have less CPU than others. Not none: it may hold a lock that they wait for.
pub(super) fn yield_to_others(thread: i32) {
    let Ok(thread) = libc::id_t::try_from(thread) else {
        return;
    };
    // SAFETY: the call takes numbers only. That it may fail, for a thread that has ended
    // say, is of no consequence.
    let _ = unsafe { libc::setpriority(libc::PRIO_PROCESS, thread, 5) };
}

/// Where the built-ins of V8 lie within the program.
pub(super) fn built_ins() -> Range<usize> {
    // The names are V8's, of the assembly that its build makes of them.
    unsafe extern "C" {
        static v8_Default_embedded_blob_code_: u8;
        static v8_Default_embedded_blob_code_size_: u32;
    }
    let start = (&raw const v8_Default_embedded_blob_code_).addr();
    // SAFETY: V8 declares it as a constant `uint32_t`.
    let size = unsafe { v8_Default_embedded_blob_code_size_ };
    start..start.saturating_add(usize::try_from(size).unwrap_or(0))
}

/// Waits until the bell has rung.
fn wait(bell: &EventFd, patience: Duration) {
    let timeout = PollTimeout::try_from(patience).unwrap_or(PollTimeout::ZERO);
    let _ = poll(&mut [PollFd::new(bell.as_fd(), PollFlags::POLLIN)], timeout);
    // The error is that it has not.
    let _ = bell.read();
}
