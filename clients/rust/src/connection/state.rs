//! What threads that share a connection agree on, behind one lock that is never held while
//! anything waits.

use std::collections::HashMap;
use std::process::ExitStatus;
use std::sync::Arc;
use std::thread::{self, Thread, ThreadId};
use std::time::{Duration, Instant};

use protocol::frame::{Kind, Reset};
use protocol::{EncodeError, HostFrame, Reason, RequestId, SessionId, SidecarFrame};

use super::dispatch::Work;
use super::inbox::Inbox;
use super::outgoing::Outgoing;
use super::{Stop, answer_to};
use crate::error::{Lost, LostCause, RequestError};
use crate::function::Handlers;
use crate::link::Writer;

/// A request that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) session: SessionId,
    pub(crate) request: RequestId,
}

/// See the module's text.
#[derive(Debug)]
pub(crate) struct State {
    inbox: Option<Inbox>,
    leader: Option<ThreadId>,
    in_handler: Vec<ThreadId>,
    followers: Vec<Follower>,
    pub(super) outgoing: Outgoing,
    awaited: HashMap<Key, Awaited>,
    sessions: HashMap<SessionId, SessionEntry>,
    last_session: u32,
    last_request: u64,
    pub(super) go_away: Option<(Reason, String)>,
    /// How often the sidecar has said `Welcome`.
    pub(super) n_welcomes: u64,
    is_closing: bool,
    end: Option<Arc<Lost>>,
}

/// A thread that sleeps while another leads.
#[derive(Debug)]
struct Follower {
    thread: Thread,
    key: Option<Key>,
    /// What it is to run when it wakes.
    work: Option<Work>,
}

#[derive(Debug)]
struct Awaited {
    kind: Kind,
    answer: Option<Result<SidecarFrame, RequestError>>,
}

/// A session as this side knows it.
#[derive(Debug)]
pub(crate) struct SessionEntry {
    pub(crate) handlers: Arc<Handlers>,
    /// The limit of its requests on elapsed time, once it is open.
    pub(crate) wall: Duration,
    lost: Option<Reset>,
}

impl State {
    pub(super) fn new(writer: Writer) -> State {
        State {
            inbox: Some(Inbox::new()),
            leader: None,
            in_handler: Vec::new(),
            followers: Vec::new(),
            outgoing: Outgoing::new(writer),
            awaited: HashMap::new(),
            sessions: HashMap::new(),
            last_session: 0,
            last_request: 0,
            go_away: None,
            n_welcomes: 0,
            is_closing: false,
            end: None,
        }
    }

    // Leading.

    /// Takes the lead if nobody has it.
    pub(super) fn lead(&mut self) -> Option<Inbox> {
        let inbox = self.inbox.take()?;
        self.leader = Some(thread::current().id());
        Some(inbox)
    }

    pub(super) fn give_up_lead(&mut self, inbox: Inbox) {
        self.inbox = Some(inbox);
        self.leader = None;
    }

    /// Wakes a thread that can lead now, if there is one.
    pub(super) fn promote(&self) {
        if self.leader.is_none()
            && let Some(next) = self.followers.first()
        {
            next.thread.unpark();
        }
    }

    pub(super) fn follow(&mut self, key: Option<Key>) -> ThreadId {
        let thread = thread::current();
        let id = thread.id();
        let work = None;
        self.followers.push(Follower { thread, key, work });
        id
    }

    /// Ends what [`State::follow`] began; gives out what the thread is to run.
    pub(super) fn unfollow(&mut self, id: ThreadId) -> Option<Work> {
        let mut all = self.followers.iter();
        let at = all.position(|one| one.thread.id() == id)?;
        self.followers.remove(at).work
    }

    /// Gives a host function to a thread that waits for the same session, or gives it back
    /// when this thread does, or none.
    pub(super) fn hand_over(&mut self, work: Work, own: Option<Key>) -> Option<Work> {
        let session = work.responder.session();
        let waits = |key: Option<Key>| key.is_some_and(|key| key.session == session);
        if waits(own) {
            return Some(work);
        }
        let mut others = self.followers.iter_mut();
        let Some(other) = others.find(|one| waits(one.key) && one.work.is_none()) else {
            return Some(work);
        };
        other.work = Some(work);
        other.thread.unpark();
        None
    }

    pub(super) fn wake_all(&self) {
        for follower in &self.followers {
            follower.thread.unpark();
        }
    }

    pub(super) fn is_led_by_another(&self) -> bool {
        let me = thread::current().id();
        self.leader.is_some_and(|leader| leader != me)
    }

    /// Whether this thread is inside a handler or a host function: it must not read, or will
    /// read anyway when it is done.
    pub(super) fn is_in_handler(&self) -> bool {
        let me = thread::current().id();
        self.leader == Some(me) || self.in_handler.contains(&me)
    }

    pub(super) fn enter_handler(&mut self) {
        self.in_handler.push(thread::current().id());
    }

    pub(super) fn leave_handler(&mut self) {
        let me = thread::current().id();
        if let Some(at) = self.in_handler.iter().rposition(|id| *id == me) {
            self.in_handler.swap_remove(at);
        }
    }

    /// Why a thread that has not found what it wants must give up.
    pub(super) fn must_stop(&self, deadline: Instant) -> Option<Stop> {
        if let Some(lost) = &self.end {
            return Some(Stop::End(Arc::clone(lost)));
        }
        if self.leader == Some(thread::current().id()) {
            return Some(Stop::InHandler);
        }
        (deadline <= Instant::now()).then_some(Stop::Deadline)
    }

    // Requests.

    /// Queues a frame and writes as much as is taken at once.
    pub(super) fn send(
        &mut self,
        session: SessionId,
        request: RequestId,
        frame: &HostFrame,
    ) -> Result<(), EncodeError> {
        let was_blocked = !self.outgoing.is_empty();
        let sent = self.outgoing.push(session, request, frame);
        if was_blocked && self.outgoing.is_empty() {
            self.wake_all();
        }
        sent
    }

    pub(super) fn request(
        &mut self,
        session: SessionId,
        frame: &HostFrame,
    ) -> Result<Key, RequestError> {
        if let Some(lost) = &self.end {
            return Err(RequestError::SidecarLost(Arc::clone(lost)));
        }
        if let Some(reset) = self.lost_session(session) {
            return Err(session_lost(reset));
        }
        self.last_request = self.last_request.saturating_add(1);
        let request = RequestId(self.last_request);
        let key = Key { session, request };
        self.send(session, request, frame)?;
        let kind = frame.kind();
        self.awaited.insert(key, Awaited { kind, answer: None });
        Ok(key)
    }

    pub(super) fn take_answer(&mut self, key: Key) -> Option<Result<SidecarFrame, RequestError>> {
        let answer = self.awaited.get_mut(&key)?.answer.take()?;
        self.awaited.remove(&key);
        Some(answer)
    }

    /// Nobody waits for this answer any more.
    pub(crate) fn forget(&mut self, key: Key) {
        self.awaited.remove(&key);
    }

    /// Answers a request, unless `frame` is of a kind that does not.
    pub(super) fn answer(&mut self, key: Key, frame: SidecarFrame) {
        let Some(awaited) = self.awaited.get(&key) else {
            return;
        };
        let answer = match answer_to(awaited.kind) == Some(frame.kind()) {
            true => Ok(frame),
            false => Err(RequestError::Unexpected(frame.kind())),
        };
        self.settle(key, answer);
    }

    pub(super) fn settle(&mut self, key: Key, answer: Result<SidecarFrame, RequestError>) {
        let Some(awaited) = self.awaited.get_mut(&key) else {
            return;
        };
        awaited.answer.get_or_insert(answer);
        let mut waiting = self.followers.iter();
        if let Some(follower) = waiting.find(|one| one.key == Some(key)) {
            follower.thread.unpark();
        }
    }

    /// The kind of the request, if its answer is still to come.
    pub(super) fn awaits(&self, key: Key) -> Option<Kind> {
        self.awaited
            .get(&key)
            .filter(|awaited| awaited.answer.is_none())
            .map(|awaited| awaited.kind)
    }

    /// Requests of a session whose answer is to come.
    pub(crate) fn n_in_flight(&self, session: SessionId) -> usize {
        let of_session = |key: &&Key| key.session == session;
        self.awaited.keys().filter(of_session).count()
    }

    // Sessions.

    pub(crate) fn add_session(&mut self, handlers: Handlers) -> SessionId {
        self.last_session = self.last_session.saturating_add(1);
        let id = SessionId(self.last_session);
        let entry = SessionEntry {
            handlers: Arc::new(handlers),
            wall: Duration::ZERO,
            lost: None,
        };
        self.sessions.insert(id, entry);
        id
    }

    pub(crate) fn session_mut(&mut self, id: SessionId) -> Option<&mut SessionEntry> {
        self.sessions.get_mut(&id)
    }

    /// The caller drops what comes back after it has let go of the state: host functions may
    /// own responders, and those answer when they are dropped.
    #[must_use]
    pub(crate) fn remove_session(&mut self, id: SessionId) -> Option<SessionEntry> {
        self.sessions.remove(&id)
    }

    /// How often the sidecar was started anew.
    pub(crate) fn n_restarts(&self) -> u64 {
        self.n_welcomes.saturating_sub(1)
    }

    /// Why a session is gone, if it is.
    pub(crate) fn lost_session(&self, id: SessionId) -> Option<&Reset> {
        self.sessions.get(&id)?.lost.as_ref()
    }

    pub(super) fn reset(&mut self, id: SessionId, reset: &Reset) {
        if let Some(entry) = self.sessions.get_mut(&id) {
            entry.lost = Some(reset.clone());
        }
        let of_session = |key: &&Key| key.session == id;
        let open: Vec<Key> = self.awaited.keys().filter(of_session).copied().collect();
        for key in open {
            self.settle(key, Err(session_lost(reset)));
        }
    }

    // The end.

    pub(crate) fn end(&self) -> Option<Arc<Lost>> {
        self.end.clone()
    }

    pub(super) fn close(&mut self) {
        self.is_closing = true;
        self.outgoing.close();
    }

    pub(super) fn is_closing(&self) -> bool {
        self.is_closing
    }

    pub(super) fn end_with(&mut self, cause: LostCause, status: Option<ExitStatus>) {
        if self.end.is_some() {
            return;
        }
        let cause = match self.go_away.take() {
            _ if self.is_closing => LostCause::Closed,
            Some((reason, message)) => LostCause::GoAway { reason, message },
            None => cause,
        };
        let lost = Arc::new(Lost { cause, status });
        self.end = Some(Arc::clone(&lost));
        let open: Vec<Key> = self.awaited.keys().copied().collect();
        for key in open {
            self.settle(key, Err(RequestError::SidecarLost(Arc::clone(&lost))));
        }
        self.wake_all();
    }
}

fn session_lost(reset: &Reset) -> RequestError {
    RequestError::SessionLost {
        reason: reset.reason,
        message: reset.message.clone(),
        stats: reset.stats.clone().map(Box::new),
    }
}
