//! `require` of an ES module: Node's docs, "Loading ECMAScript modules using require()".

use std::collections::HashMap;
use std::rc::Rc;

use super::attributes::Attributes;
use super::compile::{Compiled, source_text};
use super::graph::{graph, insert, lookup, reaches_running};
use super::load::{replaced, run};
use super::map::{Entry, Imports, Origin};
use super::resolve::Target;
use super::scope_error::advise;
use super::thrown::{ErrorClass, throw, throw_unresolved};
use super::{ModuleKey, Purpose};
use crate::Scope;
use crate::callbacks;
use crate::session::State;
use host_bridge::resolver::ImportKind;

/// Attribute of the modules that stand in front of required ones; no guest can write it.
const FACADE: &str = "\0facade";

/// The namespace of the ES module at `path`, evaluated. `source` is its text where the
/// loader has been given another one than the file's.
pub(crate) fn namespace<'s>(
    scope: &mut Scope<'s, '_>,
    path: &str,
    parent: Option<&str>,
    source: Option<&str>,
) -> Option<v8::Local<'s, v8::Value>> {
    let state = State::of(scope)?;
    let target = target_of(scope, &state, path)?;
    let none = Attributes::default();
    let key = target.key(&none);
    let is_known = state.modules.map.borrow().contains(&key);
    let purpose = Purpose::Require { parent: None };
    let module = match source {
        Some(source) if !is_known => {
            let compiled = source_text(scope, source.as_bytes(), &target.url)?;
            replaced(scope, &state, &target, compiled, purpose)?
        }
        _ => graph(scope, &state, &target, &none, purpose)?,
    };
    let was_async = state.modules.map.borrow().is_known_async(&key);
    match module.get_status() {
        _ if was_async => throw_async(scope, path, parent),
        v8::ModuleStatus::Evaluated if module.is_graph_async() => throw_async(scope, path, parent),
        v8::ModuleStatus::Evaluated => return Some(module.get_module_namespace()),
        v8::ModuleStatus::Errored => {
            let thrown = module.get_exception();
            scope.throw_exception(thrown);
        }
        v8::ModuleStatus::Instantiated if module.is_graph_async() => {
            state.modules.map.borrow_mut().set_known_async(&key);
            throw_async(scope, path, parent);
        }
        v8::ModuleStatus::Instantiated if !reaches_running(scope, &state, &key) => {
            return evaluated(scope, module, &key.url);
        }
        _ => throw_cycle(scope, path, parent),
    }
    None
}

/// The namespace of a linked module, which is evaluated.
fn evaluated<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
    url: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let promise = run(scope, module)?;
    if promise.state() == v8::PromiseState::Rejected {
        promise.mark_as_handled();
        let reason = promise.result(scope);
        advise(scope, reason, url);
        scope.throw_exception(reason);
        return None;
    }
    Some(module.get_module_namespace())
}

fn target_of(scope: &mut Scope<'_, '_>, state: &State, path: &str) -> Option<Target> {
    match state.modules.resolve(path, path, ImportKind::Require) {
        Ok(target) => Some(target),
        Err(error) => {
            throw_unresolved(scope, &error);
            None
        }
    }
}

fn throw_async(scope: &mut Scope<'_, '_>, path: &str, parent: Option<&str>) {
    let from = parent.map_or_else(String::new, |parent| format!("\n  From {parent} "));
    let message = format!(
        "require() cannot be used on an ESM graph with top-level await. Use import() instead. \
         To see where the top-level await comes from, use \
         --experimental-print-required-tla.{from}\n  Requiring {path} "
    );
    let code = "ERR_REQUIRE_ASYNC_MODULE";
    throw(scope, ErrorClass::Error, code, &message);
}

fn throw_cycle(scope: &mut Scope<'_, '_>, path: &str, parent: Option<&str>) {
    let from = parent.map_or_else(String::new, |parent| format!(" (from {parent})"));
    let message = format!(
        "Cannot require() ES Module {path} in a cycle.{from} A cycle involving require(esm) is \
         not allowed to maintain invariants mandated by the ECMAScript specification. Try making \
         at least part of the dependency in the graph lazily loaded."
    );
    let code = "ERR_REQUIRE_CYCLE_MODULE";
    throw(scope, ErrorClass::Error, code, &message);
}

/// A namespace that has all that the one at `path` has, and `__esModule`: what code that
/// was translated to CommonJS expects of a module with a default export.
pub(crate) fn facade<'s>(
    scope: &mut Scope<'s, '_>,
    path: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let state = State::of(scope)?;
    let target = target_of(scope, &state, path)?;
    let original = Rc::new(target.key(&Attributes::default()));
    let key = Rc::new(ModuleKey {
        url: target.url,
        attribute: FACADE.to_owned(),
    });
    if state.modules.map.borrow().contains(&key) {
        return Some(lookup(scope, &state, &key)?.get_module_namespace());
    }
    let text = "export * from 'original'; export { default } from 'original'; \
                export const __esModule = true;";
    let Compiled { module, .. } = source_text(scope, text.as_bytes(), "node:internal/facade")?;
    let request = ("original".to_owned(), String::new());
    let imports = Imports {
        modules: vec![original],
        by_request: HashMap::from([(request, 0)]),
        depth: 0,
    };
    let entry = Entry {
        key: Rc::clone(&key),
        module: v8::Global::new(scope, module),
        origin: Origin::SourceText,
        export_names: Vec::new(),
        restored: false,
        is_known_async: false,
        imports: Some(Rc::new(imports)),
    };
    insert(scope, &state, entry)?;
    let module = lookup(scope, &state, &key)?;
    module.instantiate_module(scope, callbacks::resolve_module)?;
    run(scope, module)?;
    Some(module.get_module_namespace())
}
