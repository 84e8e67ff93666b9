//! The run queue: how many session threads execute guest code at once, and whose turn it is.
//!
//! `schedule.rs` decides, `queue.rs` keeps the threads to it, `seat.rs` is what one session's
//! thread has. A turn is given away where the thread sleeps anyway (`host_bridge::Pause`), and
//! in the middle of guest code by an interrupt of V8, which runs a callback on the session's
//! thread at the next stack check; no guest code runs in it.
//!
//! A request's limit on elapsed time goes on while it waits for its turn, its limit on CPU time
//! does not. A stop ends the wait.

mod line;
mod queue;
mod schedule;
mod seat;
mod standing;

pub(crate) use self::queue::RunQueue;
pub(crate) use self::seat::{Seat, at_check, leave_for_good};

#[cfg(test)]
mod tests;
