//! Named exports of CommonJS files, found without running them.

use std::collections::HashSet;

use crate::session::State;
use host_bridge::reader::FileContents;
use host_bridge::resolver::{ImportKind, ModuleFormat, Referrer, Resolved};

/// Reexports of CommonJS that are followed, in all.
const MAX_REEXPORTS: usize = 256;

/// Export names of a CommonJS file, those of the files that it reexports included. Like in
/// Node they are found without running it; what cannot be found is simply no named export.
pub(crate) fn named_exports(state: &State, path: &str, contents: &FileContents) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = HashSet::from([path.to_owned()]);
    let mut queue = vec![(path.to_owned(), contents.clone())];
    while let Some((path, contents)) = queue.pop() {
        let found = state.modules.exports_of(&path, &contents);
        names.extend(found.exports.iter().cloned());
        for specifier in &found.reexports {
            if seen.len() > MAX_REEXPORTS {
                break;
            }
            if let Some((path, contents)) = reexported(state, &path, specifier)
                && seen.insert(path.clone())
            {
                queue.push((path, contents));
            }
        }
    }
    let mut unique = HashSet::new();
    names.retain(|name| unique.insert(name.clone()));
    names
}

fn reexported(state: &State, path: &str, specifier: &str) -> Option<(String, FileContents)> {
    let referrer = Referrer::new(path).ok()?;
    let resolver = &state.modules.resolver;
    match resolver
        .resolve(specifier, &referrer, ImportKind::Require)
        .ok()?
    {
        Resolved::File {
            path,
            format: ModuleFormat::CommonJs | ModuleFormat::Undeclared,
            ..
        } => {
            let contents = state.modules.directories.read(&path).ok()?;
            Some((path, contents))
        }
        _ => None,
    }
}
