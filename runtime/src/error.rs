//! Guest exceptions as flat, owned data.
//!
//! Invariant: nothing here runs guest code. Names and messages are read from own and
//! inherited *data* properties of objects that are no proxies, frames from V8's own record.

use std::pin::pin;

use protocol::{JsError, StackFrame};

use crate::Scope;
use crate::session::State;
use crate::strings::{key, start_of};

/// Causes that are followed.
const MAX_CAUSES: usize = 8;
/// Prototypes that are searched for a name.
const MAX_PROTOTYPES: usize = 32;
/// Longest message or stack, in bytes; the rest is cut with an ellipsis.
const MAX_TEXT: usize = 64 * 1024;
/// Longest name of a function or of a file in a frame, in characters.
const MAX_NAME: usize = 4096;
/// Largest integer that is written out, in words of 64 bits: what that takes grows with the
/// square of its length.
const MAX_BIGINT_WORDS: usize = 64;
/// Frames that are kept.
const MAX_FRAMES: usize = 64;
/// Scripts of this scheme are ours; their frames are not shown.
const INTERNAL_PREFIX: &str = "node:internal/";

/// Why code of ours that calls into V8 came to nothing.
pub(crate) enum Failure {
    /// This was thrown; it is no longer pending.
    Threw(v8::Global<v8::Value>),
    /// The request is being stopped.
    Terminated,
    /// Nothing is pending.
    Silent,
}

/// Runs `f` and catches what it throws. What it gives must hold no handle of its scope.
pub(crate) fn caught<'i, T>(
    scope: &mut Scope<'_, 'i>,
    f: impl for<'s> FnOnce(&mut Scope<'s, 'i>) -> Option<T>,
) -> Result<T, Failure> {
    let scope = pin!(v8::TryCatch::new(scope));
    let scope = &mut scope.init();
    match f(scope) {
        Some(value) => Ok(value),
        None if scope.has_terminated() => Err(Failure::Terminated),
        None => Err(match scope.exception() {
            Some(thrown) => Failure::Threw(v8::Global::new(scope, thrown)),
            None => Failure::Silent,
        }),
    }
}

/// Flattens what was thrown, whatever it is.
pub(crate) fn flatten<'s>(scope: &mut Scope<'s, '_>, thrown: v8::Local<'s, v8::Value>) -> JsError {
    flatten_depth(scope, thrown, MAX_CAUSES)
}

fn flatten_depth<'s>(
    scope: &mut Scope<'s, '_>,
    thrown: v8::Local<'s, v8::Value>,
    causes_left: usize,
) -> JsError {
    let object = v8::Local::<v8::Object>::try_from(thrown)
        .ok()
        .filter(|object| !object.is_proxy());
    let (name, message) = match object {
        Some(object) if looks_like_an_error(scope, object) => (
            data_text(scope, object, "name").unwrap_or_else(|| "Error".to_owned()),
            data_text(scope, object, "message").unwrap_or_default(),
        ),
        _ => (String::new(), describe(scope, thrown)),
    };
    let code = object.and_then(|object| data_text(scope, object, "code"));
    let frames = frames(scope, thrown);
    let cause = object
        .filter(|_| causes_left > 0)
        .and_then(|object| data_property(scope, object, "cause", 1))
        .filter(|cause| !cause.is_undefined())
        .map(|cause| Box::new(flatten_depth(scope, cause, causes_left.saturating_sub(1))));
    let name = if name.is_empty() {
        "Uncaught".to_owned()
    } else {
        name
    };
    let stack = format_stack(&name, &message, &frames);
    JsError {
        name: cut(name),
        message: cut(message),
        code: code.map(cut),
        stack: cut(stack),
        frames,
        cause,
    }
}

fn looks_like_an_error<'s>(scope: &mut Scope<'s, '_>, object: v8::Local<'s, v8::Object>) -> bool {
    object.is_native_error() || data_text(scope, object, "message").is_some()
}

/// Text of a value without running its code.
fn describe(scope: &mut Scope<'_, '_>, value: v8::Local<'_, v8::Value>) -> String {
    if let Ok(symbol) = v8::Local::<v8::Symbol>::try_from(value) {
        let description = symbol.description(scope);
        let description = start_of(scope, description, MAX_TEXT).unwrap_or_default();
        return format!("Symbol({description})");
    }
    if value.is_proxy() {
        return "[object Proxy]".to_owned();
    }
    if value.is_function() {
        return "[object Function]".to_owned();
    }
    if value.is_object() {
        return "[object Object]".to_owned();
    }
    if let Ok(integer) = v8::Local::<v8::BigInt>::try_from(value)
        && MAX_BIGINT_WORDS < integer.word_count()
    {
        return format!("[BigInt of {} words]", integer.word_count());
    }
    // A primitive: converting it runs no code of the guest.
    start_of(scope, value, MAX_TEXT).unwrap_or_else(|| value.to_rust_string_lossy(scope))
}

/// A string in a data property of the object or its prototypes.
fn data_text<'s>(
    scope: &mut Scope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    name: &str,
) -> Option<String> {
    let value = data_property(scope, object, name, MAX_PROTOTYPES)?;
    start_of(scope, value, MAX_TEXT)
}

/// The value of a data property, found without getters and without proxies.
fn data_property<'s>(
    scope: &mut Scope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    name: &str,
    max_objects: usize,
) -> Option<v8::Local<'s, v8::Value>> {
    let (name, value_key) = (key(scope, name), key(scope, "value"));
    let mut object = object;
    for _ in 0..max_objects {
        if object.is_proxy() {
            return None;
        }
        let descriptor = object.get_own_property_descriptor(scope, name)?;
        if let Ok(descriptor) = v8::Local::<v8::Object>::try_from(descriptor) {
            // A descriptor made by V8 has own properties; one that is not there would be
            // looked up in `Object.prototype`, which is the guest's.
            return descriptor
                .has_own_property(scope, value_key)?
                .then(|| descriptor.get(scope, value_key.into()))?;
        }
        object = v8::Local::<v8::Object>::try_from(object.get_prototype(scope)?).ok()?;
    }
    None
}

fn frames(scope: &mut Scope<'_, '_>, thrown: v8::Local<'_, v8::Value>) -> Vec<StackFrame> {
    let trace = v8::Exception::get_stack_trace(scope, thrown).or_else(|| {
        let message = v8::Exception::create_message(scope, thrown);
        message.get_stack_trace(scope)
    });
    let Some(trace) = trace.filter(|trace| trace.get_frame_count() > 0) else {
        return place_of_message(scope, thrown).into_iter().collect();
    };
    let n_frames = trace.get_frame_count().min(MAX_FRAMES);
    (0..n_frames)
        .filter_map(|index| {
            let frame = trace.get_frame(scope, index)?;
            flatten_frame(scope, frame)
        })
        .collect()
}

/// Where code could not be parsed: such an error has no frames, only a place.
fn place_of_message(
    scope: &mut Scope<'_, '_>,
    thrown: v8::Local<'_, v8::Value>,
) -> Option<StackFrame> {
    let message = v8::Exception::create_message(scope, thrown);
    let file = start_of(scope, message.get_script_resource_name(scope)?, MAX_NAME)?;
    let line = message.get_line_number(scope)?;
    if line == 0 || file.starts_with(INTERNAL_PREFIX) {
        return None;
    }
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Some(StackFrame {
        function: None,
        file,
        line: number(line),
        column: number(message.get_start_column().saturating_add(1)),
    })
}

fn flatten_frame(
    scope: &mut Scope<'_, '_>,
    frame: v8::Local<'_, v8::StackFrame>,
) -> Option<StackFrame> {
    let file = frame
        .get_script_name_or_source_url(scope)
        .and_then(|name| start_of(scope, name.into(), MAX_NAME))
        .unwrap_or_else(|| "<anonymous>".to_owned());
    if file.starts_with(INTERNAL_PREFIX) {
        return None;
    }
    let function = frame
        .get_function_name(scope)
        .and_then(|name| start_of(scope, name.into(), MAX_NAME))
        .filter(|name| !name.is_empty());
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let generated = StackFrame {
        function,
        file,
        line: number(frame.get_line_number()),
        column: number(frame.get_column()),
    };
    Some(mapped(scope, frame, generated))
}

/// The frame in the source that its author wrote, where the code carries a map.
fn mapped(
    scope: &mut Scope<'_, '_>,
    frame: v8::Local<'_, v8::StackFrame>,
    generated: StackFrame,
) -> StackFrame {
    let place = frame
        .get_script_source_mapping_url(scope)
        .map(|url| url.to_rust_string_lossy(scope))
        .filter(|url| !url.is_empty())
        .zip(State::of(scope))
        .and_then(|(url, state)| {
            let mut maps = state.source_maps.borrow_mut();
            maps.lookup(&generated.file, &url, generated.line, generated.column)
        });
    match place {
        Some(place) => StackFrame {
            function: generated.function,
            file: place.file,
            line: place.line,
            column: place.column,
        },
        None => generated,
    }
}

/// The stack as a user of Node knows it.
fn format_stack(name: &str, message: &str, frames: &[StackFrame]) -> String {
    let mut stack = if message.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {message}")
    };
    for frame in frames {
        let place = format!("{}:{}:{}", frame.file, frame.line, frame.column);
        stack.push_str("\n    at ");
        match &frame.function {
            Some(function) => stack.push_str(&format!("{function} ({place})")),
            None => stack.push_str(&place),
        }
    }
    stack
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let mut end = MAX_TEXT;
        while !text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        text.truncate(end);
        text.push('…');
    }
    text
}
