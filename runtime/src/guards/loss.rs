//! What happens where V8 would end the process: the session is reported lost and its thread
//! parks for good, so that the process and every other session live on.
//!
//! V8 has three such places. Its out-of-memory handler (`heap.rs`) names no isolate. For an
//! array larger than it can make ("no security impact") it has no handler at all and traps.
//! A failed check of V8's own state traps as well, and there the process must end: the
//! handler of fatal errors, which is called for checks alone, tells the two apart.
#![expect(unsafe_code, reason = "a trap is only seen by a signal handler")]

use std::cell::{Cell, RefCell};
use std::ffi::c_int;

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, raise, sigaction};

use super::pages;
use crate::scheduler::leave_for_good;

thread_local! {
    /// Whether a check of V8's own state has failed on this thread.
    static CHECK_FAILED: Cell<bool> = const { Cell::new(false) };
    /// What to do when this session thread runs out of memory. V8's handler names no
    /// isolate, so this cannot be in an isolate slot.
    static LOST: RefCell<Option<Box<dyn Fn()>>> = const { RefCell::new(None) };
}

/// While it lives, V8's fatal handler on this thread reports the session and parks.
#[derive(Debug)]
pub(crate) struct LossReport(());

impl LossReport {
    /// Session thread: `lost` reports that the session will never come back.
    pub(crate) fn install(lost: impl Fn() + 'static) -> LossReport {
        LOST.set(Some(Box::new(lost)));
        LossReport(())
    }

    /// Session thread: from now on it is `lost` that reports.
    pub(crate) fn replace(&self, lost: impl Fn() + 'static) {
        LOST.set(Some(Box::new(lost)));
    }
}

impl Drop for LossReport {
    fn drop(&mut self) {
        // What the report holds may belong to the isolate, which ends next.
        LOST.set(None);
    }
}

/// Installs the handlers. Once, before V8 is initialised.
pub(crate) fn install_handlers() {
    v8::V8::set_fatal_error_handler(check_failed);
    let action = SigAction::new(
        SigHandler::Handler(trapped),
        // So that the handler itself can end the process with the same signal.
        SaFlags::SA_NODEFER,
        SigSet::empty(),
    );
    // SAFETY: `trapped` runs on the thread that has trapped, at a point where V8 was about
    // to end the process, so it interrupts no lock or allocation of ours. Nothing else in
    // this process uses the signal.
    let installed = unsafe { sigaction(Signal::SIGTRAP, &action) };
    if let Err(error) = installed {
        tracing::warn!(%error, "no handler for traps: an impossible array ends the process");
    }
}

fn check_failed(_file: &str, _line: i32, _message: &str) {
    CHECK_FAILED.set(true);
}

extern "C" fn trapped(_signal: c_int) {
    if !CHECK_FAILED.get() {
        report_and_park();
    }
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    // SAFETY: the default action needs nothing of this process.
    let reset = unsafe { sigaction(Signal::SIGTRAP, &default) };
    // Returning would run into whatever follows the trap.
    if reset.is_ok() {
        let _ = raise(Signal::SIGTRAP);
    }
    // V8's own next step where there is no handler.
    #[expect(
        clippy::disallowed_methods,
        reason = "the end that V8 was about to make"
    )]
    std::process::abort();
}

/// Session thread: reports the loss and never returns. On any other thread: returns.
pub(super) fn report_and_park() {
    pages::abandon();
    let on_a_session_thread = LOST.with(|lost| match lost.try_borrow().as_deref() {
        Ok(Some(report)) => {
            report();
            true
        }
        _ => false,
    });
    if on_a_session_thread {
        leave_for_good();
        loop {
            std::thread::park();
        }
    }
}
