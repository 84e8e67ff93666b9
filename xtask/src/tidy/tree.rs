//! The files of the workspace, read once: paths relative to its root, with `/`, in order.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Folders that hold what others wrote or what a build made, at any depth.
const SKIPPED: &[&str] = &[".git", "node_modules"];
/// The same, from the root only.
const SKIPPED_AT_ROOT: &[&str] = &["target", "vendor", "bench/out"];

#[derive(Debug)]
pub(crate) struct Tree {
    files: Vec<TextFile>,
}

#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Tree {
    /// Reads all files but those that are not text. Symbolic links are not followed.
    pub(crate) fn load(root: &Path) -> io::Result<Self> {
        let mut paths = Vec::new();
        list(root, root, &mut paths)?;
        paths.sort();
        let mut files = Vec::new();
        for path in paths {
            if let Ok(text) = String::from_utf8(fs::read(root.join(&path))?) {
                files.push(TextFile { path, text });
            }
        }
        Ok(Self { files })
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter()
    }

    pub(crate) fn file(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Our own Rust: all but what fixtures hold.
    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.files()
            .filter(|file| file.path.ends_with(".rs") && !file.path.starts_with("fixtures/"))
    }

    pub(crate) fn under<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a TextFile> {
        self.files().filter(move |file| {
            file.path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
    }
}

impl TextFile {
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// The folder that the file is in; empty for the root.
    pub(crate) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

fn list(root: &Path, folder: &Path, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let relative = relative(root, &entry.path());
        if kind.is_dir() {
            if !is_skipped(&relative) {
                list(root, &entry.path(), paths)?;
            }
        } else if kind.is_file() {
            paths.push(relative);
        }
    }
    Ok(())
}

fn relative(root: &Path, path: &Path) -> String {
    let path: PathBuf = path.strip_prefix(root).unwrap_or(path).to_owned();
    path.to_string_lossy().replace('\\', "/")
}

fn is_skipped(folder: &str) -> bool {
    let name = folder.rsplit('/').next().unwrap_or(folder);
    SKIPPED.contains(&name) || SKIPPED_AT_ROOT.contains(&folder)
}

#[cfg(test)]
mod tests {
    use crate::tidy::planted::Planted;

    #[test]
    fn reads_text_in_order_and_skips_what_others_wrote() {
        let planted = Planted::new(&[
            ("b/two.txt", "2"),
            ("a/one.txt", "1"),
            ("a/node_modules/x/index.js", "no"),
            ("target/debug/x.txt", "no"),
            ("a/target/x.txt", "yes"),
        ]);
        let tree = planted.tree();
        let paths: Vec<&str> = tree.files().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/one.txt", "a/target/x.txt", "b/two.txt"]);
    }

    #[test]
    fn under_means_inside_the_folder() {
        let tree = Planted::new(&[("fix/a.js", ""), ("fixtures/b.js", "")]).tree();
        let paths: Vec<&str> = tree.under("fix").map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["fix/a.js"]);
        assert!(
            tree.file("fix/a.js")
                .is_some_and(|file| file.name() == "a.js" && file.folder() == "fix")
        );
    }
}
