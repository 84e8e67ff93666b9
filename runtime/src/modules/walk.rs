//! Walking a module graph: what each module imports is found and compiled.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, VecDeque};
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

    /// Notes that `importer` imports `key`; gives its position if it is new.
    fn add(&mut self, key: &Rc<ModuleKey>, importer: usize) -> Option<usize> {
        let (position, is_new) = match self.positions.entry(Rc::clone(key)) {
            Slot::Occupied(slot) => (*slot.get(), false),
            Slot::Vacant(slot) => {
                self.importers.push(Vec::new());
                self.order.push(Rc::clone(key));
                (*slot.insert(self.order.len().saturating_sub(1)), true)
            }
        };
        if let Some(importers) = self.importers.get_mut(position) {
            importers.push(importer);
        }
        is_new.then_some(position)
    }

    /// All that a module imports has been found.
    fn close(&mut self, state: &State, node: Node) {
        if let Some(key) = self.order.get(node.position) {
            let imports = Rc::new(node.imports);
            let mut map = state.modules.map.borrow_mut();
            map.set_imports(key, Rc::clone(&imports));
            self.walked.push((Rc::clone(key), imports));
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

/// Loads everything that `root` imports and that is not linked yet: level by level for an
/// `import`, and for a `require` each module with all below it before the next.
pub(crate) fn dependencies(
    scope: &mut Scope<'_, '_>,
    state: &State,
    root: &Rc<ModuleKey>,
    purpose: Purpose<'_>,
) -> Option<Vec<Walked>> {
    let is_deep = matches!(purpose, Purpose::Require { .. });
    let mut walk = Walk::from(root);
    let mut open = VecDeque::from([opened(scope, state, root, 0)?]);
    while let Some(mut node) = open.pop_front() {
        let Some(request) = node.requests.pop_front() else {
            walk.close(state, node);
            continue;
        };
        // Each step's handles are let go of; a graph may be large.
        let found = caught(scope, |scope| {
            let Some(importer) = walk.order.get(node.position) else {
                return Some(None);
            };
            let key = request.load(scope, state, importer, purpose)?;
            let is_open = is_open(scope, state, &key);
            let below = is_open.then(|| walk.add(&key, node.position)).flatten();
            let below = match below {
                Some(position) => Some(opened(scope, state, &key, position)?),
                None => None,
            };
            node.add(request, key);
            Some(below)
        });
        match found {
            Ok(Some(below)) if is_deep => {
                open.push_front(node);
                open.push_front(below);
            }
            Ok(below) => {
                open.push_front(node);
                open.extend(below);
            }
            Err(failure) => {
                let failed = walk.leading_to(node.position);
                fail(scope, state, &failed, failure, purpose);
                return None;
            }
        }
    }
    Some(walk.walked)
}

/// A module whose imports are being looked up.
struct Node {
    position: usize,
    requests: VecDeque<Request>,
    imports: Imports,
    /// Positions in `imports`.
    positions: HashMap<Rc<ModuleKey>, usize>,
}

impl Node {
    fn add(&mut self, request: Request, key: Rc<ModuleKey>) {
        let modules = &mut self.imports.modules;
        let position = *self.positions.entry(Rc::clone(&key)).or_insert_with(|| {
            modules.push(key);
            modules.len().saturating_sub(1)
        });
        let request = (request.specifier, request.attributes.kind);
        self.imports.by_request.insert(request, position);
    }
}

/// Begins with a module that is in the map.
fn opened(
    scope: &mut Scope<'_, '_>,
    state: &State,
    key: &ModuleKey,
    position: usize,
) -> Option<Node> {
    let module = lookup(scope, state, key)?;
    let requests = if module.is_source_text_module() {
        requests(scope, module)?
    } else {
        VecDeque::new()
    };
    Some(Node {
        position,
        requests,
        imports: Imports::default(),
        positions: HashMap::new(),
    })
}

/// Whether a module has still to be linked.
fn is_open(scope: &Scope<'_, '_>, state: &State, key: &ModuleKey) -> bool {
    lookup(scope, state, key)
        .is_some_and(|module| module.get_status() == v8::ModuleStatus::Uninstantiated)
}

struct Request {
    specifier: String,
    attributes: Attributes,
}

fn requests<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<VecDeque<Request>> {
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
        let target = resolve_or_throw(scope, state, &self.specifier, &referrer.url)?;
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
