//! Entry points: what the host imports, and what `require` takes of an ES module.

use std::rc::Rc;

use host_bridge::resolver::{Language, ModuleFormat};

use super::Purpose;
use super::attributes::Attributes;
use super::compile::{Compiled, source_text};
use super::detect::detect;
use super::graph::{graph, insert, linked_graph};
use super::language::javascript_of;
use super::resolve::{Target, TargetKind, resolve_or_throw};
use super::scope_error::advise;
use super::thrown::{ErrorClass, throw};
use crate::Scope;
use crate::session::State;
use crate::strings::key;

/// What an import led to.
pub(crate) enum Imported<'s> {
    /// An ES module under evaluation: its promise, and the module.
    Module(v8::Local<'s, v8::Promise>, v8::Local<'s, v8::Module>),
    /// A CommonJS or JSON file that was run as the main module: its `module.exports`.
    Exports(v8::Local<'s, v8::Value>),
}

/// Imports `specifier` for the host, from the session's working directory. A file is taken
/// as Node takes its main file, so CommonJS gives `module.exports`.
pub(crate) fn import<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    specifier: &str,
) -> Option<Imported<'s>> {
    let referrer = super::directory_url(&state.modules.cwd);
    let target = resolve_or_throw(scope, state, specifier, &referrer)?;
    if let TargetKind::File { path, format, .. } = &target.kind
        && !is_bare(specifier)
        && is_for_require(scope, state, path, *format)?
    {
        let exports = state.hooks.get()?.require_main(scope, path)?;
        return Some(Imported::Exports(exports));
    }
    state.modules.map.borrow_mut().main = Some(target.url.clone());
    let none = Attributes::default();
    let module = graph(scope, state, &target, &none, Purpose::Import)?;
    evaluated_as_job(scope, module, &target.url)
}

/// Evaluates the main module. In Node that is a promise job, so the jobs which it leaves
/// behind come before its ticks.
fn evaluated_as_job<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
    url: &str,
) -> Option<Imported<'s>> {
    let promise = run(scope, module)?;
    promise.mark_as_handled();
    scope.perform_microtask_checkpoint();
    if promise.state() == v8::PromiseState::Rejected {
        let reason = promise.result(scope);
        advise(scope, reason, url);
    }
    Some(Imported::Module(promise, module))
}

/// Whether the CommonJS loader takes a main file.
fn is_for_require(
    scope: &mut Scope<'_, '_>,
    state: &State,
    path: &str,
    format: ModuleFormat,
) -> Option<bool> {
    Some(match format {
        ModuleFormat::CommonJs | ModuleFormat::Json => true,
        ModuleFormat::Undeclared => detect(scope, state, path)? == ModuleFormat::CommonJs,
        ModuleFormat::EsModule | ModuleFormat::Wasm => false,
    })
}

fn is_bare(specifier: &str) -> bool {
    !specifier.starts_with(['.', '/']) && !specifier.starts_with("file:")
}

/// Imports a module whose source came from the host, named `name`.
pub(crate) fn import_source<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    name: &str,
    source: &[u8],
) -> Option<Imported<'s>> {
    let path = state.modules.path_of(name);
    let target = Target {
        url: super::path_url(&path),
        kind: TargetKind::File {
            language: Language::of(&path),
            path: path.clone(),
            format: ModuleFormat::EsModule,
        },
    };
    let source = javascript_of(scope, &state.modules, &path, source)?;
    let compiled = source_text(scope, &source, &target.url)?;
    state.modules.map.borrow_mut().main = Some(target.url.clone());
    let module = replaced(scope, state, &target, compiled, Purpose::Import)?;
    evaluated_as_job(scope, module, &target.url)
}

/// Puts a module into the map in the place of an earlier one, and links it.
pub(crate) fn replaced<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    compiled: Compiled<'_>,
    purpose: Purpose<'_>,
) -> Option<v8::Local<'s, v8::Module>> {
    let key = Rc::new(target.key(&Attributes::default()));
    let mut map = state.modules.map.borrow_mut();
    map.remove(scope, &key);
    map.forgive(&key);
    drop(map);
    insert(scope, state, compiled.into_entry(scope, Rc::clone(&key)))?;
    linked_graph(scope, state, &key, purpose)
}

/// Evaluates a linked module. The promise settles when the module has run. V8 ends the
/// process where it is asked to evaluate a module in another state.
pub(crate) fn run<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Promise>> {
    if !matches!(
        module.get_status(),
        v8::ModuleStatus::Instantiated | v8::ModuleStatus::Evaluated | v8::ModuleStatus::Errored
    ) {
        let message = "Cannot evaluate a module while it is being linked or evaluated";
        throw(
            scope,
            ErrorClass::Error,
            "ERR_REQUIRE_CYCLE_MODULE",
            message,
        );
        return None;
    }
    let value = module.evaluate(scope)?;
    if let Ok(promise) = v8::Local::<v8::Promise>::try_from(value) {
        return Some(promise);
    }
    // A synthetic module gives what its steps gave, and it has run then.
    let resolver = v8::PromiseResolver::new(scope)?;
    resolver.resolve(scope, value)?;
    Some(resolver.get_promise(scope))
}

/// What the host gets of a module that was imported: its default export.
pub(crate) fn namespace_value<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    let namespace = v8::Local::<v8::Object>::try_from(module.get_module_namespace()).ok()?;
    let name = key(scope, "default");
    if !namespace.has_own_property(scope, name)? {
        return Some(v8::undefined(scope).into());
    }
    namespace.get(scope, name.into())
}
