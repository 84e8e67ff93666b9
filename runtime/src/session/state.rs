//! What the callbacks of one isolate share. It stands in an isolate slot, so a callback
//! reaches it through its scope and through nothing else.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use host_bridge::{
    CallTable, Counters, EventSender, Mailbox, OpenSpec, SessionEvent, SourceMaps, StopReason,
    Terminator, micros,
};
use protocol::frame::GuestEvent;
use protocol::{
    CallId, HostFunction, LimitKind, LimitReport, Limits, RequestId, Usage, ValueFormat,
};

use super::output::OutputMeter;
use super::rejections::Rejections;
use super::timers::Timers;
use crate::Scope;
use crate::bootstrap::Hooks;
use crate::guards::{Budget, ThreadClock, ThreadName};
use crate::modules::Modules;
use crate::platform::Task;
use crate::scheduler::{RunQueue, Seat, at_check};

/// Shared with other threads: how a session is reached and what it has cost.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    pub(crate) mailbox: Arc<Mailbox<Task>>,
    pub(crate) terminator: Arc<Terminator>,
    pub(crate) calls: Arc<CallTable>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) events: Arc<EventSender>,
    /// The session's thread, once it runs.
    pub(crate) thread: Arc<OnceLock<ThreadName>>,
    /// `None` where only one realm runs in the process.
    pub(crate) seat: Option<Arc<Seat>>,
}

impl Links {
    /// The links of a session that is opened with `spec` and reports to `events`; its
    /// isolate will be in `isolate`, and its thread waits for its turns in `queue`.
    pub(crate) fn new(
        spec: &OpenSpec,
        events: EventSender,
        isolate: &Arc<OnceLock<v8::IsolateHandle>>,
        queue: Option<&RunQueue>,
    ) -> Links {
        let seat = queue.map(|queue| queue.seat(nudging(isolate)));
        let mailbox = Arc::new(Mailbox::default());
        let events = Arc::new(events);
        let names = spec
            .functions
            .iter()
            .map(|function| function.name.clone())
            .collect();
        let counters = Arc::new(Counters::new(names));
        let heap_bytes = usize::try_from(spec.limits.heap_bytes).unwrap_or(usize::MAX);
        Links {
            terminator: Arc::new(interrupting((&mailbox, &seat), isolate, &events)),
            mailbox,
            calls: Arc::new(CallTable::new(spec.limits.host_calls_in_flight)),
            budget: Arc::new(Budget::new(heap_bytes, Arc::clone(&counters))),
            counters,
            events,
            thread: Arc::default(),
            seat,
        }
    }

    /// Session thread: `request` is about to run.
    pub(crate) fn wait_for_turn(&self, request: RequestId) {
        if let Some(seat) = &self.seat {
            if request != RequestId::NONE {
                seat.renew();
            }
            seat.begin();
        }
    }

    /// Session thread: what was stopped is over.
    pub(crate) fn calm(&self) {
        self.mailbox.clear_interrupt();
        if let Some(seat) = &self.seat {
            seat.calm();
        }
    }
}

/// Asks the session's thread to give its turn away at its next stack check.
fn nudging(isolate: &Arc<OnceLock<v8::IsolateHandle>>) -> impl Fn() -> bool + Send + Sync + use<> {
    let isolate = Arc::clone(isolate);
    move || {
        isolate
            .get()
            .is_some_and(|isolate| isolate.request_interrupt(at_check, std::ptr::null_mut()))
    }
}

/// A terminator that wakes the session's thread where it sleeps, stops its JavaScript and
/// says so.
fn interrupting(
    (mailbox, seat): (&Arc<Mailbox<Task>>, &Option<Arc<Seat>>),
    isolate: &Arc<OnceLock<v8::IsolateHandle>>,
    events: &Arc<EventSender>,
) -> Terminator {
    let (mailbox, isolate) = (Arc::clone(mailbox), Arc::clone(isolate));
    let seat = seat.clone();
    let events = Arc::clone(events);
    Terminator::new(move |request| {
        events.stopping(request);
        mailbox.interrupt();
        if let Some(isolate) = isolate.get() {
            isolate.terminate_execution();
        }
        if let Some(seat) = &seat {
            seat.hurry();
        }
    })
}

/// State of one realm. Never leaves the session thread.
pub(crate) struct State {
    pub(crate) links: Links,
    pub(crate) limits: Limits,
    pub(crate) functions: Vec<HostFunction>,
    /// The request that runs now; `NONE` between requests.
    pub(crate) request: Cell<RequestId>,
    /// What had been used when it began.
    pub(crate) begun: Cell<Option<Begun>>,
    pub(crate) hooks: OnceCell<Hooks>,
    pub(crate) modules: Modules,
    pub(crate) timers: RefCell<Timers>,
    pub(crate) pending: RefCell<BTreeMap<CallId, PendingCall>>,
    pub(crate) rejections: RefCell<Rejections>,
    pub(crate) output: RefCell<OutputMeter>,
    pub(crate) source_maps: RefCell<SourceMaps>,
    pub(crate) born: Instant,
}

/// An asynchronous host call whose promise is not settled.
pub(crate) struct PendingCall {
    pub(crate) resolver: v8::Global<v8::PromiseResolver>,
    pub(crate) deadline: Instant,
    pub(crate) bytes_out: u64,
    /// Index of the host function.
    pub(crate) function: usize,
}

/// What had been used when a request began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Begun {
    at: Instant,
    clock: ThreadClock,
    cpu: Duration,
    helpers: Duration,
    totals: Usage,
}

impl State {
    pub(crate) fn new(
        links: Links,
        limits: Limits,
        functions: Vec<HostFunction>,
        modules: Modules,
    ) -> State {
        let source_maps = SourceMaps::new(Arc::clone(&modules.directories));
        State {
            links,
            limits,
            functions,
            request: Cell::new(RequestId::NONE),
            begun: Cell::new(None),
            hooks: OnceCell::new(),
            modules,
            timers: RefCell::default(),
            pending: RefCell::default(),
            rejections: RefCell::default(),
            output: RefCell::new(OutputMeter::new(limits.output_bytes)),
            source_maps: RefCell::new(source_maps),
            born: Instant::now(),
        }
    }

    /// The state of the isolate that `scope` belongs to. `None` only while the base
    /// snapshot is made, when there is no session.
    pub(crate) fn of(scope: &Scope<'_, '_>) -> Option<Rc<State>> {
        scope.get_slot::<Rc<State>>().cloned()
    }

    /// Format of values for host function number `index`.
    pub(crate) fn format_of(&self, index: usize) -> ValueFormat {
        self.functions
            .get(index)
            .map_or(ValueFormat::Json, |function| function.format)
    }

    /// Notes what has been used: a request begins.
    pub(crate) fn begin_usage(&self, clock: ThreadClock) {
        let helpers = self.links.counters.helpers_cpu();
        self.begun.set(Some(Begun {
            at: Instant::now(),
            clock,
            cpu: clock.now().saturating_add(helpers),
            helpers,
            totals: self.links.counters.totals(),
        }));
    }

    /// What the running request has used so far.
    pub(crate) fn usage(&self) -> Usage {
        let Some(begun) = self.begun.get() else {
            return Usage::default();
        };
        let now = self.links.counters.totals();
        let before = begun.totals;
        let cpu = begun
            .clock
            .now()
            .saturating_add(self.links.counters.helpers_cpu());
        let (output_bytes, output_dropped_bytes) = match self.output.try_borrow() {
            Ok(output) => output.totals(),
            // Memory was exhausted within a write.
            Err(_) => (0, 0),
        };
        Usage {
            wall_us: micros(begun.at.elapsed()),
            cpu_us: micros(cpu.saturating_sub(begun.cpu)),
            heap_peak_bytes: now.heap_peak_bytes,
            external_peak_bytes: now.external_peak_bytes,
            round_trips: now.round_trips.saturating_sub(before.round_trips),
            modules_from_reader: now
                .modules_from_reader
                .saturating_sub(before.modules_from_reader),
            modules_from_snapshot: now
                .modules_from_snapshot
                .saturating_sub(before.modules_from_snapshot),
            modules_from_host: now
                .modules_from_host
                .saturating_sub(before.modules_from_host),
            output_bytes,
            output_dropped_bytes,
        }
    }

    /// Stops what runs when other processes have used up its time on the CPU. What the thread
    /// itself uses is the watchdog's.
    pub(crate) fn check_helpers(&self) {
        let Some(begun) = self.begun.get() else {
            return;
        };
        let helpers = self.links.counters.helpers_cpu();
        if helpers == begun.helpers {
            return;
        }
        let used_ms = self.usage().cpu_us / 1000;
        if self.limits.cpu_ms <= used_ms {
            let report = LimitReport::new(LimitKind::Cpu, self.limits.cpu_ms, used_ms);
            self.links
                .terminator
                .stop_running(StopReason::Limit(report));
        }
    }

    /// When the session has to do something by itself at the latest.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        let timer = self.timers.borrow().next_due();
        // Every call has the same time to live, so the oldest is due first.
        let call = self
            .pending
            .borrow()
            .first_key_value()
            .map(|(_, call)| call.deadline);
        match (timer, call) {
            (Some(timer), Some(call)) => Some(timer.min(call)),
            (timer, call) => timer.or(call),
        }
    }

    /// Tells the host that a limit was met which does not end the request.
    pub(crate) fn warn(&self, which: LimitKind, limit: u64, usage: u64) {
        let report = LimitReport::new(which, limit, usage);
        let event = GuestEvent::LimitWarning(report);
        self.links.events.send(SessionEvent::Guest(event));
    }

    /// Forgets everything that would keep an event loop alive: after a stop, nothing of
    /// the stopped request goes on.
    pub(crate) fn abandon_pending(&self) {
        self.timers.borrow_mut().clear();
        self.pending.borrow_mut().clear();
        self.links.calls.clear();
        self.links.mailbox.forget_replies();
        self.rejections.borrow_mut().clear();
        self.modules.waiting_imports.set(0);
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
