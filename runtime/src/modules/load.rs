//! Walking a module graph: compile what is missing, link, evaluate.

use host_bridge::ModuleOrigin;
use host_bridge::resolver::{ImportKind, Language, ModuleFormat};

use super::ModuleKey;
use super::compile::{Compiled, compile, source_text};
use super::language::javascript_of;
use super::map::Origin;
use super::resolve::{Target, TargetKind, throw_unresolved};
use crate::Scope;
use crate::bootstrap::MetaOf;
use crate::callbacks;
use crate::session::State;
use crate::strings::{ErrorClass, key, string, throw};

/// Modules that one session may hold.
const MAX_MODULES: usize = 100_000;

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
        && matches!(
            format,
            ModuleFormat::CommonJs | ModuleFormat::Undeclared | ModuleFormat::Json
        )
        && !is_bare(specifier)
    {
        let exports = state.hooks.get()?.require_main(scope, path)?;
        return Some(Imported::Exports(exports));
    }
    state.modules.map.borrow_mut().main = Some(target.url.clone());
    let module = graph(scope, state, &target, "")?;
    let promise = run(scope, module)?;
    Some(Imported::Module(promise, module))
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
    let module = compiled.module;
    // Each request brings its own source, so an earlier one of that name is replaced.
    let key = target.key("");
    let mut map = state.modules.map.borrow_mut();
    map.remove(scope, &key);
    map.insert(scope, compiled.into_entry(scope, key.clone()));
    map.main = Some(target.url);
    drop(map);
    let linked = dependencies(scope, state, vec![key]).and_then(|()| link(scope, module));
    linked?;
    let promise = run(scope, module)?;
    Some(Imported::Module(promise, module))
}

/// The module that `target` names with everything that it imports, linked. `None` means
/// that an exception is pending.
pub(crate) fn graph<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    target: &Target,
    attribute: &str,
) -> Option<v8::Local<'s, v8::Module>> {
    let key = target.key(attribute);
    if !state.modules.map.borrow().contains(&key) {
        let compiled = compile(scope, state, target, attribute)?;
        insert(scope, state, compiled, key.clone())?;
        dependencies(scope, state, vec![key.clone()])?;
    }
    let module = lookup(scope, state, &key)?;
    link(scope, module)?;
    Some(module)
}

fn insert(
    scope: &Scope<'_, '_>,
    state: &State,
    compiled: Compiled<'_>,
    key: ModuleKey,
) -> Option<()> {
    let mut map = state.modules.map.borrow_mut();
    if map.len() >= MAX_MODULES {
        let message = format!("A session may hold {MAX_MODULES} modules");
        throw(scope, ErrorClass::RangeError, "ERR_LIMIT_MODULES", &message);
        return None;
    }
    let entry = compiled.into_entry(scope, key);
    map.insert(scope, entry);
    Some(())
}

/// Compiles everything that the modules in `added` import and that is not there yet. When
/// something fails, all that was added is taken out again, so that a later import of it
/// fails in the same way.
fn dependencies(scope: &mut Scope<'_, '_>, state: &State, mut added: Vec<ModuleKey>) -> Option<()> {
    let mut next = 0;
    while let Some(referrer) = added.get(next).cloned() {
        next = next.saturating_add(1);
        let found = requests(scope, state, &referrer).and_then(|requests| {
            requests.into_iter().try_for_each(|request| {
                let compiled = request.compile_if_new(scope, state)?;
                if let Some((key, compiled)) = compiled {
                    insert(scope, state, compiled, key.clone())?;
                    added.push(key);
                }
                Some(())
            })
        });
        if found.is_none() {
            let mut map = state.modules.map.borrow_mut();
            added.iter().for_each(|key| map.remove(scope, key));
            return None;
        }
    }
    Some(())
}

struct Request {
    target: Target,
    attribute: String,
}

impl Request {
    /// `None` is a pending exception, `Some(None)` that there is nothing to do.
    fn compile_if_new<'s>(
        &self,
        scope: &mut Scope<'s, '_>,
        state: &State,
    ) -> Option<Option<(ModuleKey, Compiled<'s>)>> {
        let key = self.target.key(&self.attribute);
        if state.modules.map.borrow().contains(&key) {
            return Some(None);
        }
        let compiled = compile(scope, state, &self.target, &self.attribute)?;
        Some(Some((key, compiled)))
    }
}

fn requests(
    scope: &mut Scope<'_, '_>,
    state: &State,
    referrer: &ModuleKey,
) -> Option<Vec<Request>> {
    let module = lookup(scope, state, referrer)?;
    if !module.is_source_text_module() {
        return Some(Vec::new());
    }
    let requests = module.get_module_requests();
    let mut all = Vec::new();
    for index in 0..requests.length() {
        let request = requests.get(scope, index)?;
        let request = v8::Local::<v8::ModuleRequest>::try_from(request).ok()?;
        let specifier = request.get_specifier().to_rust_string_lossy(scope);
        let attribute = type_attribute(scope, request.get_import_attributes(), 3)?;
        let target = resolve_or_throw(scope, state, &specifier, &referrer.url)?;
        all.push(Request { target, attribute });
    }
    Some(all)
}

/// Resolves for an `import`; throws what Node throws.
pub(crate) fn resolve_or_throw(
    scope: &Scope<'_, '_>,
    state: &State,
    specifier: &str,
    referrer: &str,
) -> Option<Target> {
    match state
        .modules
        .resolve(specifier, referrer, ImportKind::Import)
    {
        Ok(target) => Some(target),
        Err(error) => {
            throw_unresolved(scope, &error);
            None
        }
    }
}

/// The attribute `type`; any other is an error. V8 lists key, value and, in static
/// imports, the position: `stride` is 3 there and 2 in `import()`.
pub(crate) fn type_attribute(
    scope: &Scope<'_, '_>,
    attributes: v8::Local<'_, v8::FixedArray>,
    stride: usize,
) -> Option<String> {
    let mut found = String::new();
    for index in (0..attributes.length()).step_by(stride) {
        let text = |at: usize| {
            let data = attributes.get(scope, at)?;
            let value = v8::Local::<v8::Value>::try_from(data).ok()?;
            crate::strings::text(scope, value)
        };
        let name = text(index)?;
        if name != "type" {
            let message = format!("Import attribute \"{name}\" is not supported");
            let code = "ERR_IMPORT_ATTRIBUTE_UNSUPPORTED";
            throw(scope, ErrorClass::TypeError, code, &message);
            return None;
        }
        found = text(index.saturating_add(1))?;
    }
    Some(found)
}

fn lookup<'s>(
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

fn link(scope: &mut Scope<'_, '_>, module: v8::Local<'_, v8::Module>) -> Option<()> {
    if module.get_status() == v8::ModuleStatus::Uninstantiated {
        module.instantiate_module(scope, callbacks::resolve_module)?;
    }
    Some(())
}

/// Evaluates a linked module. The promise settles when the module has run.
pub(crate) fn run<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Promise>> {
    let value = module.evaluate(scope)?;
    if let Ok(promise) = v8::Local::<v8::Promise>::try_from(value) {
        return Some(promise);
    }
    // A synthetic module gives what its steps gave, and it has run then.
    let resolver = v8::PromiseResolver::new(scope)?;
    resolver.resolve(scope, value)?;
    Some(resolver.get_promise(scope))
}

/// V8 asks, while it links, for a module that `dependencies` has put into the map.
pub(crate) fn linked<'s>(
    scope: &mut Scope<'s, '_>,
    specifier: v8::Local<'s, v8::String>,
    attributes: v8::Local<'s, v8::FixedArray>,
    referrer: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Module>> {
    let state = State::of(scope)?;
    let specifier = specifier.to_rust_string_lossy(scope);
    let referrer = state
        .modules
        .map
        .borrow_mut()
        .find(scope, referrer)
        .map(|entry| entry.key.url.clone());
    let attribute = type_attribute(scope, attributes, 3)?;
    let target = resolve_or_throw(scope, &state, &specifier, &referrer.unwrap_or_default())?;
    let module = lookup(scope, &state, &target.key(&attribute));
    if module.is_none() {
        let message = format!("Cannot find module '{}'", target.url);
        throw(scope, ErrorClass::Error, "ERR_MODULE_NOT_FOUND", &message);
    }
    module
}

/// V8 runs a synthetic module: its exports are taken from where they come from.
pub(crate) fn evaluate_synthetic<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
) -> Option<v8::Local<'s, v8::Value>> {
    let state = State::of(scope)?;
    let (origin, names) = {
        let mut map = state.modules.map.borrow_mut();
        let entry = map.find(scope, module)?;
        (entry.origin.clone(), entry.export_names.clone())
    };
    let hooks = state.hooks.get()?;
    let exports = match &origin {
        Origin::SourceText => return Some(v8::undefined(scope).into()),
        Origin::CommonJs { path } => hooks.require_for_import(scope, path)?,
        Origin::Builtin { name } => hooks.builtin(scope, name)?,
        Origin::Value(value) => v8::Local::new(scope, value),
    };
    for name in names {
        let value = if name == "default" {
            exports
        } else if let Ok(object) = v8::Local::<v8::Object>::try_from(exports) {
            let key = string(scope, &name);
            object.get(scope, key.into())?
        } else {
            v8::undefined(scope).into()
        };
        let name = string(scope, &name);
        module.set_synthetic_module_export(scope, name, value)?;
    }
    Some(v8::undefined(scope).into())
}

/// `import.meta` of a module. Node's docs, "import.meta".
pub(crate) fn init_import_meta<'s>(
    scope: &mut Scope<'s, '_>,
    module: v8::Local<'s, v8::Module>,
    meta: v8::Local<'s, v8::Object>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let place = {
        let mut map = state.modules.map.borrow_mut();
        let main = map.main.clone();
        let Some(entry) = map.find(scope, module) else {
            return;
        };
        MetaOf {
            is_main: main.as_ref() == Some(&entry.key.url),
            url: entry.key.url.clone(),
        }
    };
    if let Some(hooks) = state.hooks.get() {
        hooks.init_import_meta(scope, meta, &place);
    }
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
