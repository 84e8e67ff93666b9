//! Bounds of errors and their causes.

use protocol::bounds::{MAX_CAUSES, MAX_MESSAGE, MAX_NAME, MAX_PATH, MAX_STACK, MAX_STACK_FRAMES};
use protocol::frame::{Kind, OutcomeFrame};
use protocol::{EncodeError, Fault, JsError, Outcome, StackFrame, Usage};

use super::{check, x};
use crate::support::{Any, malformed, raw};

fn thrown(error: JsError) -> Any {
    Any::sidecar(
        1,
        1,
        OutcomeFrame {
            outcome: Outcome::Exception(error),
            usage: Usage::default(),
        },
    )
}

fn chain(causes: usize) -> JsError {
    (0..causes).fold(JsError::default(), |cause, _| JsError {
        cause: Some(Box::new(cause)),
        ..JsError::default()
    })
}

#[test]
fn errors() {
    let none = JsError::default;
    check("js_error.name", MAX_NAME, b"x", |n| {
        thrown(JsError {
            name: x(n),
            ..none()
        })
    });
    check("js_error.message", MAX_MESSAGE, b"x", |n| {
        thrown(JsError {
            message: x(n),
            ..none()
        })
    });
    check("js_error.code", MAX_NAME, b"x", |n| {
        thrown(JsError {
            code: Some(x(n)),
            ..none()
        })
    });
    check("js_error.stack", MAX_STACK, b"x", |n| {
        thrown(JsError {
            stack: x(n),
            ..none()
        })
    });
    check(
        "js_error.frames",
        MAX_STACK_FRAMES,
        b"\0\x01x\x01\x01",
        |n| {
            let frame = StackFrame {
                function: None,
                file: x(1),
                line: 1,
                column: 1,
            };
            thrown(JsError {
                frames: vec![frame; n],
                ..none()
            })
        },
    );
}

#[test]
fn causes() {
    let fault = Fault::TooDeep { bound: MAX_CAUSES };
    for depth in [MAX_CAUSES - 1, MAX_CAUSES] {
        let frame = thrown(chain(depth));
        assert_eq!(frame.decode_like(&frame.encode().unwrap()), Ok(frame));
    }
    let field = "js_error.cause";
    let over = thrown(chain(MAX_CAUSES + 1)).encode();
    assert_eq!(
        over,
        Err(EncodeError::OverBound {
            field,
            fault: fault.clone()
        })
    );

    // An error without any content is five zeros and the tag of its cause.
    for depth in [MAX_CAUSES + 1, 1_000_000] {
        let body = [&[1][..], &[0, 0, 0, 0, 0, 1].repeat(depth), &[0; 16]].concat();
        let got = thrown(JsError::default()).decode_like(&raw(Kind::Outcome, 1, &body));
        assert_eq!(got, Err(malformed(field, fault.clone())));
    }
}

#[test]
fn a_clamped_error_can_be_sent() {
    let mut error = chain(MAX_CAUSES + 5);
    error.name = x(MAX_NAME + 1);
    error.message = "é".repeat(MAX_MESSAGE);
    error.code = Some(x(MAX_NAME + 1));
    error.stack = x(MAX_STACK + 1);
    let frame = StackFrame {
        function: Some(x(MAX_NAME + 1)),
        file: x(MAX_PATH + 1),
        line: 1,
        column: 1,
    };
    error.frames = vec![frame; MAX_STACK_FRAMES + 1];
    error.cause.as_mut().unwrap().name = x(MAX_NAME + 1);
    error.clamp();
    assert_eq!(error.message.len(), MAX_MESSAGE);
    let frame = thrown(error);
    assert_eq!(frame.decode_like(&frame.encode().unwrap()), Ok(frame));
}
