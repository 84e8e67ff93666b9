//! A tree of packages with the programs that look at it, and how it gets onto a disk.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::{fmt::Write as _, fs};

/// The name of a group of trees that ask the same kind of question.
pub(super) const CLASSES: [&str; 7] = [
    "conditions",
    "layouts",
    "formats",
    "names",
    "loading",
    "errors",
    "urls",
];

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// A file with this text.
    File(String),
    /// A symbolic link to this.
    Link(String),
}

/// Packages, and entries: files that are run one by one, each in a realm of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    /// `CLASS/NAME`.
    pub(super) name: String,
    /// Conditions of `exports` and `imports` beyond Node's own.
    pub(super) conditions: Vec<String>,
    /// By path from the tree's root.
    pub(super) nodes: BTreeMap<String, Node>,
    /// Paths of files.
    pub(super) entries: Vec<String>,
}

impl Tree {
    pub(super) fn new(class: &str, name: &str) -> Tree {
        Tree {
            name: format!("{class}/{name}"),
            ..Tree::default()
        }
    }

    pub(super) fn class(&self) -> &str {
        self.name.split('/').next().unwrap_or(&self.name)
    }

    pub(super) fn file(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.nodes.insert(path.into(), Node::File(text.into()));
    }

    pub(super) fn link(&mut self, path: impl Into<String>, to: impl Into<String>) {
        self.nodes.insert(path.into(), Node::Link(to.into()));
    }

    pub(super) fn entry(&mut self, path: &str, text: impl Into<String>) {
        self.file(path, text);
        self.entries.push(path.to_owned());
    }

    /// Writes all of it under `root`.
    pub(super) fn write(&self, root: &Path) -> io::Result<()> {
        fs::create_dir_all(root)?;
        for (path, node) in &self.nodes {
            let path = root.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            match node {
                Node::File(text) => fs::write(path, text)?,
                Node::Link(to) => symlink(to, path)?,
            }
        }
        Ok(())
    }

    /// All of it as one text, as `fixtures/conformance/trees/` has them.
    pub(super) fn to_archive(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        for name in &self.conditions {
            let _ = writeln!(text, "condition: {name}");
        }
        for path in &self.entries {
            let _ = writeln!(text, "entry: {path}");
        }
        for (path, node) in &self.nodes {
            let _ = match node {
                Node::File(body) if body.is_empty() || body.ends_with('\n') => {
                    write!(text, "-- {path} --\n{body}")
                }
                Node::File(body) => write!(text, "-- {path} --\n{body}\n"),
                Node::Link(to) => writeln!(text, "-- {path} -> {to} --"),
            };
        }
        text
    }
}
