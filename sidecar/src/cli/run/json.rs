//! The object that `--json` prints.

use isolate_sidecar_client::{JsError, LimitReport, Stream, Usage};
use serde::Serialize;
use serde_json::value::RawValue;

use super::ending::Ending;
use super::perform::Performed;
use super::told::Piece;

/// One run. The fields of the first session are at the top; where there are several,
/// `sessions` holds them all.
#[derive(Debug, Serialize)]
pub(super) struct Report<'a> {
    #[serde(flatten)]
    first: Option<One<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sessions: Vec<One<'a>>,
}

#[derive(Debug, Serialize)]
struct One<'a> {
    outcome: OutcomeReport<'a>,
    usage: UsageReport,
    output: Vec<OutputReport<'a>>,
}

#[derive(Debug, Serialize)]
struct OutcomeReport<'a> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ErrorReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitText>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ErrorReport<'a> {
    name: &'a str,
    message: &'a str,
    code: Option<&'a str>,
    stack: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Box<ErrorReport<'a>>>,
}

#[derive(Debug, Serialize)]
struct LimitText {
    which: &'static str,
    limit: u64,
    usage: u64,
}

#[derive(Debug, Serialize)]
struct UsageReport {
    wall_ms: f64,
    cpu_ms: f64,
    heap_peak_bytes: u64,
    external_peak_bytes: u64,
    round_trips: u64,
    modules_from_reader: u64,
    modules_from_snapshot: u64,
}

#[derive(Debug, Serialize)]
struct OutputReport<'a> {
    stream: &'static str,
    text: std::borrow::Cow<'a, str>,
}

impl<'a> Report<'a> {
    pub(super) fn new(all: &'a [Performed]) -> Report<'a> {
        let sessions = match all.len() {
            0 | 1 => Vec::new(),
            _ => all.iter().map(One::new).collect(),
        };
        Report {
            first: all.first().map(One::new),
            sessions,
        }
    }
}

impl<'a> One<'a> {
    fn new(performed: &'a Performed) -> One<'a> {
        One {
            outcome: OutcomeReport::new(&performed.ending),
            usage: UsageReport::new(&performed.usage),
            output: performed.output.iter().map(OutputReport::new).collect(),
        }
    }
}

impl<'a> OutcomeReport<'a> {
    fn new(ending: &'a Ending) -> OutcomeReport<'a> {
        let of_kind = |kind| OutcomeReport {
            kind,
            value: None,
            error: None,
            limit: None,
            reason: None,
        };
        match ending {
            Ending::Ok(value) => OutcomeReport {
                value: value
                    .clone()
                    .and_then(|json| RawValue::from_string(json).ok()),
                ..of_kind("ok")
            },
            Ending::Exception(error) => OutcomeReport {
                error: Some(ErrorReport::new(error)),
                ..of_kind("exception")
            },
            Ending::Limit(report) => OutcomeReport {
                limit: Some(LimitText::new(report)),
                ..of_kind("limit")
            },
            Ending::Cancelled => of_kind("cancelled"),
            Ending::Lost { reason, .. } => OutcomeReport {
                reason: Some(reason),
                ..of_kind("lost")
            },
        }
    }
}

impl<'a> ErrorReport<'a> {
    /// The chain of causes is bounded by the protocol.
    fn new(error: &'a JsError) -> ErrorReport<'a> {
        ErrorReport {
            name: &error.name,
            message: &error.message,
            code: error.code.as_deref(),
            stack: &error.stack,
            cause: error
                .cause
                .as_deref()
                .map(|cause| Box::new(ErrorReport::new(cause))),
        }
    }
}

impl LimitText {
    fn new(report: &LimitReport) -> LimitText {
        LimitText {
            which: report.which.as_str(),
            limit: report.limit,
            usage: report.usage,
        }
    }
}

impl UsageReport {
    fn new(usage: &Usage) -> UsageReport {
        UsageReport {
            wall_ms: millis(usage.wall_us),
            cpu_ms: millis(usage.cpu_us),
            heap_peak_bytes: usage.heap_peak_bytes,
            external_peak_bytes: usage.external_peak_bytes,
            round_trips: usage.round_trips,
            modules_from_reader: usage.modules_from_reader,
            modules_from_snapshot: usage.modules_from_snapshot,
        }
    }
}

impl<'a> OutputReport<'a> {
    fn new(piece: &'a Piece) -> OutputReport<'a> {
        OutputReport {
            stream: match piece.stream {
                Stream::Stdout => "stdout",
                Stream::Stderr => "stderr",
            },
            text: String::from_utf8_lossy(&piece.text),
        }
    }
}

fn millis(micros: u64) -> f64 {
    micros as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use isolate_sidecar_client::LimitKind;

    use super::*;

    fn performed(ending: Ending) -> Performed {
        Performed {
            ending,
            usage: Usage {
                wall_us: 1500,
                ..Usage::default()
            },
            output: vec![Piece {
                stream: Stream::Stderr,
                text: b"a\xff\n".to_vec(),
            }],
        }
    }

    fn text(all: &[Performed]) -> String {
        serde_json::to_string(&Report::new(all)).unwrap()
    }

    #[test]
    fn one_session_is_one_flat_object() {
        let json = text(&[performed(Ending::Ok(Some(
            "0.30000000000000004".to_owned(),
        )))]);
        assert_eq!(
            json,
            concat!(
                r#"{"outcome":{"kind":"ok","value":0.30000000000000004},"#,
                r#""usage":{"wall_ms":1.5,"cpu_ms":0.0,"heap_peak_bytes":0,"external_peak_bytes":0,"#,
                r#""round_trips":0,"modules_from_reader":0,"modules_from_snapshot":0},"#,
                "\"output\":[{\"stream\":\"stderr\",\"text\":\"a\u{fffd}\\n\"}]}"
            )
        );
    }

    #[track_caller]
    fn check(ending: Ending, expected: &str) {
        let json = text(&[performed(ending)]);
        assert!(
            json.starts_with(&format!(r#"{{"outcome":{expected},"usage""#)),
            "{json}"
        );
    }

    #[test]
    fn outcomes_hold_what_belongs_to_them() {
        check(Ending::Ok(None), r#"{"kind":"ok"}"#);
        check(Ending::Cancelled, r#"{"kind":"cancelled"}"#);
        check(Ending::lost("gone"), r#"{"kind":"lost","reason":"gone"}"#);
        check(
            Ending::Limit(LimitReport::new(LimitKind::Wall, 300, 301)),
            r#"{"kind":"limit","limit":{"which":"wall","limit":300,"usage":301}}"#,
        );
        let error = JsError {
            name: "TypeError".to_owned(),
            stack: "TypeError: at".to_owned(),
            ..JsError::default()
        };
        check(
            Ending::Exception(Box::new(error)),
            r#"{"kind":"exception","error":{"name":"TypeError","message":"","code":null,"stack":"TypeError: at"}}"#,
        );
    }

    #[test]
    fn several_sessions_are_listed_as_well() {
        let all = [performed(Ending::Cancelled), performed(Ending::Ok(None))];
        let json: serde_json::Value = serde_json::from_str(&text(&all)).unwrap();
        assert_eq!(json["outcome"]["kind"], "cancelled");
        assert_eq!(json["sessions"][1]["outcome"]["kind"], "ok");
    }
}
