//! How requests end.

use protocol::frame::{CalledFrame, OutcomeFrame};
use protocol::{Blob, JsError, LimitKind, LimitReport, Outcome, StackFrame, Usage, Value};

use super::{Sample, sidecar, text};

pub(super) fn all() -> Vec<Sample> {
    let outcome = |outcome| OutcomeFrame {
        outcome,
        usage: usage(),
    };
    vec![
        sidecar(
            "ok",
            (1, 6),
            outcome(Outcome::Ok(Value::Json(Blob::from("2")))),
        ),
        sidecar("exception", (1, 6), outcome(Outcome::Exception(error()))),
        sidecar(
            "limit_exceeded",
            (1, 6),
            outcome(Outcome::LimitExceeded(LimitReport::new(
                LimitKind::Cpu,
                30_000,
                30_004,
            ))),
        ),
        sidecar(
            "cancelled",
            (1, 6),
            OutcomeFrame {
                outcome: Outcome::Cancelled,
                usage: Usage::default(),
            },
        ),
        sidecar(
            "undefined",
            (1, 7),
            CalledFrame {
                outcome: Outcome::Ok(Value::Undefined),
                usage: usage(),
            },
        ),
    ]
}

fn error() -> JsError {
    let frame = |function: Option<&str>, line, column| StackFrame {
        function: function.map(text),
        file: text("/app/main.ts"),
        line,
        column,
    };
    JsError {
        name: text("TypeError"),
        message: text("x is not a function"),
        code: Some(text("ERR_X")),
        stack: text("TypeError: x is not a function\n    at run (/app/main.ts:10:3)"),
        frames: vec![frame(Some("run"), 10, 3), frame(None, 1000, 70_000)],
        cause: Some(Box::new(JsError {
            name: text("Error"),
            message: text("inner"),
            ..JsError::default()
        })),
    }
}

fn usage() -> Usage {
    Usage {
        wall_us: 1_500,
        cpu_us: 250,
        heap_peak_bytes: 4_000_000,
        external_peak_bytes: 65_536,
        round_trips: 1,
        modules_from_reader: 2,
        modules_from_snapshot: 251,
        modules_from_host: 1,
        output_bytes: 5_000_000_000,
        output_dropped_bytes: 0,
    }
}
