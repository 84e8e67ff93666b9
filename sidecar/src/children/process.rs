//! The process of a child: from before it is started to after it is gone.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child as Started, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::signal::Signal;

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Process(Mutex<State>);

#[derive(Debug, Default)]
enum State {
    /// It is about to be started.
    #[default]
    Expected,
    /// It is not wanted any more.
    Unwanted,
    Running(Started),
    NotStarted(io::Error),
    Ended,
}

impl Process {
    /// It was started, or could not be.
    pub(super) fn started(&self, started: io::Result<Started>) {
        let mut state = self.lock();
        let is_unwanted = matches!(*state, State::Unwanted);
        *state = match started {
            Ok(process) => State::Running(process),
            Err(error) => State::NotStarted(error),
        };
        drop(state);
        if is_unwanted {
            self.kill();
        }
    }

    /// Its number, while it runs.
    pub(super) fn id(&self) -> Option<u32> {
        match &*self.lock() {
            State::Running(process) => Some(process.id()),
            _ => None,
        }
    }

    /// Ends it at once.
    pub(super) fn kill(&self) {
        let mut state = self.lock();
        match &mut *state {
            // The error is that it has ended already.
            State::Running(process) => drop(process.kill()),
            State::Expected => *state = State::Unwanted,
            State::Unwanted | State::NotStarted(_) | State::Ended => {}
        }
    }

    /// Takes it off the system's table, and says how it ended. To be called when its end of
    /// the socket is closed: then it has ended or is about to, with a status that is settled.
    pub(super) fn reap(&self) -> String {
        self.kill();
        match std::mem::replace(&mut *self.lock(), State::Ended) {
            State::Running(mut process) => match process.wait() {
                Ok(status) => describe(status),
                Err(error) => format!("ended in an unknown way: {error}"),
            },
            State::NotStarted(error) => format!("could not be started: {error}"),
            State::Expected | State::Unwanted | State::Ended => "was not started".to_owned(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// "was killed by signal 11 (SIGSEGV)", "ended with exit code 73".
pub(crate) fn describe(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(number), _) => {
            let name = Signal::try_from(number).map_or("unknown", Signal::as_str);
            format!("was killed by signal {number} ({name})")
        }
        (None, Some(code)) => format!("ended with exit code {code}"),
        (None, None) => status.to_string(),
    }
}
