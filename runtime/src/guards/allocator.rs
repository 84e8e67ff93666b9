//! Array-buffer memory, counted against the session's one budget.
#![expect(
    unsafe_code,
    reason = "V8 takes an allocator as a table of C functions"
)]

use std::alloc::Layout;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use host_bridge::Counters;

/// Alignment of every allocation: typed arrays of any element type fit.
const ALIGN: usize = 16;

/// What V8 heap and array buffers of one session may take together.
///
/// The heap's share is what the last garbage collection or turn left, so a heap that grew
/// since then is seen with a delay; the heap has its own guard at the same limit.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: usize,
    external: AtomicUsize,
    heap: AtomicUsize,
    /// Whether an array buffer was refused since somebody asked.
    refused: AtomicBool,
    counters: Arc<Counters>,
}

impl Budget {
    pub(crate) fn new(limit: usize, counters: Arc<Counters>) -> Budget {
        Budget {
            limit,
            external: AtomicUsize::new(0),
            heap: AtomicUsize::new(0),
            refused: AtomicBool::new(false),
            counters,
        }
    }

    /// Notes what the V8 heap holds.
    pub(crate) fn set_heap(&self, used: usize) {
        self.heap.store(used, Relaxed);
        self.counters.heap(u64::try_from(used).unwrap_or(u64::MAX));
    }

    /// Bytes in array buffers now.
    pub(crate) fn external(&self) -> usize {
        self.external.load(Relaxed)
    }

    /// What the heap held when it was last looked at.
    pub(crate) fn heap(&self) -> usize {
        self.heap.load(Relaxed)
    }

    /// Whether an array buffer was refused since the last time this was asked.
    pub(crate) fn take_refusal(&self) -> bool {
        self.refused.swap(false, Relaxed)
    }

    /// Whether `bytes` more fit now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let taken = self.external().saturating_add(self.heap.load(Relaxed));
        taken.saturating_add(bytes) <= self.limit
    }

    fn take(&self, bytes: usize) -> bool {
        let heap = self.heap.load(Relaxed);
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

    fn give_back(&self, bytes: usize) {
        let before = self.external.fetch_sub(bytes, Relaxed);
        self.report(before.saturating_sub(bytes));
    }

    fn report(&self, external: usize) {
        self.counters
            .external(u64::try_from(external).unwrap_or(u64::MAX));
    }
}

/// An allocator that answers "no memory" when `budget` is used up, which V8 turns into a
/// garbage collection and then a `RangeError` of the guest.
pub(crate) fn budget_allocator(budget: &Arc<Budget>) -> v8::UniqueRef<v8::Allocator> {
    static VTABLE: v8::RustAllocatorVtable<Budget> = v8::RustAllocatorVtable {
        allocate,
        allocate_uninitialized,
        free,
        drop,
    };
    let handle = Arc::into_raw(Arc::clone(budget));
    // SAFETY: `handle` carries one reference count, which `drop` gives back, and the
    // functions of `VTABLE` only use it as `&Budget`; a `Budget` is `Sync`, as V8 frees
    // buffers from its own threads.
    unsafe { v8::new_rust_allocator(handle, &VTABLE) }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGN).ok()
}

unsafe extern "C" fn allocate(budget: &Budget, bytes: usize) -> *mut c_void {
    let Some(layout) = layout(bytes) else {
        return std::ptr::null_mut();
    };
    if !budget.take(bytes) {
        return std::ptr::null_mut();
    }
    // SAFETY: the layout's size is at least 1.
    let data = unsafe { std::alloc::alloc_zeroed(layout) };
    if data.is_null() {
        budget.give_back(bytes);
    }
    data.cast()
}

/// The same as [`allocate`]: memory that other sessions have used is never shown to a guest.
unsafe extern "C" fn allocate_uninitialized(budget: &Budget, bytes: usize) -> *mut c_void {
    // SAFETY: `allocate` has no requirement of its own.
    unsafe { allocate(budget, bytes) }
}

unsafe extern "C" fn free(budget: &Budget, data: *mut c_void, bytes: usize) {
    let (false, Some(layout)) = (data.is_null(), layout(bytes)) else {
        return;
    };
    // SAFETY: V8 frees each block once, with the length that it asked for, so pointer and
    // layout are those of `allocate`.
    unsafe { std::alloc::dealloc(data.cast(), layout) };
    budget.give_back(bytes);
}

unsafe extern "C" fn drop(budget: *const Budget) {
    // SAFETY: `budget` came from `Arc::into_raw` in `budget_allocator`, and V8 calls this once.
    let budget = unsafe { Arc::from_raw(budget) };
    std::mem::drop(budget);
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
}
