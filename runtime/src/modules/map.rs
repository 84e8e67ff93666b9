//! The module map: one instance per URL and import attribute.

use std::collections::HashMap;
use std::sync::Arc;

use crate::Scope;

/// What names a module instance.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ModuleKey {
    /// `file:` URL with guest path, query and fragment included, or `node:` name.
    pub(crate) url: String,
    /// Import attribute `type`; empty for none.
    pub(crate) attribute: String,
}

/// What a synthetic module takes its exports from when it is evaluated.
#[derive(Clone)]
pub(crate) enum Origin {
    /// A source text module: V8 evaluates it.
    SourceText,
    /// A CommonJS file, run by the CommonJS loader.
    CommonJs {
        /// Guest path.
        path: String,
    },
    /// A built-in module.
    Builtin {
        /// Name without `node:`.
        name: String,
    },
    /// A value that is there already: parsed JSON.
    Value(v8::Global<v8::Value>),
}

pub(crate) struct Entry {
    pub(crate) key: ModuleKey,
    pub(crate) module: v8::Global<v8::Module>,
    pub(crate) origin: Origin,
    pub(crate) export_names: Vec<String>,
    /// Whether it came out of the snapshot.
    pub(crate) restored: bool,
}

/// Positions of modules in a snapshot, shared by all sessions that came from it.
pub(crate) type SnapshotIndex = HashMap<ModuleKey, usize>;

/// Modules by key and, for V8's callbacks, by identity.
///
/// Those of a snapshot are taken out of it when they are first asked for: an SDK has a
/// thousand, of which a session names a few.
#[derive(Default)]
pub(crate) struct ModuleMap {
    entries: HashMap<ModuleKey, Entry>,
    /// Identity hash to keys; several modules may share a hash.
    by_hash: HashMap<i32, Vec<ModuleKey>>,
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

    pub(crate) fn insert(&mut self, scope: &Scope<'_, '_>, entry: Entry) {
        let hash = hash_of(scope, &entry);
        self.by_hash
            .entry(hash)
            .or_default()
            .push(entry.key.clone());
        self.entries.insert(entry.key.clone(), entry);
    }

    pub(crate) fn remove(&mut self, scope: &Scope<'_, '_>, key: &ModuleKey) {
        if let Some(entry) = self.entries.remove(key)
            && let Some(keys) = self.by_hash.get_mut(&hash_of(scope, &entry))
        {
            keys.retain(|other| other != key);
        }
    }

    pub(crate) fn get(&mut self, scope: &Scope<'_, '_>, key: &ModuleKey) -> Option<&Entry> {
        if !self.entries.contains_key(key) {
            let position = *self.snapshot.get(key)?;
            self.restore(scope, key, position)?;
        }
        self.entries.get(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
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
        let key = self.key_of(module)?.clone();
        self.entries.get(&key)
    }

    /// All entries that are not the snapshot's, ordered by key so that a snapshot made of
    /// them is reproducible.
    pub(crate) fn sorted(&self) -> Vec<&Entry> {
        let mut all: Vec<&Entry> = self.entries.values().collect();
        all.sort_by(|a, b| (&a.key.url, &a.key.attribute).cmp(&(&b.key.url, &b.key.attribute)));
        all
    }

    fn key_of(&self, module: v8::Local<'_, v8::Module>) -> Option<&ModuleKey> {
        let keys = self.by_hash.get(&module.get_identity_hash().get())?;
        keys.iter().find(|key| {
            self.entries
                .get(key)
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
            key: key.clone(),
            module: v8::Global::new(scope, module),
            // It has been evaluated; where its exports came from no longer matters.
            origin: Origin::SourceText,
            export_names: Vec::new(),
            restored: true,
        };
        self.insert(scope, entry);
        Some(())
    }
}

fn hash_of(scope: &Scope<'_, '_>, entry: &Entry) -> i32 {
    v8::Local::new(scope, &entry.module)
        .get_identity_hash()
        .get()
}
