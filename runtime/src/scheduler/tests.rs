//! The schedule with a clock that stands still, and the queue with real threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use super::RunQueue;
use super::schedule::Schedule;
use super::standing::{Effects, Rules, SeatId};

const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn rules(slots: usize) -> Rules {
    Rules {
        slots,
        slice: ms(10),
        short_slice: ms(4),
        young: ms(10),
        patience: ms(5),
    }
}

/// A schedule, its clock, and what it has caused.
struct Fake {
    schedule: Schedule,
    now: Instant,
}

impl Fake {
    fn new(slots: usize) -> Fake {
        Fake {
            schedule: Schedule::new(rules(slots)),
            now: Instant::now(),
        }
    }

    fn seats<const N: usize>(&mut self) -> [SeatId; N] {
        [(); N].map(|()| self.schedule.add(self.now))
    }

    fn pass(&mut self, by: Duration) {
        self.now = self.now.checked_add(by).unwrap();
    }

    fn arrive(&mut self, id: SeatId) -> Effects {
        self.schedule.arrive(id, self.now)
    }

    fn leave(&mut self, id: SeatId, used: Duration) -> Effects {
        self.schedule.leave(id, used, self.now)
    }

    fn give_way(&mut self, id: SeatId, used: Duration) -> Option<Effects> {
        self.schedule.give_way(id, used, self.now)
    }

    fn tick(&mut self) -> Effects {
        self.schedule.tick(self.now)
    }

    /// When something is due, from now.
    fn due(&self) -> Option<Duration> {
        let due = self.schedule.due()?;
        Some(due.saturating_duration_since(self.now))
    }

    fn runs(&self, id: SeatId) -> bool {
        self.schedule.is_running(id)
    }

    /// Makes these some that have used much, with nobody else there, and lets them want to run.
    fn spin<const N: usize>(&mut self, ids: [SeatId; N]) {
        for id in ids {
            self.arrive(id);
            self.leave(id, ms(50));
        }
        for id in ids {
            self.arrive(id);
        }
    }
}

fn granted(ids: &[SeatId]) -> Effects {
    Effects {
        granted: ids.to_vec(),
        nudged: Vec::new(),
    }
}

fn nudged(ids: &[SeatId]) -> Effects {
    Effects {
        granted: Vec::new(),
        nudged: ids.to_vec(),
    }
}

#[test]
fn as_many_run_as_there_are_slots() {
    let mut fake = Fake::new(2);
    let [a, b, c] = fake.seats();
    for id in [a, b, c] {
        fake.arrive(id);
    }
    assert_eq!([a, b, c].map(|id| fake.runs(id)), [true, true, false]);
    assert_eq!(fake.leave(a, ms(1)), granted(&[c]));
    assert!(fake.runs(c));
}

#[test]
fn nothing_is_due_while_nobody_waits() {
    let mut fake = Fake::new(1);
    let [a, b] = fake.seats();
    fake.arrive(a);
    fake.pass(ms(1000));
    assert_eq!(fake.due(), None);
    assert_eq!(fake.tick(), Effects::default());
    fake.arrive(b);
    // It has had its slice long ago, and is asked at once.
    assert!(!fake.runs(b));
    assert_eq!(fake.give_way(a, ms(1000)), Some(granted(&[b])));
    assert!(!fake.runs(a));
}

#[test]
fn a_slice_ends_with_a_nudge_and_an_overdue_slot_is_lent() {
    let mut fake = Fake::new(1);
    let [a, b] = fake.seats();
    fake.spin([a, b]);
    assert_eq!(fake.due(), Some(ms(10)));
    fake.pass(ms(9));
    assert_eq!(fake.tick(), Effects::default());
    fake.pass(ms(1));
    assert_eq!(fake.tick(), nudged(&[a]));
    assert_eq!(fake.due(), Some(ms(5)));
    fake.pass(ms(4));
    assert_eq!(fake.tick(), Effects::default());
    fake.pass(ms(1));
    assert_eq!(fake.tick(), granted(&[b]));
    // Both run now, until the first comes to its check.
    assert!(fake.runs(a) && fake.runs(b));
    assert_eq!(fake.give_way(a, ms(15)), Some(Effects::default()));
    assert!(!fake.runs(a));
}

#[test]
fn lending_is_bounded() {
    let mut fake = Fake::new(1);
    let all: [SeatId; 20] = fake.seats();
    fake.spin(all);
    for _ in 0..100 {
        fake.pass(ms(15));
        fake.tick();
    }
    let n_running = all.iter().filter(|id| fake.runs(**id)).count();
    assert_eq!(n_running, 9);
    assert_eq!(fake.due(), None);
}

#[test]
fn who_was_not_asked_keeps_its_turn() {
    let mut fake = Fake::new(1);
    let [a, b] = fake.seats();
    fake.spin([a, b]);
    assert_eq!(fake.give_way(a, ms(1)), None);
    assert!(fake.runs(a));
    assert_eq!(fake.give_way(b, ms(1)), None);
}

#[test]
fn the_young_go_first_and_interrupt_the_old() {
    let mut fake = Fake::new(1);
    let [a, b, c] = fake.seats();
    fake.spin([a, b]);
    fake.pass(ms(1));
    // `a` has just begun its slice, and is asked for it all the same.
    assert_eq!(fake.arrive(c), nudged(&[a]));
    assert_eq!(fake.give_way(a, ms(1)), Some(granted(&[c])));
    assert_eq!(fake.leave(c, ms(2)), granted(&[b]));
}

#[test]
fn one_young_asks_for_one_slot() {
    let mut fake = Fake::new(2);
    let [a, b, c, d] = fake.seats();
    fake.spin([a, b, c]);
    assert_eq!(fake.arrive(d).nudged.len(), 1);
    assert_eq!(fake.tick(), Effects::default());
}

#[test]
fn a_request_grows_old_and_a_new_one_is_young() {
    let mut fake = Fake::new(1);
    let [a, b, c] = fake.seats();
    fake.spin([a, b]);
    // Its next request.
    fake.schedule.renew(c);
    fake.arrive(c);
    fake.give_way(a, ms(1)).unwrap();
    fake.pass(ms(11));
    fake.tick();
    fake.give_way(c, ms(11)).unwrap();
    assert!(!fake.runs(c), "it goes behind those that were there");
    let id = if fake.runs(a) { a } else { b };
    fake.leave(c, ms(0));
    fake.schedule.renew(c);
    assert_eq!(fake.arrive(c), nudged(&[id]));
}

#[test]
fn rest_forgives() {
    let mut fake = Fake::new(1);
    let [a, b] = fake.seats();
    fake.arrive(b);
    fake.leave(b, ms(12));
    fake.spin([a]);
    assert_eq!(fake.arrive(b), Effects::default(), "it is old");
    fake.leave(b, ms(0));
    // A quarter of the time that passes: one slot, two sessions, half of it.
    fake.pass(ms(12));
    assert_eq!(fake.arrive(b), nudged(&[a]), "it is young again");
}

#[test]
fn spinners_get_the_same_time() {
    let mut fake = Fake::new(2);
    let all: [SeatId; 7] = fake.seats();
    let mut used = [Duration::ZERO; 7];
    fake.spin(all);
    for turn in 0_u32..7000 {
        fake.pass(ms(10));
        fake.tick();
        let running: Vec<usize> = (0..7).filter(|i| fake.runs(all[*i])).collect();
        for i in running {
            // One in seven overstays, by chance always the same: it waits the longer.
            let turn_used = if i == 3 && turn % 2 == 0 {
                ms(25)
            } else {
                ms(10)
            };
            if fake.give_way(all[i], turn_used).is_some() {
                used[i] += turn_used;
            }
        }
    }
    let (least, most) = (used.iter().min().unwrap(), used.iter().max().unwrap());
    assert!(*most - *least <= ms(50), "{used:?}");
}

#[test]
fn a_flood_of_the_young_starves_nobody() {
    let mut fake = Fake::new(1);
    let [old] = fake.seats();
    let flood: [SeatId; 3] = fake.seats();
    fake.spin([old]);
    for id in flood {
        fake.arrive(id);
    }
    fake.give_way(old, ms(1)).unwrap();
    let mut n_between = 0;
    while !fake.runs(old) {
        let runs = flood.into_iter().find(|id| fake.runs(*id)).unwrap();
        fake.leave(runs, ms(3));
        fake.schedule.renew(runs);
        fake.arrive(runs);
        n_between += 1;
        assert!(n_between < 20);
    }
    assert!(n_between >= 8);
}

#[test]
fn a_stop_waits_for_no_turn() {
    let mut fake = Fake::new(1);
    let [a, b, c] = fake.seats();
    fake.spin([a, b]);
    assert_eq!(fake.schedule.hurry(b, fake.now), granted(&[b]));
    assert!(fake.runs(a) && fake.runs(b));
    // Not asked for its turn, however long that takes.
    fake.arrive(c);
    fake.pass(ms(100));
    fake.tick();
    assert_eq!(fake.give_way(b, ms(100)), None);
    // It may sleep and come back: still without a turn.
    fake.leave(b, ms(0));
    fake.arrive(b);
    assert!(fake.runs(b));
    fake.leave(b, ms(0));
    fake.schedule.calm(b, fake.now);
    fake.arrive(b);
    assert!(!fake.runs(b));
}

#[test]
fn a_stop_before_the_wait_counts() {
    let mut fake = Fake::new(1);
    let [a, b] = fake.seats();
    fake.spin([a]);
    fake.schedule.hurry(b, fake.now);
    fake.arrive(b);
    assert!(fake.runs(b));
}

#[test]
fn a_stopped_runner_gives_its_slot_to_another() {
    let mut fake = Fake::new(1);
    let [a, b] = fake.seats();
    fake.spin([a, b]);
    assert_eq!(fake.schedule.hurry(a, fake.now), granted(&[b]));
    fake.schedule.calm(a, fake.now);
    // Two run where one slot is; whose slice is over first waits.
    fake.pass(ms(10));
    assert_eq!(fake.tick(), Effects::default());
    assert!(fake.runs(a) && fake.runs(b));
}

#[test]
fn a_seat_that_goes_makes_room() {
    let mut fake = Fake::new(1);
    let [a, b, c] = fake.seats();
    for id in [a, b, c] {
        fake.arrive(id);
    }
    assert_eq!(fake.schedule.remove(b, fake.now), Effects::default());
    assert_eq!(fake.schedule.remove(a, fake.now), granted(&[c]));
}

#[test]
fn threads_take_turns() {
    let queue = RunQueue::start(2).unwrap();
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let asked = Arc::new(AtomicBool::new(false));
            let flag = Arc::clone(&asked);
            let seat = queue.seat(move || {
                flag.store(true, SeqCst);
                true
            });
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            std::thread::Builder::new()
                .spawn(move || {
                    let _sitting = seat.sit();
                    for _ in 0..200 {
                        let n = running.fetch_add(1, SeqCst).saturating_add(1);
                        most.fetch_max(n, SeqCst);
                        std::hint::black_box(());
                        running.fetch_sub(1, SeqCst);
                        let mut pause = host_bridge::Pause::new();
                        pause.begin();
                    }
                })
                .unwrap()
        })
        .collect();
    threads
        .into_iter()
        .for_each(|thread| thread.join().unwrap());
    assert!((1..=2).contains(&most.load(SeqCst)));
}

#[test]
fn a_stop_wakes_a_thread_that_waits_for_its_turn() {
    let queue = RunQueue::start(1).unwrap();
    let first = queue.seat(|| true);
    let _sitting = first.sit();
    let second = queue.seat(|| true);
    let waiting = Arc::clone(&second);
    let thread = std::thread::Builder::new()
        .spawn(move || drop(waiting.sit()))
        .unwrap();
    second.hurry();
    thread.join().unwrap();
}
