//! The steps of a fake session's script, one a line, as `verb` or `verb:arguments`:
//!
//! | step | does |
//! |---|---|
//! | `echo:JSON` | the value of the script is this JSON text |
//! | `raw:N` | the value is N bytes |
//! | `input` | the value is the request's input |
//! | `print:TEXT` | one `Output` |
//! | `flood:N:SIZE` | N `Output`s of SIZE bytes |
//! | `host:NAME:JSON` | a host call; its reply is the value |
//! | `sync-host:NAME:JSON` | the same, with the thread blocked |
//! | `burst:NAME:N:SIZE` | N host calls at once with SIZE bytes each, then waits for all |
//! | `reject:TEXT` | an unhandled rejection |
//! | `throw:TEXT` | an exception |
//! | `spin` | runs until it is stopped |
//! | `gate` | waits for the engine's gate, deaf to being stopped |
//! | `stuck` | never returns, deaf to being stopped |
//! | `over-cpu` | ends as if the CPU limit had been reached |
//! | `stray` | reports the end of a request that nobody made |
//! | `oom`, `engine-oom`, `bug:TEXT` | ends the session |

use bytes::Bytes;
use protocol::frame::{GuestEvent, Level, Reply, Stream};
use protocol::{Blob, CallId, CallMode, JsError, Outcome, RequestId, Usage, Value};

use super::{Session, park_for_good};
use crate::{ExitReason, OutputTicket, Received, RoundTrip, SessionEvent, Wants};

/// Why a script did not come to its end.
#[derive(Debug)]
pub(super) enum End {
    Interrupted,
    OverCpu,
    Threw(Box<JsError>),
    Session(ExitReason),
}

/// Runs the script of one request.
#[derive(Debug)]
pub(super) struct Interpreter<'a> {
    pub(super) session: &'a Session,
    pub(super) request: RequestId,
}

impl Interpreter<'_> {
    pub(super) fn run(&self, script: &str, input: Value) -> Result<Value, End> {
        let mut value = Value::Undefined;
        for step in script.lines() {
            let (verb, rest) = step.trim().split_once(':').unwrap_or((step.trim(), ""));
            let is_deaf = matches!(verb, "gate" | "stuck");
            if !is_deaf && self.session.shared.terminator.verdict().is_some() {
                return Err(End::Interrupted);
            }
            value = match verb {
                "" => value,
                "echo" => Value::Json(Blob::from(rest.to_owned())),
                "raw" => Value::Raw(filler(number(rest))),
                "input" => input.clone(),
                "print" => self.print(Bytes::copy_from_slice(rest.as_bytes()), value)?,
                "flood" => self.flood(rest, value)?,
                "host" => self.host_call(rest, CallMode::Async)?,
                "sync-host" => self.host_call(rest, CallMode::Sync)?,
                "burst" => self.burst(rest, value)?,
                "reject" => self.reject(rest, value),
                "throw" => return Err(End::Threw(error(rest))),
                "spin" => return Err(self.spin()),
                "gate" => self.gate(value),
                "stuck" => return Err(stuck()),
                "over-cpu" => return Err(End::OverCpu),
                "stray" => self.stray(value),
                "oom" => return Err(End::Session(ExitReason::MemoryExceeded)),
                "engine-oom" => return Err(End::Session(ExitReason::EngineOom)),
                "bug" => return Err(End::Session(ExitReason::Internal(rest.to_owned()))),
                unknown => return Err(End::Threw(error(&format!("no step {unknown}")))),
            };
        }
        Ok(value)
    }

    fn print(&self, text: Bytes, value: Value) -> Result<Value, End> {
        let ticket = self.output_ticket(text.len())?;
        self.session.events.send(SessionEvent::Output {
            request: self.request,
            stream: Stream::Stdout,
            level: Level::Log,
            text,
            ticket,
        });
        Ok(value)
    }

    fn output_ticket(&self, bytes: usize) -> Result<OutputTicket, End> {
        let mailbox = &self.session.shared.mailbox;
        mailbox.reserve_output(bytes).map_err(|_| End::Interrupted)
    }

    fn flood(&self, arguments: &str, mut value: Value) -> Result<Value, End> {
        let (n, size) = arguments.split_once(':').unwrap_or((arguments, "1"));
        let text = filler(number(size)).into_bytes();
        for _ in 0..number(n) {
            value = self.print(text.clone(), value)?;
        }
        Ok(value)
    }

    fn host_call(&self, arguments: &str, mode: CallMode) -> Result<Value, End> {
        let (name, json) = arguments.split_once(':').unwrap_or((arguments, "[]"));
        let call = self.send_call(name, mode, Value::Json(Blob::from(json.to_owned())))?;
        let wants = match mode {
            CallMode::Sync => Wants::Reply(call),
            CallMode::Async => Wants::Progress,
        };
        self.reply(wants)
    }

    fn burst(&self, arguments: &str, value: Value) -> Result<Value, End> {
        let mut parts = arguments.split(':');
        let name = parts.next().unwrap_or("");
        let n = number(parts.next().unwrap_or("1"));
        let args = Value::Raw(filler(number(parts.next().unwrap_or("1"))));
        for _ in 0..n {
            self.send_call(name, CallMode::Async, args.clone())?;
        }
        for _ in 0..n {
            self.reply(Wants::Progress)?;
        }
        Ok(value)
    }

    fn send_call(&self, name: &str, mode: CallMode, args: Value) -> Result<CallId, End> {
        let functions = &self.session.spec.functions;
        let Some(function) = functions.iter().position(|f| f.name == name) else {
            return Err(End::Threw(error(&format!("no host function {name}"))));
        };
        let bytes_out = u64::try_from(args.bytes().len()).unwrap_or(u64::MAX);
        let Ok(call) = self.session.shared.calls.open(function, bytes_out) else {
            return Err(End::Threw(error("too many host calls")));
        };
        self.session.events.send(SessionEvent::HostCall {
            call,
            method: name.to_owned(),
            mode,
            args,
        });
        Ok(call)
    }

    fn reply(&self, wants: Wants) -> Result<Value, End> {
        let answer = match self.session.shared.mailbox.wait(wants, None) {
            Received::Answer(answer) => answer,
            _ => return Err(End::Interrupted),
        };
        let (bytes_in, failed) = match &answer.reply {
            Reply::Ok(value) => (value.bytes().len(), false),
            Reply::Err(_) => (0, true),
        };
        let trip = RoundTrip {
            bytes_out: answer.open.bytes_out,
            bytes_in: u64::try_from(bytes_in).unwrap_or(u64::MAX),
            latency: answer.latency,
            failed,
        };
        let counters = &self.session.shared.counters;
        counters.round_trip(answer.open.function, &trip);
        match answer.reply {
            Reply::Ok(value) => Ok(value),
            Reply::Err(err) => Err(End::Threw(Box::new(JsError {
                name: err.name,
                message: err.message,
                code: err.code,
                ..JsError::default()
            }))),
        }
    }

    fn reject(&self, text: &str, value: Value) -> Value {
        let event = GuestEvent::UnhandledRejection(*error(text));
        self.session.events.send(SessionEvent::Guest(event));
        value
    }

    fn spin(&self) -> End {
        let nothing = Wants::Reply(CallId::new(u64::MAX));
        self.session.shared.mailbox.wait(nothing, None);
        End::Interrupted
    }

    fn gate(&self, value: Value) -> Value {
        self.session.gate.pass();
        value
    }

    fn stray(&self, value: Value) -> Value {
        self.session.events.send(SessionEvent::Finished {
            request: RequestId::new(u64::MAX),
            outcome: Outcome::Cancelled,
            usage: Usage::default(),
        });
        value
    }
}

fn stuck() -> End {
    park_for_good();
    End::Interrupted
}

fn error(text: &str) -> Box<JsError> {
    Box::new(JsError {
        name: "Error".to_owned(),
        message: text.to_owned(),
        ..JsError::default()
    })
}

fn number(text: &str) -> usize {
    text.parse().unwrap_or(0)
}

fn filler(bytes: usize) -> Blob {
    Blob::from(vec![b'x'; bytes])
}
