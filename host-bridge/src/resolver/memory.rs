//! What one resolver has found, so that it asks the operating system once.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::Mutex;

use super::{ImportKind, Location, lock};

/// Answers of each kind that are remembered; a guest can ask for any number.
const MAX_REMEMBERED: usize = 32_768;

/// What a [`Location`] is the answer to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Question {
    pub(super) directory: String,
    pub(super) specifier: String,
    pub(super) kind: ImportKind,
}

/// What was found stays found. What was missing is missing until somebody cares.
#[derive(Debug, Default)]
pub(super) struct Memory {
    answers: Mutex<HashMap<Question, Location>>,
    /// Real paths, by the paths that files were found under.
    files: Mutex<HashMap<String, String>>,
    /// Directories that modules were looked for in.
    directories: Mutex<HashSet<String>>,
    /// Directories that were not there.
    missing: Mutex<HashSet<String>>,
}

impl Memory {
    pub(super) fn answer(&self, question: &Question) -> Option<Location> {
        lock(&self.answers).get(question).cloned()
    }

    pub(super) fn remember_answer(&self, question: Question, location: &Location) {
        insert(&self.answers, question, location.clone());
    }

    pub(super) fn file(&self, path: &str) -> Option<String> {
        lock(&self.files).get(path).cloned()
    }

    pub(super) fn remember_file(&self, path: &str, real_path: &str) {
        insert(&self.files, path.to_owned(), real_path.to_owned());
    }

    /// Whether a directory was at `path`, if it was looked for.
    pub(super) fn is_there(&self, path: &str) -> Option<bool> {
        if lock(&self.directories).contains(path) {
            return Some(true);
        }
        lock(&self.missing).contains(path).then_some(false)
    }

    pub(super) fn remember_directory(&self, path: &str) {
        add(&self.directories, path);
    }

    pub(super) fn remember_missing(&self, path: &str) {
        add(&self.missing, path);
    }

    pub(super) fn has_missing(&self) -> bool {
        !lock(&self.missing).is_empty()
    }

    pub(super) fn forget_missing(&self) {
        lock(&self.missing).clear();
    }
}

fn insert<K: Eq + Hash, V>(map: &Mutex<HashMap<K, V>>, key: K, value: V) {
    let mut map = lock(map);
    if MAX_REMEMBERED <= map.len() {
        map.clear();
    }
    map.insert(key, value);
}

fn add(set: &Mutex<HashSet<String>>, path: &str) {
    let mut set = lock(set);
    if MAX_REMEMBERED <= set.len() {
        set.clear();
    }
    set.insert(path.to_owned());
}
