//! Host calls in flight: which ids may be answered, and since when each waits.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use protocol::CallId;

/// A host call that has not been answered.
#[derive(Debug, Clone)]
pub struct OpenCall {
    /// Index of the host function in the list that `OpenSession` gave.
    pub function: usize,
    /// When it was sent.
    pub sent: Instant,
    /// Size of its encoded arguments.
    pub bytes_out: u64,
}

/// The limit `host_calls_in_flight` is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyCalls {
    /// The limit.
    pub limit: u32,
}

/// Shared by the session thread, which opens calls, and the router, which completes them.
///
/// Invariant: ids are never reused, so a late reply finds nothing and touches no other call.
#[derive(Debug)]
pub struct CallTable {
    limit: u32,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    open: HashMap<CallId, OpenCall>,
}

impl CallTable {
    /// Admits up to `limit` calls at once.
    pub fn new(limit: u32) -> CallTable {
        CallTable {
            limit,
            inner: Mutex::default(),
        }
    }

    /// Registers a call that is about to be sent.
    ///
    /// # Errors
    ///
    /// When `limit` calls are in flight; nothing is registered then.
    pub fn open(&self, function: usize, bytes_out: u64) -> Result<CallId, TooManyCalls> {
        let mut inner = self.lock();
        if inner.open.len() >= usize::try_from(self.limit).unwrap_or(usize::MAX) {
            return Err(TooManyCalls { limit: self.limit });
        }
        inner.last = inner.last.saturating_add(1);
        let call = CallId::new(inner.last);
        let sent = Instant::now();
        inner.open.insert(
            call,
            OpenCall {
                function,
                sent,
                bytes_out,
            },
        );
        Ok(call)
    }

    /// Takes a call out, because it was answered or given up. `None` when it is not in flight.
    pub fn take(&self, call: CallId) -> Option<OpenCall> {
        self.lock().open.remove(&call)
    }

    /// Gives up all calls, for instance when their request was stopped.
    pub fn clear(&self) {
        self.lock().open.clear();
    }

    /// How many calls are in flight.
    pub fn len(&self) -> usize {
        self.lock().open.len()
    }

    /// Whether no call is in flight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_just_below_at_and_above() {
        let table = CallTable::new(2);
        let first = table.open(0, 1).unwrap();
        table.open(0, 1).unwrap();
        assert_eq!(table.open(0, 1), Err(TooManyCalls { limit: 2 }));
        assert!(table.take(first).is_some());
        let third = table.open(0, 1).unwrap();
        assert_ne!(third, first);
    }

    #[test]
    fn a_call_is_answered_once() {
        let table = CallTable::new(8);
        let call = table.open(3, 10).unwrap();
        assert_eq!(table.take(call).map(|open| open.function), Some(3));
        assert!(table.take(call).is_none());
        assert!(table.is_empty());
    }
}
