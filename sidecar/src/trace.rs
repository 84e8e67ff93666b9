//! What sessions cost, as JSON lines on standard error, for whoever asked with
//! `ISOLATE_SIDECAR_TRACE`: `roundtrips` for one line a session, `calls` for one more line
//! a host call. Off, it costs one comparison.

use std::collections::HashMap;
use std::time::Instant;

use protocol::{CallId, SessionId, SessionStats};
use serde::Serialize;

use crate::config::{TRACE_VARIABLE, variable};
use crate::log;

/// How much is traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum TraceLevel {
    /// Nothing.
    #[default]
    Off,
    /// One line when a session ends.
    RoundTrips,
    /// Besides, one line for each answered host call.
    Calls,
}

impl TraceLevel {
    /// What the environment asks for. A value that means nothing is reported in the log.
    pub fn from_environment() -> TraceLevel {
        match variable(TRACE_VARIABLE).as_deref() {
            None => TraceLevel::Off,
            Some("roundtrips") => TraceLevel::RoundTrips,
            Some("calls") => TraceLevel::Calls,
            Some(other) => {
                tracing::warn!(
                    value = other,
                    "{TRACE_VARIABLE} is neither roundtrips nor calls"
                );
                TraceLevel::Off
            }
        }
    }
}

/// Writes the lines.
#[derive(Debug)]
pub(crate) struct Trace {
    level: TraceLevel,
    /// Calls without an answer. Only filled at [`TraceLevel::Calls`]; bounded by the calls
    /// that sessions may have in flight.
    calls: HashMap<(SessionId, CallId), OpenCall>,
}

#[derive(Debug)]
struct OpenCall {
    method: String,
    bytes_out: usize,
    sent: Instant,
}

#[derive(Serialize)]
struct SessionLine<'a> {
    trace: &'static str,
    session: u32,
    requests: u64,
    round_trips: u64,
    bytes_out: u64,
    bytes_in: u64,
    methods: Vec<MethodLine<'a>>,
    modules_from_reader: u64,
    modules_from_snapshot: u64,
    modules_from_host: u64,
    cpu_us: u64,
    heap_peak_bytes: u64,
}

#[derive(Serialize)]
struct MethodLine<'a> {
    method: &'a str,
    count: u64,
    errors: u64,
    bytes_out: u64,
    bytes_in: u64,
    p50_us: u64,
    p99_us: u64,
    max_us: u64,
}

#[derive(Serialize)]
struct CallLine<'a> {
    trace: &'static str,
    session: u32,
    call: u64,
    method: &'a str,
    bytes_out: usize,
    bytes_in: usize,
    us: u128,
    failed: bool,
}

impl Trace {
    pub(crate) fn new(level: TraceLevel) -> Trace {
        Trace {
            level,
            calls: HashMap::new(),
        }
    }

    /// Whether each host call is traced.
    pub(crate) fn sees_calls(&self) -> bool {
        self.level == TraceLevel::Calls
    }

    /// A host call is on its way.
    pub(crate) fn call(&mut self, session: SessionId, call: CallId, method: &str, bytes: usize) {
        if self.level == TraceLevel::Calls {
            let open = OpenCall {
                method: method.to_owned(),
                bytes_out: bytes,
                sent: Instant::now(),
            };
            self.calls.insert((session, call), open);
        }
    }

    /// A host call was answered.
    pub(crate) fn reply(&mut self, session: SessionId, call: CallId, bytes_in: Option<usize>) {
        if self.level != TraceLevel::Calls {
            return;
        }
        if let Some(open) = self.calls.remove(&(session, call)) {
            write_line(&CallLine {
                trace: "call",
                session: session.get(),
                call: call.get(),
                method: &open.method,
                bytes_out: open.bytes_out,
                bytes_in: bytes_in.unwrap_or(0),
                us: open.sent.elapsed().as_micros(),
                failed: bytes_in.is_none(),
            });
        }
    }

    /// A session is over.
    pub(crate) fn session(&mut self, session: SessionId, stats: &SessionStats) {
        if self.level < TraceLevel::RoundTrips {
            return;
        }
        self.calls.retain(|(of, _), _| *of != session);
        write_line(&SessionLine::new(session, stats));
    }
}

impl SessionLine<'_> {
    fn new(session: SessionId, stats: &SessionStats) -> SessionLine<'_> {
        SessionLine {
            trace: "session",
            session: session.get(),
            requests: stats.requests,
            round_trips: stats.round_trips,
            bytes_out: stats.bytes_out,
            bytes_in: stats.bytes_in,
            methods: stats
                .methods
                .iter()
                .map(|method| MethodLine {
                    method: &method.method,
                    count: method.count,
                    errors: method.errors,
                    bytes_out: method.bytes_out,
                    bytes_in: method.bytes_in,
                    p50_us: method.p50_us,
                    p99_us: method.p99_us,
                    max_us: method.max_us,
                })
                .collect(),
            modules_from_reader: stats.modules_from_reader,
            modules_from_snapshot: stats.modules_from_snapshot,
            modules_from_host: stats.modules_from_host,
            cpu_us: stats.cpu_us,
            heap_peak_bytes: stats.heap_peak_bytes,
        }
    }
}

fn write_line(line: &impl Serialize) {
    if let Ok(mut text) = serde_json::to_vec(line) {
        text.push(b'\n');
        log::write_line(text);
    }
}
