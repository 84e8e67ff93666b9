//! A thread that looks after sessions whose native code has made the process grow.
//!
//! It is told from within the allocator, where nothing can be allocated and no session be
//! stopped, and has the session's own thread collect garbage as soon as that runs code again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::HeapGuard;

static WATCHED: Mutex<Vec<Weak<HeapGuard>>> = Mutex::new(Vec::new());
static RUNG: Mutex<bool> = Mutex::new(false);
static BELL: Condvar = Condvar::new();

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Looks after `guard` until it is dropped. Without a thread nothing is collected early.
pub(super) fn watch(guard: &Arc<HeapGuard>) {
    static THREAD: OnceLock<bool> = OnceLock::new();
    THREAD.get_or_init(|| {
        std::thread::Builder::new()
            .name("memory".to_owned())
            .stack_size(256 * 1024)
            .spawn(run)
            .is_ok()
    });
    let mut watched = lock(&WATCHED);
    watched.retain(|guard| guard.strong_count() != 0);
    watched.push(Arc::downgrade(guard));
}

/// Any thread, within the allocator too: a budget wants to be looked at.
pub(super) fn ring() {
    *lock(&RUNG) = true;
    BELL.notify_one();
}

fn run() {
    loop {
        let mut rung = lock(&RUNG);
        while !*rung {
            rung = BELL.wait(rung).unwrap_or_else(PoisonError::into_inner);
        }
        *rung = false;
        drop(rung);
        let watched: Vec<Arc<HeapGuard>> =
            lock(&WATCHED).iter().filter_map(Weak::upgrade).collect();
        watched.iter().for_each(|guard| guard.answer_alarm());
    }
}
