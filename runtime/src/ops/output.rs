//! `print`: console, stdout and stderr of the guest.

use host_bridge::SessionEvent;
use protocol::LimitKind;
use protocol::frame::{Level, Stream};

use crate::Scope;
use crate::externals::{Native, table};
use crate::session::State;
use crate::session::output::{Piece, send_piece};
use crate::strings::part;

/// Text is taken over in parts of this many UTF-16 units, so that a long one is never there
/// a second time.
const PART: usize = 1 << 20;

pub(super) fn natives() -> Vec<Native> {
    table! { "print" => print }
}

/// `print(stream, level, text)`: stream 1 or 2; level 0 raw, 1 log, 2 info, 3 warn,
/// 4 error, 5 debug, 6 trace.
fn print<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let stream = match args.get(0).uint32_value(scope) {
        Some(2) => Stream::Stderr,
        _ => Stream::Stdout,
    };
    let level = match args.get(1).uint32_value(scope) {
        Some(1) => Level::Log,
        Some(2) => Level::Info,
        Some(3) => Level::Warn,
        Some(4) => Level::Error,
        Some(5) => Level::Debug,
        Some(6) => Level::Trace,
        _ => Level::Raw,
    };
    let Ok(text) = v8::Local::<v8::String>::try_from(args.get(2)) else {
        return;
    };
    let mut at = 0;
    while at < text.length() && state.links.terminator.verdict().is_none() {
        let taken = take(scope, text, at);
        at = at.saturating_add(taken.units);
        write(&state, stream, level, taken.text);
    }
}

/// The next part of a text.
struct Taken {
    text: String,
    units: usize,
}

fn take(scope: &Scope<'_, '_>, text: v8::Local<'_, v8::String>, at: usize) -> Taken {
    let length = text.length();
    if length <= PART {
        return Taken {
            text: text.to_rust_string_lossy(scope),
            units: length,
        };
    }
    // Both halves of a character belong to the same part.
    let end = at.saturating_add(PART);
    let is_split = end < length && ends_in_half(&part(scope, text, end.saturating_sub(1), 1));
    let units = PART.saturating_sub(usize::from(is_split));
    Taken {
        text: part(scope, text, at, units),
        units,
    }
}

/// Whether one unit, by itself, is no character.
fn ends_in_half(unit: &str) -> bool {
    unit == "\u{fffd}"
}

fn write(state: &State, stream: Stream, level: Level, text: String) {
    let (pieces, first_drop) = {
        let mut output = state.output.borrow_mut();
        let before = output.totals().1;
        let pieces = output.write(stream, level, text);
        let (written, dropped) = output.totals();
        (pieces, (before == 0 && dropped > 0).then_some(written))
    };
    deliver(state, pieces);
    if let Some(written) = first_drop {
        state.warn(LimitKind::Output, state.limits.output_bytes, written);
    }
}

/// Sends pieces to the host, waiting for room in the session's allowance.
pub(crate) fn deliver(state: &State, pieces: Vec<Piece>) {
    let request = state.request.get();
    for piece in pieces {
        let sent = send_piece(&state.links.mailbox, piece, |piece, ticket| {
            state.links.events.send(SessionEvent::Output {
                request,
                stream: piece.stream,
                level: piece.level,
                text: piece.text,
                ticket,
            });
        });
        if sent.is_err() {
            // The request is being stopped: its guest code will not go on.
            return;
        }
    }
}
