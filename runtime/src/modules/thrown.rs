//! Errors of modules as Node makes them: with a code, which `toString` and the stack show.

pub(crate) use host_bridge::resolver::ErrorClass;
use host_bridge::resolver::ResolveError;

use crate::Scope;
use crate::session::State;
use crate::strings::{self, set, string};

/// Throws an error; an empty `code` is none. A guest that formats stacks itself runs here.
pub(crate) fn throw(scope: &mut Scope<'_, '_>, class: ErrorClass, code: &str, message: &str) {
    throw_with(scope, class, code, message, &[]);
}

/// Throws what Node throws where a module is not found.
pub(crate) fn throw_unresolved(scope: &mut Scope<'_, '_>, error: &ResolveError) {
    let message = error.to_string();
    let properties = error.properties();
    throw_with(scope, error.class(), error.code(), &message, &properties);
}

/// Throws what a file that cannot be read gives.
pub(crate) fn throw_unreadable(
    scope: &mut Scope<'_, '_>,
    path: &str,
    error: host_bridge::reader::ReadError,
) {
    let message = format!("Cannot read '{path}': {error}");
    throw(scope, ErrorClass::Error, error.code(), &message);
}

fn throw_with(
    scope: &mut Scope<'_, '_>,
    class: ErrorClass,
    code: &str,
    message: &str,
    properties: &[(&str, &str)],
) {
    let Some(state) = State::of(scope) else {
        strings::throw(scope, strings::ErrorClass::Error, code, message);
        return;
    };
    let made = state
        .hooks
        .get()
        .and_then(|hooks| hooks.node_error(scope, name_of(class), code, message));
    // What could not be made has thrown: the stack has no room, or the request is stopped.
    let Some(error) = made else {
        return;
    };
    if let Ok(object) = v8::Local::<v8::Object>::try_from(error) {
        for (name, value) in properties {
            let value = string(scope, value);
            set(scope, object, name, value.into());
        }
    }
    scope.throw_exception(error);
}

fn name_of(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Error => "Error",
        ErrorClass::TypeError => "TypeError",
        ErrorClass::RangeError => "RangeError",
        ErrorClass::SyntaxError => "SyntaxError",
        ErrorClass::UriError => "URIError",
    }
}
