//! The module map: one instance per URL and import attribute.

use std::collections::HashMap;

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

/// Modules by key and, for V8's callbacks, by identity.
#[derive(Default)]
pub(crate) struct ModuleMap {
    entries: HashMap<ModuleKey, Entry>,
    /// Identity hash to keys; several modules may share a hash.
    by_hash: HashMap<i32, Vec<ModuleKey>>,
    /// The main module of the run, for `import.meta.main`.
    pub(crate) main: Option<String>,
}

impl ModuleMap {
    pub(crate) fn insert(&mut self, scope: &Scope<'_, '_>, entry: Entry) {
        let hash = v8::Local::new(scope, &entry.module)
            .get_identity_hash()
            .get();
        self.by_hash
            .entry(hash)
            .or_default()
            .push(entry.key.clone());
        self.entries.insert(entry.key.clone(), entry);
    }

    pub(crate) fn remove(&mut self, scope: &Scope<'_, '_>, key: &ModuleKey) {
        if let Some(entry) = self.entries.remove(key) {
            let hash = v8::Local::new(scope, &entry.module)
                .get_identity_hash()
                .get();
            if let Some(keys) = self.by_hash.get_mut(&hash) {
                keys.retain(|other| other != key);
            }
        }
    }

    pub(crate) fn get(&self, key: &ModuleKey) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn contains(&self, key: &ModuleKey) -> bool {
        self.entries.contains_key(key)
    }

    /// The entry of a module that V8 names.
    pub(crate) fn find(&self, module: v8::Local<'_, v8::Module>) -> Option<&Entry> {
        let keys = self.by_hash.get(&module.get_identity_hash().get())?;
        keys.iter()
            .filter_map(|key| self.entries.get(key))
            .find(|entry| entry.module == module)
    }

    /// All entries, ordered by key so that a snapshot is reproducible.
    pub(crate) fn sorted(&self) -> Vec<&Entry> {
        let mut all: Vec<&Entry> = self.entries.values().collect();
        all.sort_by(|a, b| (&a.key.url, &a.key.attribute).cmp(&(&b.key.url, &b.key.attribute)));
        all
    }
}
