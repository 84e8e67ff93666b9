//! `import()`: the graph is loaded at once, since the reader answers without waiting; the
//! promise settles when the module has been evaluated.

use super::load::{graph, resolve_or_throw, run, type_attribute};
use crate::Scope;
use crate::error::{Failure, caught};
use crate::session::State;
use crate::strings::{ErrorClass, new_error, text};

/// V8: `HostImportModuleDynamicallyCallback`.
pub(crate) fn import_dynamically<'s>(
    scope: &mut Scope<'s, '_>,
    _options: v8::Local<'s, v8::Data>,
    resource_name: v8::Local<'s, v8::Value>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let referrer = text(scope, resource_name).unwrap_or_default();
    let specifier = specifier.to_rust_string_lossy(scope);
    let loaded = caught(scope, |scope| {
        load(scope, &specifier, &referrer, attributes)
    });
    let thrown = match loaded {
        Ok((module, promise)) => {
            let module = v8::Local::new(scope, module);
            let promise = v8::Local::new(scope, promise);
            return namespace_after(scope, module, promise);
        }
        Err(Failure::Terminated) => return None,
        Err(Failure::Threw(thrown)) => v8::Local::new(scope, thrown),
        // V8 ends the process over a callback that fails without an exception.
        Err(Failure::Silent) => internal_error(scope, &specifier),
    };
    let resolver = v8::PromiseResolver::new(scope)?;
    resolver.reject(scope, thrown)?;
    Some(resolver.get_promise(scope))
}

fn internal_error<'s>(scope: &Scope<'s, '_>, specifier: &str) -> v8::Local<'s, v8::Value> {
    let message = format!("The module '{specifier}' could not be provided");
    new_error(scope, ErrorClass::Error, "ERR_INTERNAL", &message)
}

fn load(
    scope: &mut Scope<'_, '_>,
    specifier: &str,
    referrer: &str,
    attributes: v8::Local<'_, v8::FixedArray>,
) -> Option<(v8::Global<v8::Module>, v8::Global<v8::Promise>)> {
    let state = State::of(scope)?;
    let attribute = type_attribute(scope, attributes, 2)?;
    let target = resolve_or_throw(scope, &state, specifier, referrer)?;
    let module = graph(scope, &state, &target, &attribute)?;
    let promise = run(scope, module)?;
    Some((
        v8::Global::new(scope, module),
        v8::Global::new(scope, promise),
    ))
}

/// A promise of the namespace of `module`, settled when `promise` is.
fn namespace_after<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
    promise: v8::Local<'s, v8::Promise>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let fulfilled = v8::FunctionBuilder::<v8::Function>::new_raw(promise_callback())
        .data(module.get_module_namespace())
        .build(scope)?;
    promise.then(scope, fulfilled)
}

/// The native function that promises of `import()` call; a snapshot may hold it.
pub(crate) fn promise_callback() -> v8::FunctionCallback {
    v8::MapFnTo::map_fn_to(import_fulfilled)
}

fn import_fulfilled<'s>(
    _scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    result.set(args.data());
}
