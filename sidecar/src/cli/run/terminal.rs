//! What people see: the guest's streams as they are, its value, its errors.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use isolate_sidecar_client::{JsError, LimitKind, LimitReport, Stream};

use super::ending::Ending;
use super::json::Report;
use super::perform::Performed;
use super::plan::Plan;

/// Standard output and error of this process.
#[derive(Debug)]
pub(super) struct Terminal {
    passes_on: bool,
    is_broken: Arc<AtomicBool>,
}

/// Where a session's output goes as it comes.
#[derive(Debug, Clone)]
pub(super) struct Streams {
    passes_on: bool,
    is_broken: Arc<AtomicBool>,
}

impl Terminal {
    /// Output is shown as it comes.
    pub(super) fn passing_on() -> Terminal {
        Terminal {
            passes_on: true,
            is_broken: Arc::default(),
        }
    }

    /// Output is kept, session by session, until the end.
    pub(super) fn keeping() -> Terminal {
        Terminal {
            passes_on: false,
            is_broken: Arc::default(),
        }
    }

    pub(super) fn streams(&self) -> Streams {
        Streams {
            passes_on: self.passes_on,
            is_broken: Arc::clone(&self.is_broken),
        }
    }

    /// Whether somebody has closed our standard output.
    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    pub(super) fn print_json(&self, report: &Report<'_>) {
        let mut line = serde_json::to_vec(report).unwrap_or_default();
        line.push(b'\n');
        self.streams().show(Stream::Stdout, &line);
    }

    /// Shows a session that has ended: its output, if that has been kept, and how it ended.
    pub(super) fn print(&self, performed: &Performed, plan: &Plan) {
        let streams = self.streams();
        for piece in &performed.output {
            streams.show(piece.stream, &piece.text);
        }
        match &performed.ending {
            Ending::Ok(Some(value)) if plan.shows_value => {
                streams.show(Stream::Stdout, format!("{value}\n").as_bytes());
            }
            Ending::Ok(_) => {}
            Ending::Exception(error) => complain(format_args!("{}", uncaught(error))),
            Ending::Limit(report) => complain(limit_line(report)),
            Ending::Cancelled => complain("cancelled"),
            Ending::Lost { reason, .. } => complain(format_args!("isolate-sidecar run: {reason}")),
        }
    }
}

impl Streams {
    /// Shows output as it comes. `None` says that it is to be kept, `Some(false)` that nobody
    /// looks any more.
    pub(super) fn write(&self, stream: Stream, text: &[u8]) -> Option<bool> {
        self.passes_on.then(|| self.show(stream, text))
    }

    fn show(&self, stream: Stream, text: &[u8]) -> bool {
        let written = match stream {
            Stream::Stdout => write_stdout(text),
            Stream::Stderr => io::stderr().write_all(text),
        };
        if written.is_err() && stream == Stream::Stdout {
            self.is_broken.store(true, Ordering::Relaxed);
        }
        written.is_ok()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "`run` is a host: no frames go over its standard output"
)]
fn write_stdout(text: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text)?;
    stdout.flush()
}

/// One line, or a stack, on standard error.
pub(super) fn complain(text: impl Display) {
    let text = text.to_string();
    if text.is_empty() {
        return;
    }
    // The error is that nobody can be told.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The stack with those of the causes, as Node shows them.
/// As Node says it. What is no error has no name of its own.
fn uncaught(error: &JsError) -> String {
    let stack = stack(error);
    match stack.strip_prefix("Uncaught: ") {
        Some(thrown) => format!("Uncaught {thrown}"),
        None => format!("Uncaught {stack}"),
    }
}

fn stack(error: &JsError) -> String {
    let mut text = own_stack(error);
    let mut cause = error.cause.as_deref();
    while let Some(error) = cause {
        text.push_str("\n[cause]: ");
        text.push_str(&own_stack(error));
        cause = error.cause.as_deref();
    }
    text
}

fn own_stack(error: &JsError) -> String {
    match (error.stack.as_str(), error.message.as_str()) {
        ("", "") => error.name.clone(),
        ("", message) => format!("{}: {message}", error.name),
        (stack, _) => stack.to_owned(),
    }
}

fn limit_line(report: &LimitReport) -> String {
    let LimitReport {
        which,
        limit,
        usage,
        raise,
    } = report;
    let (unit, raise) = match which {
        LimitKind::Memory => (" bytes", "Raise it with --heap-mb."),
        LimitKind::Cpu => (" ms", "Raise it with --cpu-ms."),
        LimitKind::Wall => (" ms", "Raise it with --wall-ms."),
        LimitKind::Output | LimitKind::Message | LimitKind::Frame => (" bytes", raise.as_str()),
        _ => ("", raise.as_str()),
    };
    let which = which.as_str();
    format!(
        "isolate-sidecar run: over the {which} limit of {limit}{unit}, used {usage}{unit}. {raise}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shown_with_their_causes() {
        let error = JsError {
            stack: "Error: a\n    at x.js:1:1".to_owned(),
            cause: Some(Box::new(JsError {
                name: "TypeError".to_owned(),
                message: "b".to_owned(),
                ..JsError::default()
            })),
            ..JsError::default()
        };
        assert_eq!(
            stack(&error),
            "Error: a\n    at x.js:1:1\n[cause]: TypeError: b"
        );
    }

    #[test]
    fn a_limit_is_one_line_that_says_how_to_raise_it() {
        assert_eq!(
            limit_line(&LimitReport::new(LimitKind::Wall, 300, 301)),
            "isolate-sidecar run: over the wall limit of 300 ms, used 301 ms. Raise it with --wall-ms."
        );
        let line = limit_line(&LimitReport::new(LimitKind::Timers, 1, 2));
        assert!(
            line.contains("of 1, used 2. Ask for a larger limits.timers"),
            "{line}"
        );
    }
}
