//! Walking a module graph: compile what is missing, link it, and remember what failed.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::rc::Rc;

use host_bridge::ModuleOrigin;

use super::attributes::Attributes;
use super::compile::compile;
use super::link_error::explained;
use super::map::{Entry, Imports, MapFull};
use super::resolve::{Target, resolve_or_throw};
use super::{ModuleKey, Purpose};
use crate::Scope;
use crate::callbacks;
use crate::error::{Failure, caught};
use crate::session::State;
use crate::strings::{ErrorClass, throw};

/// The module that `target` names with everything that it imports, linked. `None` means
/// that an exception is pending.
pub(crate) fn graph<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    attributes: &Attributes,
    purpose: Purpose<'_>,
) -> Option<v8::Local<'s, v8::Module>> {
    let key = Rc::new(target.key(attributes));
    ensure(scope, state, &key, target, attributes, purpose)?;
    linked_graph(scope, state, &key, purpose)
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
    let linked = caught(scope, |scope| {
        explained(scope, state, |scope| {
            let module = lookup(scope, state, key)?;
            module.instantiate_module(scope, callbacks::resolve_module)
        })
    });
    match linked {
        Ok(_) => forget_requests(state, &walked),
        Err(failure) => {
            fail(scope, state, std::slice::from_ref(key), failure, purpose);
            return None;
        }
    }
    Some(module)
}

/// What V8 asked for while it linked is not asked for again.
fn forget_requests(state: &State, walked: &[(Rc<ModuleKey>, Rc<Imports>)]) {
    let mut map = state.modules.map.borrow_mut();
    for (key, imports) in walked {
        let imports = Imports {
            modules: imports.modules.clone(),
            by_request: HashMap::new(),
        };
        map.set_imports(key, Rc::new(imports));
    }
}

/// Sees to it that a module is in the map, not yet linked.
fn ensure(
    scope: &mut Scope<'_, '_>,
    state: &State,
    key: &Rc<ModuleKey>,
    target: &Target,
    attributes: &Attributes,
    purpose: Purpose<'_>,
) -> Option<()> {
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
pub(crate) fn insert(scope: &Scope<'_, '_>, state: &State, entry: Entry) -> Option<()> {
    let inserted = state.modules.map.borrow_mut().insert(scope, entry);
    inserted.map_err(|full| throw_full(scope, &full)).ok()
}

fn throw_full(scope: &Scope<'_, '_>, full: &MapFull) {
    let message = full.to_string();
    throw(scope, ErrorClass::RangeError, "ERR_LIMIT_MODULES", &message);
}

/// Throws `failure` again. What an `import` met is remembered for `keys`, as in Node: the
/// same error comes next time. A request that is being stopped proves nothing.
fn fail(
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

/// A graph while it is walked.
struct Walk {
    order: Vec<Rc<ModuleKey>>,
    positions: HashMap<Rc<ModuleKey>, usize>,
    /// For each module, those that import it.
    importers: Vec<Vec<usize>>,
    walked: Vec<(Rc<ModuleKey>, Rc<Imports>)>,
}

impl Walk {
    fn from(root: &Rc<ModuleKey>) -> Walk {
        Walk {
            order: vec![Rc::clone(root)],
            positions: HashMap::from([(Rc::clone(root), 0)]),
            importers: vec![Vec::new()],
            walked: Vec::new(),
        }
    }

    fn add(&mut self, key: &Rc<ModuleKey>, importer: usize) {
        let position = match self.positions.entry(Rc::clone(key)) {
            Slot::Occupied(slot) => *slot.get(),
            Slot::Vacant(slot) => {
                self.importers.push(Vec::new());
                self.order.push(Rc::clone(key));
                *slot.insert(self.order.len().saturating_sub(1))
            }
        };
        if let Some(importers) = self.importers.get_mut(position) {
            importers.push(importer);
        }
    }

    /// The module at `position` and all that lead to it.
    fn leading_to(&self, position: usize) -> Vec<Rc<ModuleKey>> {
        let mut is_found = vec![false; self.order.len()];
        let mut found = Vec::new();
        let mut queue = vec![position];
        while let Some(position) = queue.pop() {
            match is_found.get_mut(position) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            found.extend(self.order.get(position).cloned());
            queue.extend(self.importers.get(position).into_iter().flatten());
        }
        found
    }
}

/// Loads everything that `root` imports and that is not linked yet.
fn dependencies(
    scope: &mut Scope<'_, '_>,
    state: &State,
    root: &Rc<ModuleKey>,
    purpose: Purpose<'_>,
) -> Option<Vec<(Rc<ModuleKey>, Rc<Imports>)>> {
    let mut walk = Walk::from(root);
    let mut next = 0;
    while let Some(key) = walk.order.get(next).cloned() {
        // Each step's handles are let go of; a graph may be large.
        let found = caught(scope, |scope| {
            let imports = imports_of(scope, state, &key, purpose)?;
            let open = imports.modules.iter().filter(|dependency| {
                lookup(scope, state, dependency)
                    .is_some_and(|module| module.get_status() == v8::ModuleStatus::Uninstantiated)
            });
            let open: Vec<Rc<ModuleKey>> = open.cloned().collect();
            Some((imports, open))
        });
        match found {
            Ok((imports, open)) => {
                open.iter()
                    .for_each(|dependency| walk.add(dependency, next));
                walk.walked.push((key, imports));
            }
            Err(failure) => {
                fail(scope, state, &walk.leading_to(next), failure, purpose);
                return None;
            }
        }
        next = next.saturating_add(1);
    }
    Some(walk.walked)
}

/// What a module imports, all of it in the map.
fn imports_of(
    scope: &mut Scope<'_, '_>,
    state: &State,
    key: &Rc<ModuleKey>,
    purpose: Purpose<'_>,
) -> Option<Rc<Imports>> {
    let (module, known) = {
        let mut map = state.modules.map.borrow_mut();
        let entry = map.get(scope, key)?;
        (v8::Local::new(scope, &entry.module), entry.imports.clone())
    };
    if let Some(imports) = known {
        let map = state.modules.map.borrow();
        if imports.modules.iter().all(|module| map.contains(module)) {
            return Some(imports);
        }
    }
    let mut imports = Imports::default();
    if module.is_source_text_module() {
        let mut positions = HashMap::new();
        for request in requests(scope, module)? {
            request.load(scope, state, key, purpose, &mut imports, &mut positions)?;
        }
    }
    let imports = Rc::new(imports);
    let mut map = state.modules.map.borrow_mut();
    map.set_imports(key, Rc::clone(&imports));
    Some(imports)
}

struct Request {
    specifier: String,
    attributes: Attributes,
}

fn requests<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<Vec<Request>> {
    let requests = module.get_module_requests();
    (0..requests.length())
        .map(|index| {
            let request = requests.get(scope, index)?;
            let request = v8::Local::<v8::ModuleRequest>::try_from(request).ok()?;
            Some(Request {
                specifier: request.get_specifier().to_rust_string_lossy(scope),
                attributes: Attributes::of_statement(scope, request.get_import_attributes()),
            })
        })
        .collect()
}

impl Request {
    fn load(
        self,
        scope: &mut Scope<'_, '_>,
        state: &State,
        referrer: &ModuleKey,
        purpose: Purpose<'_>,
        imports: &mut Imports,
        positions: &mut HashMap<Rc<ModuleKey>, usize>,
    ) -> Option<()> {
        let target = resolve_or_throw(scope, state, &self.specifier, &referrer.url)?;
        let key = Rc::new(target.key(&self.attributes));
        if let Purpose::Require { .. } = purpose {
            refuse_cycle(scope, state, &key, &self.specifier, referrer)?;
        }
        let purpose = purpose.of_import(&self.specifier, &referrer.url);
        ensure(scope, state, &key, &target, &self.attributes, purpose)?;
        let position = *positions.entry(Rc::clone(&key)).or_insert_with(|| {
            imports.modules.push(key);
            imports.modules.len().saturating_sub(1)
        });
        let request = (self.specifier, self.attributes.kind);
        imports.by_request.insert(request, position);
        Some(())
    }
}

/// A required module must not import one that is being evaluated: it would run twice over.
fn refuse_cycle(
    scope: &Scope<'_, '_>,
    state: &State,
    key: &ModuleKey,
    specifier: &str,
    referrer: &ModuleKey,
) -> Option<()> {
    if state.modules.map.borrow().contains(key)
        && lookup(scope, state, key)?.get_status() == v8::ModuleStatus::Evaluating
    {
        let importer = super::resolve::file_name(&referrer.url);
        let message = format!("Cannot import Module {specifier} in a cycle. (from {importer})");
        let code = "ERR_REQUIRE_CYCLE_MODULE";
        throw(scope, ErrorClass::Error, code, &message);
        return None;
    }
    Some(())
}

/// Whether something that `root` imports, at any distance, is being evaluated right now.
/// V8 must not be asked to evaluate `root` then.
pub(crate) fn reaches_running(scope: &Scope<'_, '_>, state: &State, root: &ModuleKey) -> bool {
    let mut map = state.modules.map.borrow_mut();
    let mut queue = vec![Rc::new(root.clone())];
    let mut seen: std::collections::HashSet<Rc<ModuleKey>> = queue.iter().cloned().collect();
    while let Some(key) = queue.pop() {
        let Some(entry) = map.get(scope, &key) else {
            continue;
        };
        match v8::Local::new(scope, &entry.module).get_status() {
            v8::ModuleStatus::Evaluating => return true,
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
