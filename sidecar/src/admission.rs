//! Whether there is room for one more session, and in which process.
//!
//! All heaps of a process lie in one cage of 4 GiB, and when the cage is full, V8 ends the
//! process. So a session's heap limit is reserved for as long as its thread lives:
//!
//! 1. While the sum of the limits is at most [`CAGE_BYTES`], all sessions of a process can fill
//!    their heaps at once and touch nobody: the session opens here.
//! 2. Beyond that it goes to a further process, the first in which the sum leaves room, as
//!    long as there may be one.
//! 3. Where there may be none, the limits are over-committed, for few sessions come near them:
//!    the session opens here unless the process really uses [`PRESSURE_BYTES`], or the sum
//!    exceeds what the command line allows. What then protects a neighbour is the runtime
//!    (`guards/cage.rs`), which stops sessions that hold more than their equal part of a full
//!    cage.
//!
//! Whatever the limits say, no session is opened when the machine, or the control group, has
//! less than [`MACHINE_RESERVE`] left.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::machine::Memory;

/// Sum of heap limits that one process holds whatever the guests do: 22 times the default.
/// Heaps of 441 MiB filled 3.4 GiB before an allocation failed and ended the process; the rest
/// is for the room in which sessions at their limit unwind, and for what V8 has committed and
/// not in use.
pub(crate) const CAGE_BYTES: u64 = 22 * (128 << 20);
/// Resident memory of the process from which on limits are not over-committed further.
pub(crate) const PRESSURE_BYTES: u64 = 2 << 30;
/// Memory that is left to the machine.
pub(crate) const MACHINE_RESERVE: u64 = 128 << 20;

/// How far admission may go.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    /// Further processes that there may be.
    pub(crate) further: u32,
    /// Sum of heap limits in percent of [`CAGE_BYTES`], where there is no further process.
    /// `None` leaves it to the pressure.
    pub(crate) overcommit_percent: Option<u32>,
}

/// Where a session opens.
#[derive(Debug)]
pub(crate) enum Admission {
    /// In this process.
    Here(Reservation),
    /// In further process number so much, counted from 1.
    FurtherProcess(u32, Reservation),
    /// Nowhere.
    Refused(NoRoom),
}

/// Why there is no room, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoRoom {
    #[error(
        "a heap of {asked} bytes does not fit: the heap limits of the sessions here come to {taken} bytes \
         and may come to {limit}; close sessions, ask for a smaller limits.heap_bytes, or raise --heap-overcommit"
    )]
    Limits { asked: u64, taken: u64, limit: u64 },
    #[error(
        "the process uses {used} bytes, and from {limit} on it opens sessions only while all heap limits \
         together fit into its 4 GiB cage; close sessions or ask for a smaller limits.heap_bytes"
    )]
    Pressure { used: u64, limit: u64 },
    #[error(
        "the machine or the control group has {available} bytes of memory left, and {reserve} stay free; \
         close sessions or give it more memory"
    )]
    Machine { available: u64, reserve: u64 },
}

/// What each process has promised. The first is this one.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Arc<Mutex<Vec<u64>>>);

/// Heap that is kept for a session; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct Reservation {
    ledger: Arc<Mutex<Vec<u64>>>,
    process: usize,
    bytes: u64,
}

impl Ledger {
    /// Whether the machine has room for one more session, in whatever process.
    ///
    /// # Errors
    ///
    /// When less than [`MACHINE_RESERVE`] is left.
    pub(crate) fn has_machine_room(memory: &Memory) -> Result<(), NoRoom> {
        let available = memory.available();
        if available < MACHINE_RESERVE {
            return Err(NoRoom::Machine {
                available,
                reserve: MACHINE_RESERVE,
            });
        }
        Ok(())
    }

    /// Decides on a session with a heap limit of `asked` bytes.
    pub(crate) fn admit(&self, asked: u64, policy: Policy, memory: &Memory) -> Admission {
        if let Err(no_room) = Ledger::has_machine_room(memory) {
            return Admission::Refused(no_room);
        }
        let mut sums = lock(&self.0);
        let further = usize::try_from(policy.further).unwrap_or(usize::MAX);
        let found = (0..=further).find(|process| {
            let sum = sums.get(*process).copied().unwrap_or_default();
            // One session alone always fits: the ceiling of its limit says how large it is.
            sum == 0 || sum.saturating_add(asked) <= CAGE_BYTES
        });
        let process = match found {
            Some(process) => process,
            None => {
                let taken = sums.first().copied().unwrap_or_default();
                if let Err(no_room) = overcommit(asked, taken, policy, memory) {
                    return Admission::Refused(no_room);
                }
                0
            }
        };
        if sums.len() <= process {
            sums.resize(process.saturating_add(1), 0);
        }
        if let Some(sum) = sums.get_mut(process) {
            *sum = sum.saturating_add(asked);
        }
        drop(sums);
        let reservation = Reservation {
            ledger: Arc::clone(&self.0),
            process,
            bytes: asked,
        };
        match u32::try_from(process) {
            Ok(number) if number > 0 => Admission::FurtherProcess(number, reservation),
            _ => Admission::Here(reservation),
        }
    }
}

fn overcommit(asked: u64, taken: u64, policy: Policy, memory: &Memory) -> Result<(), NoRoom> {
    if let Some(percent) = policy.overcommit_percent {
        let limit = CAGE_BYTES.saturating_mul(u64::from(percent)) / 100;
        if taken.saturating_add(asked) > limit {
            return Err(NoRoom::Limits {
                asked,
                taken,
                limit,
            });
        }
    }
    let used = memory.resident();
    match used >= PRESSURE_BYTES {
        true => Err(NoRoom::Pressure {
            used,
            limit: PRESSURE_BYTES,
        }),
        false => Ok(()),
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(sum) = lock(&self.ledger).get_mut(self.process) {
            *sum = sum.saturating_sub(self.bytes);
        }
    }
}

fn lock(sums: &Mutex<Vec<u64>>) -> MutexGuard<'_, Vec<u64>> {
    // Only numbers are changed under the lock; a panic leaves nothing torn.
    sums.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const PLENTY: Memory = Memory::fixed(64 << 30, 100 << 20);

    fn policy(further: u32, overcommit_percent: Option<u32>) -> Policy {
        Policy {
            further,
            overcommit_percent,
        }
    }

    /// Opens `n` sessions of `mib` and says in which processes they are.
    fn open(
        ledger: &Ledger,
        n: usize,
        mib: u64,
        policy: Policy,
    ) -> Vec<Result<(u32, Reservation), NoRoom>> {
        (0..n)
            .map(
                |_| match ledger.admit(mib.saturating_mul(MIB), policy, &PLENTY) {
                    Admission::Here(kept) => Ok((0, kept)),
                    Admission::FurtherProcess(number, kept) => Ok((number, kept)),
                    Admission::Refused(no_room) => Err(no_room),
                },
            )
            .collect()
    }

    fn places(opened: &[Result<(u32, Reservation), NoRoom>]) -> Vec<u32> {
        opened
            .iter()
            .map(|place| place.as_ref().map_or(u32::MAX, |(process, _)| *process))
            .collect()
    }

    #[test]
    fn what_fits_the_cage_opens_here_and_the_rest_in_further_processes() {
        let ledger = Ledger::default();
        let opened = open(&ledger, 60, 128, policy(2, Some(100)));
        let mut expected = vec![0; 22];
        expected.extend([1; 22]);
        expected.extend([2; 16]);
        assert_eq!(places(&opened), expected);
        // A small one fits where the last has left room.
        assert_eq!(places(&open(&ledger, 1, 64, policy(2, Some(100)))), [2]);
        drop(opened);
        assert_eq!(places(&open(&ledger, 1, 128, policy(2, Some(100)))), [0]);
    }

    #[test]
    fn without_further_processes_the_command_line_says_how_far() {
        let ledger = Ledger::default();
        let opened = open(&ledger, 45, 128, policy(0, Some(200)));
        let last = opened.last().unwrap().as_ref().unwrap_err();
        assert_eq!(
            *last,
            NoRoom::Limits {
                asked: 128 * MIB,
                taken: 44 * 128 * MIB,
                limit: 2 * CAGE_BYTES
            }
        );
        assert_eq!(places(&opened[..44]), [0; 44]);
        assert_eq!(
            places(&open(&ledger, 1000, 128, policy(0, None))),
            [0; 1000]
        );
    }

    #[test]
    fn limits_are_not_overcommitted_under_pressure() {
        let ledger = Ledger::default();
        let used = Memory::fixed(64 << 30, PRESSURE_BYTES);
        let _within = open(&ledger, 21, 128, policy(0, None));
        // Within the cage, use is no matter: it was promised.
        let Admission::Here(_kept) = ledger.admit(128 * MIB, policy(0, None), &used) else {
            panic!("it fits the cage");
        };
        let refused = ledger.admit(128 * MIB, policy(0, None), &used);
        assert!(matches!(
            refused,
            Admission::Refused(NoRoom::Pressure { .. })
        ));
    }

    #[test]
    fn the_machine_keeps_a_reserve() {
        let ledger = Ledger::default();
        let just = Memory::fixed(MACHINE_RESERVE, 0);
        let less = Memory::fixed(MACHINE_RESERVE - 1, 0);
        assert!(matches!(
            ledger.admit(MIB, policy(9, None), &just),
            Admission::Here(_)
        ));
        assert!(matches!(
            ledger.admit(MIB, policy(9, None), &less),
            Admission::Refused(NoRoom::Machine { .. })
        ));
    }

    #[test]
    fn one_session_alone_always_fits() {
        let ledger = Ledger::default();
        assert_eq!(places(&open(&ledger, 1, 4096, policy(0, Some(100)))), [0]);
        assert_eq!(
            places(&open(&ledger, 1, 1, policy(0, Some(100)))),
            [0],
            "the first is gone"
        );
    }
}
