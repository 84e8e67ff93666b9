//! The module map: one instance per URL and import attribute.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::Scope;

/// Modules that one session may hold, those that failed included.
const MAX_MODULES: usize = 100_000;
/// Bytes of all their URLs together: a query may be as long as a specifier.
const MAX_URL_BYTES: usize = 64 << 20;

/// What names a module instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ModuleKey {
    /// `file:` URL with guest path, query and fragment included, `data:` URL, or `node:`
    /// name.
    pub(crate) url: String,
    /// Import attribute `type`; empty for none.
    pub(crate) attribute: String,
}

/// What a module runs as, and what a synthetic one takes its exports from.
#[derive(Clone)]
pub(crate) enum Origin {
    /// A source text module: V8 evaluates it.
    SourceText,
    /// A CommonJS file, run by the CommonJS loader.
    CommonJs {
        /// Guest path.
        path: String,
        /// What the loader calls its module.
        module: v8::Global<v8::Value>,
        /// Whether `default` is among the names that were found in its text.
        names_default: bool,
    },
    /// A built-in module.
    Builtin {
        /// Name without `node:`.
        name: String,
    },
    /// A value that is there already: parsed JSON.
    Value(v8::Global<v8::Value>),
    /// A source text module of ours around a compiled WebAssembly module.
    Wasm(v8::Global<v8::Value>),
}

pub(crate) struct Entry {
    pub(crate) key: Rc<ModuleKey>,
    pub(crate) module: v8::Global<v8::Module>,
    pub(crate) origin: Origin,
    pub(crate) export_names: Vec<String>,
    /// Whether it came out of the snapshot.
    pub(crate) restored: bool,
    /// Whether a `require` has been refused because something in its graph awaits.
    pub(crate) is_known_async: bool,
    /// What it imports; `None` until that has been looked up.
    pub(crate) imports: Option<Rc<Imports>>,
}

/// The imports of one module.
#[derive(Debug, Default)]
pub(crate) struct Imports {
    /// Each module once, in the order of the text.
    pub(crate) modules: Vec<Rc<ModuleKey>>,
    /// Specifier and attribute to position in `modules`. Empty once the module is linked.
    pub(crate) by_request: HashMap<(String, String), usize>,
    /// Modules in the longest chain that begins here; 0 until the module is linked.
    pub(crate) depth: usize,
}

/// A map that is full.
#[derive(Debug, thiserror::Error)]
#[error("A session may hold {MAX_MODULES} modules, with {MAX_URL_BYTES} bytes of URLs in all")]
pub(crate) struct MapFull;

/// Positions of modules in a snapshot, shared by all sessions that came from it.
pub(crate) type SnapshotIndex = HashMap<ModuleKey, usize>;

/// Modules by key and, for V8's callbacks, by identity.
///
/// Those of a snapshot are taken out of it when they are first asked for: an SDK has a
/// thousand, of which a session names a few.
#[derive(Default)]
pub(crate) struct ModuleMap {
    entries: HashMap<Rc<ModuleKey>, Entry>,
    /// Identity hash to keys; several modules may share a hash.
    by_hash: HashMap<i32, Vec<Rc<ModuleKey>>>,
    /// What was thrown where a module could not be loaded: it fails so again.
    failed: HashMap<Rc<ModuleKey>, v8::Global<v8::Value>>,
    url_bytes: usize,
    snapshot: Arc<SnapshotIndex>,
    /// The main module of the run, for `import.meta.main`.
    pub(crate) main: Option<String>,
}

impl ModuleMap {
    /// A map over the modules of a snapshot.
    pub(crate) fn over(snapshot: Arc<SnapshotIndex>) -> ModuleMap {
        ModuleMap {
            snapshot,
            ..ModuleMap::default()
        }
    }

    /// # Errors
    ///
    /// [`MapFull`]
    pub(crate) fn insert(&mut self, scope: &Scope<'_, '_>, entry: Entry) -> Result<(), MapFull> {
        self.make_room(&entry.key)?;
        self.url_bytes = self.url_bytes.saturating_add(entry.key.url.len());
        self.put(scope, entry);
        Ok(())
    }

    fn make_room(&self, key: &ModuleKey) -> Result<(), MapFull> {
        let n_modules = self.entries.len().saturating_add(self.failed.len());
        let url_bytes = self.url_bytes.saturating_add(key.url.len());
        if MAX_MODULES <= n_modules || MAX_URL_BYTES < url_bytes {
            return Err(MapFull);
        }
        Ok(())
    }

    fn put(&mut self, scope: &Scope<'_, '_>, entry: Entry) {
        let hash = hash_of(scope, &entry);
        let keys = self.by_hash.entry(hash).or_default();
        keys.push(Rc::clone(&entry.key));
        self.entries.insert(Rc::clone(&entry.key), entry);
    }

    pub(crate) fn remove(&mut self, scope: &Scope<'_, '_>, key: &ModuleKey) {
        if let Some(entry) = self.entries.remove(key) {
            self.url_bytes = self.url_bytes.saturating_sub(key.url.len());
            if let Some(keys) = self.by_hash.get_mut(&hash_of(scope, &entry)) {
                keys.retain(|other| **other != *key);
            }
        }
    }

    /// Remembers why a module cannot be loaded. A full map forgets it.
    pub(crate) fn fail(&mut self, key: Rc<ModuleKey>, thrown: v8::Global<v8::Value>) {
        if self.make_room(&key).is_ok() && !self.failed.contains_key(&key) {
            self.url_bytes = self.url_bytes.saturating_add(key.url.len());
            self.failed.insert(key, thrown);
        }
    }

    /// Forgets a failure: the host brings another source of that name.
    pub(crate) fn forgive(&mut self, key: &ModuleKey) {
        if self.failed.remove(key).is_some() {
            self.url_bytes = self.url_bytes.saturating_sub(key.url.len());
        }
    }

    /// What was thrown where this module could not be loaded.
    pub(crate) fn failure(&self, key: &ModuleKey) -> Option<&v8::Global<v8::Value>> {
        self.failed.get(key)
    }

    pub(crate) fn get(&mut self, scope: &Scope<'_, '_>, key: &ModuleKey) -> Option<&Entry> {
        if !self.entries.contains_key(key) {
            let position = *self.snapshot.get(key)?;
            self.restore(scope, key, position)?;
        }
        self.entries.get(key)
    }

    pub(crate) fn set_imports(&mut self, key: &ModuleKey, imports: Rc<Imports>) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.imports = Some(imports);
        }
    }

    pub(crate) fn set_known_async(&mut self, key: &ModuleKey) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.is_known_async = true;
        }
    }

    pub(crate) fn is_known_async(&self, key: &ModuleKey) -> bool {
        let entry = self.entries.get(key);
        entry.is_some_and(|entry| entry.is_known_async)
    }

    /// Modules in the longest chain that begins at a linked module. Those of a snapshot
    /// count as one.
    pub(crate) fn depth(&self, key: &ModuleKey) -> usize {
        let entry = self.entries.get(key);
        let imports = entry.and_then(|entry| entry.imports.as_ref());
        imports.map_or(1, |imports| imports.depth)
    }

    pub(crate) fn contains(&self, key: &ModuleKey) -> bool {
        self.entries.contains_key(key) || self.snapshot.contains_key(key)
    }

    /// The entry of a module that V8 names.
    pub(crate) fn find(
        &mut self,
        scope: &Scope<'_, '_>,
        module: v8::Local<'_, v8::Module>,
    ) -> Option<&Entry> {
        if self.key_of(module).is_none() {
            // It may be one of the snapshot's that nobody has asked for by name.
            let snapshot = Arc::clone(&self.snapshot);
            for (key, position) in snapshot.iter() {
                if !self.entries.contains_key(key) {
                    self.restore(scope, key, *position);
                }
            }
        }
        let key = Rc::clone(self.key_of(module)?);
        self.entries.get(&key)
    }

    /// The modules that are built in, those of the snapshot included.
    pub(crate) fn builtin_keys(&self) -> Vec<Rc<ModuleKey>> {
        let own = self.entries.keys().cloned();
        let others = self.snapshot.keys();
        let others = others.filter(|key| !self.entries.contains_key(*key));
        let mut keys: Vec<Rc<ModuleKey>> = own
            .chain(others.cloned().map(Rc::new))
            .filter(|key| key.url.starts_with("node:"))
            .collect();
        keys.sort_by(|a, b| a.url.cmp(&b.url));
        keys
    }

    /// All entries that are not the snapshot's, ordered by key so that a snapshot made of
    /// them is reproducible.
    pub(crate) fn sorted(&self) -> Vec<&Entry> {
        let mut all: Vec<&Entry> = self.entries.values().collect();
        all.sort_by(|a, b| (&a.key.url, &a.key.attribute).cmp(&(&b.key.url, &b.key.attribute)));
        all
    }

    fn key_of(&self, module: v8::Local<'_, v8::Module>) -> Option<&Rc<ModuleKey>> {
        let keys = self.by_hash.get(&module.get_identity_hash().get())?;
        keys.iter().find(|key| {
            self.entries
                .get(*key)
                .is_some_and(|entry| entry.module == module)
        })
    }

    /// Takes one module out of the snapshot. V8 gives each out once.
    fn restore(&mut self, scope: &Scope<'_, '_>, key: &ModuleKey, position: usize) -> Option<()> {
        // The first of the context's data are the hooks of the realm.
        let index = position.checked_add(1)?;
        let module = scope
            .get_context_data_from_snapshot_once::<v8::Module>(index)
            .ok()?;
        let entry = Entry {
            key: Rc::new(key.clone()),
            module: v8::Global::new(scope, module),
            // It has been evaluated; where its exports came from no longer matters.
            origin: Origin::SourceText,
            export_names: Vec::new(),
            restored: true,
            is_known_async: false,
            imports: None,
        };
        self.put(scope, entry);
        Some(())
    }
}

fn hash_of(scope: &Scope<'_, '_>, entry: &Entry) -> i32 {
    v8::Local::new(scope, &entry.module)
        .get_identity_hash()
        .get()
}
