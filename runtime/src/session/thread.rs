//! The thread of a session: born, loops in its mailbox, ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use host_bridge::reader::{HostDirectories, ReaderOptions};
use host_bridge::resolver::{Builtins, Resolver, ResolverOptions};
use host_bridge::{ExitReason, OpenSpec, Received, SessionCommand, SessionEvent, Wants, micros};
use protocol::{Outcome, Reason, RequestId};

use super::{Links, Runner, State, Work};
use crate::callbacks;
use crate::enter::Realm;
use crate::externals;
use crate::guards::{HeapGuard, LossReport, Presence, ThreadClock, Watchdog, budget_allocator};
use crate::modules::{Modules, SharedModules, Snapshot};
use crate::platform::TaskRoute;
use crate::scheduler::Seat;
use crate::snapshot::{Image, restore};

/// Everything that a session's thread is given.
pub(crate) struct SessionThread {
    pub(crate) spec: OpenSpec,
    pub(crate) image: Arc<Image>,
    pub(crate) links: Links,
    pub(crate) isolate: Arc<OnceLock<v8::IsolateHandle>>,
    pub(crate) watchdog: Arc<Watchdog>,
    pub(crate) shared: SharedModules,
}

/// Why a session could not be born.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BirthError {
    #[error("{0}")]
    Root(#[from] host_bridge::reader::OpenRootError),
    #[error("the realm of the snapshot could not be restored")]
    Restore,
}

impl BirthError {
    fn reason(&self) -> Reason {
        match self {
            BirthError::Root(_) => Reason::InvalidArgument,
            BirthError::Restore => Reason::OpenFailed,
        }
    }
}

/// A session that has been born.
pub(crate) struct Birth {
    pub(crate) realm: Realm,
    pub(crate) guard: Arc<HeapGuard>,
}

impl SessionThread {
    /// The thread's whole life. A panic in here ends this session and nothing else.
    pub(crate) fn run(self) {
        let links = self.links.clone();
        let presence = Presence::of_this_thread();
        let _ = links.thread.set(presence.name());
        let ended = catch_unwind(AssertUnwindSafe(|| self.live(presence.name().clock)));
        drop(presence);
        links.mailbox.shut();
        let reason = match ended {
            Ok(Some(reason)) => reason,
            Ok(None) => return,
            Err(_) => ExitReason::Internal("the session's thread panicked".to_owned()),
        };
        links.events.send(SessionEvent::Exited {
            reason,
            stats: Box::new(links.counters.snapshot()),
        });
    }

    /// Says why the session is over; `None` when it was never opened.
    fn live(self, clock: ThreadClock) -> Option<ExitReason> {
        let born = Instant::now();
        // Opening is work like any other.
        let _sitting = self.links.seat.as_ref().map(Seat::sit);
        let loss = report_failed_birth(&self.links);
        let Birth { mut realm, guard } = match self.birth() {
            Ok(birth) => birth,
            Err(error) => {
                self.links.events.send(SessionEvent::OpenFailed {
                    reason: error.reason(),
                    message: error.to_string(),
                });
                return None;
            }
        };
        // Declared after the realm, so it ends before.
        let _loss = report_loss(loss, realm.state(), &guard);
        let open_us = micros(born.elapsed());
        self.links.events.send(SessionEvent::Opened { open_us });
        let mut runner = Runner {
            realm: &mut realm,
            watchdog: &self.watchdog,
            clock,
        };
        loop {
            let due = runner.realm.state().next_due();
            let received = self.links.mailbox.wait(Wants::Commands, due);
            match received {
                Received::Command(SessionCommand::Close { request }) => {
                    return Some(ExitReason::Closed(request));
                }
                Received::Command(command) => self.carry_out(&mut runner, command),
                other => runner.background(other),
            }
            runner.realm.state().modules.offer_uncached();
            if !runner.realm.is_within_memory() {
                return Some(ExitReason::MemoryExceeded);
            }
        }
    }

    fn carry_out(&self, runner: &mut Runner<'_>, command: SessionCommand) {
        let (request, work, until, format) = match command {
            SessionCommand::Execute { request, execute } => {
                let (until, format) = (execute.until, execute.result);
                (request, Work::from(execute), until, format)
            }
            SessionCommand::Call { request, call } => {
                let (until, format) = (call.until, call.result);
                (request, Work::from(call), until, format)
            }
            _ => return,
        };
        let (outcome, usage) = runner.request(request, &work, until, Some(format));
        self.links.events.send(SessionEvent::Finished {
            request,
            outcome,
            usage,
        });
    }

    fn birth(&self) -> Result<Birth, BirthError> {
        birth_realm(
            &self.image,
            &self.spec,
            &self.links,
            &self.isolate,
            &self.shared,
        )
    }
}

/// Opens directories, restores the isolate and its realm, and installs all guards.
pub(crate) fn birth_realm(
    image: &Image,
    spec: &OpenSpec,
    links: &Links,
    handle: &OnceLock<v8::IsolateHandle>,
    shared: &SharedModules,
) -> Result<Birth, BirthError> {
    let modules = session_modules(image, spec, links, shared)?;
    let heap_bytes = usize::try_from(spec.limits.heap_bytes).unwrap_or(usize::MAX);
    let params = v8::Isolate::create_params()
        .snapshot_blob(v8::StartupData::from(image.blob))
        .external_references(externals::references())
        .heap_limits(0, heap_bytes)
        .array_buffer_allocator(budget_allocator(&links.budget));
    let isolate = v8::Isolate::new(params);
    let mut birth = furnish(isolate, spec, links, handle, modules);
    if !restore(&mut birth.realm, spec) {
        return Err(BirthError::Restore);
    }
    Ok(birth)
}

/// Gives an isolate all that belongs to a session: callbacks, guards, the way of V8's tasks,
/// its state and its context.
pub(crate) fn furnish(
    mut isolate: v8::OwnedIsolate,
    spec: &OpenSpec,
    links: &Links,
    handle: &OnceLock<v8::IsolateHandle>,
    modules: Modules,
) -> Birth {
    let heap_bytes = usize::try_from(spec.limits.heap_bytes).unwrap_or(usize::MAX);
    let _ = handle.set(isolate.thread_safe_handle());
    callbacks::install(&mut isolate);
    let guard = HeapGuard::install(&mut isolate, heap_bytes, &links.terminator, &links.budget);
    let route = TaskRoute::new(&isolate, Arc::clone(&links.mailbox));
    let state = Rc::new(State::new(
        links.clone(),
        spec.limits,
        spec.functions.clone(),
        modules,
    ));
    let realm = Realm::new(isolate, state, Some(route), Some(Arc::clone(&guard)));
    Birth { realm, guard }
}

pub(crate) fn session_modules(
    image: &Image,
    spec: &OpenSpec,
    links: &Links,
    shared: &SharedModules,
) -> Result<Modules, BirthError> {
    let roots: Vec<(&str, &str)> = spec
        .roots
        .iter()
        .map(|root| (root.host.as_str(), root.guest.as_str()))
        .collect();
    let options = ReaderOptions {
        shared: Arc::clone(&shared.sources),
        trace: shared.trace.clone(),
        ..ReaderOptions::default()
    };
    let directories = Arc::new(HostDirectories::open_with(&roots, options)?);
    let options = ResolverOptions {
        conditions: spec.conditions.clone(),
        builtins: Builtins::new(image.builtins.iter()),
        cwd: Some(spec.cwd.clone()),
    };
    let resolver = Resolver::new(Arc::clone(&directories), options);
    Ok(Modules::new(
        directories,
        resolver,
        spec,
        Snapshot {
            modules: Arc::clone(&image.modules),
            entries: image.entries.clone(),
            code: Arc::clone(&image.code),
        },
        (shared, links),
    ))
}

/// While the session is being born, running out of memory means that it was not opened.
fn report_failed_birth(links: &Links) -> LossReport {
    let links = links.clone();
    LossReport::install(move || {
        links.mailbox.shut();
        links.events.send(SessionEvent::OpenFailed {
            reason: Reason::MemoryExceeded,
            message: "the snapshot does not fit into the session's heap limit; raise heap_bytes"
                .to_owned(),
        });
    })
}

/// From now on V8's fatal memory handler reports this session and what it was running.
fn report_loss(loss: LossReport, state: &Rc<State>, guard: &Arc<HeapGuard>) -> LossReport {
    let (state, guard) = (Rc::clone(state), Arc::clone(guard));
    loss.replace(move || {
        let links = &state.links;
        let request = state.request.get();
        if request != RequestId::NONE {
            let stats = links.counters.snapshot();
            let usage = usize::try_from(stats.heap_used_bytes).unwrap_or(usize::MAX);
            links.events.send(SessionEvent::Finished {
                request,
                outcome: Outcome::LimitExceeded(guard.report(usage)),
                usage: state.usage(),
            });
        }
        links.mailbox.shut();
        links.events.send(SessionEvent::Exited {
            reason: ExitReason::EngineOom,
            stats: Box::new(links.counters.snapshot()),
        });
    });
    loss
}
