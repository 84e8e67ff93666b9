//! The pages that V8 takes from the kernel, counted and, where V8 can bear it, refused.
//!
//! V8 is part of this program, so its calls of `mmap`, `mprotect` and `munmap` bind to the
//! functions of these names here. Each makes the system call; besides, for a thread that
//! owns a session:
//!
//! * A range that is reserved without access is memory that grows in place: a resizable or
//!   growable shared buffer, or a WebAssembly memory, however it was made. What becomes
//!   accessible of it is taken from the session's budget. Where that is refused V8 throws a
//!   `RangeError` or lets `memory.grow` answer -1; for a new one it collects garbage first.
//! * A page of the heap for one large object is refused where it does not fit: V8 admits such
//!   a one into an empty young generation whatever its size.
//! * A large block of native code, as for the text that `JSON.stringify` builds, is refused
//!   where it passes the room as well. The allocator has no answer to that but its end, which
//!   `loss.rs` makes the end of the session.
//! * Small blocks, as for an object of `Intl`, are counted, and too many of them have garbage
//!   collected and the guest stopped (`alarm.rs`).
//!
//! Invariant: nothing here allocates while it holds the lock, for the allocator's own calls
//! come through here while it holds its locks.
#![expect(
    unsafe_code,
    reason = "functions of the C library are replaced, and system calls made"
)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::libc;

use super::Budget;
use super::regions::Regions;

/// A smaller step of the heap is not looked at: V8's own limit sees it.
const LARGE_PAGE: usize = 1 << 20;
/// From this size on a block of native code is watched until its end.
const LARGE_BLOCK: usize = 4 << 20;
/// With compressed pointers all heaps of the process are in one range of this size, aligned
/// to it.
const CAGE_BITS: u32 = 32;

static REGIONS: Mutex<Regions> = Mutex::new(Regions::new());

fn regions() -> MutexGuard<'static, Regions> {
    REGIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static OWNER: Cell<Option<Owner>> = const { Cell::new(None) };
}

/// The session of a thread.
#[derive(Clone, Copy)]
struct Owner {
    budget: *const Budget,
    isolate: v8::UnsafeRawIsolatePtr,
    cage: usize,
}

/// While it lives, what V8 takes on this thread is counted against a budget.
#[derive(Debug)]
pub(crate) struct PageOwner {
    _budget: Arc<Budget>,
    _this_thread: PhantomData<*const ()>,
}

impl PageOwner {
    /// Session thread: `isolate` has `budget` from now on. Drop it before the isolate.
    pub(crate) fn new(isolate: &mut v8::Isolate, budget: &Arc<Budget>) -> PageOwner {
        let cage = cage_of(isolate);
        // SAFETY: the pointer is used on this thread while `PageOwner` lives, which ends
        // before the isolate.
        let isolate = unsafe { isolate.as_raw_isolate_ptr() };
        let owner = Owner {
            budget: Arc::as_ptr(budget),
            isolate,
            cage,
        };
        OWNER.set(Some(owner));
        PageOwner {
            _budget: Arc::clone(budget),
            _this_thread: PhantomData,
        }
    }
}

impl Drop for PageOwner {
    fn drop(&mut self) {
        OWNER.set(None);
    }
}

/// Session thread: native code of ours, which asks for room itself and gives back what it took
/// before it ends. So it is not counted a second time.
pub(crate) fn uncounted<T>(work: impl FnOnce() -> T) -> T {
    let owner = OWNER.take();
    let done = work();
    OWNER.set(owner);
    done
}

/// Once, before V8 is initialised.
pub(crate) fn prepare() {
    regions().prepare();
}

/// Where the heaps of this process are: the upper half of any object's address.
fn cage_of(isolate: &mut v8::Isolate) -> usize {
    let scope = std::pin::pin!(v8::HandleScope::new(isolate));
    let scope = &mut scope.init();
    let value = v8::undefined(scope);
    let slot = std::ptr::from_ref(&*value).cast::<usize>();
    // SAFETY: a handle is the address of a slot that holds the full address of an object.
    let address = unsafe { slot.read() };
    address >> CAGE_BITS
}

impl Owner {
    fn of_this_thread() -> Option<Owner> {
        OWNER.get()
    }

    fn budget(&self) -> &Budget {
        // SAFETY: the `PageOwner` that put the pointer there holds the budget.
        unsafe { &*self.budget }
    }

    fn shared_budget(&self) -> Arc<Budget> {
        // SAFETY: the pointer came from an `Arc` that lives, see `budget`; the count that is
        // added here is the new `Arc`'s.
        unsafe { Arc::increment_strong_count(self.budget) };
        // SAFETY: as above.
        unsafe { Arc::from_raw(self.budget) }
    }

    fn in_heap(&self, address: usize) -> bool {
        address >> CAGE_BITS == self.cage
    }

    /// Whether `len` bytes at `address`, which is in no range of ours, may be used.
    fn admits(&self, address: usize, len: usize) -> bool {
        if self.in_heap(address) {
            return len < LARGE_PAGE || self.budget().take_page(len);
        }
        if !is_large_block(address, len) {
            self.budget().take_small_blocks(len);
            return true;
        }
        if !self.budget().take_block(len) {
            return false;
        }
        let added = regions().add_block(address, len, self.shared_budget());
        if let Err(budget) = added {
            // Its end will not be seen, so it must not count for ever.
            budget.give_back(len);
        }
        true
    }
}

/// Whether these pages are one large block of the allocator, which makes each where one of
/// its super pages of 2 MiB begins, behind 16 KiB of its own. It holds none of its locks then;
/// for all other pages it does, and a refusal would leave the whole process without memory.
fn is_large_block(address: usize, len: usize) -> bool {
    const SUPER_PAGE: usize = 2 << 20;
    const BEHIND: usize = 16 << 10;
    len >= LARGE_BLOCK && address & (SUPER_PAGE - 1) == BEHIND
}

/// Session thread: before `bytes` are taken for a buffer, looks at the heap when it was not
/// looked at for a while.
pub(super) fn look_at_heap(bytes: usize) {
    let Some(owner) = Owner::of_this_thread() else {
        return;
    };
    if owner.budget().wants_look(bytes) {
        // SAFETY: the isolate lives and belongs to this thread.
        let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(owner.isolate) };
        let used = isolate.get_heap_statistics().used_heap_size();
        owner.budget().set_heap(used);
    }
}

/// Session thread that never runs again: it is refused nothing any more, so that it can report
/// its end, and the pages of its growing buffers and WebAssembly memories go back.
pub(super) fn abandon() {
    let Some(owner) = OWNER.take() else {
        return;
    };
    let regions = regions();
    for (start, len) in regions.in_use(owner.budget()) {
        let address = std::ptr::without_provenance_mut::<c_void>(start);
        // SAFETY: the range is mapped while the lock is held, since `munmap` takes it out of
        // the table first, and nobody but the guest ever used it.
        let _ = unsafe { libc::madvise(address, len, libc::MADV_DONTNEED) };
    }
}

/// Pages of `len` bytes, which read as zeros; null where the kernel has none. They are none
/// of the allocator's, so that a buffer, which is counted, is not looked at once more.
pub(super) fn allocate(len: usize) -> *mut c_void {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address that the kernel chooses harms nobody.
    let mapped = unsafe { libc::syscall(libc::SYS_mmap, 0, len, access, flags, -1, 0) };
    match usize::try_from(mapped) {
        Ok(start) => std::ptr::with_exposed_provenance_mut(start),
        Err(_) => std::ptr::null_mut(),
    }
}

/// Gives the pages back.
///
/// # Safety
///
/// `data` came from [`allocate`] with the same `len`, and nothing uses it any more.
pub(super) unsafe fn free(data: *mut c_void, len: usize) {
    // SAFETY: the caller's promise.
    let _ = unsafe { libc::syscall(libc::SYS_munmap, data, len) };
}

fn refused() -> c_int {
    Errno::set(Errno::ENOMEM);
    -1
}

/// Replaces the C library's function for all code of this program.
#[unsafe(no_mangle)]
unsafe extern "C" fn mprotect(address: *mut c_void, len: usize, access: c_int) -> c_int {
    let at = address.addr();
    let mut taken = 0;
    if access & libc::PROT_EXEC != 0 {
        // Code of WebAssembly, which V8 bounds apart.
        let forgotten = regions().forget(at);
        drop(forgotten);
    } else if access & libc::PROT_WRITE != 0 {
        if let Some(owner) = Owner::of_this_thread()
            && !may_write(owner, at, len, &mut taken)
        {
            return refused();
        }
    } else if access == libc::PROT_NONE {
        regions().decommit(at);
    }
    // SAFETY: the caller's arguments and the caller's promise.
    let done = unsafe { libc::syscall(libc::SYS_mprotect, address, len, access) };
    if done != 0 {
        if taken != 0 {
            regions().decommit(at.saturating_add(len).saturating_sub(taken));
        }
        return -1;
    }
    0
}

fn may_write(owner: Owner, at: usize, len: usize, taken: &mut usize) -> bool {
    if owner.in_heap(at) || regions().budget_at(at).is_none() {
        return owner.admits(at, len);
    }
    look_at_heap(len);
    let more = regions().commit(at, len);
    if more.is_none() {
        // V8 throws at once where a buffer grows; what is garbage is there for the next one.
        owner.budget().ask_for_collection();
    }
    *taken = more.unwrap_or(0);
    more.is_some()
}

/// The pages of `len` bytes at `address` become inaccessible. Where a range of ours begins in
/// them it was a block of the allocator, which is free.
fn take_away(address: usize, len: usize) {
    if regions().begins_in(address, len) {
        forget(address, len);
    } else {
        regions().decommit(address);
    }
}

/// What of our ranges lies in `len` bytes at `address` is gone.
fn forget(address: usize, len: usize) {
    loop {
        // The lock is not held while a budget is dropped, which may free it.
        let gone = regions().unmap(address, len);
        match gone {
            Some(budget) => drop(budget),
            None => return,
        }
    }
}

/// Replaces the C library's function for all code of this program.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: *mut c_void,
    len: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off_t,
) -> *mut c_void {
    let none = access == libc::PROT_NONE;
    let fixed = flags & libc::MAP_FIXED != 0;
    if none && fixed {
        take_away(address.addr(), len);
    }
    // SAFETY: the caller's arguments and the caller's promise.
    let mapped =
        unsafe { libc::syscall(libc::SYS_mmap, address, len, access, flags, file, offset) };
    let Ok(start) = usize::try_from(mapped) else {
        return libc::MAP_FAILED;
    };
    let mapped = std::ptr::with_exposed_provenance_mut::<c_void>(start);
    if none
        && !fixed
        && flags & libc::MAP_ANONYMOUS != 0
        && let Some(owner) = Owner::of_this_thread()
    {
        let added = regions().add(start, len, owner.shared_budget());
        if added.is_err() {
            // SAFETY: the range was mapped above, and nobody knows of it.
            let _ = unsafe { libc::syscall(libc::SYS_munmap, mapped, len) };
            Errno::set(Errno::ENOMEM);
            return libc::MAP_FAILED;
        }
    }
    mapped
}

/// Replaces the C library's function for all code of this program; on this machine it is the
/// same as `mmap`.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: *mut c_void,
    len: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    // SAFETY: the caller's arguments and the caller's promise.
    unsafe { mmap(address, len, access, flags, file, offset) }
}

/// Replaces the C library's function for all code of this program.
#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(address: *mut c_void, len: usize) -> c_int {
    // Before the pages are gone: another thread may get the same addresses at once.
    forget(address.addr(), len);
    // SAFETY: the caller's arguments and the caller's promise.
    let done = unsafe { libc::syscall(libc::SYS_munmap, address, len) };
    if done == 0 { 0 } else { -1 }
}
