//! What the schedule knows of each session's thread, and what it tells.

use std::time::{Duration, Instant};

use super::line::Key;

/// Names a session's thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SeatId(pub(super) u64);

/// How turns are given.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Threads that run at once.
    pub(super) slots: usize,
    /// How long a turn is while others wait.
    pub(super) slice: Duration,
    /// How long it is while somebody young waits.
    pub(super) short_slice: Duration,
    /// CPU time up to which a request goes before those that have used more.
    pub(super) young: Duration,
    /// How long after it was asked for its slot a runner is overdue.
    pub(super) patience: Duration,
}

/// What has to be done now that the schedule has changed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Their turn begins.
    pub(super) granted: Vec<SeatId>,
    /// They are to give their turn away at their next check.
    pub(super) nudged: Vec<SeatId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Away,
    Waiting(Key),
    Running(Running),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Running {
    pub(super) since: Instant,
    pub(super) nudged: Option<Instant>,
    pub(super) hold: Hold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hold {
    /// It has one of the slots.
    Slot,
    /// It is overdue: its slot is lent to another.
    Lent,
    /// It was stopped, and runs to its end without a slot.
    Stopped,
}

/// How a session's thread stands.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) place: Place,
    /// CPU time of the request so far, less what rest has forgiven.
    pub(super) used: Duration,
    /// CPU time in the long run, in step with all others that want to run.
    pub(super) share: Duration,
    /// Whether it has been among the old ones, so that its share means something.
    pub(super) has_share: bool,
    /// Its request was stopped: it waits for no turn until that has ended.
    pub(super) is_stopped: bool,
    pub(super) left: Instant,
}
