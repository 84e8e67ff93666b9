//! What was made from host directories, and whether it would be made the same again: a
//! record of all that a reader was asked and answered.
//!
//! What was looked for and not found belongs to it. A file that appears where there was
//! none can be what a resolver finds first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};

use super::opener::{is_directory, is_regular};
use super::read::Read;
use super::shared::{FileStamp, lock};
use super::{Found, HostDirectories, ReadError};

/// Lookups and files that one record holds.
const MAX_RECORDED: usize = 200_000;

/// Writes down what a reader answers. What a session itself remembers it does not ask again,
/// and the first answer is the one that counts.
#[derive(Debug, Default)]
pub struct Trace(Mutex<Recorded>);

#[derive(Debug, Default)]
struct Recorded {
    lookups: BTreeMap<String, Answer>,
    files: BTreeMap<String, File>,
    /// Whether something happened that no record can promise to happen again.
    is_spoilt: bool,
}

/// All that a reader has answered, to be compared with what it would answer now.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observations {
    lookups: Vec<(String, Answer)>,
    files: Vec<(String, File)>,
}

/// What a path led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Answer(Kind, Option<String>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// Nothing, or nothing that may be seen.
    #[serde(rename = "-")]
    Missing,
    #[serde(rename = "f")]
    File,
    #[serde(rename = "d")]
    Directory,
    #[serde(rename = "o")]
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct File {
    digest: [u8; 32],
    /// While the file is in this state, its contents have the digest.
    stamp: Option<FileStamp>,
}

/// Whether a reader would answer as it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Still {
    /// In all.
    Same,
    /// In all, but files have been touched or copied: the same contents in another state.
    Renewed(Observations),
    /// Not for this guest path.
    Changed(String),
}

impl Trace {
    /// What was recorded. `None` when it is no full account: a read failed for a reason that
    /// may pass, or there was too much.
    #[must_use]
    pub fn observations(&self) -> Option<Observations> {
        let recorded = lock(&self.0);
        (!recorded.is_spoilt).then(|| Observations {
            lookups: pairs(&recorded.lookups),
            files: pairs(&recorded.files),
        })
    }

    /// Real path and digest of each file that was read, in the order of their paths.
    #[must_use]
    pub fn file_digests(&self) -> Vec<(String, [u8; 32])> {
        let recorded = lock(&self.0);
        let files = recorded.files.iter();
        files
            .map(|(path, file)| (path.clone(), file.digest))
            .collect()
    }

    pub(super) fn note_lookup(&self, path: String, found: &Result<Found, ReadError>) {
        let answer = Answer::new(&path, found);
        lock(&self.0).note(|recorded| &mut recorded.lookups, path, answer);
    }

    pub(super) fn note_read(&self, read: &Result<Read, ReadError>) {
        let file = read.as_ref().map(|read| {
            let digest = read.contents.digest();
            let stamp = read.stamp.clone();
            (read.real_path.clone(), File { digest, stamp })
        });
        let mut recorded = lock(&self.0);
        match file {
            Ok((path, file)) => {
                let former = recorded.files.get(&path);
                // Two contents of one file are in what was made: which, nobody can say.
                recorded.is_spoilt |= former.is_some_and(|former| former.digest != file.digest);
                recorded.note(|recorded| &mut recorded.files, path, file);
            }
            // The lookup says that already.
            Err(ReadError::NotFound | ReadError::NotAFile | ReadError::OutsideRoot) => {}
            Err(_) => recorded.is_spoilt = true,
        }
    }
}

impl Recorded {
    fn note<T>(
        &mut self,
        table: impl FnOnce(&mut Recorded) -> &mut BTreeMap<String, T>,
        path: String,
        value: T,
    ) {
        if self.lookups.len().saturating_add(self.files.len()) < MAX_RECORDED {
            table(self).entry(path).or_insert(value);
        } else {
            self.is_spoilt = true;
        }
    }
}

impl Observations {
    /// Files whose contents are part of it.
    #[must_use]
    pub fn n_files(&self) -> usize {
        self.files.len()
    }
}

impl Answer {
    fn new(path: &str, found: &Result<Found, ReadError>) -> Answer {
        let Ok(found) = found else {
            return Answer(Kind::Missing, None);
        };
        let kind = if is_regular(&found.stat) {
            Kind::File
        } else if is_directory(&found.stat) {
            Kind::Directory
        } else {
            Kind::Other
        };
        let is_link = found.real_path != path;
        Answer(kind, is_link.then(|| found.real_path.clone()))
    }
}

impl HostDirectories {
    /// Whether all would be answered now as it was in `seen`. A file in the state in which
    /// it was read is taken for unchanged; any other is read again.
    #[must_use]
    pub fn compare(&self, seen: &Observations) -> Still {
        let mut stamps: HashMap<&str, FileStamp> = HashMap::new();
        for (path, answer) in &seen.lookups {
            let found = self.find_normal(path.clone());
            if Answer::new(path, &found) != *answer {
                return Still::Changed(path.clone());
            }
            if let (Ok(found), Answer(Kind::File, real_path)) = (&found, answer) {
                let real_path = real_path.as_deref().unwrap_or(path);
                stamps.insert(real_path, FileStamp::new(&found.stat));
            }
        }
        let mut renewed = None;
        for (position, (path, file)) in seen.files.iter().enumerate() {
            let stamp = stamps.remove(path.as_str()).or_else(|| {
                let found = self.find_normal(path.clone()).ok()?;
                Some(FileStamp::new(&found.stat))
            });
            if stamp.is_some() && stamp == file.stamp {
                continue;
            }
            let Ok(read) = self.read_stamped(path) else {
                return Still::Changed(path.clone());
            };
            if read.real_path != *path || read.contents.digest() != file.digest {
                return Still::Changed(path.clone());
            }
            let renewed: &mut Observations = renewed.get_or_insert_with(|| seen.clone());
            if let Some((_, file)) = renewed.files.get_mut(position) {
                file.stamp = read.stamp;
            }
        }
        renewed.map_or(Still::Same, Still::Renewed)
    }
}

fn pairs<T: Clone>(table: &BTreeMap<String, T>) -> Vec<(String, T)> {
    let pairs = table.iter();
    pairs
        .map(|(path, value)| (path.clone(), value.clone()))
        .collect()
}
