//! What sessions report while they live: opened, finished, host calls, output, events.

use std::time::Instant;

use bytes::Bytes;
use host_bridge::{OutputTicket, SessionCommand, SessionEvent};
use protocol::frame::{
    CalledFrame, GuestEvent, HostCall, HostError, Kind, Level, OutcomeFrame, Output, Refused,
    Reply, SessionEvent as SessionEventFrame, SessionOpened, Stats, StatsBody, Stream,
};
use protocol::{
    Blob, CallId, EncodeError, JsError, LimitKind, LimitReport, Outcome, RequestId, SessionId,
    SessionStats, SidecarFrame, Usage,
};

use super::{give_up, session_exit};
use crate::credit::Ticket;
use crate::error::RequestError;
use crate::lifeline::LEAVE_WITHIN;
use crate::outbox::Toll;
use crate::reporter::SessionReport;
use crate::state::{Address, State};

/// What any frame costs besides its values, in bytes.
const FRAME_WEIGHT: usize = 256;
/// What an `Output` frame needs besides its text, in bytes.
const OUTPUT_FRAME_ROOM: u32 = 64;

/// How many bytes an event takes on its way to the host, roughly. `Output` is paid for by
/// its own ticket.
pub(crate) fn weight(event: &SessionEvent) -> usize {
    let values = match event {
        SessionEvent::Finished { outcome, .. } => match outcome {
            Outcome::Ok(value) => value.bytes().len(),
            Outcome::Exception(error) => error_weight(error),
            _ => 0,
        },
        SessionEvent::HostCall { args, .. } => args.bytes().len(),
        SessionEvent::Guest(GuestEvent::UnhandledRejection(error)) => error_weight(error),
        _ => 0,
    };
    values.saturating_add(FRAME_WEIGHT)
}

fn error_weight(error: &JsError) -> usize {
    let own = error.message.len().saturating_add(error.stack.len());
    let cause = error.cause.as_deref().map_or(0, error_weight);
    own.saturating_add(cause)
}

/// Handles one report. Those of a session that is gone are dropped.
pub(crate) fn handle(state: &mut State, report: SessionReport) {
    let SessionReport {
        key,
        event,
        ticket,
        // Given back at the end: what comes after must not overtake this.
        place: _place,
    } = report;
    if !state.sessions.is_current(key) {
        if let SessionEvent::Exited { reason, .. } = event {
            give_up::ended(state, key, &reason);
        }
        return;
    }
    let id = key.id;
    match event {
        SessionEvent::Opened { open_us } => opened(state, id, open_us),
        SessionEvent::OpenFailed { reason, message } => {
            session_exit::open_failed(state, id, reason, &message);
        }
        SessionEvent::Finished {
            request,
            outcome,
            usage,
        } => finished(
            state,
            id,
            Ended {
                request,
                outcome,
                usage,
            },
            ticket,
        ),
        SessionEvent::HostCall {
            call,
            method,
            mode,
            args,
        } => host_call(state, id, call, HostCall { method, mode, args }, ticket),
        SessionEvent::Output {
            request,
            stream,
            level,
            text,
            ticket,
        } => {
            let to = Address {
                session: id,
                request,
            };
            output(state, to, (stream, level), text, ticket);
        }
        SessionEvent::Guest(event) => guest_event(state, id, event, ticket),
        SessionEvent::Calm => calm(state, id),
        SessionEvent::Refused { request, refused } => refused_late(state, id, request, refused),
        SessionEvent::Stats { request, stats } => stats_come(state, id, request, *stats),
        SessionEvent::Exited { reason, stats } => session_exit::exited(state, id, &reason, *stats),
        _ => tracing::error!(session = %id, "a report of a kind that the router does not know"),
    }
}

/// How a request ended.
struct Ended {
    request: RequestId,
    outcome: Outcome,
    usage: Usage,
}

/// Opening ---- Opened ----> Idle or Running
fn opened(state: &mut State, id: SessionId, open_us: u64) {
    let now = Instant::now();
    let opened = state.sessions.update(id, |session| {
        let limits = *session.limits();
        Ok(session.opened(now).map(|request| (request, limits)))
    });
    let Ok(Some((request, limits))) = opened else {
        tracing::error!(session = %id, "a session was opened twice");
        return;
    };
    let to = Address {
        session: id,
        request,
    };
    state.reply(to, SessionOpened { limits, open_us });
    close_if_shutting_down(state, id);
}

/// Running ---- Finished ----> Running or Idle
fn finished(state: &mut State, id: SessionId, ended: Ended, ticket: Ticket) {
    let now = Instant::now();
    let request = ended.request;
    let finished = state
        .sessions
        .update(id, |session| Ok(session.finished(request, now)));
    let Ok(Some(in_flight)) = finished else {
        tracing::error!(session = %id, %request, "the end of a request that is not in flight");
        return;
    };
    let to = Address {
        session: id,
        request,
    };
    if in_flight.was_waiting && ended.outcome == Outcome::Cancelled {
        // PROTOCOL.md 6.1: what waits when the session is closed has not been run.
        state.refuse(to, in_flight.kind, &RequestError::SessionClosing(id));
    } else {
        answer(state, to, in_flight.kind, ended, ticket);
    }
    close_if_shutting_down(state, id);
}

/// A request was cancelled before it began.
pub(super) fn withdrawn(state: &mut State, to: Address, kind: Kind) {
    let usage = match state.sessions.get(to.session) {
        Ok(session) => peaks_of(&session.handle().stats()),
        Err(_) => Usage::default(),
    };
    state.reply(to, terminal(kind, Outcome::Cancelled, usage));
    close_if_shutting_down(state, to.session);
}

/// Idle, Running ---- Calm ----> the same
fn calm(state: &mut State, id: SessionId) {
    let now = Instant::now();
    // The error is that the session is gone.
    let _ = state.sessions.update(id, |session| {
        session.calm(now);
        Ok(())
    });
}

fn answer(state: &mut State, to: Address, kind: Kind, ended: Ended, ticket: Ticket) {
    let mut outcome = ended.outcome;
    if let Outcome::Exception(error) = &mut outcome {
        error.clamp();
    }
    let frame = terminal(kind, outcome, ended.usage);
    match state.send(to, &frame, Toll::Credit(ticket)) {
        Ok(()) => {}
        Err(EncodeError::FrameTooLarge { len, limit }) => {
            let report = LimitReport::new(LimitKind::Frame, u64::from(limit), len);
            let outcome = Outcome::LimitExceeded(report);
            state.reply(to, terminal(kind, outcome, ended.usage));
        }
        // Clamped and from the engine: this is a fault of ours, and `reply` says so.
        Err(_) => state.reply(to, frame),
    }
}

/// What is known of a request that tells no usage itself: the peaks of its session.
pub(super) fn peaks_of(stats: &SessionStats) -> Usage {
    Usage {
        heap_peak_bytes: stats.heap_peak_bytes,
        external_peak_bytes: stats.external_peak_bytes,
        ..Usage::default()
    }
}

pub(super) fn terminal(kind: Kind, outcome: Outcome, usage: Usage) -> SidecarFrame {
    match kind {
        Kind::Call => SidecarFrame::Called(CalledFrame { outcome, usage }),
        _ => SidecarFrame::Outcome(OutcomeFrame { outcome, usage }),
    }
}

fn host_call(state: &mut State, id: SessionId, call: CallId, frame: HostCall, ticket: Ticket) {
    state
        .trace
        .call(id, call, &frame.method, frame.args.bytes().len());
    let to = Address {
        session: id,
        request: call.to_head(),
    };
    let Err(err) = state.send(to, &SidecarFrame::HostCall(frame), Toll::Credit(ticket)) else {
        return;
    };
    let error = HostError {
        name: "RangeError".to_owned(),
        message: format!("the arguments of the host function cannot be sent: {err}"),
        code: Some("ERR_MESSAGE_TOO_LARGE".to_owned()),
    };
    let reply = Reply::Err(error);
    if let Ok(session) = state.sessions.get(id) {
        // The error is that the call was given up meanwhile.
        let _ = session
            .handle()
            .try_send(SessionCommand::Reply { call, reply });
    }
}

/// A frame may end anywhere in the text (PROTOCOL.md 5.19), so what is longer than a
/// frame becomes several.
fn output(
    state: &mut State,
    to: Address,
    (stream, level): (Stream, Level),
    mut text: Bytes,
    ticket: OutputTicket,
) {
    let room = state.port.max_body().saturating_sub(OUTPUT_FRAME_ROOM);
    let room = usize::try_from(room).unwrap_or(usize::MAX).max(1);
    while text.len() > room {
        let piece = text.split_to(room);
        send_output(state, to, (stream, level), piece, OutputTicket::free());
    }
    send_output(state, to, (stream, level), text, ticket);
}

fn send_output(
    state: &mut State,
    to: Address,
    (stream, level): (Stream, Level),
    text: Bytes,
    ticket: OutputTicket,
) {
    let text = Blob::from(text);
    let frame = SidecarFrame::Output(Output {
        stream,
        level,
        text,
    });
    if let Err(err) = state.send(to, &frame, Toll::Output(ticket)) {
        tracing::error!(session = %to.session, %err, "output cannot be sent");
    }
}

fn guest_event(state: &mut State, id: SessionId, mut event: GuestEvent, ticket: Ticket) {
    if let GuestEvent::UnhandledRejection(error) = &mut event {
        error.clamp();
    }
    let running = state
        .sessions
        .get(id)
        .ok()
        .and_then(crate::session_table::Session::running);
    let to = Address {
        session: id,
        request: running.unwrap_or(RequestId::NONE),
    };
    let frame = SidecarFrame::SessionEvent(SessionEventFrame { event });
    if let Err(err) = state.send(to, &frame, Toll::Credit(ticket)) {
        tracing::error!(session = %id, %err, "an event cannot be sent");
    }
}

/// A process that runs sessions may know better than the table here whether a command can be
/// carried out.
fn refused_late(state: &mut State, id: SessionId, request: RequestId, refused: Refused) {
    let now = Instant::now();
    let kind = Kind::from_wire(refused.kind);
    let was_in_flight = state.sessions.update(id, |session| {
        Ok(match kind {
            Kind::Execute | Kind::Call => session.finished(request, now).is_some(),
            Kind::GetStats => session.answered_stats(request),
            _ => true,
        })
    });
    if was_in_flight.is_ok_and(|was| was) {
        state.counters.frames_refused = state.counters.frames_refused.saturating_add(1);
        let to = Address {
            session: id,
            request,
        };
        state.reply(to, refused);
    }
    close_if_shutting_down(state, id);
}

fn stats_come(state: &mut State, id: SessionId, request: RequestId, stats: SessionStats) {
    let answered = state
        .sessions
        .update(id, |session| Ok(session.answered_stats(request)));
    if answered.is_ok_and(|was_asked| was_asked) {
        let to = Address {
            session: id,
            request,
        };
        let stats = StatsBody::Session(stats);
        state.reply(to, Stats { stats });
    }
}

/// After `Shutdown` a session that has nothing left to do is closed.
fn close_if_shutting_down(state: &mut State, id: SessionId) {
    if state.lifeline.is_shutting_down()
        && state
            .sessions
            .get(id)
            .is_ok_and(|session| session.is_idle())
    {
        // The error is that the session is closing already.
        let _ = state.close_session(id, None, LEAVE_WITHIN);
    }
}
