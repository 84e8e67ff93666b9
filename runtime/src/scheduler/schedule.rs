//! Whose turn it is: plain data that is told the time, so that tests need no clock.
//!
//! ```text
//!           arrive                 granted                 yielded, others wait
//!  Away ──────────────> Waiting ─────────────> Running ──────────────> Waiting
//!   ^  ^                   │ hurry: at once        │
//!   │  └───────────────────┴───────────────────────┘ leave
//! ```
//!
//! Whoever has used less than [`Rules::young`] of CPU for its request comes before those
//! that have used more, the least used first. The rest are in the order of their shares: of
//! sessions that always want to run, each gets the same time. Who has waited
//! longest is passed a few times at most (`line.rs`), so nobody starves.
//!
//! A runner that does not come to its next check, because it is in one long built-in, is
//! overdue: it runs on and its slot is lent to another.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::line::Line;
use super::standing::{Effects, Hold, Place, Rules, Running, SeatId, Standing};

/// Slots that are lent while their holders are overdue, for each slot there is.
const LENT_A_SLOT: usize = 8;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Schedule {
    rules: Rules,
    seats: HashMap<SeatId, Standing>,
    running: Vec<SeatId>,
    line: Line,
    last: u64,
    /// The largest share that was granted a turn: nobody comes in below it.
    floor: Duration,
}

impl Schedule {
    pub(super) fn new(rules: Rules) -> Schedule {
        Schedule {
            rules,
            seats: HashMap::new(),
            running: Vec::new(),
            line: Line::default(),
            last: 0,
            floor: Duration::ZERO,
        }
    }

    /// A thread that will want turns.
    pub(super) fn add(&mut self, now: Instant) -> SeatId {
        self.last = self.last.wrapping_add(1);
        let id = SeatId(self.last);
        let seat = Standing {
            place: Place::Away,
            used: Duration::ZERO,
            share: Duration::ZERO,
            has_share: false,
            is_stopped: false,
            left: now,
        };
        self.seats.insert(id, seat);
        id
    }

    /// The thread is gone, or will never run again.
    pub(super) fn remove(&mut self, id: SeatId, now: Instant) -> Effects {
        let effects = self.leave(id, Duration::ZERO, now);
        self.seats.remove(&id);
        effects
    }

    /// A request of the host begins: what went before is not held against it.
    pub(super) fn renew(&mut self, id: SeatId) {
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.used = Duration::ZERO;
        }
    }

    /// Away ---- arrive ----> Running where a slot is free, else Waiting.
    pub(super) fn arrive(&mut self, id: SeatId, now: Instant) -> Effects {
        let forgiven = self.forgiven(id, now);
        match self.seats.get_mut(&id) {
            Some(seat) if seat.place == Place::Away => {
                seat.used = seat.used.saturating_sub(forgiven);
            }
            _ => return Effects::default(),
        }
        self.run_or_wait(id, now)
    }

    /// Running, Waiting ---- leave ----> Away. `used` is the CPU time of the turn.
    pub(super) fn leave(&mut self, id: SeatId, used: Duration, now: Instant) -> Effects {
        let Some(seat) = self.seats.get_mut(&id) else {
            return Effects::default();
        };
        let place = std::mem::replace(&mut seat.place, Place::Away);
        seat.left = now;
        match place {
            Place::Away => return Effects::default(),
            Place::Waiting(key) => self.line.remove(key),
            Place::Running(_) => {
                seat.used = seat.used.saturating_add(used);
                seat.share = seat.share.saturating_add(used);
                self.running.retain(|other| *other != id);
            }
        }
        self.settle(now)
    }

    /// Running ---- yielded ----> Waiting, when it was asked to and others wait. `None` when
    /// it was not asked: the turn goes on.
    pub(super) fn give_way(&mut self, id: SeatId, used: Duration, now: Instant) -> Option<Effects> {
        let seat = self.seats.get_mut(&id)?;
        match seat.place {
            Place::Running(running)
                if running.nudged.is_some() && running.hold != Hold::Stopped => {}
            _ => return None,
        }
        seat.used = seat.used.saturating_add(used);
        seat.share = seat.share.saturating_add(used);
        seat.place = Place::Away;
        self.running.retain(|other| *other != id);
        Some(self.run_or_wait(id, now))
    }

    /// Waiting ---- hurry ----> Running without a slot: it was stopped and has only to end.
    pub(super) fn hurry(&mut self, id: SeatId, now: Instant) -> Effects {
        let Some(seat) = self.seats.get_mut(&id) else {
            return Effects::default();
        };
        seat.is_stopped = true;
        match &mut seat.place {
            Place::Away => Effects::default(),
            Place::Waiting(key) => {
                let key = *key;
                self.line.remove(key);
                self.run(id, Hold::Stopped, now);
                Effects {
                    granted: vec![id],
                    nudged: Vec::new(),
                }
            }
            // Its slot is another's.
            Place::Running(running) => {
                running.hold = Hold::Stopped;
                self.settle(now)
            }
        }
    }

    /// The stopped request has ended; its thread goes on as any other.
    pub(super) fn calm(&mut self, id: SeatId, now: Instant) {
        let has_slot = self.has_slot();
        let Some(seat) = self.seats.get_mut(&id) else {
            return;
        };
        seat.is_stopped = false;
        if let Place::Running(running) = &mut seat.place
            && running.hold == Hold::Stopped
        {
            *running = Running {
                since: now,
                nudged: None,
                hold: match has_slot {
                    true => Hold::Slot,
                    false => Hold::Lent,
                },
            };
        }
    }

    /// What time has made due.
    pub(super) fn tick(&mut self, now: Instant) -> Effects {
        self.settle(now)
    }

    /// When time will make something due; `None` while nobody waits.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.line.is_empty() {
            return None;
        }
        let slice = self.slice();
        let may_lend = self.may_lend();
        self.runners()
            .filter_map(|(_, running)| match running.nudged {
                None => running.since.checked_add(slice),
                Some(nudged) if running.hold == Hold::Slot && may_lend => {
                    nudged.checked_add(self.rules.patience)
                }
                Some(_) => None,
            })
            .min()
    }

    /// Whether it is this one's turn.
    pub(super) fn is_running(&self, id: SeatId) -> bool {
        // A seat that is gone waits for nothing.
        !matches!(
            self.seats.get(&id).map(|seat| seat.place),
            Some(Place::Waiting(_) | Place::Away)
        )
    }

    /// Nudges whose slice is over, lends what is overdue, grants what is free.
    fn settle(&mut self, now: Instant) -> Effects {
        let mut effects = Effects::default();
        self.grant(now, &mut effects);
        if self.line.is_empty() {
            return effects;
        }
        self.nudge_for_young(now, &mut effects);
        let (slice, patience) = (self.slice(), self.rules.patience);
        for id in self.running.clone() {
            let may_lend = self.may_lend();
            let Some(running) = self.running_mut(id) else {
                continue;
            };
            match running.nudged {
                None if now.saturating_duration_since(running.since) >= slice => {
                    running.nudged = Some(now);
                    effects.nudged.push(id);
                }
                Some(nudged)
                    if running.hold == Hold::Slot
                        && may_lend
                        && now.saturating_duration_since(nudged) >= patience =>
                {
                    running.hold = Hold::Lent;
                }
                _ => {}
            }
        }
        self.grant(now, &mut effects);
        effects
    }

    /// Somebody young does not wait for the end of an old one's slice.
    fn nudge_for_young(&mut self, now: Instant, effects: &mut Effects) {
        let n_young = self.line.n_young();
        let n_asked = self
            .runners()
            .filter(|(_, running)| running.nudged.is_some() && running.hold == Hold::Slot)
            .count();
        for _ in n_asked..n_young.min(self.rules.slots) {
            let oldest = self
                .runners()
                .filter(|(id, running)| {
                    running.nudged.is_none()
                        && running.hold == Hold::Slot
                        && self.is_old(*id, running, now)
                })
                .min_by_key(|(_, running)| running.since)
                .map(|(id, _)| id);
            let Some(running) = oldest.and_then(|id| self.running_mut(id)) else {
                return;
            };
            running.nudged = Some(now);
            effects.nudged.extend(oldest);
        }
    }

    fn grant(&mut self, now: Instant, effects: &mut Effects) {
        while self.has_slot() {
            let Some((key, id)) = self.line.take_next() else {
                return;
            };
            if key.is_old {
                self.floor = self.floor.max(key.order);
            }
            self.run(id, Hold::Slot, now);
            effects.granted.push(id);
        }
    }

    fn run_or_wait(&mut self, id: SeatId, now: Instant) -> Effects {
        let is_stopped = self.seats.get(&id).is_some_and(|seat| seat.is_stopped);
        if is_stopped {
            self.run(id, Hold::Stopped, now);
        } else if self.line.is_empty() && self.has_slot() {
            self.run(id, Hold::Slot, now);
        } else {
            self.wait(id);
            return self.settle(now);
        }
        Effects::default()
    }

    fn wait(&mut self, id: SeatId) {
        let (floor, rules) = (self.floor, self.rules);
        let Some(seat) = self.seats.get_mut(&id) else {
            return;
        };
        let is_old = seat.used >= rules.young;
        if is_old {
            // Who comes for the first time has had its young turns and goes a turn behind.
            let least = match seat.has_share {
                true => floor,
                false => floor.saturating_add(rules.slice),
            };
            seat.share = match seat.has_share {
                true => seat.share.max(least),
                false => least,
            };
            seat.has_share = true;
        }
        let order = if is_old { seat.share } else { seat.used };
        seat.place = Place::Waiting(self.line.push(id, is_old, order));
    }

    fn run(&mut self, id: SeatId, hold: Hold, now: Instant) {
        if let Some(seat) = self.seats.get_mut(&id) {
            seat.place = Place::Running(Running {
                since: now,
                nudged: None,
                hold,
            });
            self.running.push(id);
        }
    }

    fn running_mut(&mut self, id: SeatId) -> Option<&mut Running> {
        match self.seats.get_mut(&id).map(|seat| &mut seat.place) {
            Some(Place::Running(running)) => Some(running),
            _ => None,
        }
    }

    fn runners(&self) -> impl Iterator<Item = (SeatId, Running)> {
        self.running
            .iter()
            .filter_map(|id| match self.seats.get(id).map(|seat| seat.place) {
                Some(Place::Running(running)) => Some((*id, running)),
                _ => None,
            })
    }

    fn count(&self, hold: Hold) -> usize {
        self.runners()
            .filter(|(_, running)| running.hold == hold)
            .count()
    }

    fn has_slot(&self) -> bool {
        self.count(Hold::Slot) < self.rules.slots
    }

    fn may_lend(&self) -> bool {
        self.count(Hold::Lent) < self.rules.slots.saturating_mul(LENT_A_SLOT)
    }

    fn slice(&self) -> Duration {
        match self.line.n_young() {
            0 => self.rules.slice,
            _ => self.rules.short_slice,
        }
    }

    fn is_old(&self, id: SeatId, running: &Running, now: Instant) -> bool {
        let turn = now.saturating_duration_since(running.since);
        self.seats
            .get(&id)
            .is_some_and(|seat| seat.used.saturating_add(turn) >= self.rules.young)
    }

    /// Rest forgives at half of the rate at which every session could run for ever: one that
    /// uses less than that stays young, and all such together take half of the slots.
    fn forgiven(&self, id: SeatId, now: Instant) -> Duration {
        let Some(seat) = self.seats.get(&id) else {
            return Duration::ZERO;
        };
        let slots = u32::try_from(self.rules.slots).unwrap_or(u32::MAX);
        let sessions = u32::try_from(self.seats.len().saturating_mul(2)).unwrap_or(u32::MAX);
        now.saturating_duration_since(seat.left)
            .saturating_mul(slots)
            .checked_div(sessions)
            .unwrap_or_default()
    }
}
