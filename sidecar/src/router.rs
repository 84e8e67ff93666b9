//! One task that owns all tables. Whatever can wake it is an [`Event`]; it handles what has
//! come, writes what that has caused, and sleeps.
//!
//! Invariant: nothing here blocks and nothing waits for the writer. A host that is writing
//! to us while we are writing to it finds us reading, up to the bound of `patience.rs`.

use std::time::Instant;

use host_bridge::Engine;
use protocol::frame::Head;
use protocol::{Envelope, FrameError, HostFrame};
use tokio::sync::mpsc;
use tokio::time::sleep_until;

use crate::ExitCode;
use crate::config::Config;
use crate::dispatch;
use crate::error::ConnectionError;
use crate::handlers::{session_event, snapshot_built};
use crate::lifeline::Ending;
use crate::patience::Patience;
use crate::port::Port;
use crate::reporter::Report;
use crate::signals::{Signal, watch_signals};
use crate::snapshots::Built;
use crate::state::State;
use crate::transport::{
    Flushed, Incoming, Transport, Watched, Writer, start_reader, watch_hangup, writable,
};

/// Frames of the host that wait for the router. When they are as many, the reader stops
/// reading.
pub(crate) const MAX_FRAMES: usize = 64;
/// Everything rare that waits for the router.
const MAX_EVENTS: usize = 16;
/// Reports of sessions that wait for the router. When they are as many, session threads
/// wait. One session alone has at most 256 of them.
pub(crate) const MAX_REPORTS: usize = 1024;
/// Taken from each queue before the outcome is written.
const MAX_TURN: usize = 64;

/// Whatever can wake the router, but for the way to the host becoming free and for time.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all events are frames, and 80 of them at most are kept"
)]
pub(crate) enum Event {
    /// The host sent a frame.
    Frame(Envelope<HostFrame>),
    /// The host sent a frame that cannot be read.
    Rejected(Head, FrameError),
    /// The stream of the host cannot be followed further.
    StreamError(ConnectionError),
    /// The stream of the host ended between two frames.
    StdinClosed,
    /// Nobody reads standard output any more.
    HostHungUp,
    /// A signal came.
    Signal(Signal),
    /// A snapshot was built, or could not be.
    SnapshotBuilt(Box<Built>),
}

/// Serves one host until the connection ends. Must be called inside a tokio runtime with
/// one thread, as a task of its own: a future that is blocked on is woken through a system
/// call, a task on the same thread is not.
pub async fn serve(engine: Box<dyn Engine>, transport: Transport, config: Config) -> ExitCode {
    let (event_sender, events) = mpsc::channel(MAX_EVENTS);
    let (frame_sender, frames) = mpsc::channel(MAX_FRAMES);
    let (report_sender, reports) = mpsc::channel(MAX_REPORTS);
    let started = watch_signals(config.parent, event_sender.clone())
        .and_then(|()| watch_hangup(&transport.output, event_sender.clone()))
        .and_then(|()| start_reader(transport.input, config.max_frame, frame_sender));
    if let Err(err) = started {
        tracing::error!(%err, "the transport cannot be set up");
        return ExitCode::CannotStart;
    }
    let port = Port::new(Writer::new(transport.output));
    let router = Router {
        patience: Patience::new(config.max_unread, config.read_within),
        state: State::new(engine, config, port, (event_sender, report_sender)),
        frames,
        events,
        reports,
    };
    router.run().await
}

#[derive(Debug)]
struct Router {
    state: State,
    patience: Patience,
    /// What comes from the reader, in order.
    frames: mpsc::Receiver<Incoming>,
    events: mpsc::Receiver<Event>,
    reports: mpsc::Receiver<Report>,
}

/// What the one `select!` came back with.
enum Woken {
    Frame(Incoming),
    Event(Event),
    Report(Report),
    /// More can be written, or a deadline has passed.
    Otherwise,
}

impl Router {
    async fn run(mut self) -> ExitCode {
        loop {
            let woken = self.wait().await;
            self.note_queues();
            match woken {
                Woken::Frame(incoming) => self.event(incoming.event),
                Woken::Event(event) => self.event(event),
                Woken::Report(report) => self.report(report),
                Woken::Otherwise => {}
            }
            self.backlog();
            self.state.advance(Instant::now());
            let flushed = self.flush();
            if let Some(code) = self.state.lifeline.exit(flushed, Instant::now()) {
                // Threads that are stuck still hold on to the port.
                self.state.port.hang_up();
                return code;
            }
        }
    }

    /// Notes how much waits, for `GetStats`.
    fn note_queues(&mut self) {
        let counters = &mut self.state.counters;
        counters.frames_waiting.note(self.frames.len());
        counters.reports_waiting.note(self.reports.len());
    }

    async fn wait(&mut self) -> Woken {
        let deadline = [self.state.next_deadline(), self.patience.deadline()];
        let deadline = deadline.into_iter().flatten().min();
        let blocked = self.state.port.blocked();
        let takes_frames = self.takes_frames();
        tokio::select! {
            biased;
            Some(frame) = self.frames.recv(), if takes_frames => Woken::Frame(frame),
            Some(event) = self.events.recv() => Woken::Event(event),
            Some(report) = self.reports.recv() => Woken::Report(report),
            () = free(blocked.as_deref()), if blocked.is_some() => Woken::Otherwise,
            () = until(deadline), if deadline.is_some() => Woken::Otherwise,
        }
    }

    /// Handles what else has come, in turns, so that no queue waits for the others.
    fn backlog(&mut self) {
        for _ in 0..MAX_TURN {
            let frame = match self.takes_frames() {
                true => self.frames.try_recv().ok(),
                false => None,
            };
            let event = self.events.try_recv().ok();
            let report = self.reports.try_recv().ok();
            if frame.is_none() && event.is_none() && report.is_none() {
                return;
            }
            frame.into_iter().for_each(|frame| self.event(frame.event));
            event.into_iter().for_each(|event| self.event(event));
            report.into_iter().for_each(|report| self.report(report));
        }
    }

    /// Whether there is room for what the host's next frame may cause. A host that is told
    /// to go away causes nothing more.
    fn takes_frames(&self) -> bool {
        !self.patience.is_too_much(self.state.port.unread()) || self.state.lifeline.is_leaving()
    }

    fn event(&mut self, event: Event) {
        let state = &mut self.state;
        let result = match event {
            // The last frames of a host that is told to go away are without effect.
            Event::Frame(_) | Event::Rejected(..) if state.lifeline.is_leaving() => Ok(()),
            Event::Frame(envelope) => {
                state.counters.frames_in = state.counters.frames_in.saturating_add(1);
                dispatch::frame(state, envelope)
            }
            Event::Rejected(head, err) => {
                state.counters.frames_in = state.counters.frames_in.saturating_add(1);
                dispatch::rejected(state, head, err)
            }
            Event::StreamError(err) => Err(err),
            Event::StdinClosed => {
                state.leave(Ending::stdin_closed());
                Ok(())
            }
            Event::HostHungUp => {
                self.hang_up();
                Ok(())
            }
            Event::Signal(Signal::Terminate) => {
                state.leave(Ending::terminated());
                Ok(())
            }
            Event::Signal(Signal::ParentDied) => {
                state.leave(Ending::parent_died());
                Ok(())
            }
            Event::SnapshotBuilt(built) => {
                snapshot_built::handle(state, *built);
                Ok(())
            }
        };
        if let Err(err) = result {
            tracing::warn!(%err, "connection error");
            self.state.leave(Ending::from(&err));
        }
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Event(report) => session_event::handle(&mut self.state, report),
            Report::Stopping(key, request) if self.state.sessions.is_current(key) => {
                let now = Instant::now();
                // The error is that the session is gone, and so is the request.
                let _ = self.state.sessions.update(key.id, |session| {
                    session.stopping(request, now);
                    Ok(())
                });
            }
            // The flush at the end of this turn is what is asked for.
            Report::Stopping(..) | Report::Unwritten => {}
        }
    }

    /// Writes what waits.
    fn flush(&mut self) -> Flushed {
        match self.state.port.flush() {
            Ok(Flushed::All) => {
                self.patience.is_over(0, 0, Instant::now());
                Flushed::All
            }
            Ok(Flushed::Blocked) => {
                let waiting = self.state.port.unread();
                let n_written = self.state.port.n_written();
                if self.patience.is_over(waiting, n_written, Instant::now()) {
                    let err = ConnectionError::HostNotReading { waiting };
                    self.state.leave(Ending::from(&err));
                }
                Flushed::Blocked
            }
            Err(err) => {
                tracing::info!(%err, "standard output");
                self.hang_up();
                Flushed::All
            }
        }
    }

    fn hang_up(&mut self) {
        self.state.port.hang_up();
        self.state.leave(Ending::host_hung_up());
    }
}

async fn free(blocked: Option<&Watched>) {
    if let Some(blocked) = blocked {
        writable(blocked).await;
    }
}

async fn until(deadline: Option<Instant>) {
    if let Some(deadline) = deadline {
        sleep_until(deadline.into()).await;
    }
}
