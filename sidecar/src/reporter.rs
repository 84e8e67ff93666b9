//! A session's way to the router, as its thread sees it: it waits for credit, then hands
//! over. A host call goes to the host directly when nothing is in front of it.

use std::sync::{Arc, Mutex, PoisonError};

use host_bridge::{EventSender, ExitReason, Pause, SessionEvent};
use protocol::RequestId;
use protocol::frame::HostCall;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use crate::admission::Reservation;
use crate::credit::{Credit, Place, Ticket};
use crate::handlers::session_event::weight;
use crate::port::{Direct, Port};
use crate::session_table::SessionKey;

/// What a session thread has to say to the router.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all reports are events, and their number is bounded"
)]
pub(crate) enum Report {
    /// Something happened in a session.
    Event(SessionReport),
    /// A request was told to stop; it has the grace period for it.
    Stopping(SessionKey, RequestId),
    /// A session thread has begun to write and the descriptor takes no more.
    Unwritten,
}

/// Something happened in a session.
#[derive(Debug)]
pub(crate) struct SessionReport {
    pub(crate) key: SessionKey,
    pub(crate) event: SessionEvent,
    /// Goes with the frame that the event becomes.
    pub(crate) ticket: Ticket,
    /// Given back when the event was handled.
    pub(crate) place: Place,
}

/// What a session reports through.
#[derive(Debug)]
pub(crate) struct Reporter {
    pub(crate) key: SessionKey,
    pub(crate) credit: Arc<Credit>,
    pub(crate) port: Arc<Port>,
    pub(crate) reports: mpsc::Sender<Report>,
    /// Whether the router wants to see every host call.
    pub(crate) is_watched: bool,
    /// What the session's heap may take; its thread keeps it when it is parked for good.
    pub(crate) reservation: Mutex<Option<Reservation>>,
}

impl Reporter {
    pub(crate) fn into_sender(self) -> EventSender {
        let (key, reports) = (self.key, self.reports.clone());
        let credit = Arc::clone(&self.credit);
        EventSender::new(move |event| self.send(event))
            .on_stopping(move |request| {
                // Where the queue is full the request still has its wall-clock deadline.
                let _ = reports.try_send(Report::Stopping(key, request));
            })
            .on_lift(move || credit.lift())
    }

    fn send(&self, event: SessionEvent) {
        if has_freed_its_heap(&event) {
            // Before the host is told, so that the next session finds the room.
            let mut reservation = self
                .reservation
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            drop(reservation.take());
        }
        let (ticket, place) = self.credit.reserve(weight(&event));
        let (event, ticket) = match self.try_directly(event, ticket) {
            Ok(Direct::Queued) => return self.hand_over(Report::Unwritten),
            Ok(_) => return,
            Err(declined) => declined,
        };
        self.hand_over(Report::Event(SessionReport {
            key: self.key,
            event,
            ticket,
            place,
        }));
    }

    /// Writes a host call without the router, if it may. Whatever has to go the ordinary
    /// way comes back.
    #[expect(
        clippy::result_large_err,
        reason = "coming back is an ordinary case, and a box would cost more than a move"
    )]
    fn try_directly(
        &self,
        event: SessionEvent,
        ticket: Ticket,
    ) -> Result<Direct, (SessionEvent, Ticket)> {
        let SessionEvent::HostCall {
            call,
            method,
            mode,
            args,
        } = event
        else {
            return Err((event, ticket));
        };
        let frame = HostCall { method, mode, args };
        let may_go = || !self.is_watched && self.credit.may_go_directly();
        match self
            .port
            .write_directly((self.key.id, call), frame, ticket, may_go)
        {
            Direct::Declined(frame, ticket) => {
                let HostCall { method, mode, args } = frame;
                let event = SessionEvent::HostCall {
                    call,
                    method,
                    mode,
                    args,
                };
                Err((event, ticket))
            }
            done => Ok(done),
        }
    }

    fn hand_over(&self, report: Report) {
        // The error is that the router is gone, and the process with it.
        if let Err(TrySendError::Full(report)) = self.reports.try_send(report) {
            let mut pause = Pause::new();
            pause.begin();
            let _ = self.reports.blocking_send(report);
        }
    }
}

fn has_freed_its_heap(event: &SessionEvent) -> bool {
    match event {
        SessionEvent::OpenFailed { .. } => true,
        SessionEvent::Exited { reason, .. } => matches!(
            reason,
            ExitReason::Closed(_) | ExitReason::MemoryExceeded | ExitReason::Internal(_)
        ),
        _ => false,
    }
}
