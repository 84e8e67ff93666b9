//! One session in a child, as this process sees it: what it has open, and its handle.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use host_bridge::{
    Condemned, EventSender, MAX_COMMANDS, MAX_OUTPUT_IN_FLIGHT, OpenSpec, OutputTicket, SendError,
    SessionCommand, SessionEvent, SessionHandle, StopReason, micros, millis,
};
use protocol::frame::{Cancel, CloseSession, GetStats, HostReply};
use protocol::{
    CallId, HostFrame, LimitKind, LimitReport, Limits, RequestId, SessionId, SessionStats,
};

use super::child::Child;

/// A child ends by itself what does not stop, with an outcome for it. Only when it has not
/// done so by then is it killed.
const MARGIN: Duration = Duration::from_millis(500);
/// Requests for statistics that a session may have in flight.
const MAX_STATS: usize = 32;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) id: SessionId,
    pub(super) begun: Instant,
    events: EventSender,
    limits: Limits,
    window: Arc<Window>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    is_open: bool,
    is_closing: bool,
    /// In the order in which they run.
    requests: VecDeque<RequestId>,
    /// Told to stop, and not yet finished.
    cancelled: Vec<RequestId>,
    /// When a request was first at the front of the others.
    front_since: Option<Instant>,
    /// Calls that the host may answer, and until when the child waits for that.
    calls: BTreeMap<CallId, Instant>,
    close: Option<RequestId>,
    n_stats: usize,
    stats: SessionStats,
}

impl Remote {
    /// The request by which it was opened, on the child's side.
    pub(super) const OPEN: RequestId = RequestId::new(u64::MAX);

    pub(super) fn new(spec: &OpenSpec, events: EventSender) -> Remote {
        Remote {
            id: spec.session,
            begun: Instant::now(),
            events,
            limits: spec.limits,
            window: Arc::default(),
            state: Mutex::default(),
        }
    }

    /// Reports to the router. Waits while that is behind.
    pub(super) fn report(&self, event: SessionEvent) {
        self.events.send(event);
    }

    /// From now on nothing here waits for the host.
    pub(super) fn lift(&self) {
        self.window.lift();
        self.events.lift();
    }

    pub(super) fn opened(&self) -> SessionEvent {
        self.lock().is_open = true;
        let open_us = micros(self.begun.elapsed());
        SessionEvent::Opened { open_us }
    }

    /// A request has ended. `false` when it was not in flight.
    pub(super) fn finished(&self, request: RequestId) -> bool {
        let mut state = self.lock();
        state.cancelled.retain(|known| *known != request);
        let position = state.requests.iter().position(|known| *known == request);
        state.front_since = Some(Instant::now());
        position
            .and_then(|position| state.requests.remove(position))
            .is_some()
    }

    /// The guest calls the host. Calls that the child has given up meanwhile are forgotten.
    pub(super) fn called(&self, call: CallId) {
        let now = Instant::now();
        let timeout = Duration::from_millis(self.limits.host_call_timeout_ms);
        let limit = usize::try_from(self.limits.host_calls_in_flight).unwrap_or(usize::MAX);
        let mut state = self.lock();
        while let Some(oldest) = state.calls.first_entry() {
            let is_over = *oldest.get() < now;
            let is_surplus = limit.saturating_mul(2) <= state.calls.len();
            if !is_surplus && (!is_over || state.calls.len() < limit) {
                break;
            }
            state.calls.pop_first();
        }
        let until = now.checked_add(timeout).unwrap_or(now);
        state.calls.insert(call, until);
    }

    /// Waits until `bytes` of output may go on to the host.
    pub(super) fn reserve_output(&self, bytes: usize) -> OutputTicket {
        self.window.reserve(bytes)
    }

    /// Who asked for the end.
    pub(super) fn closed(&self) -> RequestId {
        self.lock().close.unwrap_or(RequestId::NONE)
    }

    pub(super) fn has_stats(&self, stats: &SessionStats) {
        let mut state = self.lock();
        state.n_stats = state.n_stats.saturating_sub(1);
        state.stats = stats.clone();
    }

    pub(super) fn last_stats(&self) -> SessionStats {
        self.lock().stats.clone()
    }

    /// What runs, and how it has to end when the child is killed over it.
    pub(super) fn unstoppable(&self) -> Option<(RequestId, Option<StopReason>)> {
        let state = self.lock();
        let request = *state.requests.front()?;
        if state.cancelled.contains(&request) || state.is_closing {
            return Some((request, Some(StopReason::Cancelled)));
        }
        let ran = millis(state.front_since.unwrap_or(self.begun).elapsed());
        let report = LimitReport::new(LimitKind::Wall, self.limits.wall_ms, ran);
        Some((request, Some(StopReason::Limit(report))))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock leaves plain lists.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much output of a session is between its child and the host.
#[derive(Debug, Default)]
struct Window {
    inner: Mutex<WindowInner>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct WindowInner {
    used: usize,
    is_lifted: bool,
}

impl Window {
    /// One write that is larger than the whole window is let through alone.
    fn reserve(self: &Arc<Window>, bytes: usize) -> OutputTicket {
        let mut inner = self.lock();
        while !inner.is_lifted
            && inner.used > 0
            && inner.used.saturating_add(bytes) > MAX_OUTPUT_IN_FLIGHT
        {
            inner = self
                .bell
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        inner.used = inner.used.saturating_add(bytes);
        let window = Arc::clone(self);
        OutputTicket::new(move || {
            let mut inner = window.lock();
            inner.used = inner.used.saturating_sub(bytes);
            drop(inner);
            window.bell.notify_all();
        })
    }

    fn lift(&self) {
        self.lock().is_lifted = true;
        self.bell.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, WindowInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All that the router holds of a session in a child.
#[derive(Debug)]
pub(super) struct RemoteHandle {
    child: Arc<Child>,
    remote: Arc<Remote>,
}

impl RemoteHandle {
    pub(super) fn new(child: Arc<Child>, remote: Arc<Remote>) -> RemoteHandle {
        RemoteHandle { child, remote }
    }

    fn send(&self, request: RequestId, frame: impl Into<HostFrame>) {
        self.child.send(self.remote.id, request, frame);
    }

    fn run(&self, request: RequestId, frame: impl Into<HostFrame>) -> Result<(), SendError> {
        let mut state = self.remote.lock();
        if state.is_closing {
            return Err(SendError::Gone);
        }
        // One runs, once the session is open, and the others wait.
        let limit = MAX_COMMANDS.saturating_add(usize::from(state.is_open));
        if limit <= state.requests.len() || self.child.is_full() {
            return Err(SendError::QueueFull);
        }
        if state.requests.is_empty() {
            state.front_since = Some(Instant::now());
        }
        state.requests.push_back(request);
        drop(state);
        self.send(request, frame);
        Ok(())
    }

    fn close(&self, request: RequestId) {
        let mut state = self.remote.lock();
        if state.is_closing {
            return;
        }
        state.is_closing = true;
        state.close = Some(request);
        // The router's own wish has no id; this one is not in flight, see `Remote::OPEN`.
        let on_wire = match request {
            RequestId::NONE => Remote::OPEN,
            request => request,
        };
        drop(state);
        self.send(on_wire, CloseSession {});
    }
}

impl SessionHandle for RemoteHandle {
    fn try_send(&self, command: SessionCommand) -> Result<(), SendError> {
        match command {
            SessionCommand::Execute { request, execute } => self.run(request, execute),
            SessionCommand::Call { request, call } => self.run(request, call),
            SessionCommand::Reply { call, reply } => {
                let known = self.remote.lock().calls.remove(&call);
                known.ok_or(SendError::UnknownCall)?;
                self.send(call.to_head(), HostReply { reply });
                Ok(())
            }
            SessionCommand::Close { request } => {
                self.close(request);
                Ok(())
            }
            _ => Err(SendError::Gone),
        }
    }

    fn cancel(&self, request: RequestId) {
        let mut state = self.remote.lock();
        if !state.cancelled.contains(&request) && state.requests.contains(&request) {
            state.cancelled.push(request);
        }
        drop(state);
        self.send(request, Cancel {});
        self.remote.events.stopping(request);
    }

    /// The child does so when it is told to close, which is what follows.
    fn cancel_running(&self) {}

    fn stats(&self) -> SessionStats {
        self.remote.last_stats()
    }

    fn ask_stats(&self, request: RequestId) -> bool {
        let mut state = self.remote.lock();
        if MAX_STATS <= state.n_stats {
            return false;
        }
        state.n_stats = state.n_stats.saturating_add(1);
        drop(state);
        self.send(request, GetStats {});
        true
    }

    fn condemn(&self) -> Option<Condemned> {
        let running = self.remote.unstoppable();
        self.child.kill(self.remote.id);
        Some(Condemned { running })
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn margin(&self) -> Duration {
        MARGIN
    }

    fn waits_for_host(&self) -> bool {
        self.child.waits_for_host()
    }
}
