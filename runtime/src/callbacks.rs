//! The callbacks of V8 that come with a context or a message instead of a scope. Each
//! opens its scope here and goes on in safe code elsewhere.
#![expect(
    unsafe_code,
    reason = "only V8 knows that a callback's argument belongs to the isolate that runs"
)]

use std::pin::pin;

use crate::Scope;
use crate::modules;
use crate::session::{State, rejections::Rejection};
use crate::strings::{ErrorClass, throw};

/// Sets the callbacks of one isolate.
pub(crate) fn install(isolate: &mut v8::Isolate) {
    isolate.set_promise_reject_callback(promise_rejected);
    isolate.set_host_import_module_dynamically_callback(modules::import_dynamically);
    isolate.set_host_initialize_import_meta_object_callback(init_import_meta);
    isolate.set_capture_stack_trace_for_uncaught_exceptions(true, 64);
    isolate.set_allow_atomics_wait(false);
    isolate.set_modify_code_generation_from_strings_callback(may_generate_code);
}

/// V8: before `eval` or `Function` compiles a text, where the context does not allow that in
/// general. The syntax tree of a text takes many times its length, outside of the heap, and
/// the parser does not stop for anything. A refusal is an `EvalError`.
#[expect(clippy::fn_params_excessive_bools, reason = "V8's signature")]
fn may_generate_code<'s>(
    scope: &mut Scope<'s, '_>,
    source: v8::Local<'s, v8::Value>,
    _is_code_like: bool,
) -> v8::ModifyCodeGenerationFromStringsResult<'s> {
    /// Bytes that the parser takes for one unit of text: 33 were seen at most.
    const PER_UNIT: usize = 32;
    let text = v8::Local::<v8::String>::try_from(source);
    let needed = text.map_or(0, |text| text.length().saturating_mul(PER_UNIT));
    let state = State::of(scope);
    v8::ModifyCodeGenerationFromStringsResult {
        codegen_allowed: state.is_none_or(|state| state.links.budget.has_room_at_worst(needed)),
        modified_source: None,
    }
}

/// V8: `ResolveModuleCallback`, while a module graph is linked.
pub(crate) fn resolve_module<'s>(
    context: v8::Local<'s, v8::Context>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
    referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    // SAFETY: V8 passes the context of the module that it links on this thread.
    v8::callback_scope!(unsafe scope, context);
    never_silent(scope, |scope| {
        modules::linked(scope, specifier, attributes, referrer)
    })
}

/// V8: `SyntheticModuleEvaluationSteps`.
pub(crate) fn evaluate_synthetic<'s>(
    context: v8::Local<'s, v8::Context>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    // SAFETY: V8 passes the context of the module that it evaluates on this thread.
    v8::callback_scope!(unsafe scope, context);
    never_silent(scope, |scope| modules::evaluate_synthetic(scope, module))
}

/// Runs `f`; where it gives nothing, an exception is pending afterwards. V8 ends the process
/// over a callback that fails without one.
fn never_silent<'s, 'i, T>(
    scope: &mut Scope<'s, 'i>,
    f: impl for<'t> FnOnce(&mut Scope<'t, 'i>) -> Option<v8::Local<'t, T>>,
) -> Option<v8::Local<'s, T>> {
    let result = {
        let scope = pin!(v8::TryCatch::new(scope));
        let scope = &mut scope.init();
        let result = f(scope).map(|value| v8::Global::new(scope, value));
        if result.is_none() && scope.has_caught() {
            scope.rethrow();
            return None;
        }
        result
    };
    match result {
        Some(value) => Some(v8::Local::new(scope, value)),
        None => {
            let message = "The module could not be provided";
            throw(scope, ErrorClass::Error, "ERR_INTERNAL", message);
            None
        }
    }
}

unsafe extern "C" fn init_import_meta(
    context: v8::Local<'_, v8::Context>,
    module: v8::Local<'_, v8::Module>,
    meta: v8::Local<'_, v8::Object>,
) {
    // SAFETY: V8 passes the context of the module that reads `import.meta` on this thread.
    v8::callback_scope!(unsafe scope, context);
    modules::init_import_meta(scope, module, meta);
}

unsafe extern "C" fn promise_rejected(message: v8::PromiseRejectMessage<'_>) {
    // SAFETY: V8 passes a message of the isolate that runs on this thread.
    v8::callback_scope!(unsafe scope, &message);
    track_rejection(scope, &message);
}

fn track_rejection(scope: &mut Scope<'_, '_>, message: &v8::PromiseRejectMessage<'_>) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let promise = v8::Global::new(scope, message.get_promise());
    let mut rejections = state.rejections.borrow_mut();
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => {
            let undefined = v8::undefined(scope).into();
            let reason = message.get_value().unwrap_or(undefined);
            let reason = v8::Global::new(scope, reason);
            rejections.add(Rejection { promise, reason });
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => rejections.remove(&promise),
        // Settling a promise twice is no error in JavaScript.
        _ => {}
    }
}
