//! Which of the two grammars a file without a declaration is written in: Node's docs,
//! "Syntax detection".

use super::compile::file_text;
use super::link_error::placed;
use super::source::{self, WRAPPER_PARAMETERS};
use crate::Scope;
use crate::error::{Failure, caught};
use crate::session::State;
use crate::strings::{key, string, text};
use host_bridge::resolver::ModuleFormat;

/// Files whose grammar one session remembers.
const MAX_DETECTED: usize = 100_000;

/// What V8 says of syntax that only modules have.
const ONLY_IN_MODULES: [&str; 3] = [
    "Cannot use import statement outside a module",
    "Unexpected token 'export'",
    "Cannot use 'import.meta' outside a module",
];

/// What V8 says where the wrapper of CommonJS is in the way.
const ONLY_IN_COMMON_JS: [&str; 6] = [
    "Identifier 'module' has already been declared",
    "Identifier 'exports' has already been declared",
    "Identifier 'require' has already been declared",
    "Identifier '__filename' has already been declared",
    "Identifier '__dirname' has already been declared",
    "await is only valid in async functions and the top level bodies of modules",
];

/// What was found out about a file.
pub(crate) enum Detected {
    EsModule,
    /// With its function, unless that has been taken.
    CommonJs(Option<v8::Global<v8::Function>>),
}

/// What is known of a text before it is compiled as CommonJS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grammar {
    CommonJs,
    /// It may be an ES module as well.
    Undeclared,
}

/// What a text is.
pub(crate) enum Wrapped<'s> {
    Function(v8::Local<'s, v8::Function>),
    EsModule,
}

/// The grammar of the file at `path`. A CommonJS file is compiled for that; the loader gets
/// the function of [`wrapped_file`] and compiles nothing.
pub(crate) fn detect(scope: &mut Scope<'_, '_>, state: &State, path: &str) -> Option<ModuleFormat> {
    if let Some(detected) = state.modules.detected.borrow().get(path) {
        return Some(match detected {
            Detected::EsModule => ModuleFormat::EsModule,
            Detected::CommonJs(_) => ModuleFormat::CommonJs,
        });
    }
    let compiled = caught(scope, |scope| {
        let wrapped = compiled_file(scope, state, path, Grammar::Undeclared)?;
        Some(match wrapped {
            Wrapped::EsModule => Detected::EsModule,
            Wrapped::Function(function) => {
                Detected::CommonJs(Some(v8::Global::new(scope, function)))
            }
        })
    });
    let detected = match compiled {
        Ok(detected) => detected,
        // A text that neither grammar takes is CommonJS: its error comes when it is run.
        Err(Failure::Threw(_)) => return Some(ModuleFormat::CommonJs),
        Err(_) => return None,
    };
    let format = match detected {
        Detected::EsModule => ModuleFormat::EsModule,
        Detected::CommonJs(_) => ModuleFormat::CommonJs,
    };
    remember(state, path, detected);
    Some(format)
}

fn remember(state: &State, path: &str, detected: Detected) {
    let mut all = state.modules.detected.borrow_mut();
    if all.len() < MAX_DETECTED {
        all.insert(path.to_owned(), detected);
    }
}

/// The function of the CommonJS file at `path`. `None` means that an exception is pending.
pub(crate) fn wrapped_file<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    path: &str,
    grammar: Grammar,
) -> Option<Wrapped<'s>> {
    if grammar == Grammar::Undeclared {
        match state.modules.detected.borrow_mut().get_mut(path) {
            Some(Detected::EsModule) => return Some(Wrapped::EsModule),
            Some(Detected::CommonJs(function)) => {
                if let Some(function) = function.take() {
                    return Some(Wrapped::Function(v8::Local::new(scope, function)));
                }
            }
            None => {}
        }
    }
    let wrapped = compiled_file(scope, state, path, grammar)?;
    if grammar == Grammar::Undeclared {
        let detected = match wrapped {
            Wrapped::EsModule => Detected::EsModule,
            Wrapped::Function(_) => Detected::CommonJs(None),
        };
        remember(state, path, detected);
    }
    Some(wrapped)
}

fn compiled_file<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    path: &str,
    grammar: Grammar,
) -> Option<Wrapped<'s>> {
    let text = file_text(scope, state, path, ModuleFormat::CommonJs)?;
    wrapped(
        scope,
        path,
        grammar,
        |scope| source::compile_wrapper(scope, state, &text, path),
        |scope| text.to_string(scope),
    )
}

/// The function that has `body`. `None` means that an exception is pending.
pub(crate) fn wrapped_text<'s>(
    scope: &mut Scope<'s, '_>,
    body: v8::Local<'s, v8::String>,
    path: &str,
    grammar: Grammar,
) -> Option<Wrapped<'s>> {
    let body = v8::Global::new(scope, body);
    wrapped(
        scope,
        path,
        grammar,
        |scope| {
            let names = WRAPPER_PARAMETERS.map(|name| string(scope, name));
            let body = v8::Local::new(scope, &body);
            source::compile_function(scope, body, path, &names)
        },
        |scope| Some(v8::Local::new(scope, &body)),
    )
}

/// What `compile` makes of the text that `body` gives.
fn wrapped<'s, 'i>(
    scope: &mut Scope<'s, 'i>,
    path: &str,
    grammar: Grammar,
    compile: impl for<'t> Fn(&mut Scope<'t, 'i>) -> Option<v8::Local<'t, v8::Function>>,
    body: impl for<'t> Fn(&mut Scope<'t, 'i>) -> Option<v8::Local<'t, v8::String>>,
) -> Option<Wrapped<'s>> {
    let compiled = caught(scope, |scope| {
        let function = placed(scope, &compile)?;
        Some(v8::Global::new(scope, function))
    });
    match compiled {
        Ok(function) => Some(Wrapped::Function(v8::Local::new(scope, function))),
        Err(Failure::Threw(thrown)) => {
            let thrown = v8::Local::new(scope, thrown);
            let message = message_of(scope, thrown);
            if grammar == Grammar::Undeclared && is_module_syntax(scope, &message, path, body) {
                return Some(Wrapped::EsModule);
            }
            scope.throw_exception(thrown);
            None
        }
        Err(_) => None,
    }
}

/// Whether a text is a module, told by the error that it gave as CommonJS.
fn is_module_syntax<'i>(
    scope: &mut Scope<'_, 'i>,
    message: &str,
    path: &str,
    body: impl for<'t> Fn(&mut Scope<'t, 'i>) -> Option<v8::Local<'t, v8::String>>,
) -> bool {
    if has_any(message, &ONLY_IN_MODULES) {
        return true;
    }
    if !has_any(message, &ONLY_IN_COMMON_JS) {
        return false;
    }
    // Without the wrapper's names and with `await`: is there still something wrong?
    let compiled = caught(scope, |scope| {
        let body = body(scope)?;
        let (before, after) = (
            string(scope, "return async function() {"),
            string(scope, "\n}"),
        );
        let text = v8::String::concat(scope, before, body)?;
        let text = v8::String::concat(scope, text, after)?;
        source::compile_function(scope, text, path, &[]).map(|_| ())
    });
    match compiled {
        Ok(()) => true,
        Err(Failure::Threw(thrown)) => {
            let thrown = v8::Local::new(scope, thrown);
            has_any(&message_of(scope, thrown), &ONLY_IN_MODULES)
        }
        Err(_) => false,
    }
}

fn has_any(message: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| message.contains(part))
}

/// The message of an error that V8 has just made: a data property.
fn message_of<'s>(scope: &mut Scope<'s, '_>, thrown: v8::Local<'s, v8::Value>) -> String {
    let name = key(scope, "message").into();
    v8::Local::<v8::Object>::try_from(thrown)
        .ok()
        .and_then(|error| error.get(scope, name))
        .and_then(|message| text(scope, message))
        .unwrap_or_default()
}
