//! Array-buffer memory, counted against the session's one budget.
#![expect(
    unsafe_code,
    reason = "V8 takes an allocator as a table of C functions"
)]

use std::alloc::Layout;
use std::ffi::c_void;
use std::sync::Arc;

use super::{Budget, pages};

/// Alignment of every allocation: typed arrays of any element type fit.
const ALIGN: usize = 16;

/// Buffers from this size on have pages of their own: they cost nothing until they are used,
/// and go back to the kernel as soon as they are freed.
const OWN_PAGES: usize = 1 << 20;

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
    pages::look_at_heap(bytes);
    if !budget.take(bytes) {
        return std::ptr::null_mut();
    }
    let data = if bytes >= OWN_PAGES {
        pages::allocate(bytes)
    } else {
        // SAFETY: the layout's size is at least 1.
        unsafe { std::alloc::alloc_zeroed(layout) }.cast()
    };
    if data.is_null() {
        budget.give_back(bytes);
    }
    data
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
    if bytes >= OWN_PAGES {
        // SAFETY: V8 frees each block once, with the length that it asked for.
        unsafe { pages::free(data, bytes) };
    } else {
        // SAFETY: as above, so pointer and layout are those of `allocate`.
        unsafe { std::alloc::dealloc(data.cast(), layout) };
    }
    budget.give_back(bytes);
}

unsafe extern "C" fn drop(budget: *const Budget) {
    // SAFETY: `budget` came from `Arc::into_raw` in `budget_allocator`, and V8 calls this once.
    let budget = unsafe { Arc::from_raw(budget) };
    std::mem::drop(budget);
}
