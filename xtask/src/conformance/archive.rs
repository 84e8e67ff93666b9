//! Trees written by hand: `fixtures/conformance/trees/CLASS/NAME.txt`, all files of a tree in one text.
//!
//! ```text
//! # what it is about
//! condition: browser
//! entry: main.mjs
//! -- main.mjs --
//! await t.try('import p', () => import('p'));
//! -- node_modules/p -> ../packages/p --
//! ```
//!
//! Without a line `entry:` every `main*` at the root is one.

use std::path::Path;
use std::{fs, io};

use super::tree::{CLASSES, Tree};

/// A text that is no tree.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error("cannot read {path}: {source}")]
    Read { path: String, source: io::Error },
    #[error("{path}:{line}: {fault}")]
    Malformed {
        path: String,
        line: usize,
        fault: &'static str,
    },
}

/// The trees of these classes, in order of their names.
pub(super) fn load(folder: &Path, classes: &[&str]) -> Result<Vec<Tree>, ArchiveError> {
    let mut trees = Vec::new();
    for class in CLASSES.iter().filter(|class| classes.contains(class)) {
        let folder = folder.join(class);
        for name in names(&folder)? {
            let path = folder.join(format!("{name}.txt"));
            let told = path.display().to_string();
            let text = fs::read_to_string(&path).map_err(|source| ArchiveError::Read {
                path: told.clone(),
                source,
            })?;
            let mut tree = Tree::new(class, &name);
            parse(&mut tree, &text).map_err(|(line, fault)| ArchiveError::Malformed {
                path: told,
                line,
                fault,
            })?;
            trees.push(tree);
        }
    }
    Ok(trees)
}

fn names(folder: &Path) -> Result<Vec<String>, ArchiveError> {
    let read = |source| ArchiveError::Read {
        path: folder.display().to_string(),
        source,
    };
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(read)? {
        let name = entry.map_err(read)?.file_name();
        if let Some(name) = name.to_string_lossy().strip_suffix(".txt") {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn parse(tree: &mut Tree, text: &str) -> Result<(), (usize, &'static str)> {
    let mut file: Option<(String, String)> = None;
    let finish = |tree: &mut Tree, file: Option<(String, String)>| {
        if let Some((path, text)) = file {
            tree.file(path, text);
        }
    };
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let marker = bare
            .strip_prefix("-- ")
            .and_then(|rest| rest.strip_suffix(" --"));
        if let Some(marker) = marker {
            finish(tree, file.take());
            match marker.split_once(" -> ") {
                Some((path, to)) => tree.link(path, to),
                None => file = Some((marker.to_owned(), String::new())),
            }
        } else if let Some((_, text)) = &mut file {
            text.push_str(line);
        } else if let Some(name) = bare.strip_prefix("condition: ") {
            tree.conditions.push(name.to_owned());
        } else if let Some(path) = bare.strip_prefix("entry: ") {
            tree.entries.push(path.to_owned());
        } else if !bare.is_empty() && !bare.starts_with('#') {
            return Err((
                number,
                "neither a comment nor a field, before the first file",
            ));
        }
    }
    finish(tree, file);
    if tree.entries.is_empty() {
        let is_main = |path: &&String| path.starts_with("main") && !path.contains('/');
        tree.entries = tree.nodes.keys().filter(is_main).cloned().collect();
    }
    let absent = tree
        .entries
        .iter()
        .any(|path| !tree.nodes.contains_key(path));
    match tree.entries.is_empty() || absent {
        true => Err((1, "an entry is missing")),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::tree::Node;

    #[test]
    fn an_archive_is_read_and_written() {
        let text = "condition: x\nentry: a.mjs\n-- a.mjs --\n1\n\n-- b -> ../c --\n-- d --\n";
        let mut tree = Tree::new("urls", "one");
        parse(&mut tree, &format!("# why\n\n{text}")).unwrap();
        assert_eq!(tree.conditions, ["x"]);
        assert_eq!(tree.nodes["a.mjs"], Node::File("1\n\n".to_owned()));
        assert_eq!(tree.nodes["b"], Node::Link("../c".to_owned()));
        assert_eq!(tree.nodes["d"], Node::File(String::new()));
        assert_eq!(tree.to_archive(), text);
        assert_eq!(
            parse(&mut Tree::new("urls", "two"), "x\n").unwrap_err().0,
            1
        );
        assert!(parse(&mut Tree::new("urls", "three"), "-- a --\n").is_err());
    }
}
