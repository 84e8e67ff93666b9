//! Signals that end the process, and the death of the parent, which comes as one.
//!
//! The kernel sends the parent-death signal when the *thread* that started us ends, which
//! may happen while the parent lives on. So it is a signal of its own, and only a hint:
//! the parent is dead when our parent's id has changed.

use std::io;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::{SigSet, Signal as Number};
use nix::unistd::{Pid, getppid};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::mpsc;

use crate::router::Event;

/// The signal by which the kernel announces the parent's death.
const PARENT_HINT: Number = Number::SIGUSR1;

/// What a signal means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// `SIGTERM` or `SIGINT`.
    Terminate,
    /// The process that started the sidecar is gone.
    ParentDied,
}

/// The process that started this one, watched from the first moment on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parent {
    pid: Pid,
}

/// The parent died while the sidecar was starting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the process that started the sidecar died at once")]
pub struct OrphanedAtStart;

impl Parent {
    /// Asks the kernel for a signal when the parent dies. To be called first, and before
    /// any thread exists: the signal waits until [`serve`](crate::serve) can take it.
    ///
    /// # Errors
    ///
    /// When the parent is gone already. A parent with the id 1 is as good as any other: in
    /// a container that is the host.
    pub fn watch() -> Result<Parent, OrphanedAtStart> {
        let pid = getppid();
        let mut hint = SigSet::empty();
        hint.add(PARENT_HINT);
        // Neither fails with these arguments. Without them, the end of standard input
        // still tells.
        let _ = hint.thread_block();
        let _ = set_pdeathsig(PARENT_HINT);
        let parent = Parent { pid };
        if parent.is_dead() {
            return Err(OrphanedAtStart);
        }
        Ok(parent)
    }

    fn is_dead(self) -> bool {
        getppid() != self.pid
    }
}

/// Sends an [`Event::Signal`] for each signal that ends the process. Must be called inside
/// the tokio runtime.
pub(crate) fn watch_signals(parent: Option<Parent>, events: mpsc::Sender<Event>) -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hint = match parent {
        Some(_) => Some(signal(SignalKind::from_raw(PARENT_HINT as i32))?),
        None => None,
    };
    let mut mask = SigSet::empty();
    mask.add(PARENT_HINT);
    // Whoever has started us may have blocked them, and that is inherited.
    mask.add(Number::SIGTERM);
    mask.add(Number::SIGINT);
    mask.thread_unblock()?;
    tokio::spawn(async move {
        loop {
            let event = tokio::select! {
                Some(()) = terminate.recv() => Signal::Terminate,
                Some(()) = interrupt.recv() => Signal::Terminate,
                () = received(&mut hint) => match parent {
                    Some(parent) if parent.is_dead() => Signal::ParentDied,
                    _ => continue,
                },
            };
            if events.send(Event::Signal(event)).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

async fn received(hint: &mut Option<Stream>) {
    let received = match hint {
        Some(hint) => hint.recv().await,
        None => None,
    };
    if received.is_none() {
        std::future::pending().await
    }
}
