//! A session: opening it, running guest code in it, closing it.

use std::sync::Arc;
use std::time::Duration;

use protocol::frame::{
    Call, CloseSession, Execute, GetStats, GuestEvent, HostError, Kind, OpenSession, Output,
    SessionOpened, StatsBody,
};
use protocol::{
    CallMode, HostFrame, HostFunction, Limits, RequestId, SessionId, SessionStats, SidecarFrame,
    Value, ValueFormat,
};

use crate::connection::Connection;
use crate::error::RequestError;
use crate::function::{Handlers, Responder};
use crate::pending::{Finished, Pending};
use crate::request::SessionOptions;

/// A session that is about to be opened: its host functions and handlers.
#[derive(Debug)]
pub struct SessionBuilder {
    connection: Arc<Connection>,
    options: SessionOptions,
    functions: Vec<HostFunction>,
    handlers: Handlers,
}

impl SessionBuilder {
    pub(crate) fn new(connection: Arc<Connection>, options: SessionOptions) -> SessionBuilder {
        SessionBuilder {
            connection,
            options,
            functions: Vec::new(),
            handlers: Handlers::default(),
        }
    }

    /// Lets the guest call `host.NAME(..)`; arguments come as a JSON array.
    ///
    /// The function runs on whichever thread waits for an answer, and of one session
    /// several calls may run at once.
    pub fn function(
        self,
        name: impl Into<String>,
        mode: CallMode,
        function: impl Fn(Value) -> Result<Value, HostError> + Send + Sync + 'static,
    ) -> SessionBuilder {
        self.function_in(name, mode, ValueFormat::Json, function)
    }

    /// As [`SessionBuilder::function`], with the arguments in a format of choice.
    pub fn function_in(
        self,
        name: impl Into<String>,
        mode: CallMode,
        format: ValueFormat,
        function: impl Fn(Value) -> Result<Value, HostError> + Send + Sync + 'static,
    ) -> SessionBuilder {
        self.deferred(name, mode, format, move |args, responder| {
            responder.reply(function(args));
        })
    }

    /// Lets the guest call a function that is answered later, from any thread.
    pub fn deferred(
        mut self,
        name: impl Into<String>,
        mode: CallMode,
        format: ValueFormat,
        function: impl Fn(Value, Responder) + Send + Sync + 'static,
    ) -> SessionBuilder {
        let name = name.into();
        self.handlers
            .functions
            .insert(name.clone(), Arc::new(function));
        self.functions.push(HostFunction { name, mode, format });
        self
    }

    /// Takes the guest's output as it comes, on the thread that reads. Without this it is
    /// dropped.
    pub fn on_output(
        mut self,
        on_output: impl Fn(RequestId, Output) + Send + Sync + 'static,
    ) -> SessionBuilder {
        self.handlers.on_output = Some(Box::new(on_output));
        self
    }

    /// Takes events, such as unhandled rejections, on the thread that reads.
    pub fn on_event(
        mut self,
        on_event: impl Fn(RequestId, GuestEvent) + Send + Sync + 'static,
    ) -> SessionBuilder {
        self.handlers.on_event = Some(Box::new(on_event));
        self
    }

    /// Opens the session and waits until it is open.
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn open(self) -> Result<Session, RequestError> {
        let connection = self.connection;
        let id = connection.lock().add_session(self.handlers);
        // Dropped when it does not open, also when its opening comes too late.
        let mut session = Session {
            connection,
            id,
            limits: Limits::DEFAULT,
            open_time: Duration::ZERO,
            is_closed: false,
        };
        match session.ask(&open_frame(self.options, self.functions)) {
            Ok(SidecarFrame::SessionOpened(opened)) => {
                session.opened(&opened);
                Ok(session)
            }
            Ok(other) => Err(RequestError::Unexpected(other.kind())),
            Err(err) => {
                session.is_closed = matches!(err, RequestError::Refused { .. });
                Err(err)
            }
        }
    }
}

/// An isolate of the sidecar. Dropped without [`Session::close`] it is closed all the same,
/// without waiting for it.
#[derive(Debug)]
pub struct Session {
    connection: Arc<Connection>,
    id: SessionId,
    limits: Limits,
    open_time: Duration,
    is_closed: bool,
}

impl Session {
    /// The session's id on the wire.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// The limits that hold.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How long the sidecar took to open it.
    pub fn open_time(&self) -> Duration {
        self.open_time
    }

    /// Runs code to its end.
    ///
    /// # Errors
    ///
    /// See [`RequestError`]. What the guest does wrong is an outcome.
    pub fn execute(&self, execute: Execute) -> Result<Finished, RequestError> {
        self.start(execute)?.wait()
    }

    /// Calls a function of the guest to its end.
    ///
    /// # Errors
    ///
    /// As [`Session::execute`].
    pub fn call(&self, call: Call) -> Result<Finished, RequestError> {
        self.start_call(call)?.wait()
    }

    /// Sends code to run and does not wait. Requests of one session run in the order in
    /// which they are sent.
    ///
    /// # Errors
    ///
    /// When it cannot be sent.
    pub fn start(&self, execute: Execute) -> Result<Pending, RequestError> {
        self.begin(&HostFrame::Execute(execute))
    }

    /// As [`Session::start`], for a call.
    ///
    /// # Errors
    ///
    /// When it cannot be sent.
    pub fn start_call(&self, call: Call) -> Result<Pending, RequestError> {
        self.begin(&HostFrame::Call(call))
    }

    /// Asks for the end of a request. Its answer still comes.
    pub fn cancel(&self, pending: &Pending) {
        pending.canceller().cancel();
    }

    /// What the session has done so far.
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn stats(&self) -> Result<SessionStats, RequestError> {
        match self.ask(&HostFrame::GetStats(GetStats {}))? {
            SidecarFrame::Stats(stats) => match stats.stats {
                StatsBody::Session(stats) => Ok(stats),
                StatsBody::Process(_) => Err(RequestError::Unexpected(Kind::Stats)),
            },
            other => Err(RequestError::Unexpected(other.kind())),
        }
    }

    /// Ends the session and waits until it is gone. What runs in it is cancelled.
    ///
    /// # Errors
    ///
    /// See [`RequestError`].
    pub fn close(mut self) -> Result<SessionStats, RequestError> {
        self.is_closed = true;
        match self.ask(&HostFrame::CloseSession(CloseSession {}))? {
            SidecarFrame::SessionClosed(closed) => Ok(closed.stats),
            other => Err(RequestError::Unexpected(other.kind())),
        }
    }

    fn opened(&mut self, opened: &SessionOpened) {
        self.limits = opened.limits;
        self.open_time = Duration::from_micros(opened.open_us);
        if let Some(entry) = self.connection.lock().session_mut(self.id) {
            entry.wall = Duration::from_millis(opened.limits.wall_ms);
        }
    }

    fn begin(&self, frame: &HostFrame) -> Result<Pending, RequestError> {
        let key = self.connection.request(self.id, frame)?;
        self.connection.drain();
        Ok(Pending::new(Arc::clone(&self.connection), key))
    }

    fn ask(&self, frame: &HostFrame) -> Result<SidecarFrame, RequestError> {
        let key = self.connection.request(self.id, frame)?;
        self.connection.answer(key, self.connection.patience())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let close = HostFrame::CloseSession(CloseSession {});
        // The error is that the session or the sidecar is gone already.
        if !self.is_closed
            && let Ok(key) = self.connection.request(self.id, &close)
        {
            self.connection.lock().forget(key);
        }
        let entry = self.connection.lock().remove_session(self.id);
        drop(entry);
    }
}

fn open_frame(options: SessionOptions, functions: Vec<HostFunction>) -> HostFrame {
    HostFrame::OpenSession(OpenSession {
        snapshot: options.snapshot,
        roots: options.roots,
        limits: options.limits,
        env: options.env,
        argv: options.argv,
        cwd: options.cwd,
        conditions: options.conditions,
        modules: options.modules,
        functions,
        isolation: options.isolation,
    })
}
