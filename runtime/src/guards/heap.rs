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
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use host_bridge::{StopReason, Terminator};
use protocol::{LimitKind, LimitReport};

use super::cage::Share;
use super::{Budget, alarm, loss};

/// However much buffers take, the heap may grow by this much until it is collected again.
const LEAST_SHARE: usize = 4 << 20;

/// Watches the heap of one isolate.
#[derive(Debug)]
pub(crate) struct HeapGuard {
    limit: usize,
    exceeded: AtomicBool,
    /// V8's own limit, for the old generation alone, when the isolate was made.
    initial: AtomicUsize,
    isolate: v8::IsolateHandle,
    terminator: Arc<Terminator>,
    budget: Arc<Budget>,
    share: Share,
    /// It was stopped because all heaps together were full, and is not to go on.
    gives_way: AtomicBool,
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
            initial: AtomicUsize::new(limit),
            isolate: isolate.thread_safe_handle(),
            terminator: Arc::clone(terminator),
            budget: Arc::clone(budget),
            share: Share::new(),
            gives_way: AtomicBool::new(false),
        });
        let data = guard.data();
        isolate.add_near_heap_limit_callback(near_heap_limit, data);
        isolate.add_gc_prologue_callback(before_gc, data, v8::GCType::kGCTypeMarkSweepCompact);
        isolate.add_gc_epilogue_callback(after_gc, data, v8::GCType::kGCTypeMarkSweepCompact);
        isolate.set_oom_error_handler(out_of_memory);
        alarm::watch(&guard);
        guard
    }

    /// How V8's callbacks find the guard.
    fn data(self: &Arc<Self>) -> *mut c_void {
        Arc::as_ptr(self).cast_mut().cast()
    }

    /// Whether the guest has passed the limit and was not seen within it again.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.exceeded.load(Relaxed)
    }

    /// What to say of it, where the heap holds `usage`.
    pub(crate) fn report(&self, usage: usize) -> LimitReport {
        let wide = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        LimitReport::new(
            LimitKind::Memory,
            wide(self.limit),
            wide(usage.saturating_add(self.budget.outside_heap())),
        )
    }

    /// Notes what the heap of the isolate holds: at the end of a request and around a full
    /// garbage collection.
    pub(crate) fn check(&self, isolate: &mut v8::Isolate) {
        let statistics = isolate.get_heap_statistics();
        self.budget.set_heap(statistics.used_heap_size());
        let held = statistics.total_heap_size();
        if let Some(equal_part) = self.share.set(held) {
            self.stop_for_others(equal_part, held);
        }
    }

    /// The heaps of the process hold too much together, and this one more than its part.
    fn stop_for_others(&self, equal_part: usize, held: usize) {
        self.exceeded.store(true, Relaxed);
        self.gives_way.store(true, Relaxed);
        self.budget.open_room();
        let wide = |bytes: usize| u64::try_from(bytes).unwrap_or(u64::MAX);
        let report = LimitReport {
            raise: "The heaps of all sessions in this process were full together: open fewer sessions at once, \
                with smaller limits.heap_bytes, or in further processes."
                .to_owned(),
            ..LimitReport::new(LimitKind::Memory, wide(equal_part), wide(held))
        };
        self.terminator.stop_running(StopReason::Limit(report));
    }

    /// After the guest has unwound: collects garbage, and where what is left is well within
    /// the limit, puts the limit back in force and says so.
    pub(crate) fn recover(self: &Arc<Self>, isolate: &mut v8::Isolate) -> bool {
        isolate.low_memory_notification();
        self.check(isolate);
        let used = self
            .budget
            .heap()
            .saturating_add(self.budget.outside_heap());
        let is_large = used > self.limit.saturating_sub(self.limit / 4);
        if is_large || self.gives_way.load(Relaxed) {
            return false;
        }
        self.lower(isolate, self.initial.load(Relaxed));
        self.budget.close_room();
        self.exceeded.store(false, Relaxed);
        true
    }

    /// Lowers V8's limit to `limit`, or to what the heap needs at least.
    fn lower(self: &Arc<Self>, isolate: &mut v8::Isolate, limit: usize) {
        lower(isolate, self.data(), limit);
    }

    /// What of the budget is left to the heap; never so little that V8 could not collect.
    fn heap_share(&self) -> usize {
        let share = self.limit.saturating_sub(self.budget.outside_heap());
        let least = self.budget.heap().saturating_add(LEAST_SHARE);
        share.max(least).min(self.limit)
    }

    fn near_limit(&self, current: usize, initial: usize) -> usize {
        self.initial.store(initial, Relaxed);
        if self.is_exceeded() {
            return self.most(initial).max(current);
        }
        let share = self.heap_share().min(initial);
        if share.saturating_sub(current) > self.limit / 4 {
            // The limit was lowered for buffers that are gone.
            return share;
        }
        // V8 also asks when a buffer was refused. Where the heap itself is far from its
        // limit the refusal is the answer, and the guest gets a `RangeError`.
        let far_below = current.saturating_sub(current / 4);
        if self.budget.take_refusal() && self.budget.heap() < far_below {
            return current;
        }
        // What V8 has set apart for the young generation is in use as well.
        self.stop(current.saturating_add(self.limit.saturating_sub(initial)));
        self.most(initial).max(current)
    }

    /// Stops the guest, whose heap takes `heap`, and opens the room for it to unwind.
    fn stop(&self, heap: usize) {
        self.exceeded.store(true, Relaxed);
        self.budget.open_room();
        let report = self.report(heap);
        self.terminator.stop_running(StopReason::Limit(report));
    }

    /// The thread of alarms: has the session collect garbage where its budget asked for it.
    pub(super) fn answer_alarm(&self) {
        if self.budget.take_alarm() {
            let data = std::ptr::from_ref(self).cast_mut().cast();
            self.isolate.request_interrupt(collect, data);
        }
    }

    fn check_outside(&self) {
        if !self.is_exceeded() && self.budget.is_exceeded_outside() {
            self.stop(self.budget.heap());
        }
    }

    /// The most that the old generation may take, with the room.
    fn most(&self, initial: usize) -> usize {
        let young = self.limit.saturating_sub(initial);
        self.budget.ceiling().saturating_sub(young)
    }
}

/// Lowers V8's limit by the only way there is: taking the callback away restores a limit.
fn lower(isolate: &mut v8::Isolate, data: *mut c_void, limit: usize) {
    // Zero would mean to leave the limit as it is.
    isolate.remove_near_heap_limit_callback(near_heap_limit, limit.max(1));
    isolate.add_near_heap_limit_callback(near_heap_limit, data);
}

/// V8: `NearHeapLimitCallback`. No stack trace is taken and nothing is allocated on the
/// V8 heap in here.
unsafe extern "C" fn near_heap_limit(data: *mut c_void, current: usize, initial: usize) -> usize {
    // SAFETY: `data` is the guard that `install` registered; it lives longer than the isolate.
    let guard = unsafe { &*data.cast::<HeapGuard>() };
    guard.near_limit(current, initial)
}

unsafe extern "C" fn before_gc(
    isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` registered; it lives longer than the isolate.
    let guard = unsafe { &*data.cast::<HeapGuard>() };
    // SAFETY: V8 passes the isolate whose collection begins on this thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    guard.check(&mut isolate);
}

/// What buffers have taken of the budget, the heap may not take as well.
unsafe extern "C" fn after_gc(
    isolate: v8::UnsafeRawIsolatePtr,
    _kind: v8::GCType,
    _flags: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the guard that `install` registered; it lives longer than the isolate.
    let guard = unsafe { &*data.cast::<HeapGuard>() };
    // SAFETY: V8 passes the isolate whose collection ends on this thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    guard.check(&mut isolate);
    guard.check_outside();
    if !guard.is_exceeded() && guard.budget.outside_heap() > guard.limit / 8 {
        lower(&mut isolate, data, guard.heap_share());
    }
}

/// On the session's thread, between two steps of JavaScript. Objects that are small on the
/// heap may be large outside of it, as those of `Intl` are, and V8 does not know of it.
unsafe extern "C" fn collect(isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: `data` is the guard of this isolate; it lives longer than the isolate, which
    // runs no interrupt once it is gone.
    let guard = unsafe { &*data.cast::<HeapGuard>() };
    // SAFETY: V8 passes the isolate that runs on this thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    // V8 collects at its next look at its stack guard, once and with what weak references
    // hold; `low_memory_notification` would collect up to seven times.
    if !guard.is_exceeded() {
        isolate.memory_pressure_notification(v8::MemoryPressureLevel::Critical);
    }
}

/// V8: `OOMErrorCallback`. If it returned, V8 would abort the process.
unsafe extern "C" fn out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    loss::report_and_park();
}
