//! Looking at values without running their code, for `console` and `util.inspect`.

use crate::Scope;
use crate::externals::{Native, table};
use crate::strings::string;

pub(super) fn natives() -> Vec<Native> {
    table! {
        "promiseState" => promise_state,
        "proxyDetails" => proxy_details,
        "previewEntries" => preview_entries,
        "isKind" => is_kind,
    }
}

/// `promiseState(promise)` → `[0 pending | 1 fulfilled | 2 rejected, value]`.
fn promise_state<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Ok(promise) = v8::Local::<v8::Promise>::try_from(args.get(0)) else {
        return;
    };
    let undefined: v8::Local<'_, v8::Value> = v8::undefined(scope).into();
    let (state, value) = match promise.state() {
        v8::PromiseState::Pending => (0, undefined),
        v8::PromiseState::Fulfilled => (1, promise.result(scope)),
        v8::PromiseState::Rejected => (2, promise.result(scope)),
    };
    let state = v8::Integer::new(scope, state).into();
    result.set(v8::Array::new_with_elements(scope, &[state, value]).into());
}

/// `proxyDetails(value)` → `[target, handler]`, or undefined.
fn proxy_details<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    if let Ok(proxy) = v8::Local::<v8::Proxy>::try_from(args.get(0)) {
        let parts = [proxy.get_target(scope), proxy.get_handler(scope)];
        result.set(v8::Array::new_with_elements(scope, &parts).into());
    }
}

/// `previewEntries(collection)` → its entries in a flat array, or undefined.
fn preview_entries<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    if let Ok(object) = v8::Local::<v8::Object>::try_from(args.get(0))
        && let (Some(entries), _) = object.preview_entries(scope)
    {
        result.set(entries.into());
    }
}

/// `isKind(value)` → which internal slots it has, as a name; empty for none.
fn is_kind<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let kind = string(scope, kind(args.get(0)));
    result.set(kind.into());
}

fn kind(value: v8::Local<'_, v8::Value>) -> &'static str {
    // A proxy first: it has the slots of nothing else.
    let checks: [(bool, &str); 26] = [
        (value.is_proxy(), "Proxy"),
        (value.is_date(), "Date"),
        (value.is_reg_exp(), "RegExp"),
        (value.is_map(), "Map"),
        (value.is_set(), "Set"),
        (value.is_weak_map(), "WeakMap"),
        (value.is_weak_set(), "WeakSet"),
        (value.is_promise(), "Promise"),
        (value.is_native_error(), "Error"),
        (value.is_array_buffer(), "ArrayBuffer"),
        (value.is_shared_array_buffer(), "SharedArrayBuffer"),
        (value.is_data_view(), "DataView"),
        (value.is_typed_array(), "TypedArray"),
        (value.is_generator_object(), "Generator"),
        (value.is_map_iterator(), "MapIterator"),
        (value.is_set_iterator(), "SetIterator"),
        (value.is_number_object(), "Number"),
        (value.is_string_object(), "String"),
        (value.is_boolean_object(), "Boolean"),
        (value.is_symbol_object(), "Symbol"),
        (value.is_big_int_object(), "BigInt"),
        (value.is_module_namespace_object(), "Module"),
        (value.is_arguments_object(), "Arguments"),
        (value.is_generator_function(), "GeneratorFunction"),
        (value.is_async_function(), "AsyncFunction"),
        (value.is_external(), "External"),
    ];
    checks
        .iter()
        .find_map(|(holds, name)| holds.then_some(*name))
        .unwrap_or("")
}
