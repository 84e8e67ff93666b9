//! What a session's thread gives up while it sleeps: its turn on a core.
//!
//! The engine decides how turns are given; whoever sleeps on a session's thread says so with a
//! [`Pause`], so that no sleeping thread keeps a turn from one that could run. On any other
//! thread nothing happens.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// The turns of one thread.
pub trait Turn {
    /// The thread is about to sleep. Says whether it had a turn.
    fn give_up(&self) -> bool;

    /// The thread is awake again: waits for its next turn.
    fn take_back(&self);
}

thread_local! {
    static TURN: RefCell<Option<Rc<dyn Turn>>> = const { RefCell::new(None) };
}

/// While it lives, its thread takes turns.
#[must_use]
pub struct TurnGuard(());

/// This thread takes its turns from `turn` from now on.
pub fn take_turns(turn: Rc<dyn Turn>) -> TurnGuard {
    TURN.set(Some(turn));
    TurnGuard(())
}

impl Drop for TurnGuard {
    fn drop(&mut self) {
        TURN.set(None);
    }
}

/// A sleep of this thread. When it is dropped the turn is taken back, which may take long:
/// drop it after every lock.
#[derive(Default)]
#[must_use]
pub struct Pause {
    given_up: Option<Rc<dyn Turn>>,
}

impl Pause {
    /// No sleep yet.
    pub fn new() -> Pause {
        Pause::default()
    }

    /// The thread is about to sleep. Never blocks; only the first time has an effect.
    pub fn begin(&mut self) {
        if self.given_up.is_none() {
            self.given_up = TURN.with_borrow(Clone::clone).filter(|turn| turn.give_up());
        }
    }

    /// The thread takes its next turn by itself, when it begins its next work.
    pub fn end_without_turn(&mut self) {
        self.given_up = None;
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        if let Some(turn) = self.given_up.take() {
            turn.take_back();
        }
    }
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pause")
            .field("given_up", &self.given_up.is_some())
            .finish()
    }
}

impl fmt::Debug for TurnGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TurnGuard")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[derive(Default)]
    struct Counted {
        held: Cell<bool>,
        n_given_up: Cell<u32>,
        n_taken_back: Cell<u32>,
    }

    impl Turn for Counted {
        fn give_up(&self) -> bool {
            self.n_given_up.update(|n| n.saturating_add(1));
            self.held.replace(false)
        }

        fn take_back(&self) {
            self.n_taken_back.update(|n| n.saturating_add(1));
            self.held.set(true);
        }
    }

    #[test]
    fn a_sleep_costs_the_turn_once_and_takes_it_back() {
        let turn = Rc::new(Counted::default());
        turn.held.set(true);
        let _guard = take_turns(Rc::clone(&turn) as Rc<dyn Turn>);
        let mut pause = Pause::new();
        pause.begin();
        pause.begin();
        assert!(!turn.held.get());
        drop(pause);
        assert!(turn.held.get());
        assert_eq!((turn.n_given_up.get(), turn.n_taken_back.get()), (1, 1));
    }

    #[test]
    fn who_had_no_turn_and_who_takes_it_later_waits_for_none() {
        let turn = Rc::new(Counted::default());
        let _guard = take_turns(Rc::clone(&turn) as Rc<dyn Turn>);
        let mut pause = Pause::new();
        pause.begin();
        drop(pause);
        turn.held.set(true);
        let mut pause = Pause::new();
        pause.begin();
        pause.end_without_turn();
        drop(pause);
        drop(Pause::new());
        assert_eq!(turn.n_taken_back.get(), 0);
    }

    #[test]
    fn a_thread_without_turns_sleeps_as_it_likes() {
        let mut pause = Pause::new();
        pause.begin();
        assert!(pause.given_up.is_none());
    }
}
