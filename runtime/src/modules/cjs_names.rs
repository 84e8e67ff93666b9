//! Named exports of CommonJS files, found without running them.

use std::collections::HashSet;

use crate::session::State;
use host_bridge::reader::FileContents;
use host_bridge::resolver::{ImportKind, ModuleFormat, Referrer, Resolved};

/// Reexports of CommonJS that are followed, in all.
const MAX_REEXPORTS: usize = 256;

/// What is found out about a CommonJS file without running it.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Export names, those of the files that it reexports included. What cannot be found is
    /// simply no named export.
    pub(crate) names: Vec<String>,
    /// Path of the file and of those that it reexports, in the order of a walk that goes
    /// down first.
    pub(crate) files: Vec<String>,
}

/// Looks through a CommonJS file and the files that it reexports, as Node does.
pub(crate) fn look_through(state: &State, path: &str, contents: &FileContents) -> Found {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    let mut stack = vec![(path.to_owned(), Some(contents.clone()))];
    while let Some((path, contents)) = stack.pop() {
        if MAX_REEXPORTS < seen.len() || !seen.insert(path.clone()) {
            continue;
        }
        if let Some(contents) = contents {
            let lexed = state.modules.exports_of(&path, &contents);
            found.names.extend(lexed.exports.iter().cloned());
            let reexports = lexed.reexports.iter().take(MAX_REEXPORTS).rev();
            stack.extend(reexports.filter_map(|specifier| reexported(state, &path, specifier)));
        }
        found.files.push(path);
    }
    let mut unique = HashSet::new();
    found.names.retain(|name| unique.insert(name.clone()));
    found
}

/// The file that `specifier` means. It has contents where it may have export names.
fn reexported(
    state: &State,
    path: &str,
    specifier: &str,
) -> Option<(String, Option<FileContents>)> {
    let referrer = Referrer::new(path).ok()?;
    let resolver = &state.modules.resolver;
    let found = resolver.resolve(specifier, &referrer, ImportKind::Require);
    match found.ok()? {
        Resolved::File {
            path,
            format: ModuleFormat::CommonJs | ModuleFormat::Undeclared,
            ..
        } => {
            let contents = state.modules.directories.read(&path).ok()?;
            Some((path, Some(contents)))
        }
        Resolved::File {
            path,
            format: ModuleFormat::EsModule | ModuleFormat::Wasm,
            ..
        } => Some((path, None)),
        _ => None,
    }
}
