//! A request under way.

use std::sync::Arc;
use std::time::Duration;

use protocol::frame::{CalledFrame, Cancel, OutcomeFrame};
use protocol::{HostFrame, Outcome, RequestId, SidecarFrame, Usage};

use crate::connection::{Connection, Key};
use crate::error::RequestError;

/// How a request ended, and what it used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// What it used.
    pub usage: Usage,
}

/// A request whose answer has not been taken yet. Dropped, it goes on and its answer is
/// lost; see [`Pending::canceller`] for ending it.
#[derive(Debug)]
#[must_use = "the answer is lost with it"]
pub struct Pending {
    connection: Arc<Connection>,
    key: Key,
    is_taken: bool,
}

/// Cancels one request, from any thread and also when it has ended.
#[derive(Debug, Clone)]
pub struct Canceller {
    connection: Arc<Connection>,
    key: Key,
}

impl Pending {
    pub(crate) fn new(connection: Arc<Connection>, key: Key) -> Pending {
        Pending {
            connection,
            key,
            is_taken: false,
        }
    }

    /// The id under which output and events of this request arrive.
    pub fn request(&self) -> RequestId {
        self.key.request
    }

    /// Waits for the end of the request.
    ///
    /// The sidecar holds it to the session's limits. This side gives up when all requests
    /// of the session that are under way have had their time, and the patience of
    /// [`ConnectOptions`](crate::ConnectOptions) is over as well.
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn wait(mut self) -> Result<Finished, RequestError> {
        let within = self.longest();
        self.take(within)
    }

    /// Waits for the end of the request at most this long. `Err(self)` goes on.
    ///
    /// # Errors
    ///
    /// The inner result is that of [`Pending::wait`].
    pub fn wait_for(mut self, within: Duration) -> Result<Result<Finished, RequestError>, Pending> {
        match self.connection.answer_by(self.key, within) {
            Some(answer) => {
                self.is_taken = true;
                Ok(answer.and_then(finished))
            }
            None => Err(self),
        }
    }

    /// A handle to cancel the request with while another thread waits for it.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            connection: Arc::clone(&self.connection),
            key: self.key,
        }
    }

    fn take(&mut self, within: Duration) -> Result<Finished, RequestError> {
        self.is_taken = true;
        self.connection.answer(self.key, within).and_then(finished)
    }

    fn longest(&self) -> Duration {
        let mut state = self.connection.lock();
        let n = u32::try_from(state.n_in_flight(self.key.session)).unwrap_or(u32::MAX);
        let wall = state
            .session_mut(self.key.session)
            .map_or(Duration::ZERO, |entry| entry.wall);
        wall.saturating_mul(n)
            .saturating_add(self.connection.patience())
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.is_taken {
            self.connection.lock().forget(self.key);
        }
    }
}

impl Canceller {
    /// Asks the sidecar to cancel the request. Its answer still comes, with whatever end
    /// came first.
    pub fn cancel(&self) {
        let cancel = HostFrame::Cancel(Cancel {});
        // The error cannot be: a cancel fits.
        let _ = self
            .connection
            .post(self.key.session, self.key.request, &cancel);
    }
}

fn finished(frame: SidecarFrame) -> Result<Finished, RequestError> {
    match frame {
        SidecarFrame::Outcome(OutcomeFrame { outcome, usage })
        | SidecarFrame::Called(CalledFrame { outcome, usage }) => Ok(Finished { outcome, usage }),
        other => Err(RequestError::Unexpected(other.kind())),
    }
}
