//! Requests, output, host calls.

use protocol::frame::{
    Call, CallTarget, Cancel, Code, Execute, HostCall, HostError, HostReply, Level, Output, Reply,
    Stream, Until,
};
use protocol::{Blob, CallMode, Value, ValueFormat};

use super::{Sample, host, sidecar, text};

pub(super) fn all() -> Vec<Sample> {
    [executions(), calls(), output(), calling()]
        .into_iter()
        .flatten()
        .collect()
}

fn executions() -> Vec<Sample> {
    let execute = |code| Execute {
        code,
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    };
    vec![
        host(
            "script",
            (1, 6),
            execute(Code::Script {
                name: text("/app/cell.js"),
                source: Blob::from("1 + 1"),
            }),
        ),
        host(
            "module",
            (1, 6),
            Execute {
                until: Until::Drained,
                result: ValueFormat::V8,
                input: Value::Json(Blob::from("{\"a\":1}")),
                ..execute(Code::Module {
                    name: text("/app/cell.mjs"),
                    source: Blob::from("export default 1"),
                })
            },
        ),
        host(
            "import",
            (1, 6),
            Execute {
                result: ValueFormat::Raw,
                input: Value::Raw(Blob::from(vec![0, 0xff])),
                ..execute(Code::Import {
                    specifier: text("./main.ts"),
                })
            },
        ),
        host(
            "long_source",
            (1, 6),
            execute(Code::Script {
                name: text("long.js"),
                source: Blob::from(" ".repeat(300)),
            }),
        ),
    ]
}

fn calls() -> Vec<Sample> {
    vec![
        host(
            "export",
            (1, 7),
            Call {
                target: CallTarget::Export {
                    specifier: text("./main.js"),
                    name: text("default"),
                },
                args: Value::V8(Blob::from_static(b"\xff\x0fA\x00$\x00\x00")),
                until: Until::Settled,
                result: ValueFormat::V8,
            },
        ),
        host(
            "global",
            (1, 7),
            Call {
                target: CallTarget::Global {
                    name: text("handle"),
                },
                args: Value::Json(Blob::from("[1]")),
                until: Until::Drained,
                result: ValueFormat::Json,
            },
        ),
    ]
}

fn output() -> Vec<Sample> {
    vec![
        host("empty", (1, 6), Cancel {}),
        sidecar(
            "stdout_raw",
            (1, 6),
            Output {
                stream: Stream::Stdout,
                level: Level::Raw,
                text: Blob::from_static(b"\xff\xfe\n"),
            },
        ),
        sidecar(
            "console_error",
            (1, 0),
            Output {
                stream: Stream::Stderr,
                level: Level::Error,
                text: Blob::from("wörse\n"),
            },
        ),
    ]
}

fn calling() -> Vec<Sample> {
    vec![
        sidecar(
            "async",
            (1, 1),
            HostCall {
                method: text("fetch"),
                mode: CallMode::Async,
                args: Value::V8(Blob::from_static(b"\xff\x0fA\x00$\x00\x00")),
            },
        ),
        sidecar(
            "sync",
            (1, 2),
            HostCall {
                method: text("fs.read"),
                mode: CallMode::Sync,
                args: Value::Json(Blob::from("[\"/app/a\"]")),
            },
        ),
        host(
            "ok",
            (1, 2),
            HostReply {
                reply: Reply::Ok(Value::Raw(Blob::from("contents"))),
            },
        ),
        host(
            "error",
            (1, 1),
            HostReply {
                reply: Reply::Err(HostError {
                    name: text("Error"),
                    message: text("no such file"),
                    code: Some(text("ENOENT")),
                }),
            },
        ),
    ]
}
