//! The sidecar as a whole: its handshake, snapshots, statistics and end.

use std::io;
use std::os::fd::OwnedFd;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use protocol::bounds::MAX_FRAME;
use protocol::frame::{GetStats, Hello, Kind, Ping, Shutdown, SnapshotReady, StatsBody, Welcome};
use protocol::{HostFrame, Limits, PROTOCOL_VERSION, ProcessStats, SessionId, SidecarFrame};

use crate::child::OwnChild;
use crate::connection::{Connection, END_WITHIN, Stop};
use crate::error::{Lost, RequestError, SpawnError};
use crate::link::Link;
use crate::request::{SessionOptions, SnapshotSpec};
use crate::session::SessionBuilder;

/// How this side behaves.
#[derive(Debug, Clone)]
pub struct ConnectOptions {
    /// Who this host is, for the sidecar's logs.
    pub client: String,
    /// The longest body to agree on, in bytes; 0 for the default.
    pub max_frame: u32,
    /// How long to wait for what should come at once, the handshake included.
    pub patience: Duration,
}

impl Default for ConnectOptions {
    fn default() -> ConnectOptions {
        ConnectOptions {
            client: concat!("isolate-sidecar-client ", env!("CARGO_PKG_VERSION")).to_owned(),
            max_frame: MAX_FRAME,
            patience: Duration::from_secs(30),
        }
    }
}

/// A running sidecar. Threads may share it by reference.
#[derive(Debug)]
pub struct Sidecar {
    connection: Arc<Connection>,
    welcome: Welcome,
}

impl Sidecar {
    /// Speaks to a sidecar whose standard output and input these are, and which is somebody
    /// else's child.
    ///
    /// # Errors
    ///
    /// See [`SpawnError`].
    pub fn over(
        reader: OwnedFd,
        writer: OwnedFd,
        options: &ConnectOptions,
    ) -> Result<Sidecar, SpawnError> {
        Sidecar::connect(reader, writer, None, options)
    }

    pub(crate) fn connect(
        reader: OwnedFd,
        writer: OwnedFd,
        child: Option<OwnChild>,
        options: &ConnectOptions,
    ) -> Result<Sidecar, SpawnError> {
        let (link, writer) = Link::new(reader, writer).map_err(SpawnError::Connect)?;
        let connection = Arc::new(Connection::new(link, writer, child, options.patience));
        match handshake(&connection, options) {
            Ok(welcome) => Ok(Sidecar {
                connection,
                welcome,
            }),
            Err(err) => {
                connection.close(Duration::ZERO);
                Err(err)
            }
        }
    }

    /// What the sidecar said at the beginning: versions, limits, features.
    pub fn welcome(&self) -> &Welcome {
        &self.welcome
    }

    /// The process, if this side started it.
    pub fn pid(&self) -> Option<u32> {
        self.connection.pid()
    }

    /// How often a supervised sidecar was started anew (`serve --supervise`), as far as this side
    /// has read. Each time its sessions are lost, and its snapshots are forgotten; the connection
    /// goes on.
    pub fn restarts(&self) -> u64 {
        self.connection.lock().n_restarts()
    }

    /// Why the sidecar is gone, if this side knows that it is.
    pub fn lost(&self) -> Option<Arc<Lost>> {
        self.connection.lock().end()
    }

    /// Evaluates an SDK once, for sessions to start from; an equal snapshot is reused.
    ///
    /// # Errors
    ///
    /// See [`RequestError`]; a refusal says what could not be kept.
    pub fn warm_snapshot(&self, spec: SnapshotSpec) -> Result<SnapshotReady, RequestError> {
        let wall_ms = spec.limits.wall_ms.unwrap_or(Limits::DEFAULT.wall_ms);
        let within = Duration::from_millis(wall_ms).saturating_add(self.connection.patience());
        match self.ask(&HostFrame::WarmSnapshot(spec.into()), within)? {
            SidecarFrame::SnapshotReady(ready) => Ok(ready),
            other => Err(RequestError::Unexpected(other.kind())),
        }
    }

    /// Begins to open a session.
    pub fn session(&self, options: SessionOptions) -> SessionBuilder {
        SessionBuilder::new(Arc::clone(&self.connection), options)
    }

    /// What the process has done so far.
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn stats(&self) -> Result<ProcessStats, RequestError> {
        let asked = self.ask(
            &HostFrame::GetStats(GetStats {}),
            self.connection.patience(),
        );
        match asked? {
            SidecarFrame::Stats(stats) => match stats.stats {
                StatsBody::Process(stats) => Ok(stats),
                StatsBody::Session(_) => Err(RequestError::Unexpected(Kind::Stats)),
            },
            other => Err(RequestError::Unexpected(other.kind())),
        }
    }

    /// Whether the sidecar answers.
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn ping(&self) -> Result<(), RequestError> {
        let payload = *b"sidecar?";
        let ping = HostFrame::Ping(Ping { payload });
        match self.ask(&ping, self.connection.patience())? {
            SidecarFrame::Pong(pong) if pong.payload == payload => Ok(()),
            other => Err(RequestError::Unexpected(other.kind())),
        }
    }

    /// Answers host calls and takes output without waiting for an answer, for this long or
    /// until the sidecar is gone.
    pub fn serve_for(&self, time: Duration) {
        let deadline = self.connection.deadline_in(time);
        // The error is how it always ends.
        let _ = self.connection.wait(deadline, None, |_| Option::<()>::None);
    }

    /// Asks the sidecar to end: running requests get `grace`. Says how the process ended,
    /// if it is a child of this side.
    ///
    /// # Errors
    ///
    /// [`RequestError::TimedOut`] when it does not end; dropped, it is killed.
    pub fn shutdown(self, grace: Duration) -> Result<Option<ExitStatus>, RequestError> {
        let grace_ms = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        let shutdown = HostFrame::Shutdown(Shutdown { grace_ms });
        let (session, request) = (SessionId::CONNECTION, protocol::RequestId::NONE);
        self.connection.post(session, request, &shutdown)?;
        self.wait_for_end(grace.saturating_add(self.connection.patience()))
    }

    /// Closes the sidecar's standard input and says how the process ended, if it is a child
    /// of this side. One that does not end within two seconds is killed.
    pub fn close(self) -> Option<ExitStatus> {
        self.connection.close(END_WITHIN);
        self.lost().and_then(|lost| lost.status)
    }

    fn wait_for_end(&self, within: Duration) -> Result<Option<ExitStatus>, RequestError> {
        let deadline = self.connection.deadline_in(within);
        match self.connection.wait(deadline, None, |state| state.end()) {
            Ok(lost) | Err(Stop::End(lost)) => Ok(lost.status),
            Err(stop) => Err(stop.into_error(within)),
        }
    }

    fn ask(&self, frame: &HostFrame, within: Duration) -> Result<SidecarFrame, RequestError> {
        let key = self.connection.request(SessionId::CONNECTION, frame)?;
        self.connection.answer(key, within)
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.connection.close(END_WITHIN);
    }
}

fn handshake(
    connection: &Arc<Connection>,
    options: &ConnectOptions,
) -> Result<Welcome, SpawnError> {
    let hello = HostFrame::Hello(Hello {
        min_version: PROTOCOL_VERSION,
        max_version: PROTOCOL_VERSION,
        client: options.client.clone(),
        max_frame: options.max_frame,
    });
    let answer = connection
        .request(SessionId::CONNECTION, &hello)
        .and_then(|key| connection.answer(key, options.patience));
    match answer {
        Ok(SidecarFrame::Welcome(welcome)) => Ok(welcome),
        Ok(other) => Err(SpawnError::Handshake(RequestError::Unexpected(
            other.kind(),
        ))),
        Err(RequestError::TimedOut(after)) => Err(SpawnError::NoWelcome(after)),
        Err(RequestError::SidecarLost(lost)) => Err(SpawnError::Lost(lost)),
        Err(err) => Err(SpawnError::Handshake(err)),
    }
}

/// The error of a child without the pipes that were asked for.
pub(crate) fn no_pipe() -> SpawnError {
    SpawnError::Connect(io::Error::from(io::ErrorKind::BrokenPipe))
}
