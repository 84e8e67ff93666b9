//! `import()`. Loading and evaluating is a promise job of its own: V8 must not be asked to
//! evaluate a module while another one is in the middle of its evaluation.
//!
//! What the job needs stands in an array of the guest's heap.

use super::Purpose;
use super::attributes::Attributes;
use super::graph::graph;
use super::load::run;
use super::natives::{continue_import, fail_import, settle_import};
use super::resolve::resolve_or_throw;
use crate::Scope;
use crate::session::State;
use crate::strings::{ErrorClass, new_error, string, text};
use host_bridge::resolver::{MAX_DATA_URL_BYTES, MAX_SPECIFIER_BYTES};

/// Jobs that may wait: each takes longer than it takes to ask for it.
const MAX_WAITING: u32 = 100_000;

/// V8: `HostImportModuleDynamicallyCallback`.
pub(crate) fn import_dynamically<'s>(
    scope: &mut Scope<'s, '_>,
    _options: v8::Local<'s, v8::Data>,
    resource_name: v8::Local<'s, v8::Value>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let state = State::of(scope)?;
    let n_waiting = &state.modules.waiting_imports;
    if MAX_WAITING <= n_waiting.get() {
        let message = format!("{MAX_WAITING} calls of import() may wait, and do");
        let error = new_error(scope, ErrorClass::RangeError, "ERR_LIMIT_IMPORTS", &message);
        let refused = v8::PromiseResolver::new(scope)?;
        refused.reject(scope, error)?;
        return Some(refused.get_promise(scope));
    }
    let mut parts = vec![specifier.into(), resource_name];
    for index in 0..attributes.length() {
        parts.push(v8::Local::<v8::Value>::try_from(attributes.get(scope, index)?).ok()?);
    }
    let data = v8::Array::new_with_elements(scope, &parts);
    let job = v8::Function::builder(continue_import)
        .data(data.into())
        .build(scope)?;
    let now = v8::PromiseResolver::new(scope)?;
    let undefined = v8::undefined(scope).into();
    now.resolve(scope, undefined)?;
    let promise = now.get_promise(scope).then(scope, job)?;
    n_waiting.set(n_waiting.get().saturating_add(1));
    Some(promise)
}

/// The job of one `import()`; `data` is the array that [`import_dynamically`] made. What it
/// gives or throws settles the promise of the `import()`.
pub(crate) fn carry_out<'s>(
    scope: &mut Scope<'s, '_>,
    data: v8::Local<'s, v8::Value>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let n_waiting = &State::of(scope)?.modules.waiting_imports;
    n_waiting.set(n_waiting.get().saturating_sub(1));
    let data = v8::Local::<v8::Array>::try_from(data).ok()?;
    let (url, module, promise) = load(scope, data)?;
    let fulfilled = v8::Function::builder(settle_import)
        .data(module.get_module_namespace())
        .build(scope)?;
    let url = string(scope, &url);
    let rejected = v8::Function::builder(fail_import)
        .data(url.into())
        .build(scope)?;
    promise.then2(scope, fulfilled, rejected)
}

fn load<'s>(
    scope: &mut Scope<'s, '_>,
    data: v8::Local<'s, v8::Array>,
) -> Option<(
    String,
    v8::Local<'s, v8::Module>,
    v8::Local<'s, v8::Promise>,
)> {
    let state = State::of(scope)?;
    let specifier = data.get_index(scope, 0)?;
    let specifier = v8::Local::<v8::String>::try_from(specifier).ok()?;
    // A longer one is refused by the resolver, which needs no copy of hundreds of megabytes.
    let limit = if starts_with_data(scope, specifier) {
        MAX_DATA_URL_BYTES
    } else {
        MAX_SPECIFIER_BYTES
    };
    let specifier = if specifier.length() > limit {
        " ".repeat(MAX_SPECIFIER_BYTES.saturating_add(1))
    } else {
        specifier.to_rust_string_lossy(scope)
    };
    let referrer = data.get_index(scope, 1)?;
    let referrer = text(scope, referrer).unwrap_or_default();
    let mut words = Vec::new();
    for index in 2..data.length() {
        let word = data.get_index(scope, index)?;
        words.push(text(scope, word).unwrap_or_default());
    }
    let attributes = Attributes::of_expression(&words);
    let target = resolve_or_throw(scope, &state, &specifier, &referrer)?;
    let module = graph(scope, &state, &target, &attributes, Purpose::Import)?;
    let promise = run(scope, module)?;
    Some((target.url, module, promise))
}

fn starts_with_data(scope: &Scope<'_, '_>, specifier: v8::Local<'_, v8::String>) -> bool {
    let mut start = [0; 5];
    if specifier.length() < start.len() {
        return false;
    }
    specifier.write_v2(scope, 0, &mut start, v8::WriteFlags::default());
    start.iter().copied().eq("data:".encode_utf16())
}
