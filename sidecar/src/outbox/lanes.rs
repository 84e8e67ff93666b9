//! Whose turn it is to be written, fair by bytes.
//!
//! Each session with frames waiting has one lane, and each lane stands in one of three rows:
//!
//! ```text
//!   fresh    something that a host waits for, and this lane has had no turn with it yet
//!   urgent   the same, and its first turn was not enough
//!   bulk     Output alone
//! ```
//!
//! A lane is granted [`QUANTUM`] bytes a turn, saves what a longer frame needs, and goes to
//! the back of its row. Invariant: a row goes on however much the rows before it have. So a
//! frame of a session that has nothing else waiting goes after at most [`QUANTUM`] bytes of
//! each other session in the fresh row, about as many bytes of the urgent row, a quarter of
//! that of the bulk row, and one frame of the largest size.

use std::collections::{HashMap, VecDeque};

use protocol::SessionId;

use super::Parcel;

/// Bytes that a lane may send in one turn.
pub(super) const QUANTUM: usize = 64 * 1024;
/// What a frame costs besides its bytes, so that many small ones are not free.
const FRAME_WEIGHT: usize = 64;
/// Bytes of the rows before it that are sent for each byte of the bulk row.
const BULK_SHARE: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    Fresh,
    Urgent,
    Bulk,
}

/// The frames of one session.
#[derive(Debug, Default)]
struct Lane {
    parcels: VecDeque<Parcel>,
    /// How many of them are not `Output`.
    n_control: usize,
    /// Bytes that it may send.
    credit: usize,
    /// Whether this turn's quantum was granted.
    is_granted: bool,
}

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    lanes: HashMap<SessionId, Lane>,
    /// Lanes in each row, each once.
    fresh: VecDeque<SessionId>,
    urgent: VecDeque<SessionId>,
    bulk: VecDeque<SessionId>,
    /// What the rows before it have sent while a row had something to send.
    urgent_due: usize,
    bulk_due: usize,
}

impl Lanes {
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    pub(super) fn push(&mut self, session: SessionId, parcel: Parcel) {
        let lane = self.lanes.entry(session).or_default();
        let is_new = lane.parcels.is_empty();
        let is_output = parcel.is_output();
        lane.parcels.push_back(parcel);
        if is_output {
            if is_new {
                self.bulk.push_back(session);
            }
            return;
        }
        lane.n_control = lane.n_control.saturating_add(1);
        if lane.n_control > 1 {
            return;
        }
        if !is_new {
            self.bulk.retain(|other| *other != session);
        }
        lane.is_granted = false;
        self.fresh.push_back(session);
    }

    pub(super) fn pop(&mut self) -> Option<Parcel> {
        loop {
            let (row, session) = self.next()?;
            let is_alone = self.lanes.len() == 1;
            let lane = self.lanes.get_mut(&session)?;
            let cost = weight(lane.parcels.front()?);
            if cost <= lane.credit || is_alone {
                lane.credit = lane.credit.saturating_sub(cost);
                return self.send(row, session, cost);
            }
            if lane.is_granted {
                lane.is_granted = false;
                let next = match row {
                    Row::Fresh | Row::Urgent => Row::Urgent,
                    Row::Bulk => Row::Bulk,
                };
                self.move_to(next, row, session);
            } else {
                lane.is_granted = true;
                lane.credit = lane.credit.saturating_add(QUANTUM);
            }
        }
    }

    /// The lane whose turn it is.
    fn next(&self) -> Option<(Row, SessionId)> {
        let front = |row| self.row(row).front().map(|session| (row, *session));
        let is_due = |due: usize, share: usize, row| {
            let (_, session) = front(row)?;
            let cost = weight(self.lanes.get(&session)?.parcels.front()?);
            (cost.saturating_mul(share) <= due).then_some((row, session))
        };
        is_due(self.bulk_due, BULK_SHARE, Row::Bulk)
            .or_else(|| is_due(self.urgent_due, 1, Row::Urgent))
            .or_else(|| front(Row::Fresh))
            .or_else(|| front(Row::Urgent))
            .or_else(|| front(Row::Bulk))
    }

    fn send(&mut self, row: Row, session: SessionId, cost: usize) -> Option<Parcel> {
        self.charge(row, cost);
        let lane = self.lanes.get_mut(&session)?;
        let parcel = lane.parcels.pop_front()?;
        if !parcel.is_output() {
            lane.n_control = lane.n_control.saturating_sub(1);
        }
        if lane.parcels.is_empty() {
            self.lanes.remove(&session);
            self.row_mut(row).pop_front();
        } else if lane.n_control == 0 && row != Row::Bulk {
            lane.is_granted = false;
            lane.credit = 0;
            self.move_to(Row::Bulk, row, session);
        }
        Some(parcel)
    }

    /// Counts what a row sends in favour of those behind it.
    fn charge(&mut self, row: Row, cost: usize) {
        let (for_urgent, for_bulk) = match row {
            Row::Fresh => (cost, cost),
            Row::Urgent => (0, cost),
            Row::Bulk => (0, 0),
        };
        let (used_urgent, used_bulk) = match row {
            Row::Fresh => (0, 0),
            Row::Urgent => (cost, 0),
            Row::Bulk => (0, cost.saturating_mul(BULK_SHARE)),
        };
        let settle = |is_empty: bool, due: usize, more: usize, less: usize| match is_empty {
            true => 0,
            false => due.saturating_add(more).saturating_sub(less),
        };
        let (no_urgent, no_bulk) = (self.urgent.is_empty(), self.bulk.is_empty());
        self.urgent_due = settle(no_urgent, self.urgent_due, for_urgent, used_urgent);
        self.bulk_due = settle(no_bulk, self.bulk_due, for_bulk, used_bulk);
    }

    /// Moves the first lane of a row to the back of another.
    fn move_to(&mut self, to: Row, from: Row, session: SessionId) {
        self.row_mut(from).pop_front();
        self.row_mut(to).push_back(session);
    }

    fn row(&self, row: Row) -> &VecDeque<SessionId> {
        match row {
            Row::Fresh => &self.fresh,
            Row::Urgent => &self.urgent,
            Row::Bulk => &self.bulk,
        }
    }

    fn row_mut(&mut self, row: Row) -> &mut VecDeque<SessionId> {
        match row {
            Row::Fresh => &mut self.fresh,
            Row::Urgent => &mut self.urgent,
            Row::Bulk => &mut self.bulk,
        }
    }
}

fn weight(parcel: &Parcel) -> usize {
    parcel.bytes.len().saturating_add(FRAME_WEIGHT)
}
