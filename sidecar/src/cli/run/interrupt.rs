//! The first interrupt from the terminal cancels what runs; the second ends this process.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use isolate_sidecar_client::Canceller;
use nix::sys::signal::{SigSet, Signal, raise};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Watches for `SIGINT`.
#[derive(Debug)]
pub(super) struct Interrupt {
    reached: Arc<Mutex<Reached>>,
}

#[derive(Debug, Default)]
struct Reached {
    cancellers: Vec<Canceller>,
    has_come: bool,
}

impl Interrupt {
    /// Takes the signal over, for this thread and all that it starts from here on. Whatever
    /// was started before is not to be reached by it: see `SidecarCommand::own_group`.
    pub(super) fn watch() -> io::Result<Interrupt> {
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGINT);
        signals.thread_block()?;
        let arrivals = SignalFd::with_flags(&signals, SfdFlags::SFD_CLOEXEC)?;
        let reached = Arc::new(Mutex::new(Reached::default()));
        let own = Arc::clone(&reached);
        let wait = move || {
            // The error cannot be: the descriptor stays open.
            let _ = arrivals.read_signal();
            let _ = signals.thread_unblock();
            if !cancel_all(&own) {
                // Nothing runs that could be cancelled.
                let _ = raise(Signal::SIGINT);
            }
            // The next one comes to this thread, as it would have without all this.
            loop {
                thread::park();
            }
        };
        thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(wait)?;
        Ok(Interrupt { reached })
    }

    /// From here on an interrupt, also one that has come, cancels this request.
    pub(super) fn reaches(&self, canceller: Canceller) {
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached.has_come {
            canceller.cancel();
        }
        reached.cancellers.push(canceller);
    }
}

/// Says whether there was anything to cancel.
fn cancel_all(reached: &Mutex<Reached>) -> bool {
    let mut reached = reached.lock().unwrap_or_else(PoisonError::into_inner);
    reached.has_come = true;
    reached.cancellers.iter().for_each(Canceller::cancel);
    !reached.cancellers.is_empty()
}
