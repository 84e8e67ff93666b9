//! Files that were just looked up and are about to be read: a module is resolved, then
//! loaded.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::shared::{FileStamp, lock};

/// How long a file counts as just found.
const FRESH_FOR: Duration = Duration::from_secs(1);
/// Files that are remembered at once.
const MAX_FILES: usize = 1024;

/// The state that files were found in, by real path.
#[derive(Debug, Default)]
pub(super) struct Recent(Mutex<HashMap<String, Found>>);

#[derive(Debug)]
struct Found {
    stamp: FileStamp,
    at: Instant,
}

impl Recent {
    pub(super) fn remember(&self, real_path: &str, stamp: FileStamp) {
        let mut files = lock(&self.0);
        if MAX_FILES <= files.len() {
            files.clear();
        }
        let at = Instant::now();
        files.insert(real_path.to_owned(), Found { stamp, at });
    }

    /// The state that the file at `real_path` was found in, once.
    pub(super) fn take(&self, real_path: &str) -> Option<FileStamp> {
        let found = lock(&self.0).remove(real_path)?;
        (found.at.elapsed() < FRESH_FOR).then_some(found.stamp)
    }
}
