//! Bounds of the connection and of requests.

use protocol::bounds::{MAX_MESSAGE, MAX_NAME, MAX_PATH, MAX_TEXT};
use protocol::frame::{
    Call, CallTarget, Code, Execute, GoAway, GuestEvent, Hello, HostCall, HostError, HostReply,
    Refused, Reply, Reset, SessionEvent, Until,
};
use protocol::{CallMode, LimitKind, LimitReport, Reason, Value, ValueFormat};

use super::{check, x};
use crate::support::Any;

#[test]
fn texts_of_the_connection() {
    check("hello.client", MAX_NAME, b"x", |n| {
        Any::host(
            0,
            1,
            Hello {
                min_version: 4,
                max_version: 4,
                client: x(n),
                max_frame: 0,
            },
        )
    });
    check("go_away.message", MAX_TEXT, b"x", |n| {
        let reason = Reason::Internal;
        Any::sidecar(
            0,
            1,
            GoAway {
                reason,
                message: x(n),
            },
        )
    });
    check("refused.message", MAX_TEXT, b"x", |n| {
        Any::sidecar(
            0,
            1,
            Refused {
                kind: 1,
                reason: Reason::Busy,
                message: x(n),
                limit: None,
            },
        )
    });
    check("reset.message", MAX_TEXT, b"x", |n| {
        Any::sidecar(
            1,
            1,
            Reset {
                reason: Reason::Internal,
                message: x(n),
                stats: None,
            },
        )
    });
    check("limit_report.raise", MAX_TEXT, b"x", |n| {
        let report = LimitReport {
            raise: x(n),
            ..LimitReport::new(LimitKind::Cpu, 1, 2)
        };
        let event = GuestEvent::LimitWarning(report);
        Any::sidecar(1, 1, SessionEvent { event })
    });
}

#[test]
fn texts_of_running() {
    let execute = |code| {
        Any::host(
            1,
            1,
            Execute {
                code,
                until: Until::Settled,
                result: ValueFormat::Json,
                input: Value::Undefined,
            },
        )
    };
    check("code.script.name", MAX_PATH, b"x", |n| {
        let source = Default::default();
        execute(Code::Script { name: x(n), source })
    });
    check("code.module.name", MAX_PATH, b"x", |n| {
        let source = Default::default();
        execute(Code::Module { name: x(n), source })
    });
    check("code.import.specifier", MAX_PATH, b"x", |n| {
        execute(Code::Import { specifier: x(n) })
    });
    check("call_target.global.name", MAX_NAME, b"x", |n| {
        Any::host(
            1,
            1,
            Call {
                target: CallTarget::Global { name: x(n) },
                args: Value::Undefined,
                until: Until::Settled,
                result: ValueFormat::Json,
            },
        )
    });
    check("host_call.method", MAX_NAME, b"x", |n| {
        Any::sidecar(
            1,
            1,
            HostCall {
                method: x(n),
                mode: CallMode::Async,
                args: Value::Undefined,
            },
        )
    });
    check("host_error.message", MAX_MESSAGE, b"x", |n| {
        let reply = Reply::Err(HostError {
            name: String::new(),
            message: x(n),
            code: None,
        });
        Any::host(1, 1, HostReply { reply })
    });
}
