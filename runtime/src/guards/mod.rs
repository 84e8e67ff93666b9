//! What bounds a guest: its heap, its array buffers, its time.

mod allocator;
mod deadlines;
mod heap;
mod loss;
mod quarantine;
mod thread_clock;
mod watchdog;

pub(crate) use self::allocator::{Budget, budget_allocator};
pub(crate) use self::heap::HeapGuard;
pub(crate) use self::loss::{LossReport, install_handlers};
pub(crate) use self::quarantine::{Parking, Presence, ThreadName, install_handler, park};
pub(crate) use self::thread_clock::ThreadClock;
pub(crate) use self::watchdog::{Deadlines, Watchdog};
