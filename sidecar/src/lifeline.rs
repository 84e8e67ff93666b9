//! How the process ends, whatever the cause.
//!
//! ```text
//!            Shutdown                 none left, or grace over
//!  Serving ───────────> ShuttingDown ─────────────────────────> Leaving
//!     │                                                           │ none left, or
//!     │ stdin closed, signal, parent died, host hung up,          │ deadline over
//!     │ protocol error, too many parked threads                   v
//!     ├──────────────────────────────────────────────> Leaving ─> Farewell ─> process ends
//!     │ stuck session                                              ^   written, or
//!     └────────────────────────────────────────────────────────────┘   deadline over
//! ```
//!
//! Serving: everything is accepted. ShuttingDown: no new work, running requests go on.
//! Leaving: every session was cancelled and told to close. Farewell: `GoAway` is queued,
//! only what waits is written. The first cause wins. From Leaving on all takes less than
//! two seconds, or, after `Shutdown`, less than one more than the grace period.

use std::time::{Duration, Instant};

use protocol::Reason;
use protocol::frame::GoAway;

use crate::ExitCode;
use crate::error::{ConnectionError, clipped};
use crate::transport::Flushed;

/// How long sessions may take to stop once the process is ending.
pub(crate) const LEAVE_WITHIN: Duration = Duration::from_secs(1);
/// How long the host may take to read the rest.
pub(crate) const FAREWELL_WITHIN: Duration = Duration::from_millis(750);

/// Why the process ends, for everyone who is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    /// For the parent.
    pub(crate) code: ExitCode,
    /// For the host.
    pub(crate) go_away: GoAway,
}

/// Where the process is. See the diagram.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Serving,
    ShuttingDown { until: Instant },
    Leaving { ending: Ending, until: Instant },
    Farewell { code: ExitCode, until: Instant },
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct Lifeline {
    phase: Phase,
}

impl Lifeline {
    pub(crate) fn new() -> Lifeline {
        Lifeline {
            phase: Phase::Serving,
        }
    }

    /// Whether new work is accepted.
    pub(crate) fn is_serving(&self) -> bool {
        self.phase == Phase::Serving
    }

    /// Whether the host has asked for the end and running requests go on.
    pub(crate) fn is_shutting_down(&self) -> bool {
        matches!(self.phase, Phase::ShuttingDown { .. })
    }

    /// Whether frames of the host are without effect.
    pub(crate) fn is_leaving(&self) -> bool {
        matches!(self.phase, Phase::Leaving { .. } | Phase::Farewell { .. })
    }

    /// Serving ---- Shutdown ----> ShuttingDown. A further one can only hasten it.
    pub(crate) fn shut_down(&mut self, until: Instant) {
        match &mut self.phase {
            Phase::Serving => self.phase = Phase::ShuttingDown { until },
            Phase::ShuttingDown { until: set } => *set = until.min(*set),
            Phase::Leaving { .. } | Phase::Farewell { .. } => {}
        }
    }

    /// Serving, ShuttingDown ----> Leaving. `false` when the process is leaving already.
    pub(crate) fn leave(&mut self, ending: Ending, until: Instant) -> bool {
        if self.is_leaving() {
            return false;
        }
        self.phase = Phase::Leaving { ending, until };
        true
    }

    /// The same cause, worse: it did not go as it should.
    pub(crate) fn worsen(&mut self, worse: Ending) {
        if let Phase::Leaving { ending, .. } = &mut self.phase {
            *ending = worse;
        }
    }

    /// Leaving ----> Farewell. Returns the last frame; `None` in any other phase.
    pub(crate) fn farewell(&mut self, until: Instant) -> Option<GoAway> {
        let Phase::Leaving { ending, .. } = &self.phase else {
            return None;
        };
        let (code, go_away) = (ending.code, ending.go_away.clone());
        self.phase = Phase::Farewell { code, until };
        Some(go_away)
    }

    /// Why the process is leaving, while sessions are still ending.
    pub(crate) fn ending(&self) -> Option<&Ending> {
        match &self.phase {
            Phase::Leaving { ending, .. } => Some(ending),
            _ => None,
        }
    }

    /// Whether the time of this phase is over.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.deadline().is_some_and(|until| until <= now)
    }

    /// When the time of this phase is over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        match &self.phase {
            Phase::Serving => None,
            Phase::ShuttingDown { until }
            | Phase::Leaving { until, .. }
            | Phase::Farewell { until, .. } => Some(*until),
        }
    }

    /// The exit code, when all that remains is to leave.
    pub(crate) fn exit(&self, flushed: Flushed, now: Instant) -> Option<ExitCode> {
        match &self.phase {
            Phase::Farewell { code, until } if flushed == Flushed::All || *until <= now => {
                Some(*code)
            }
            _ => None,
        }
    }
}

impl Ending {
    /// The host asked for it with `Shutdown`.
    pub(crate) fn shutdown() -> Ending {
        Ending::quiet(ExitCode::Clean, "the host asked for a shutdown")
    }

    /// Standard input ended between two frames.
    pub(crate) fn stdin_closed() -> Ending {
        Ending::quiet(ExitCode::Clean, "standard input was closed")
    }

    /// `SIGTERM` or `SIGINT`.
    pub(crate) fn terminated() -> Ending {
        Ending::quiet(ExitCode::Terminated, "a signal asked the sidecar to end")
    }

    /// The process that started the sidecar is gone.
    pub(crate) fn parent_died() -> Ending {
        Ending::quiet(
            ExitCode::ParentDied,
            "the process that started the sidecar died",
        )
    }

    /// Nobody reads standard output any more.
    pub(crate) fn host_hung_up() -> Ending {
        Ending {
            code: ExitCode::HostNotReading,
            go_away: GoAway {
                reason: Reason::HostNotReading,
                message: "standard output was closed by its reader".to_owned(),
            },
        }
    }

    /// Sessions did not stop, or are parked for good.
    pub(crate) fn stuck(message: String) -> Ending {
        Ending {
            code: ExitCode::StuckSession,
            go_away: GoAway {
                reason: Reason::StuckSession,
                message: clipped(message),
            },
        }
    }

    fn quiet(code: ExitCode, message: &str) -> Ending {
        Ending {
            code,
            go_away: GoAway {
                reason: Reason::ShuttingDown,
                message: message.to_owned(),
            },
        }
    }
}

impl From<&ConnectionError> for Ending {
    fn from(err: &ConnectionError) -> Ending {
        Ending {
            code: err.exit_code(),
            go_away: err.to_go_away(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cause_wins() {
        let now = Instant::now();
        let mut lifeline = Lifeline::new();
        assert!(lifeline.leave(Ending::terminated(), now + LEAVE_WITHIN));
        assert!(!lifeline.leave(Ending::stdin_closed(), now));
        lifeline.shut_down(now);
        assert_eq!(lifeline.ending().unwrap().code, ExitCode::Terminated);
        assert_eq!(lifeline.exit(Flushed::All, now), None);
        lifeline.farewell(now + FAREWELL_WITHIN).unwrap();
        assert_eq!(lifeline.farewell(now), None);
        assert_eq!(lifeline.exit(Flushed::Blocked, now), None);
        assert_eq!(lifeline.exit(Flushed::All, now), Some(ExitCode::Terminated));
        let late = now + FAREWELL_WITHIN;
        assert_eq!(
            lifeline.exit(Flushed::Blocked, late),
            Some(ExitCode::Terminated)
        );
    }

    #[test]
    fn a_further_shutdown_only_hastens() {
        let now = Instant::now();
        let mut lifeline = Lifeline::new();
        lifeline.shut_down(now + Duration::from_secs(5));
        lifeline.shut_down(now + Duration::from_secs(9));
        assert_eq!(lifeline.deadline(), Some(now + Duration::from_secs(5)));
        lifeline.shut_down(now);
        assert!(lifeline.is_over(now) && lifeline.is_shutting_down());
    }

    #[test]
    fn leaving_and_farewell_stay_under_two_seconds() {
        assert!(LEAVE_WITHIN + FAREWELL_WITHIN < Duration::from_secs(2));
    }
}
