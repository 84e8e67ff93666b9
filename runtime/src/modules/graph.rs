//! Linking a module graph, and remembering what failed.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use host_bridge::ModuleOrigin;

use super::attributes::Attributes;
use super::compile::compile;
use super::depth::{Import, MAX_DEPTH, depths};
use super::link_error::explained;
use super::map::{Entry, Imports, MapFull};
use super::resolve::Target;
use super::thrown::{ErrorClass, throw};
use super::walk::{Walked, dependencies};
use super::{ModuleKey, Purpose};
use crate::Scope;
use crate::callbacks;
use crate::error::{Failure, caught};
use crate::session::State;

/// A module that somebody asks for.
pub(crate) struct Wanted<'a> {
    pub(crate) key: Rc<ModuleKey>,
    target: &'a Target,
    attributes: &'a Attributes,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(target: &'a Target, attributes: &'a Attributes) -> Wanted<'a> {
        Wanted {
            key: Rc::new(target.key(attributes)),
            target,
            attributes,
        }
    }
}

/// The module that `target` names with everything that it imports, linked. `None` means
/// that an exception is pending.
pub(crate) fn graph<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    attributes: &Attributes,
    purpose: Purpose<'_>,
) -> Option<v8::Local<'s, v8::Module>> {
    let wanted = Wanted::new(target, attributes);
    ensure(scope, state, &wanted, purpose)?;
    linked_graph(scope, state, &wanted.key, purpose)
}

/// Links what stands in the map as `key`, after everything that it imports has been loaded.
pub(crate) fn linked_graph<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    key: &Rc<ModuleKey>,
    purpose: Purpose<'_>,
) -> Option<v8::Local<'s, v8::Module>> {
    let module = lookup(scope, state, key)?;
    if module.get_status() != v8::ModuleStatus::Uninstantiated {
        return Some(module);
    }
    let walked = dependencies(scope, state, key, purpose)?;
    let depths = depths(&imports_within(state, &walked));
    let linked = caught(scope, |scope| {
        if depths.iter().any(|depth| MAX_DEPTH < *depth) {
            let message = format!("A chain of imports may have {MAX_DEPTH} modules");
            let code = "ERR_LIMIT_MODULE_DEPTH";
            throw(scope, ErrorClass::RangeError, code, &message);
            return None;
        }
        explained(scope, state, |scope| {
            let module = lookup(scope, state, key)?;
            match module.get_status() {
                v8::ModuleStatus::Uninstantiated => {
                    module.instantiate_module(scope, callbacks::resolve_module)
                }
                _ => Some(true),
            }
        })
    });
    match linked {
        Ok(_) => forget_requests(state, &walked, &depths),
        Err(failure) => {
            fail(scope, state, std::slice::from_ref(key), failure, purpose);
            return None;
        }
    }
    Some(module)
}

/// The graph that has been walked, by positions.
fn imports_within(state: &State, walked: &[Walked]) -> Vec<Vec<Import>> {
    let positions: HashMap<&ModuleKey, usize> = walked
        .iter()
        .enumerate()
        .map(|(position, (key, _))| (&**key, position))
        .collect();
    let map = state.modules.map.borrow();
    walked
        .iter()
        .map(|(_, imports)| {
            let import = |key: &Rc<ModuleKey>| match positions.get(&**key) {
                Some(position) => Import::Inside(*position),
                None => Import::Linked(map.depth(key)),
            };
            imports.modules.iter().map(import).collect()
        })
        .collect()
}

/// What V8 asked for while it linked is not asked for again.
fn forget_requests(state: &State, walked: &[Walked], depths: &[usize]) {
    let mut map = state.modules.map.borrow_mut();
    for ((key, imports), depth) in walked.iter().zip(depths) {
        let imports = Imports {
            modules: imports.modules.clone(),
            by_request: HashMap::new(),
            depth: *depth,
        };
        map.set_imports(key, Rc::new(imports));
    }
}

/// Sees to it that a module is in the map, not yet linked.
pub(crate) fn ensure(
    scope: &mut Scope<'_, '_>,
    state: &State,
    wanted: &Wanted<'_>,
    purpose: Purpose<'_>,
) -> Option<()> {
    let Wanted {
        key,
        target,
        attributes,
    } = wanted;
    if state.modules.map.borrow().contains(key) {
        return Some(());
    }
    let failure = state.modules.map.borrow().failure(key).cloned();
    if let Some(thrown) = failure {
        let thrown = v8::Local::new(scope, thrown);
        scope.throw_exception(thrown);
        return None;
    }
    let compiled = caught(scope, |scope| {
        let compiled = compile(scope, state, target, attributes, purpose)?;
        // A guest that patches the loader has a say while a file is compiled.
        if state.modules.map.borrow().contains(key) {
            return Some(());
        }
        insert(scope, state, compiled.into_entry(scope, Rc::clone(key)))
    });
    match compiled {
        Ok(()) => Some(()),
        Err(failure) => {
            fail(scope, state, std::slice::from_ref(key), failure, purpose);
            None
        }
    }
}

/// Puts a module into the map. `None` means that an exception is pending.
pub(crate) fn insert(scope: &mut Scope<'_, '_>, state: &State, entry: Entry) -> Option<()> {
    let inserted = state.modules.map.borrow_mut().insert(scope, entry);
    inserted.map_err(|full| throw_full(scope, &full)).ok()
}

fn throw_full(scope: &mut Scope<'_, '_>, full: &MapFull) {
    let message = full.to_string();
    throw(scope, ErrorClass::RangeError, "ERR_LIMIT_MODULES", &message);
}

/// Throws `failure` again. What an `import` met is remembered for `keys`, as in Node: the
/// same error comes next time. A request that is being stopped proves nothing.
pub(crate) fn fail(
    scope: &Scope<'_, '_>,
    state: &State,
    keys: &[Rc<ModuleKey>],
    failure: Failure,
    purpose: Purpose<'_>,
) {
    let mut map = state.modules.map.borrow_mut();
    keys.iter().for_each(|key| map.remove(scope, key));
    let Failure::Threw(thrown) = failure else {
        return;
    };
    if matches!(purpose, Purpose::Import) {
        for key in keys {
            map.fail(Rc::clone(key), thrown.clone());
        }
    }
    drop(map);
    let thrown = v8::Local::new(scope, thrown);
    scope.throw_exception(thrown);
}

/// Whether V8 would come upon a synthetic module that is being evaluated right now if it
/// evaluated `root`: it must not be asked to. At a source text module that is being
/// evaluated it turns back.
pub(crate) fn reaches_running(scope: &Scope<'_, '_>, state: &State, root: &ModuleKey) -> bool {
    let mut map = state.modules.map.borrow_mut();
    let mut queue = vec![Rc::new(root.clone())];
    let mut seen: HashSet<Rc<ModuleKey>> = queue.iter().cloned().collect();
    while let Some(key) = queue.pop() {
        let Some(entry) = map.get(scope, &key) else {
            continue;
        };
        let module = v8::Local::new(scope, &entry.module);
        match module.get_status() {
            v8::ModuleStatus::Evaluating if module.is_synthetic_module() => return true,
            v8::ModuleStatus::Instantiated => {
                let imports = entry.imports.iter().flat_map(|imports| &imports.modules);
                queue.extend(imports.filter(|key| seen.insert(Rc::clone(key))).cloned());
            }
            _ => {}
        }
    }
    false
}

pub(crate) fn lookup<'s>(
    scope: &Scope<'s, '_>,
    state: &State,
    key: &ModuleKey,
) -> Option<v8::Local<'s, v8::Module>> {
    let mut map = state.modules.map.borrow_mut();
    let entry = map.get(scope, key)?;
    let module = v8::Local::new(scope, &entry.module);
    let restored = entry.restored;
    drop(map);
    if restored {
        state.modules.count(state, ModuleOrigin::Snapshot, &key.url);
    }
    Some(module)
}

/// V8 asks, while it links, for a module that `dependencies` has put into the map.
pub(crate) fn linked<'s>(
    scope: &mut Scope<'s, '_>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
    referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    let state = State::of(scope)?;
    let attributes = Attributes::of_statement(scope, attributes);
    let request = (specifier.to_rust_string_lossy(scope), attributes.kind);
    let imports = {
        let mut map = state.modules.map.borrow_mut();
        map.find(scope, referrer)?.imports.clone()?
    };
    let position = imports.by_request.get(&request)?;
    lookup(scope, &state, imports.modules.get(*position)?)
}
