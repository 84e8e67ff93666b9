//! What a host lets its guests call, and the answers.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use protocol::bounds::{MAX_MESSAGE, MAX_NAME, clip};
use protocol::frame::{GuestEvent, HostError, HostReply, Output, Reply};
use protocol::{CallId, RequestId, SessionId, Value};

use crate::connection::Connection;

/// A host function: takes the encoded arguments and answers, now or later.
pub(crate) type Function = Arc<dyn Fn(Value, Responder) + Send + Sync>;
/// Takes output, with the request that wrote it.
pub(crate) type OnOutput = Box<dyn Fn(RequestId, Output) + Send + Sync>;
/// Takes events, with the request during which they happened.
pub(crate) type OnEvent = Box<dyn Fn(RequestId, GuestEvent) + Send + Sync>;

/// What a session's frames are handed to.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) functions: HashMap<String, Function>,
    pub(crate) on_output: Option<OnOutput>,
    pub(crate) on_event: Option<OnEvent>,
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&String> = self.functions.keys().collect();
        names.sort();
        f.debug_struct("Handlers")
            .field("functions", &names)
            .field("on_output", &self.on_output.is_some())
            .field("on_event", &self.on_event.is_some())
            .finish()
    }
}

/// The duty to answer one host call, from any thread and at any time. Dropped without an
/// answer it tells the guest that there is none.
#[derive(Debug)]
pub struct Responder {
    connection: Arc<Connection>,
    session: SessionId,
    call: CallId,
    is_answered: bool,
}

impl Responder {
    pub(crate) fn new(connection: Arc<Connection>, session: SessionId, call: CallId) -> Responder {
        Responder {
            connection,
            session,
            call,
            is_answered: false,
        }
    }

    /// The session whose guest waits.
    pub fn session(&self) -> SessionId {
        self.session
    }

    /// The call that is answered.
    pub fn call(&self) -> CallId {
        self.call
    }

    /// Answers. An answer that comes too late for the guest has no effect.
    pub fn reply(mut self, result: Result<Value, HostError>) {
        self.answer(result);
    }

    fn answer(&mut self, result: Result<Value, HostError>) {
        self.is_answered = true;
        let reply = match result {
            Ok(value) => Reply::Ok(value),
            Err(error) => Reply::Err(clamped(error)),
        };
        let sent = self.send(reply);
        if let Err(err) = sent {
            let message = format!("the host's answer cannot be sent: {err}");
            // The error is that the connection is gone, and the guest with it.
            let _ = self.send(Reply::Err(host_error(message, "ERR_HOST_ANSWER")));
        }
    }

    fn send(&self, reply: Reply) -> Result<(), protocol::EncodeError> {
        let frame = HostReply { reply }.into();
        self.connection
            .post(self.session, self.call.to_head(), &frame)
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if !self.is_answered {
            let message = "the host did not answer".to_owned();
            self.answer(Err(host_error(message, "ERR_HOST_ANSWER")));
        }
    }
}

pub(crate) fn host_error(message: String, code: &str) -> HostError {
    HostError {
        name: "Error".to_owned(),
        message,
        code: Some(code.to_owned()),
    }
}

fn clamped(mut error: HostError) -> HostError {
    clip(&mut error.name, MAX_NAME);
    clip(&mut error.message, MAX_MESSAGE);
    if let Some(code) = &mut error.code {
        clip(code, MAX_NAME);
    }
    error
}
