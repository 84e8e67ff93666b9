//! The native functions of a realm, in one table: what the bootstrap scripts see as
//! `native`, and what a snapshot refers to by position.

use std::borrow::Cow;
use std::ffi::c_void;

use v8::MapFnTo;

use crate::Scope;
use crate::{callbacks, globals, modules, ops, scripts, snapshot};

/// A native function by its name in `native`.
pub(crate) struct Native {
    pub(crate) name: &'static str,
    pub(crate) callback: v8::FunctionCallback,
}

/// All of them. The order is part of every snapshot, which is why the build is part of
/// a snapshot's key.
pub(crate) fn natives() -> Vec<Native> {
    let mut all = ops::natives();
    all.extend(modules::natives());
    all.extend(globals::natives());
    all.extend(snapshot::natives());
    all
}

/// A table of natives out of plain functions.
macro_rules! table {
    ($($name:literal => $function:path),* $(,)?) => {
        vec![$($crate::externals::Native {
            name: $name,
            callback: v8::MapFnTo::map_fn_to($function),
        }),*]
    };
}
pub(crate) use table;

/// What V8 resolves native addresses in a snapshot by.
pub(crate) fn references() -> Cow<'static, [v8::ExternalReference]> {
    let mut all: Vec<v8::ExternalReference> = natives()
        .into_iter()
        .map(|native| v8::ExternalReference {
            function: native.callback,
        })
        .collect();
    let steps: v8::SyntheticModuleEvaluationSteps<'static> =
        callbacks::evaluate_synthetic.map_fn_to();
    all.push(v8::ExternalReference {
        pointer: steps as *mut c_void,
    });
    all.push(globals::reference());
    all.extend(scripts::references());
    all.push(v8::ExternalReference {
        pointer: std::ptr::null_mut(),
    });
    Cow::Owned(all)
}

/// The object that the bootstrap scripts get as `native`.
pub(crate) fn native_object<'s>(scope: &Scope<'s, '_>) -> v8::Local<'s, v8::Object> {
    let object = v8::Object::new(scope);
    for native in natives() {
        let template = v8::FunctionTemplate::new_raw(scope, native.callback);
        template.remove_prototype();
        if let Some(function) = template.get_function(scope) {
            crate::strings::set(scope, object, native.name, function.into());
        }
    }
    object
}
