//! V8's platform: initialised once, on the main thread, before any other thread exists.
//!
//! V8 posts foreground tasks (compiled WebAssembly, `Atomics.waitAsync`, finalisers) for an
//! isolate from any thread. They go into the mailbox of that isolate's session, which is
//! woken by them and runs them; nothing is pumped or polled.
#![expect(
    unsafe_code,
    reason = "an isolate's address is the only name that V8 gives a task's owner"
)]

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use host_bridge::Mailbox;
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

use crate::flags;
use crate::guards::{install_handler, install_handlers, prepare_pages};

/// Background threads of V8 (compilation, garbage collection), shared by all sessions.
const WORKER_THREADS: u32 = 1;

/// V8 and its allocator reserve cages, pools and tables of many GiB, and about 2 GiB more a
/// session. Below this much address space their initialisation traps instead of failing:
/// 64 GiB is too little, 96 GiB is enough to start.
const MIN_ADDRESS_SPACE: u64 = 96 << 30;

/// Proof that V8 is initialised.
#[derive(Debug)]
pub struct Platform(());

/// Why V8 cannot run here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// `ulimit -v` is too low.
    #[error(
        "the address space is limited to {limit} bytes (ulimit -v), and V8 needs to reserve {needed}; \
         raise the limit or remove it: memory is bounded by each session's heap limit instead"
    )]
    AddressSpace {
        /// The limit in force, in bytes.
        limit: u64,
        /// What is needed, in bytes.
        needed: u64,
    },
    /// V8 did not take its Unicode data.
    #[error("V8 refused the ICU data that this program carries")]
    IcuData,
}

impl Platform {
    /// Initialises V8. Call once, from the main thread, before any other thread exists:
    /// V8 requires that all its threads descend from the one that initialised it.
    ///
    /// # Errors
    ///
    /// [`PlatformError`] says what is missing; V8 was not touched then.
    pub fn init() -> Result<Platform, PlatformError> {
        probe_address_space()?;
        v8::icu::set_common_data_78(deno_core_icudata::ICU_DATA)
            .map_err(|_| PlatformError::IcuData)?;
        install_handlers();
        install_handler();
        prepare_pages();
        v8::V8::set_flags_from_string(&flags::text());
        let platform = v8::new_custom_platform(WORKER_THREADS, false, false, TaskRouter);
        v8::V8::initialize_platform(platform.make_shared());
        v8::V8::initialize();
        Ok(Platform(()))
    }

    /// V8's version.
    pub fn version(&self) -> &'static str {
        v8::V8::get_version()
    }
}

/// Looks at the address space before anything is allocated: the allocator that comes with
/// V8's library is that of the whole program, and it traps at the first allocation, which is
/// before `main`.
extern "C" fn probe_before_main() {
    if probe_address_space().is_err() {
        let text = b"isolate-sidecar: the address space is limited (ulimit -v) to less than the \
            96 GiB that V8 reserves; raise the limit or remove it, memory is bounded by each \
            session's heap limit instead\n";
        let _ = nix::unistd::write(std::io::stderr(), text);
        // SAFETY: it ends the process at once and runs nothing of it; nothing has begun.
        unsafe { nix::libc::_exit(CANNOT_START) };
    }
}

/// The exit code for a start that cannot succeed (PROTOCOL.md, exit codes).
const CANNOT_START: i32 = 74;

// Invariant: the loader calls the functions of this section, which the executable alone may
// have, before all other code of the process; this one needs nothing of it.
#[used]
#[unsafe(link_section = ".preinit_array")]
static PROBE_BEFORE_MAIN: extern "C" fn() = probe_before_main;

fn probe_address_space() -> Result<(), PlatformError> {
    let Ok((limit, _)) = getrlimit(Resource::RLIMIT_AS) else {
        return Ok(());
    };
    if limit != RLIM_INFINITY && limit < MIN_ADDRESS_SPACE {
        return Err(PlatformError::AddressSpace {
            limit,
            needed: MIN_ADDRESS_SPACE,
        });
    }
    Ok(())
}

/// A task of V8 that waits for its session thread.
pub(crate) type Task = v8::Task;

/// Mailboxes by isolate.
static MAILBOXES: LazyLock<Mutex<HashMap<IsolateName, Arc<Mailbox<Task>>>>> =
    LazyLock::new(Mutex::default);

fn mailboxes() -> MutexGuard<'static, HashMap<IsolateName, Arc<Mailbox<Task>>>> {
    MAILBOXES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An isolate's address, as a name only: it is never followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IsolateName(usize);

/// While it lives, tasks of an isolate reach a mailbox.
#[derive(Debug)]
pub(crate) struct TaskRoute(IsolateName);

impl TaskRoute {
    /// Sends the tasks of `isolate` to `mailbox` from now on.
    pub(crate) fn new(isolate: &v8::Isolate, mailbox: Arc<Mailbox<Task>>) -> TaskRoute {
        // SAFETY: the pointer's wrapper does not outlive this statement, and the isolate does.
        let raw = unsafe { isolate.as_raw_isolate_ptr() };
        // SAFETY: `UnsafeRawIsolatePtr` is a transparent wrapper of one thin pointer; only
        // its address is taken.
        let address = unsafe { std::mem::transmute::<v8::UnsafeRawIsolatePtr, usize>(raw) };
        let name = IsolateName(address);
        mailboxes().insert(name, mailbox);
        TaskRoute(name)
    }
}

impl Drop for TaskRoute {
    fn drop(&mut self) {
        mailboxes().remove(&self.0);
    }
}

/// Takes over V8's tasks. A task of an isolate without a route is dropped, which V8 allows.
struct TaskRouter;

impl TaskRouter {
    fn route(isolate: *mut c_void, task: Task, delay: Option<Duration>) {
        let mailbox = mailboxes().get(&IsolateName(isolate.addr())).cloned();
        if let Some(mailbox) = mailbox {
            mailbox.post(task, delay);
        }
    }
}

impl v8::PlatformImpl for TaskRouter {
    fn post_task(&self, isolate: *mut c_void, task: v8::Task) {
        TaskRouter::route(isolate, task, None);
    }

    fn post_non_nestable_task(&self, isolate: *mut c_void, task: v8::Task) {
        TaskRouter::route(isolate, task, None);
    }

    fn post_delayed_task(&self, isolate: *mut c_void, task: v8::Task, seconds: f64) {
        TaskRouter::route(isolate, task, duration(seconds));
    }

    fn post_non_nestable_delayed_task(&self, isolate: *mut c_void, task: v8::Task, seconds: f64) {
        TaskRouter::route(isolate, task, duration(seconds));
    }

    fn post_idle_task(&self, _isolate: *mut c_void, _task: v8::IdleTask) {}
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}
