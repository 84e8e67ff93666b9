//! Strings between Rust and V8, and small conveniences around properties.

use crate::Scope;

/// A V8 string. Text longer than V8's maximum (about 512 MiB) becomes empty.
pub(crate) fn string<'s>(scope: &Scope<'s, '_>, text: &str) -> v8::Local<'s, v8::String> {
    v8::String::new(scope, text).unwrap_or_else(|| v8::String::empty(scope))
}

/// An internalised V8 string, for property names.
pub(crate) fn key<'s>(scope: &Scope<'s, '_>, text: &str) -> v8::Local<'s, v8::Name> {
    v8::String::new_from_utf8(scope, text.as_bytes(), v8::NewStringType::Internalized)
        .unwrap_or_else(|| v8::String::empty(scope))
        .into()
}

/// Text of a value that is a string; `None` for any other value. Runs no guest code.
pub(crate) fn text(scope: &Scope<'_, '_>, value: v8::Local<'_, v8::Value>) -> Option<String> {
    let string = v8::Local::<v8::String>::try_from(value).ok()?;
    Some(string.to_rust_string_lossy(scope))
}

/// Text of a value that is a string, at most so many UTF-16 units of it; an ellipsis tells
/// that there was more. What is not wanted is neither made flat nor copied, whatever its size.
pub(crate) fn start_of(
    scope: &Scope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
    max_units: usize,
) -> Option<String> {
    let string = v8::Local::<v8::String>::try_from(value).ok()?;
    if string.length() <= max_units {
        return Some(string.to_rust_string_lossy(scope));
    }
    let mut text = part(scope, string, 0, max_units);
    text.push('…');
    Some(text)
}

/// So many units of a string from `offset` on, without making it flat.
pub(crate) fn part(
    scope: &Scope<'_, '_>,
    string: v8::Local<'_, v8::String>,
    offset: usize,
    max_units: usize,
) -> String {
    let left = string.length().saturating_sub(offset);
    // V8's strings are shorter than this.
    let Ok(from) = u32::try_from(offset) else {
        return String::new();
    };
    let n = left.min(max_units);
    if string.is_onebyte() {
        let mut bytes = vec![0; n];
        string.write_one_byte_v2(scope, from, &mut bytes, v8::WriteFlags::default());
        return match bytes.is_ascii() {
            true => String::from_utf8(bytes).unwrap_or_default(),
            // Latin-1: each byte is the number of its character.
            false => bytes.into_iter().map(char::from).collect(),
        };
    }
    let mut units = vec![0; n];
    string.write_v2(scope, from, &mut units, v8::WriteFlags::default());
    String::from_utf16_lossy(&units)
}

/// Defines a plain data property; cannot run guest code on an ordinary object.
pub(crate) fn set<'s>(
    scope: &Scope<'s, '_>,
    object: v8::Local<'s, v8::Object>,
    name: &str,
    value: v8::Local<'s, v8::Value>,
) {
    let name = key(scope, name);
    object.create_data_property(scope, name, value);
}

/// An array of strings.
pub(crate) fn string_array<'s>(
    scope: &Scope<'s, '_>,
    items: &[String],
) -> v8::Local<'s, v8::Array> {
    let items: Vec<v8::Local<'_, v8::Value>> = items
        .iter()
        .map(|item| string(scope, item).into())
        .collect();
    v8::Array::new_with_elements(scope, &items)
}

/// Throws a `TypeError` or `Error` with a `code`, as Node's own errors have it.
pub(crate) fn throw(scope: &Scope<'_, '_>, class: ErrorClass, code: &str, message: &str) {
    let error = new_error(scope, class, code, message);
    scope.throw_exception(error);
}

/// Makes an error with a `code`.
pub(crate) fn new_error<'s>(
    scope: &Scope<'s, '_>,
    class: ErrorClass,
    code: &str,
    message: &str,
) -> v8::Local<'s, v8::Value> {
    let message = string(scope, message);
    let error = match class {
        ErrorClass::Error => v8::Exception::error(scope, message),
        ErrorClass::TypeError => v8::Exception::type_error(scope, message),
        ErrorClass::RangeError => v8::Exception::range_error(scope, message),
        ErrorClass::SyntaxError => v8::Exception::syntax_error(scope, message),
    };
    if let (false, Ok(object)) = (code.is_empty(), v8::Local::<v8::Object>::try_from(error)) {
        let code = string(scope, code);
        set(scope, object, "code", code.into());
    }
    error
}

/// The constructor of an error that we make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorClass {
    Error,
    TypeError,
    RangeError,
    SyntaxError,
}
