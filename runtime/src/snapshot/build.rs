//! Making a snapshot: evaluate the entries in a fresh realm, let everything settle, and
//! serialise. Runs in a process of its own, since V8 ends the process over an object that
//! it cannot serialise, and an SDK may do anything.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;

use host_bridge::reader::Trace;
use host_bridge::{
    BuiltSnapshot, EventSender, OpenSpec, SnapshotImage, SnapshotModule, SnapshotReport, micros,
};
use protocol::frame::{Code, Until, WarmSnapshot};
use protocol::{JsError, Limits, LimitsRequest, Outcome, RequestId, SessionId, Value};

use super::error::SnapshotError;
use super::hooks::Purpose;
use super::image::{Image, key_of};
use crate::enter::Realm;
use crate::guards::{HeapGuard, LossReport, ThreadClock, Watchdog, budget_allocator};
use crate::modules::{Modules, Origin, SharedModules};
use crate::platform::Platform;
use crate::session::{Birth, Links, Runner, State, Work, birth_realm, furnish, session_modules};
use crate::{bootstrap, externals};

/// What a build may use where its spec says nothing.
const DEFAULT_LIMITS: LimitsRequest = LimitsRequest {
    heap_bytes: Some(1 << 30),
    cpu_ms: Some(60_000),
    wall_ms: Some(120_000),
    output_bytes: None,
    host_calls_in_flight: None,
    host_call_timeout_ms: None,
    timers: None,
    message_bytes: None,
};

/// How long a build waits for timers after an entry is there. A timer that is open then
/// starts anew in each session.
const SETTLE_TIME: Duration = Duration::from_millis(200);

/// What the error of a promise is called that nothing can settle.
const UNSETTLED: &str = "ERR_UNSETTLED_PROMISE";

/// Makes the snapshot that `spec` describes.
///
/// # Errors
///
/// [`SnapshotError`]. Some objects make V8 end the process instead: call this in a process
/// whose end hurts nobody. Where V8 runs out of memory there is no way back here: `lost` is
/// called, and what it does not end stands still.
pub fn build_snapshot(
    _platform: &Platform,
    spec: &WarmSnapshot,
    lost: impl Fn(SnapshotError) + 'static,
) -> Result<BuiltSnapshot, SnapshotError> {
    let started = Instant::now();
    let limit = build_limits(&spec.limits).heap_bytes;
    let _loss = LossReport::install(move || lost(SnapshotError::OutOfMemory { limit }));
    let mut builder = Builder::new(spec, Purpose::Snapshot)?;
    let evaluated = builder.evaluate(spec);
    let evaluate_us = micros(started.elapsed());
    let evaluated = evaluated.and_then(|()| builder.prepare());
    let trace = Arc::clone(&builder.trace);
    let files = trace.file_digests();
    if let Err(error) = evaluated {
        builder.abandon();
        return Err(error);
    }
    let (blob, modules, entries) = builder.serialise(spec);
    let blob = blob.ok_or(SnapshotError::NotSerialised)?;
    let image = SnapshotImage {
        key: key_of(&format!("{spec:?}"), &files),
        blob,
        modules,
        entries,
        cwd: spec.cwd.clone(),
        is_mapped: false,
    };
    try_out(&image, spec)?;
    let report = SnapshotReport {
        build_us: micros(started.elapsed()),
        evaluate_us,
        modules: u32::try_from(image.modules.len()).unwrap_or(u32::MAX),
        files: u32::try_from(files.len()).unwrap_or(u32::MAX),
    };
    let seen = trace.observations();
    Ok(BuiltSnapshot {
        image,
        report,
        seen,
    })
}

/// Evaluates the entries of `spec` and tells what they took from their surroundings: a JSON
/// list of `[kind, what, place, times]`.
///
/// # Errors
///
/// As [`build_snapshot`].
pub fn explain_snapshot(
    _platform: &Platform,
    spec: &WarmSnapshot,
) -> Result<String, SnapshotError> {
    let mut builder = Builder::new(spec, Purpose::Explanation)?;
    let evaluated = builder.evaluate(spec);
    let record = builder
        .realm
        .turn(|scope, state| state.hooks.get()?.record(scope));
    builder.abandon();
    evaluated?;
    record.ok_or(SnapshotError::Bootstrap)
}

/// Opens a session from the image. What V8 cannot restore — a frozen global, say — ends this
/// process here and not the one that has all the sessions.
fn try_out(image: &SnapshotImage, spec: &WarmSnapshot) -> Result<(), SnapshotError> {
    let limits = build_limits(&spec.limits);
    let handle = Arc::new(OnceLock::new());
    let open = open_spec(spec, limits);
    let links = Links::new(&open, EventSender::new(drop), &handle, None);
    let image = Image::new(image.clone(), Vec::new());
    birth_realm(&image, &open, &links, &handle, &SharedModules::default())
        .map(drop)
        .map_err(|_| SnapshotError::NotRestored)
}

struct Builder {
    realm: Realm,
    watchdog: Watchdog,
    guard: Arc<HeapGuard>,
    trace: Arc<Trace>,
}

impl Builder {
    fn new(spec: &WarmSnapshot, purpose: Purpose) -> Result<Builder, SnapshotError> {
        let watchdog = Watchdog::start().map_err(|_| SnapshotError::NoThread)?;
        let limits = build_limits(&spec.limits);
        let open = open_spec(spec, limits);
        let handle = Arc::new(OnceLock::new());
        // What an SDK prints while it is loaded is nobody's output.
        let links = Links::new(&open, EventSender::new(drop), &handle, None);
        let trace = Arc::new(Trace::default());
        let modules = modules_of(&open, &links, &trace)?;
        let heap_bytes = usize::try_from(limits.heap_bytes).unwrap_or(usize::MAX);
        let params = v8::Isolate::create_params()
            .heap_limits(0, heap_bytes)
            .array_buffer_allocator(budget_allocator(&links.budget));
        let isolate = v8::Isolate::snapshot_creator(Some(externals::references()), Some(params));
        let Birth { mut realm, guard } = furnish(isolate, &open, &links, &handle, modules);
        let made = realm.turn(|scope, state| {
            let hooks = bootstrap::run_scripts(scope)?;
            if !bootstrap::adopt(scope, state, hooks) {
                return None;
            }
            let hooks = state.hooks.get()?;
            let builtins = hooks.builtin_names(scope);
            state.modules.resolver.tell_builtins(builtins);
            hooks.restore(scope, &open)?;
            hooks.begin_build(scope, purpose)
        });
        made.ok_or(SnapshotError::Bootstrap)?;
        Ok(Builder {
            realm,
            watchdog,
            guard,
            trace,
        })
    }

    fn evaluate(&mut self, spec: &WarmSnapshot) -> Result<(), SnapshotError> {
        if let Some(script) = &spec.script {
            let code = Code::Script {
                name: "snapshot-script.js".to_owned(),
                source: script.clone().into(),
            };
            let work = Work::Execute(code, Value::Undefined);
            self.run(spec.entries.len(), "the script", &work)?;
        }
        for (position, entry) in spec.entries.iter().enumerate() {
            self.run(position, entry, &Work::Import(entry.clone()))?;
        }
        Ok(())
    }

    fn run(&mut self, position: usize, entry: &str, work: &Work) -> Result<(), SnapshotError> {
        let request = u64::try_from(position)
            .unwrap_or(u64::MAX)
            .saturating_add(1);
        let mut runner = Runner {
            realm: &mut self.realm,
            watchdog: &self.watchdog,
            clock: ThreadClock::of_this_thread(),
        };
        let (outcome, usage) = runner.request(RequestId::new(request), work, Until::Settled, None);
        let outcome = match runner.settle_down(SETTLE_TIME) {
            Err(error) if matches!(outcome, Outcome::Ok(_)) => Outcome::Exception(*error),
            _ => outcome,
        };
        let entry = entry.to_owned();
        match outcome {
            Outcome::Exception(error) => Err(match self.stalled(&error) {
                modules if modules.is_empty() => SnapshotError::Threw {
                    entry,
                    error: Box::new(error),
                },
                modules => SnapshotError::Awaits { entry, modules },
            }),
            Outcome::LimitExceeded(report) => Err(SnapshotError::Limit {
                entry,
                report,
                cpu_ms: usage.cpu_us / 1000,
            }),
            _ => Ok(()),
        }
    }

    /// Ends without a blob. V8 aborts when a creator is dropped without one, and over a heap
    /// that it cannot serialise when it is asked for one; the process is at its end anyway.
    fn abandon(self) {
        let _abandoned = ManuallyDrop::new((self.realm.into_isolate(), self.guard));
    }

    /// Makes the realm one that V8 can serialise.
    fn prepare(&mut self) -> Result<(), SnapshotError> {
        // Only then is it known which stand-ins are needed.
        self.realm.isolate().low_memory_notification();
        let ready = self
            .realm
            .turn(|scope, state| state.hooks.get()?.end_build(scope));
        ready
            .ok_or(SnapshotError::NotRestored)?
            .map_err(SnapshotError::Refused)
    }

    /// Where modules await what never settles, if that is what the error says.
    fn stalled(&mut self, error: &JsError) -> Vec<String> {
        if error.code.as_deref() != Some(UNSETTLED) {
            return Vec::new();
        }
        let state = self.realm.state().clone();
        self.realm.look(|scope| {
            let map = state.modules.map.borrow();
            let entries = map.sorted();
            let main = entries.into_iter().find(|entry| {
                Some(&entry.key.url) == map.main.as_ref()
                    && matches!(entry.origin, Origin::SourceText)
            });
            let Some(main) = main else {
                return Vec::new();
            };
            let module = v8::Local::new(scope, &main.module);
            let awaits = module.get_stalled_top_level_await_message(scope);
            awaits
                .iter()
                .map(|(_, message)| {
                    let url = message.get_script_resource_name(scope);
                    let url = url.map(|url| url.to_rust_string_lossy(scope));
                    let line = message.get_line_number(scope).unwrap_or_default();
                    format!("{}:{line}", url.unwrap_or_default())
                })
                .collect()
        })
    }

    /// Serialises the realm.
    fn serialise(
        mut self,
        spec: &WarmSnapshot,
    ) -> (Option<Bytes>, Vec<SnapshotModule>, BTreeMap<String, String>) {
        let entries = self.entry_urls(spec);
        let modules = self.realm.look(|scope| {
            let context = scope.get_current_context();
            let state = State::of(scope);
            let modules = state.map(|state| add_data(scope, &state));
            scope.set_default_context(context);
            modules.unwrap_or_default()
        });
        let isolate = self.realm.into_isolate();
        let blob = isolate.create_blob(v8::FunctionCodeHandling::Clear);
        drop(self.guard);
        let blob = blob.map(|blob| Bytes::copy_from_slice(&blob));
        (blob, modules, entries)
    }

    fn entry_urls(&self, spec: &WarmSnapshot) -> BTreeMap<String, String> {
        let modules = &self.realm.state().modules;
        let referrer = crate::modules::directory_url(&modules.cwd);
        spec.entries
            .iter()
            .filter_map(|entry| {
                let kind = host_bridge::resolver::ImportKind::Import;
                let target = modules.resolve(entry, &referrer, kind).ok()?;
                Some((entry.clone(), target.url))
            })
            .collect()
    }
}

/// Modules of a realm that is still to be made, so that it has no built-in ones yet.
fn modules_of(
    open: &OpenSpec,
    links: &Links,
    trace: &Arc<Trace>,
) -> Result<Modules, SnapshotError> {
    let shared = SharedModules {
        trace: Some(Arc::clone(trace)),
        ..SharedModules::default()
    };
    session_modules(&Image::empty(), open, links, &shared)
        .map_err(|error| SnapshotError::Root(error.to_string()))
}

fn add_data(scope: &mut crate::Scope<'_, '_>, state: &State) -> Vec<SnapshotModule> {
    let context = scope.get_current_context();
    if let Some(hooks) = state.hooks.get() {
        let hooks = hooks.object(scope);
        scope.add_context_data(context, hooks);
    }
    let map = state.modules.map.borrow();
    let mut modules = Vec::new();
    for entry in map.sorted() {
        let module = v8::Local::new(scope, &entry.module);
        if module.get_status() != v8::ModuleStatus::Evaluated {
            continue;
        }
        scope.add_context_data(context, module);
        modules.push(SnapshotModule {
            url: entry.key.url.clone(),
            attribute: entry.key.attribute.clone(),
        });
    }
    modules
}

fn build_limits(request: &LimitsRequest) -> Limits {
    let ceilings = Limits {
        heap_bytes: 4 << 30,
        cpu_ms: 600_000,
        wall_ms: 600_000,
        ..Limits::DEFAULT
    };
    let asked = LimitsRequest {
        heap_bytes: request.heap_bytes.or(DEFAULT_LIMITS.heap_bytes),
        cpu_ms: request.cpu_ms.or(DEFAULT_LIMITS.cpu_ms),
        wall_ms: request.wall_ms.or(DEFAULT_LIMITS.wall_ms),
        ..*request
    };
    asked.resolve(&ceilings)
}

fn open_spec(spec: &WarmSnapshot, limits: Limits) -> OpenSpec {
    OpenSpec {
        session: SessionId::new(1),
        snapshot: None,
        roots: spec.roots.clone(),
        limits,
        env: spec.env.clone(),
        argv: spec.argv.clone(),
        cwd: spec.cwd.clone(),
        conditions: spec.conditions.clone(),
        modules: spec.modules.clone(),
        functions: Vec::new(),
        isolation: protocol::Isolation::Thread,
    }
}
