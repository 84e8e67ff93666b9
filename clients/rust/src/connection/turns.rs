//! What a thread holds while it leads or runs a host function. Both are given back when a
//! handler panics, too: the connection belongs to other threads as well.

use std::sync::MutexGuard;

use super::inbox::Inbox;
use super::{Connection, State};

/// The lead: the right to read.
pub(super) struct Lead<'a> {
    connection: &'a Connection,
    inbox: Option<Inbox>,
}

impl<'a> Lead<'a> {
    pub(super) fn new(connection: &'a Connection, inbox: Inbox) -> Lead<'a> {
        Lead {
            connection,
            inbox: Some(inbox),
        }
    }

    pub(super) fn inbox(&mut self) -> &mut Inbox {
        self.inbox.get_or_insert_with(Inbox::new)
    }

    pub(super) fn give_up(mut self) -> MutexGuard<'a, State> {
        let mut state = self.connection.lock();
        if let Some(inbox) = self.inbox.take() {
            state.give_up_lead(inbox);
        }
        state
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        if let Some(inbox) = self.inbox.take() {
            let mut state = self.connection.lock();
            state.give_up_lead(inbox);
            state.promote();
        }
    }
}

/// Marks this thread as one that runs a host function.
pub(super) struct HandlerGuard<'a>(&'a Connection);

impl HandlerGuard<'_> {
    pub(super) fn enter(connection: &Connection) -> HandlerGuard<'_> {
        connection.lock().enter_handler();
        HandlerGuard(connection)
    }
}

impl Drop for HandlerGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().leave_handler();
    }
}
