//! Walking a module graph: what each module imports is found and compiled.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::rc::Rc;

use super::attributes::Attributes;
use super::graph::{Wanted, ensure, fail, lookup};
use super::map::Imports;
use super::resolve::{file_name, resolve_or_throw};
use super::thrown::{ErrorClass, throw};
use super::{ModuleKey, Purpose};
use crate::Scope;
use crate::error::caught;
use crate::session::State;

/// A module and what it imports.
pub(crate) type Walked = (Rc<ModuleKey>, Rc<Imports>);

/// A graph while it is walked.
struct Walk {
    order: Vec<Rc<ModuleKey>>,
    positions: HashMap<Rc<ModuleKey>, usize>,
    /// For each module, those that import it.
    importers: Vec<Vec<usize>>,
    walked: Vec<Walked>,
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
pub(crate) fn dependencies(
    scope: &mut Scope<'_, '_>,
    state: &State,
    root: &Rc<ModuleKey>,
    purpose: Purpose<'_>,
) -> Option<Vec<Walked>> {
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
            let key = request.load(scope, state, key, purpose)?;
            let position = *positions.entry(Rc::clone(&key)).or_insert_with(|| {
                imports.modules.push(key);
                imports.modules.len().saturating_sub(1)
            });
            let request = (request.specifier, request.attributes.kind);
            imports.by_request.insert(request, position);
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
    /// Sees to it that what is imported is in the map.
    fn load(
        &self,
        scope: &mut Scope<'_, '_>,
        state: &State,
        referrer: &ModuleKey,
        purpose: Purpose<'_>,
    ) -> Option<Rc<ModuleKey>> {
        if let Purpose::Require { .. } = purpose {
            refuse_network(scope, &self.specifier, referrer)?;
        }
        let attributes = &self.attributes;
        let target = resolve_or_throw(scope, state, &self.specifier, &referrer.url, attributes)?;
        let wanted = Wanted::new(&target, &self.attributes);
        if let Purpose::Require { .. } = purpose {
            refuse_cycle(scope, state, &wanted.key, &self.specifier, referrer)?;
        }
        let purpose = purpose.of_import(&self.specifier, &referrer.url);
        ensure(scope, state, &wanted, purpose)?;
        Some(wanted.key)
    }
}

/// Nothing that is required comes from elsewhere.
fn refuse_network(scope: &mut Scope<'_, '_>, specifier: &str, referrer: &ModuleKey) -> Option<()> {
    let scheme = specifier.split_once("://").map(|(scheme, _)| scheme);
    let is_network = scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    if is_network {
        let importer = &referrer.url;
        let message = format!(
            "import of '{specifier}' by {importer} is not supported: ES modules cannot be loaded \
             by require() from the network"
        );
        let code = "ERR_NETWORK_IMPORT_DISALLOWED";
        throw(scope, ErrorClass::Error, code, &message);
        return None;
    }
    Some(())
}

/// A required module must not import one that is being evaluated: it would run twice over.
fn refuse_cycle(
    scope: &mut Scope<'_, '_>,
    state: &State,
    key: &ModuleKey,
    specifier: &str,
    referrer: &ModuleKey,
) -> Option<()> {
    if state.modules.map.borrow().contains(key)
        && lookup(scope, state, key)?.get_status() == v8::ModuleStatus::Evaluating
    {
        let importer = file_name(&referrer.url);
        let message = format!("Cannot import Module {specifier} in a cycle. (from {importer})");
        let code = "ERR_REQUIRE_CYCLE_MODULE";
        throw(scope, ErrorClass::Error, code, &message);
        return None;
    }
    Some(())
}
