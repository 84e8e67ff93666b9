//! Everything that the router owns, and what handlers do with it: answer, refuse, end.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use host_bridge::{Engine, EventSender, SessionCommand};
use protocol::frame::{Kind, Refused, Reset};
use protocol::{
    EncodeError, LimitKind, LimitReport, Reason, RequestId, SessionId, SessionStats, SidecarFrame,
};
use tokio::sync::mpsc;

use crate::admission::{Ledger, Reservation};
use crate::config::Config;
use crate::credit::{Credit, Pool};
use crate::error::RequestError;
use crate::handlers::give_up;
use crate::handshake::Handshake;
use crate::lifeline::{Ending, FAREWELL_WITHIN, LEAVE_WITHIN, Lifeline};
use crate::outbox::Toll;
use crate::port::Port;
use crate::reporter::{Report, Reporter};
use crate::router::Event;
use crate::session_table::{SessionKey, SessionTable, Times};
use crate::snapshots::SnapshotBuilds;
use crate::statistics::Depth;
use crate::trace::Trace;

/// Whom a frame of the host concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) session: SessionId,
    pub(crate) request: RequestId,
}

/// See the module's text. Only the router's task touches it, so nothing here is locked.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) engine: Box<dyn Engine>,
    pub(crate) config: Config,
    pub(crate) handshake: Handshake,
    pub(crate) sessions: SessionTable,
    pub(crate) ledger: Ledger,
    pub(crate) port: Arc<Port>,
    pub(crate) builds: SnapshotBuilds,
    pub(crate) lifeline: Lifeline,
    pub(crate) trace: Trace,
    pub(crate) counters: ProcessCounters,
    /// Too many threads are parked, or one can be neither stopped nor parked: no new sessions,
    /// and the process ends with the last.
    pub(crate) is_draining: bool,
    pool: Arc<Pool>,
    reports: mpsc::Sender<Report>,
}

/// What `GetStats` on the connection tells beyond what the tables know.
#[derive(Debug)]
pub(crate) struct ProcessCounters {
    pub(crate) started: Instant,
    pub(crate) sessions_opened: u64,
    pub(crate) frames_in: u64,
    pub(crate) frames_refused: u64,
    pub(crate) frames_waiting: Depth,
    pub(crate) reports_waiting: Depth,
}

impl State {
    pub(crate) fn new(
        engine: Box<dyn Engine>,
        config: Config,
        port: Port,
        (events, reports): (mpsc::Sender<Event>, mpsc::Sender<Report>),
    ) -> State {
        let maker = (config.builder.clone(), config.grace);
        let builds = SnapshotBuilds::new(maker, engine.snapshot_cache(), events);
        State {
            engine,
            handshake: Handshake::Expected,
            sessions: SessionTable::new(Times {
                open_within: config.open_within,
                grace: config.grace,
            }),
            ledger: Ledger::default(),
            port: Arc::new(port),
            builds,
            lifeline: Lifeline::new(),
            trace: Trace::new(config.trace),
            counters: ProcessCounters {
                started: Instant::now(),
                sessions_opened: 0,
                frames_in: 0,
                frames_refused: 0,
                frames_waiting: Depth::default(),
                reports_waiting: Depth::default(),
            },
            is_draining: false,
            pool: Arc::default(),
            reports,
            config,
        }
    }

    /// Queues a frame that the host's own frame has caused.
    pub(crate) fn reply(&mut self, to: Address, frame: impl Into<SidecarFrame>) {
        let frame = frame.into();
        if let Err(err) = self.send(to, &frame, Toll::Unpaid) {
            let kind = frame.kind();
            tracing::error!(%kind, session = %to.session, request = %to.request, %err, "cannot send");
            self.refuse_unsendable(to, kind, &err);
        }
    }

    /// Queues a frame. The error says that it does not fit what the host reads.
    pub(crate) fn send(
        &mut self,
        to: Address,
        frame: &SidecarFrame,
        toll: Toll,
    ) -> Result<(), EncodeError> {
        self.port.push(to.session, to.request, frame, toll)
    }

    /// Answers a frame that has no effect.
    pub(crate) fn refuse(&mut self, to: Address, kind: Kind, err: &RequestError) {
        self.counters.frames_refused = self.counters.frames_refused.saturating_add(1);
        tracing::debug!(%kind, session = %to.session, request = %to.request, %err, "refused");
        self.reply(to, err.to_refused(kind));
    }

    /// Ends a session that the host did not ask to end: the answer to all that it has open.
    pub(crate) fn reset(&mut self, id: SessionId, reset: Reset) {
        tracing::warn!(session = %id, reason = %reset.reason, message = reset.message, "session reset");
        let to = Address {
            session: id,
            request: RequestId::NONE,
        };
        let stats = reset.stats.clone();
        let frame = SidecarFrame::Reset(reset);
        if self.send(to, &frame, Toll::Unpaid).is_err()
            && let SidecarFrame::Reset(reset) = frame
        {
            // Thousands of methods and a small frame: the sums must do.
            let stats = stats.map(without_methods);
            self.reply(to, Reset { stats, ..reset });
        }
    }

    /// A session's way to report, with what it may have under way. It keeps what is reserved
    /// for the session until the session has ended.
    pub(crate) fn event_sender(
        &self,
        key: SessionKey,
        reservation: Option<Reservation>,
    ) -> (EventSender, Arc<Credit>) {
        let credit = self.pool.credit();
        let reporter = Reporter {
            key,
            credit: Arc::clone(&credit),
            port: Arc::clone(&self.port),
            reports: self.reports.clone(),
            is_watched: self.trace.sees_calls(),
            reservation: Mutex::new(reservation),
        };
        (reporter.into_sender(), credit)
    }

    /// Stops what runs in a session and lets it close.
    pub(crate) fn close_session(
        &mut self,
        id: SessionId,
        request: Option<RequestId>,
        within: Duration,
    ) -> Result<(), RequestError> {
        let now = Instant::now();
        self.sessions.update(id, |session| {
            if session.is_closing() {
                return Err(RequestError::SessionClosing(id));
            }
            session.credit().lift();
            // The running one last: what waits must not begin in between.
            for in_flight in session.in_flight().iter().rev() {
                if in_flight.runs_code() {
                    session.handle().cancel(in_flight.request);
                }
            }
            // Between requests a timer or a reply may be running guest code.
            session.handle().cancel_running();
            let request_id = request.unwrap_or(RequestId::NONE);
            let close = SessionCommand::Close {
                request: request_id,
            };
            // The error is that the thread is ending anyway; its report is on the way.
            let _ = session.handle().try_send(close);
            session.closing(request, within, now);
            Ok(())
        })
    }

    /// Begins the end of the process. The first cause wins.
    pub(crate) fn leave(&mut self, ending: Ending) {
        let now = Instant::now();
        let within = match ending == Ending::shutdown() {
            true => self.config.grace.max(LEAVE_WITHIN),
            false => LEAVE_WITHIN,
        };
        let deadline = now.checked_add(within).unwrap_or(now);
        if !self.lifeline.leave(ending.clone(), deadline) {
            return;
        }
        tracing::info!(code = ?ending.code, reason = %ending.go_away.reason, message = ending.go_away.message, "leaving");
        for id in self.sessions.ids() {
            // The error is that the session is closing already.
            let _ = self.close_session(id, None, within);
        }
        for request in self.builds.abandon() {
            let to = Address {
                session: SessionId::CONNECTION,
                request,
            };
            self.refuse(to, Kind::WarmSnapshot, &RequestError::ShuttingDown);
        }
    }

    /// Ends the process because `stuck` does not stop: everyone is told, nobody is waited
    /// for.
    pub(crate) fn leave_stuck(&mut self, stuck: SessionId) {
        let message = format!("session {stuck} did not stop within its grace period");
        self.leave(Ending::stuck(message.clone()));
        self.reset_all(&message);
    }

    /// The process ends in order, and what ends apart from it is no reason to call it stuck.
    fn reset_all_apart(&mut self) {
        for id in self.sessions.ids() {
            let is_apart = self
                .sessions
                .get(id)
                .is_ok_and(|session| session.handle().is_apart());
            if is_apart {
                self.reset_one(id, "the session did not stop within the grace period");
            }
        }
    }

    fn reset_all(&mut self, message: &str) {
        for id in self.sessions.ids() {
            self.reset_one(id, message);
        }
    }

    fn reset_one(&mut self, id: SessionId, message: &str) {
        let Some(session) = self.sessions.remove(id) else {
            return;
        };
        let stats = session.handle().stats();
        self.trace.session(id, &stats);
        let reset = Reset {
            reason: Reason::StuckSession,
            message: message.to_owned(),
            stats: Some(stats),
        };
        self.reset(id, reset);
    }

    /// Carries out what time or the end of the last session has made due.
    pub(crate) fn advance(&mut self, now: Instant) {
        if self.lifeline.is_serving() || self.lifeline.is_shutting_down() {
            let stuck = self.sessions.quarantine_overdue(now);
            if let Some(stuck) = give_up::all(self, &stuck) {
                self.leave_stuck(stuck);
            } else if self.is_draining && self.sessions.is_empty() {
                let message =
                    "too many threads are parked for good, or one goes on that cannot be stopped"
                        .to_owned();
                self.leave(Ending::stuck(message));
            } else if self.lifeline.is_shutting_down()
                && (self.is_quiet() || self.lifeline.is_over(now))
            {
                self.leave(Ending::shutdown());
            }
        }
        if self.lifeline.ending().is_some()
            && (self.sessions.is_empty() || self.lifeline.is_over(now))
        {
            self.farewell(now);
        }
    }

    /// When [`State::advance`] has something to do even if nothing happens.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let sessions = match self.lifeline.is_leaving() {
            true => None,
            false => self.sessions.next_deadline(),
        };
        [sessions, self.lifeline.deadline()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Whether nothing is left that a shutdown would interrupt.
    fn is_quiet(&self) -> bool {
        self.sessions.is_empty() && self.builds.is_empty()
    }

    fn farewell(&mut self, now: Instant) {
        let was_asked = self
            .lifeline
            .ending()
            .is_some_and(|ending| *ending == Ending::shutdown());
        if was_asked {
            self.reset_all_apart();
        }
        if was_asked && !self.sessions.is_empty() {
            let n = self.sessions.len();
            let message = format!("sessions that did not stop within the grace period: {n}");
            self.reset_all(&message);
            self.lifeline.worsen(Ending::stuck(message));
        }
        let until = now.checked_add(FAREWELL_WITHIN).unwrap_or(now);
        if let Some(go_away) = self.lifeline.farewell(until) {
            self.port.close_with(go_away);
        }
    }

    fn refuse_unsendable(&mut self, to: Address, kind: Kind, err: &EncodeError) {
        let limit = match err {
            EncodeError::FrameTooLarge { len, limit } => {
                Some(LimitReport::new(LimitKind::Frame, u64::from(*limit), *len))
            }
            _ => None,
        };
        let refused = SidecarFrame::Refused(Refused {
            kind: kind.to_wire(),
            reason: match limit {
                Some(_) => Reason::LimitExceeded,
                None => Reason::Internal,
            },
            message: crate::error::clipped(format!("the answer cannot be sent: {err}")),
            limit,
        });
        if let Err(err) = self.send(to, &refused, Toll::Unpaid) {
            tracing::error!(%err, "a refusal cannot be sent");
        }
    }
}

/// Statistics that fit into any frame.
pub(crate) fn without_methods(stats: SessionStats) -> SessionStats {
    SessionStats {
        methods: Vec::new(),
        ..stats
    }
}
