//! A workspace of a few files in a temporary folder, for tests that plant a violation.

use std::{
    env, fs,
    path::PathBuf,
    process,
    sync::atomic::{AtomicU32, Ordering},
};

use super::{Problem, tree::Tree};

static NEXT: AtomicU32 = AtomicU32::new(0);

pub(super) struct Planted {
    root: PathBuf,
}

impl Planted {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = env::temp_dir().join(format!("xtask-tidy-{}-{number}", process::id()));
        for (path, text) in files {
            let path = root.join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).unwrap();
            }
            fs::write(path, text).unwrap();
        }
        Self { root }
    }

    pub(super) fn tree(&self) -> Tree {
        Tree::load(&self.root).unwrap()
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.root));
    }
}

/// What `check` says about a workspace of these files, one line for each problem.
pub(super) fn report(check: fn(&Tree) -> Vec<Problem>, files: &[(&str, &str)]) -> Vec<String> {
    let problems = check(&Planted::new(files).tree());
    problems.iter().map(ToString::to_string).collect()
}
