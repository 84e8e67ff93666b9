//! The value that V8 carries along with each promise job, on which `AsyncLocalStorage` stands.

use crate::Scope;
use crate::externals::{Native, table};

pub(super) fn natives() -> Vec<Native> {
    table! {
        "getContinuation" => get_continuation,
        "setContinuation" => set_continuation,
    }
}

fn get_continuation<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    result.set(scope.get_continuation_preserved_embedder_data());
}

fn set_continuation<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    scope.set_continuation_preserved_embedder_data(args.get(0));
}
