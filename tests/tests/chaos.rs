//! Hostile guests at random, 200 sessions at a time: the neighbours compute on, nothing
//! hangs, and afterwards the process is as large as it was.
//!
//! `ISOLATE_SIDECAR_CHAOS_SECONDS` says how long (30), `ISOLATE_SIDECAR_CHAOS_SEED` from
//! what the choice is made (1); `make chaos` takes ten minutes.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use e2e_tests::{
    Checked, Hostile, Neighbours, Status, attack, descriptors_of, fixtures, sidecar_with,
};
use isolate_sidecar_client::{RequestError, SessionOptions, Sidecar};

const SESSIONS: usize = 200;
const NEIGHBOURS: usize = 10;
/// The heap of every guest: all sessions together fit into what V8 has room for.
const HEAP_MIB: u64 = 12;
/// What all guests that run may take together at their worst, in MiB.
const ROOM_MIB: u64 = 2_048;
/// Guests that may take more are tried one by one only.
const MOST_MIB: u64 = 400;
/// What the process may keep for good, besides what parked threads hold.
const KEPT_MIB: u64 = 256;
/// How long the process may take to be as it was.
const SETTLE: Duration = Duration::from_secs(20);
/// Guests of several files are dear to write again and again.
const MOST_FILES: usize = 10;

#[test]
fn alone_hostile_guests_at_random() {
    let time = Duration::from_secs(setting("ISOLATE_SIDECAR_CHAOS_SECONDS", 30));
    let seed = setting("ISOLATE_SIDECAR_CHAOS_SEED", 1);
    // Two hundred guests that spin share two processors: each gets its stop late.
    let sidecar = sidecar_with(&["--max-parked", "4096", "--grace-ms", "30000"]);
    let pid = sidecar.pid().unwrap();
    let neighbours = Neighbours::open(&sidecar, NEIGHBOURS).unwrap();
    let before = Size::of(pid);
    let chaos = Chaos {
        sidecar: &sidecar,
        guests: guests(),
        until: Instant::now() + time,
        room: Room::new(ROOM_MIB),
        endings: Mutex::default(),
    };
    let stop = AtomicBool::new(false);
    let checked = thread::scope(|scope| {
        let computing = scope.spawn(|| neighbours.compute(&sidecar, &stop, || {}));
        let attackers: Vec<_> = (0..SESSIONS)
            .map(|n| {
                let chaos = &chaos;
                let random = Random(seed.wrapping_mul(1_000_003) ^ u64::try_from(n).unwrap());
                thread::Builder::new()
                    .stack_size(256 * 1024)
                    .spawn_scoped(scope, move || chaos.attack_on(random))
                    .unwrap()
            })
            .collect();
        let lost: Vec<String> = attackers
            .into_iter()
            .filter_map(|attacker| attacker.join().unwrap().err())
            .collect();
        stop.store(true, Ordering::Release);
        let checked = computing.join().unwrap();
        assert!(lost.is_empty(), "{:?} {checked:?}", lost.first());
        checked
    });
    let endings = chaos.endings.into_inner().unwrap();
    let (after, quarantined) = settled(&sidecar, pid, before);
    let said = format!(
        "{endings:?}\n{checked:?}\nbefore {before:?}, after {after:?}, parked {quarantined}"
    );
    judge(&sidecar, &checked, (before, after), quarantined, &said);
    neighbours.round().unwrap();
    assert_eq!(sidecar.pid(), Some(pid), "{said}");
    eprintln!("{said}");
}

fn judge(
    sidecar: &Sidecar,
    checked: &Checked,
    (before, after): (Size, Size),
    quarantined: u64,
    said: &str,
) {
    assert_eq!(checked.wrong, None, "{said}");
    assert!(sidecar.lost().is_none(), "{said}");
    assert!(after.threads <= before.threads + quarantined + 4, "{said}");
    // A parked thread keeps the directory that it reads modules from.
    assert!(after.files <= before.files + 2 * quarantined + 4, "{said}");
    let most = before.resident_mib + KEPT_MIB + quarantined * 3 * HEAP_MIB;
    assert!(after.resident_mib <= most, "{said}");
}

/// Waits until nothing is left of the guests, as far as anything goes.
fn settled(sidecar: &Sidecar, pid: u32, before: Size) -> (Size, u64) {
    let begun = Instant::now();
    loop {
        sidecar.serve_for(Duration::from_millis(20));
        let quarantined = u64::from(sidecar.stats().unwrap().sessions_quarantined);
        let now = Size::of(pid);
        let is_flat =
            now.threads <= before.threads + quarantined && now.files <= before.files + quarantined;
        if is_flat || SETTLE < begun.elapsed() {
            return (now, quarantined);
        }
    }
}

/// All that can be tried side by side, with little memory each. One that V8 does not stop
/// holds a processor for as long as the grace period, which is long here.
fn guests() -> Vec<Hostile> {
    let mut all = Hostile::read_all(&fixtures().join("hostile"));
    all.retain(|guest| {
        let stops = !guest.needs_process && !guest.is_given_up;
        stops && guest.peak_mib <= MOST_MIB && guest.files <= MOST_FILES
    });
    for guest in &mut all {
        guest.heap_mib = HEAP_MIB;
        guest.wall_ms = guest.wall_ms.min(2_000);
    }
    all
}

struct Chaos<'a> {
    sidecar: &'a Sidecar,
    guests: Vec<Hostile>,
    until: Instant,
    room: Room,
    endings: Mutex<BTreeMap<String, u32>>,
}

impl Chaos<'_> {
    /// One guest after the other. `Err` says what a host must never meet.
    fn attack_on(&self, mut random: Random) -> Result<(), String> {
        while Instant::now() < self.until {
            let guest = &self.guests[random.below(self.guests.len())];
            let mib = guest.peak_mib.max(3 * HEAP_MIB);
            self.room.take(mib);
            let attacked = attack(self.sidecar, guest, SessionOptions::default(), || {});
            let ended = match attacked {
                Ok(attack) => {
                    attack.answer_late();
                    attack.ending.to_string()
                }
                // Before it ran: the sidecar has no room for it.
                Err(RequestError::Refused { reason, .. }) => format!("not opened: {reason}"),
                Err(err) => {
                    self.room.give(mib);
                    return Err(format!("{}: {err}", guest.name));
                }
            };
            self.room.give(mib);
            *self.endings.lock().unwrap().entry(ended).or_default() += 1;
        }
        Ok(())
    }
}

/// Memory that guests may have together.
struct Room {
    left_mib: Mutex<u64>,
    given: Condvar,
}

impl Room {
    fn new(mib: u64) -> Room {
        Room {
            left_mib: Mutex::new(mib),
            given: Condvar::new(),
        }
    }

    fn take(&self, mib: u64) {
        let left = self.left_mib.lock().unwrap();
        let mut left = self.given.wait_while(left, |left| *left < mib).unwrap();
        *left -= mib;
    }

    fn give(&self, mib: u64) {
        *self.left_mib.lock().unwrap() += mib;
        self.given.notify_all();
    }
}

/// SplitMix64: the same choice each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(n).unwrap()).unwrap()
    }
}

/// What a process has of the machine.
#[derive(Debug, Clone, Copy)]
struct Size {
    resident_mib: u64,
    threads: u64,
    files: u64,
}

impl Size {
    fn of(pid: u32) -> Size {
        let status = Status::of(pid).unwrap();
        Size {
            resident_mib: status.number("VmRSS:").unwrap() / 1024,
            threads: status.number("Threads:").unwrap(),
            files: u64::try_from(descriptors_of(pid)).unwrap(),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "configures a test run, not a program"
)]
fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}
