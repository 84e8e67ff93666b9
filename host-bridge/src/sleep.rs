//! Sleeping on a condition variable.

use std::sync::{Condvar, MutexGuard, PoisonError};
use std::time::Instant;

/// Waits until `bell` rings, but no longer than until `until`; without one, however long it
/// takes. It may also return for no reason, as a condition variable does.
pub fn wait_until<'a, T>(
    bell: &Condvar,
    guard: MutexGuard<'a, T>,
    until: Option<Instant>,
) -> MutexGuard<'a, T> {
    match until {
        None => bell.wait(guard).unwrap_or_else(PoisonError::into_inner),
        Some(until) => {
            let timeout = until.saturating_duration_since(Instant::now());
            bell.wait_timeout(guard, timeout)
                .unwrap_or_else(PoisonError::into_inner)
                .0
        }
    }
}
