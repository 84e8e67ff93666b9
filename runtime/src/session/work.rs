//! Starting a piece of guest code: a script, a module, an import, a call. The result is
//! something to wait for.

use std::pin::pin;

use protocol::Value;
use protocol::frame::{Call, CallTarget, Code, Execute};

use super::State;
use crate::Scope;
use crate::error::flatten;
use crate::modules::{self, CodeKind, Imported};
use crate::strings::{ErrorClass, string, throw};
use crate::value::decode;

/// What a request runs.
#[derive(Debug)]
pub(crate) enum Work {
    Execute(Code, Value),
    Call(CallTarget, Value),
    /// A specifier of a snapshot's spec.
    Import(String),
}

impl From<Execute> for Work {
    fn from(execute: Execute) -> Work {
        Work::Execute(execute.code, execute.input)
    }
}

impl From<Call> for Work {
    fn from(call: Call) -> Work {
        Work::Call(call.target, call.args)
    }
}

/// Guest code that has been started.
pub(crate) enum Started {
    /// Its value is there.
    Value(v8::Global<v8::Value>),
    /// A promise of its value.
    Promise(v8::Global<v8::Promise>),
    /// A module under evaluation; then an export of it is taken.
    Module {
        promise: v8::Global<v8::Promise>,
        module: v8::Global<v8::Module>,
        then: ThenWhat,
    },
    /// It threw; flattened already.
    Threw(Box<protocol::JsError>),
    /// It is being stopped.
    Stopped,
}

/// What to do with a module once it has been evaluated.
#[derive(Clone)]
pub(crate) enum ThenWhat {
    /// Its default export is the value.
    Default,
    /// Call this export with these arguments.
    CallExport(String, Value),
}

/// Starts `work`. Never leaves an exception pending.
pub(crate) fn start(scope: &mut Scope<'_, '_>, state: &State, work: &Work) -> Started {
    guarded(scope, |scope| match work {
        Work::Execute(code, input) => {
            let input = decode(scope, input)?;
            state.hooks.get()?.set_input(scope, input)?;
            execute(scope, state, code)
        }
        Work::Call(CallTarget::Global { name }, args) => call_global(scope, name, args),
        Work::Call(CallTarget::Export { specifier, name }, args) => {
            let imported = modules::import(scope, state, specifier)?;
            let then = ThenWhat::CallExport(name.clone(), args.clone());
            from_imported(scope, imported, then)
        }
        Work::Import(specifier) => {
            let imported = modules::import(scope, state, specifier)?;
            from_imported(scope, imported, ThenWhat::Default)
        }
    })
}

/// Goes on after a module has been evaluated.
pub(crate) fn after_module(
    scope: &mut Scope<'_, '_>,
    module: &v8::Global<v8::Module>,
    then: &ThenWhat,
) -> Started {
    guarded(scope, |scope| {
        let module = v8::Local::new(scope, module);
        match then {
            ThenWhat::Default => {
                let value = modules::namespace_value(scope, module)?;
                awaited(scope, value)
            }
            ThenWhat::CallExport(name, args) => {
                let namespace = module.get_module_namespace();
                let namespace = v8::Local::<v8::Object>::try_from(namespace).ok()?;
                call_property(scope, namespace, name, args)
            }
        }
    })
}

/// Runs `f` and turns what it throws into [`Started::Threw`].
pub(crate) fn guarded<'i>(
    scope: &mut Scope<'_, 'i>,
    f: impl for<'s> FnOnce(&mut Scope<'s, 'i>) -> Option<Started>,
) -> Started {
    let scope = pin!(v8::TryCatch::new(scope));
    let scope = &mut scope.init();
    if let Some(started) = f(scope) {
        return started;
    }
    if scope.has_terminated() {
        return Started::Stopped;
    }
    match scope.exception() {
        Some(thrown) => {
            scope.reset();
            Started::Threw(Box::new(flatten(scope, thrown)))
        }
        // Nothing pending and no result: the stack was cut by a termination.
        None => Started::Stopped,
    }
}

fn execute(scope: &mut Scope<'_, '_>, state: &State, code: &Code) -> Option<Started> {
    match code {
        Code::Script { name, source } => {
            state.hooks.get()?.define_require(scope)?;
            let value = run_script(scope, state, name, source)?;
            awaited(scope, value)
        }
        Code::Module { name, source } => {
            let imported = modules::import_source(scope, state, name, source)?;
            from_imported(scope, imported, ThenWhat::Default)
        }
        Code::Import { specifier } => {
            let imported = modules::import(scope, state, specifier)?;
            from_imported(scope, imported, ThenWhat::Default)
        }
    }
}

fn run_script<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    name: &str,
    source: &[u8],
) -> Option<v8::Local<'s, v8::Value>> {
    let source = v8::String::new_from_utf8(scope, source, v8::NewStringType::Normal)?;
    let url = modules::path_url(&state.modules.path_of(name));
    let origin = modules::origin(scope, &url, CodeKind::Script);
    let script = v8::Script::compile(scope, source, Some(&origin))?;
    script.run(scope)
}

fn from_imported(
    scope: &mut Scope<'_, '_>,
    imported: Imported<'_>,
    then: ThenWhat,
) -> Option<Started> {
    match (imported, then) {
        (Imported::Module(promise, module), then) => {
            promise.mark_as_handled();
            Some(Started::Module {
                promise: v8::Global::new(scope, promise),
                module: v8::Global::new(scope, module),
                then,
            })
        }
        (Imported::Exports(exports), ThenWhat::Default) if exports.is_promise() => {
            awaited(scope, exports)
        }
        // Nobody looks for `then` in what a file exports.
        (Imported::Exports(exports), ThenWhat::Default) => {
            Some(Started::Value(v8::Global::new(scope, exports)))
        }
        (Imported::Exports(exports), ThenWhat::CallExport(name, args)) => {
            let Ok(object) = v8::Local::<v8::Object>::try_from(exports) else {
                return not_a_function(scope, &name);
            };
            call_property(scope, object, &name, &args)
        }
    }
}

fn call_global(scope: &mut Scope<'_, '_>, name: &str, args: &Value) -> Option<Started> {
    let global = scope.get_current_context().global(scope);
    call_property(scope, global, name, args)
}

fn call_property(
    scope: &mut Scope<'_, '_>,
    object: v8::Local<'_, v8::Object>,
    name: &str,
    args: &Value,
) -> Option<Started> {
    let key = string(scope, name);
    let function = object.get(scope, key.into())?;
    let Ok(function) = v8::Local::<v8::Function>::try_from(function) else {
        return not_a_function(scope, name);
    };
    let args = arguments(scope, args)?;
    let this = v8::undefined(scope).into();
    let value = function.call(scope, this, &args)?;
    awaited(scope, value)
}

fn not_a_function<T>(scope: &Scope<'_, '_>, name: &str) -> Option<T> {
    let message = format!("'{name}' is not a function");
    throw(scope, ErrorClass::TypeError, "ERR_NOT_A_FUNCTION", &message);
    None
}

/// Arguments arrive as one encoded array.
fn arguments<'s>(scope: &mut Scope<'s, '_>, args: &Value) -> Option<Vec<v8::Local<'s, v8::Value>>> {
    let value = decode(scope, args)?;
    if value.is_undefined() {
        return Some(Vec::new());
    }
    let Ok(array) = v8::Local::<v8::Array>::try_from(value) else {
        let message = "The arguments of a call must be an array";
        throw(
            scope,
            ErrorClass::TypeError,
            "ERR_INVALID_ARG_TYPE",
            message,
        );
        return None;
    };
    (0..array.length())
        .map(|index| array.get_index(scope, index))
        .collect()
}

/// What `await value` would wait for: thenables are followed, which may run guest code.
fn awaited(scope: &mut Scope<'_, '_>, value: v8::Local<'_, v8::Value>) -> Option<Started> {
    if !value.is_object() {
        return Some(Started::Value(v8::Global::new(scope, value)));
    }
    let promise = match v8::Local::<v8::Promise>::try_from(value) {
        Ok(promise) => promise,
        Err(_) => {
            let resolver = v8::PromiseResolver::new(scope)?;
            resolver.resolve(scope, value)?;
            resolver.get_promise(scope)
        }
    };
    promise.mark_as_handled();
    Some(Started::Promise(v8::Global::new(scope, promise)))
}
