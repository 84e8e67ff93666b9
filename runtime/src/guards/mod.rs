//! What bounds a guest: its heap, its array buffers, its time.

mod alarm;
mod allocator;
mod budget;
mod cage;
mod deadlines;
mod heap;
mod loss;
mod pages;
mod quarantine;
mod regions;
mod thread_clock;
mod watchdog;

pub(crate) use self::allocator::budget_allocator;
pub(crate) use self::budget::Budget;
pub(crate) use self::heap::HeapGuard;
pub(crate) use self::loss::{LossReport, install_handlers};
pub(crate) use self::pages::{PageOwner, prepare as prepare_pages, uncounted};
pub(crate) use self::quarantine::{Parking, Presence, ThreadName, install_handler, park};
pub(crate) use self::thread_clock::ThreadClock;
pub(crate) use self::watchdog::{Deadlines, Watchdog};
