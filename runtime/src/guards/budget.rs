//! The one budget of a session: V8 heap, array buffers of every kind and WebAssembly memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use host_bridge::Counters;

use super::alarm;

/// Ranges of addresses that one session may reserve: one for each resizable buffer, growable
/// shared buffer and WebAssembly memory. The kernel keeps two mappings for each, and a
/// process may have 65,530.
const MAX_RESERVATIONS: usize = 512;
/// Addresses in them: a WebAssembly memory without a maximum reserves 4 GiB of them.
const MAX_RESERVED: usize = 512 << 30;

/// What V8 heap, buffers and WebAssembly memory of one session may take together.
///
/// The heap's share is what it held when it was last looked at: at a full collection, at the
/// end of a turn, and whenever buffers have taken [`LOOK_AFTER`] more.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: usize,
    /// What the guest may have beyond the limit until it has unwound.
    room: usize,
    /// Whether the guest has passed the limit and not unwound yet.
    unwinding: AtomicBool,
    external: AtomicUsize,
    heap: AtomicUsize,
    /// Bytes of large pages that the heap has taken since it was looked at.
    pages: AtomicUsize,
    /// Bytes that buffers have taken since the heap was looked at.
    unseen: AtomicUsize,
    /// Bytes by which small blocks of native code have made the process grow.
    native: AtomicUsize,
    /// When that is this much, garbage is collected.
    next_alarm: AtomicUsize,
    alarm: AtomicBool,
    reservations: AtomicUsize,
    reserved: AtomicUsize,
    /// Whether memory was refused since somebody asked.
    refused: AtomicBool,
    counters: Arc<Counters>,
}

/// Small blocks of native code that every session needs, whatever its limit.
const UNCOUNTED: usize = 8 << 20;
/// Room beyond as much as the limit again: what a small heap needs besides its one table.
const MORE_ROOM: usize = 8 << 20;
/// What of the growth by small blocks each turn is forgiven: this part of the limit.
const FORGIVEN: usize = 16;

/// Buffers that take this much have the heap looked at anew.
const LOOK_AFTER: usize = 1 << 20;

/// Small blocks that take less than this are not looked at.
fn first_alarm(limit: usize) -> usize {
    (limit / 8).saturating_mul(3)
}

impl Budget {
    pub(crate) fn new(limit: usize, counters: Arc<Counters>) -> Budget {
        Budget {
            limit,
            // A table that doubles while it holds two thirds of the limit needs as much as the
            // limit again. That is the most that one step of a built-in needs which began
            // within the limit (docs/MEMORY.md has the measurements).
            room: limit.saturating_add(MORE_ROOM),
            unwinding: AtomicBool::new(false),
            external: AtomicUsize::new(0),
            heap: AtomicUsize::new(0),
            pages: AtomicUsize::new(0),
            unseen: AtomicUsize::new(0),
            native: AtomicUsize::new(0),
            next_alarm: AtomicUsize::new(first_alarm(limit)),
            alarm: AtomicBool::new(false),
            reservations: AtomicUsize::new(0),
            reserved: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
            counters,
        }
    }

    /// Notes what the V8 heap holds.
    pub(crate) fn set_heap(&self, used: usize) {
        self.heap.store(used, Relaxed);
        self.unseen.store(0, Relaxed);
        self.pages.store(0, Relaxed);
        self.counters.heap(u64::try_from(used).unwrap_or(u64::MAX));
    }

    /// Bytes in buffers and WebAssembly memory now.
    pub(crate) fn external(&self) -> usize {
        self.external.load(Relaxed)
    }

    /// What the heap held when it was last looked at.
    pub(crate) fn heap(&self) -> usize {
        self.heap.load(Relaxed)
    }

    /// Whether memory was refused since the last time this was asked.
    pub(crate) fn take_refusal(&self) -> bool {
        self.refused.swap(false, Relaxed)
    }

    /// Limit and room together: what the session never passes but by what is not counted.
    pub(crate) fn ceiling(&self) -> usize {
        self.limit.saturating_add(self.room)
    }

    /// The guest has passed its limit and may use the room until it has unwound.
    pub(crate) fn open_room(&self) {
        self.unwinding.store(true, Relaxed);
    }

    /// The guest has unwound.
    pub(crate) fn close_room(&self) {
        self.unwinding.store(false, Relaxed);
    }

    /// A turn is over. What small blocks have taken is forgiven slowly: the allocator does not
    /// say which of them are free again, and what was free may have gone to other sessions.
    pub(crate) fn forgive(&self) {
        let native = self.native.load(Relaxed);
        let left = native.saturating_sub(self.limit / FORGIVEN);
        self.native.store(left, Relaxed);
        self.next_alarm.store(self.after(left), Relaxed);
    }

    /// Whether native code has made heap, buffers and its blocks pass the limit by half of the
    /// room: what it keeps is not known exactly, see [`Budget::forgive`].
    pub(super) fn is_exceeded_outside(&self) -> bool {
        !self.fits(0, self.limit.saturating_add(self.room / 2))
    }

    /// Has garbage collected as soon as the guest runs JavaScript again.
    pub(super) fn ask_for_collection(&self) {
        self.alarm.store(true, Relaxed);
        alarm::ring();
    }

    /// Whether garbage is to be collected.
    pub(super) fn take_alarm(&self) -> bool {
        self.alarm.swap(false, Relaxed)
    }

    /// Bytes in buffers, WebAssembly memory and blocks of native code.
    pub(crate) fn outside_heap(&self) -> usize {
        let native = self.native.load(Relaxed).saturating_sub(UNCOUNTED);
        self.external().saturating_add(native)
    }

    /// Whether `bytes` more fit now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        self.fits(bytes, self.limit)
    }

    /// Whether `bytes` more fit, if the room is used.
    pub(crate) fn has_room_at_worst(&self, bytes: usize) -> bool {
        self.fits(bytes, self.ceiling())
    }

    /// Whether the heap may take `bytes` at once, for one large object.
    pub(super) fn take_page(&self, bytes: usize) -> bool {
        let limit = match self.unwinding.load(Relaxed) {
            true => self.ceiling(),
            false => self.limit,
        };
        let fits = self.fits(bytes, limit);
        if fits {
            self.pages.fetch_add(bytes, Relaxed);
        }
        fits
    }

    /// Whether native code may take a block of `bytes`. It cannot do without, so that the
    /// room is always open to it.
    pub(super) fn take_block(&self, bytes: usize) -> bool {
        let fits = self.fits(bytes, self.ceiling());
        if fits {
            let before = self.external.fetch_add(bytes, Relaxed);
            self.report(before.saturating_add(bytes));
        }
        fits
    }

    /// The same for small blocks, whose end is not seen, and which cannot be refused: the
    /// allocator would end the process.
    pub(super) fn take_small_blocks(&self, bytes: usize) {
        let native = self.native.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if native >= self.next_alarm.load(Relaxed) {
            self.next_alarm.store(self.after(native), Relaxed);
            self.ask_for_collection();
        }
    }

    /// Where small blocks have taken `native`, the next alarm comes at this.
    fn after(&self, native: usize) -> usize {
        let next = native.saturating_add(self.limit / 8);
        next.max(first_alarm(self.limit))
    }

    fn fits(&self, bytes: usize, limit: usize) -> bool {
        let heap = self.heap().saturating_add(self.pages.load(Relaxed));
        let taken = self.outside_heap().saturating_add(heap);
        taken.saturating_add(bytes) <= limit
    }

    /// Whether the heap is to be looked at before `bytes` are taken.
    pub(super) fn wants_look(&self, bytes: usize) -> bool {
        let before = self.unseen.fetch_add(bytes, Relaxed);
        before.saturating_add(bytes) >= LOOK_AFTER
    }

    /// Takes `bytes`, or nothing where they do not fit.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let heap = self.heap();
        let taken = self.external.fetch_update(Relaxed, Relaxed, |external| {
            let wanted = external.checked_add(bytes)?;
            (wanted.saturating_add(heap) <= self.limit).then_some(wanted)
        });
        match taken {
            Ok(before) => self.report(before.saturating_add(bytes)),
            Err(_) => self.refused.store(true, Relaxed),
        }
        taken.is_ok()
    }

    pub(super) fn give_back(&self, bytes: usize) {
        let before = self.external.fetch_sub(bytes, Relaxed);
        self.report(before.saturating_sub(bytes));
    }

    /// Takes a range of `bytes` addresses, or nothing where that is one too many.
    pub(super) fn reserve(&self, bytes: usize) -> bool {
        let count = self.reservations.fetch_add(1, Relaxed);
        let before = self.reserved.fetch_add(bytes, Relaxed);
        let fits = count < MAX_RESERVATIONS && before.saturating_add(bytes) <= MAX_RESERVED;
        if !fits {
            self.release(1, bytes);
            self.refused.store(true, Relaxed);
        }
        fits
    }

    /// Gives `ranges` ranges and `bytes` addresses back.
    pub(super) fn release(&self, ranges: usize, bytes: usize) {
        self.reservations.fetch_sub(ranges, Relaxed);
        self.reserved.fetch_sub(bytes, Relaxed);
    }

    fn report(&self, external: usize) {
        self.counters
            .external(u64::try_from(external).unwrap_or(u64::MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(limit: usize) -> Budget {
        Budget::new(limit, Arc::new(Counters::new(Vec::new())))
    }

    #[test]
    fn the_budget_holds_just_below_at_and_above() {
        let budget = budget(100);
        assert!(budget.take(99));
        assert!(budget.take(1));
        assert!(!budget.take(1));
        budget.give_back(1);
        assert!(budget.take(1));
    }

    #[test]
    fn the_heap_has_its_share() {
        let budget = budget(100);
        budget.set_heap(60);
        assert!(!budget.take(41));
        assert!(budget.take(40));
        assert!(!budget.take(usize::MAX));
    }

    const MIB: usize = 1 << 20;

    #[test]
    fn the_room_is_for_unwinding_and_for_native_code() {
        let budget = budget(100 * MIB);
        budget.set_heap(60 * MIB);
        assert!(!budget.take_page(40 * MIB + 1));
        assert!(budget.take_page(40 * MIB));
        assert!(!budget.take_page(1));
        assert!(!budget.take_block(108 * MIB + 1));
        assert!(budget.take_block(20 * MIB));
        budget.give_back(20 * MIB);
        budget.open_room();
        assert!(!budget.take_page(108 * MIB + 1));
        assert!(budget.take_page(108 * MIB));
        budget.set_heap(60 * MIB);
        budget.close_room();
        assert!(!budget.take_page(40 * MIB + 1));
    }

    #[test]
    fn growth_by_small_blocks_counts_and_is_forgiven_slowly() {
        let budget = budget(160 * MIB);
        budget.take_small_blocks(60 * MIB - 1);
        assert!(!budget.take_alarm());
        budget.take_small_blocks(1);
        assert!(budget.take_alarm());
        assert!(!budget.take_alarm());
        budget.take_small_blocks(184 * MIB);
        assert!(!budget.is_exceeded_outside());
        budget.take_small_blocks(84 * MIB);
        assert!(budget.is_exceeded_outside());
        (0..9).for_each(|_| budget.forgive());
        assert!(!budget.is_exceeded_outside());
        assert_eq!(budget.external(), 0);
    }

    #[test]
    fn reservations_are_bounded_in_number_and_size() {
        let budget = budget(100);
        assert!(budget.reserve(MAX_RESERVED));
        assert!(!budget.reserve(1));
        budget.release(1, MAX_RESERVED);
        for _ in 0..MAX_RESERVATIONS {
            assert!(budget.reserve(1));
        }
        assert!(!budget.reserve(1));
        budget.release(1, 1);
        assert!(budget.reserve(1));
        assert!(budget.take_refusal());
        assert!(!budget.take_refusal());
    }
}
