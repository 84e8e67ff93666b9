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
