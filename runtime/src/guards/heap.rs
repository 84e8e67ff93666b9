//! The heap guard, in two tiers. Near its limit V8 asks for more: the guest is terminated
//! and gets room to unwind. Where one allocation needs more than that room, V8 calls its
//! fatal handler: the session is reported lost and its thread parks for good, so that the
//! process and every other session live on.
#![expect(
    unsafe_code,
    reason = "V8 hands its heap callbacks raw pointers, and they run while it is short of memory"
)]

use std::ffi::{c_char, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use host_bridge::{StopReason, Terminator};
use protocol::{LimitKind, LimitReport};

use super::{Budget, loss};

/// The least room that V8 gets for unwinding.
const MIN_ROOM: usize = 32 << 20;
/// Room for each further time that V8 asks before the guest has unwound.
const MORE_ROOM: usize = 16 << 20;

/// Watches the heap of one isolate.
#[derive(Debug)]
pub(crate) struct HeapGuard {
    limit: usize,
    exceeded: AtomicBool,
    terminator: Arc<Terminator>,
    budget: Arc<Budget>,
}

impl HeapGuard {
    /// Installs the guard on `isolate`. Drop the returned guard after the isolate.
    pub(crate) fn install(
        isolate: &mut v8::Isolate,
        limit: usize,
        terminator: &Arc<Terminator>,
        budget: &Arc<Budget>,
    ) -> Arc<HeapGuard> {
        let guard = Arc::new(HeapGuard {
            limit,
            exceeded: AtomicBool::new(false),
            terminator: Arc::clone(terminator),
            budget: Arc::clone(budget),
        });
        let data = Arc::as_ptr(&guard).cast_mut().cast::<c_void>();
        isolate.add_near_heap_limit_callback(near_heap_limit, data);
        isolate.add_gc_prologue_callback(around_gc, data, v8::GCType::kGCTypeMarkSweepCompact);
        isolate.add_gc_epilogue_callback(around_gc, data, v8::GCType::kGCTypeMarkSweepCompact);
        isolate.set_oom_error_handler(out_of_memory);
        guard
    }

    /// Whether the limit was reached at any time.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.load(Relaxed)
    }

    /// What to say of it.
    pub(crate) fn report(&self, usage: usize) -> LimitReport {
        let wide = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        LimitReport::new(
            LimitKind::Memory,
            wide(self.limit),
            wide(usage.saturating_add(self.budget.external())),
        )
    }

    /// Notes what the heap of the isolate holds: at the end of a request and around a full
    /// garbage collection. Memory that WebAssembly allocates is not part of it.
    pub(crate) fn check(&self, isolate: &mut v8::Isolate) {
        let used = isolate.get_heap_statistics().used_heap_size();
        self.budget.set_heap(used);
    }

    /// A heap of less than this did not make V8 ask for more.
    fn far_below(&self) -> usize {
        self.limit.saturating_sub(self.limit / 4)
    }

    fn near_limit(&self, current: usize) -> usize {
        // V8 also asks when an array buffer was refused. Where the heap itself is far from
        // its limit the refusal is the answer, and the guest gets a `RangeError`.
        if self.budget.take_refusal() && self.budget.heap() < self.far_below() {
            return current;
        }
        let first = !self.exceeded.swap(true, Relaxed);
        self.terminator
            .stop_running(StopReason::Limit(self.report(current)));
        if first {
            return current.saturating_add(self.limit.max(MIN_ROOM));
        }
        let most = self
            .limit
            .saturating_mul(3)
            .max(self.limit.saturating_add(3 * MIN_ROOM));
        current.saturating_add(MORE_ROOM).min(most).max(current)
    }
}

/// V8: `NearHeapLimitCallback`. No stack trace is taken and nothing is allocated on the
/// V8 heap in here.
unsafe extern "C" fn near_heap_limit(data: *mut c_void, current: usize, _initial: usize) -> usize {
    // SAFETY: `data` is the guard that `install` registered; it lives longer than the isolate.
    let guard = unsafe { &*data.cast::<HeapGuard>() };
    guard.near_limit(current)
}

unsafe extern "C" fn around_gc(
    isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` registered; it lives longer than the isolate.
    let guard = unsafe { &*data.cast::<HeapGuard>() };
    // SAFETY: V8 passes the isolate whose collection begins or ends on this thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    guard.check(&mut isolate);
}

/// V8: `OOMErrorCallback`. If it returned, V8 would abort the process.
unsafe extern "C" fn out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    loss::report_and_park();
}
