//! The host-directory reader: directories named by the host, opened once, read confined.
//!
//! The host gives pairs of a *host path* and a *guest path*. [`HostDirectories::open`]
//! opens each host path once as a directory descriptor and forgets its text; whatever a
//! guest names afterwards is a *guest path* such as `/app/node_modules/zod/index.js`, and
//! is reached from that descriptor only. Roots may be nested (`/app` and `/app/data`): the
//! longest matching guest path wins, for a link as for a path.
//!
//! Invariant: what is read lies under a root at the moment it is opened. Kind, size and
//! contents come from one descriptor, so a file that is swapped for a link between two
//! steps can make a read fail and can never make it show something outside.
//!
//! Invariant: the kernel never follows a link. [`Opener`] opens link-free paths only; where
//! it meets a link, the reader expands it by hand, with a bound of [`MAX_LINKS`] links. A
//! link that climbs above its root is refused, and so is *every absolute link*: its target
//! is a host path, which means nothing to a guest even where it points back into a root.
//!
//! `.` and `..` in a guest path are taken as text (`/app/a/../b` is `/app/b`), as Node's
//! `path.resolve` and URL parsing do before they ask the operating system. `..` in the
//! target of a link is walked for real.
//!
//! What is looked up is opened with `O_PATH` first and for reading second, never for reading
//! alone: to open a FIFO or a device is already to do something to it. Directories below a
//! root are not kept open from one step to the next: one that is moved away would go on
//! showing what is then outside.
//!
//! A hard link or a mount inside a root is inside: the host owns its directories.
//!
//! Reading order: [`HostDirectories`], [`ReadError`], [`Opener`], [`SharedSources`], [`Trace`].

mod error;
mod guest_path;
mod limits;
mod links;
mod opener;
mod read;
mod recent;
mod roots;
mod shared;
#[cfg(test)]
mod tests;
mod trace;

pub use self::error::{OpenRootError, ReadError};
pub use self::guest_path::{MAX_DEPTH, MAX_PATH_BYTES};
pub use self::limits::ReaderLimits;
pub use self::links::MAX_LINKS;
pub use self::opener::Opener;
pub use self::shared::{FileContents, SharedSources};
pub use self::trace::{Observations, Still, Trace};

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::stat::{FileStat, fstat};

use self::limits::Budget;
use self::links::Expanded;
use self::opener::{FOR_LOOKUP, is_directory, is_regular};
use self::recent::Recent;
use self::roots::Roots;
use self::shared::FileStamp;

/// How often a lookup starts again, because it crossed into another root or because the
/// tree changed under it.
const MAX_ATTEMPTS: usize = 40;

/// The directories of one session, and what it has read from them.
#[derive(Debug)]
pub struct HostDirectories {
    roots: Arc<Roots>,
    opener: Opener,
    shared: Arc<SharedSources>,
    limits: ReaderLimits,
    budget: Budget,
    recent: Recent,
    trace: Option<Arc<Trace>>,
}

const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<HostDirectories>();
    is_shared::<FileContents>();
};

/// How a [`HostDirectories`] reads.
#[derive(Debug)]
pub struct ReaderOptions {
    /// What one session may read.
    pub limits: ReaderLimits,
    /// Where contents are shared with other sessions.
    pub shared: Arc<SharedSources>,
    /// How paths are opened.
    pub opener: Opener,
    /// Where all that is asked and answered is written down, if anywhere.
    pub trace: Option<Arc<Trace>>,
}

impl Default for ReaderOptions {
    /// Default limits, a cache of its own, and what [`Opener::probe`] finds.
    fn default() -> ReaderOptions {
        ReaderOptions {
            limits: ReaderLimits::default(),
            shared: Arc::default(),
            opener: Opener::probe(),
            trace: None,
        }
    }
}

/// What a guest path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

/// A guest path that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is.
    pub kind: FileKind,
    /// Its guest path with every link expanded.
    pub real_path: String,
}

/// A file that was found, held by a descriptor that can be looked at but not read.
struct Found {
    stat: FileStat,
    real_path: String,
    _held: OwnedFd,
}

impl HostDirectories {
    /// Opens each `(host path, guest path)` with [`ReaderOptions::default`].
    ///
    /// # Errors
    ///
    /// [`OpenRootError`] for the first pair that cannot be opened; nothing stays open.
    pub fn open(
        roots: &[(impl AsRef<Path>, impl AsRef<str>)],
    ) -> Result<HostDirectories, OpenRootError> {
        HostDirectories::open_with(roots, ReaderOptions::default())
    }

    /// Opens each `(host path, guest path)`. Links in a host path are followed: the host
    /// is trusted to name its directories.
    ///
    /// # Errors
    ///
    /// [`OpenRootError`] for the first pair that cannot be opened; nothing stays open.
    pub fn open_with(
        roots: &[(impl AsRef<Path>, impl AsRef<str>)],
        options: ReaderOptions,
    ) -> Result<HostDirectories, OpenRootError> {
        Ok(HostDirectories {
            roots: Arc::new(Roots::open(roots)?),
            opener: options.opener,
            shared: options.shared,
            budget: Budget::new(options.limits),
            limits: options.limits,
            recent: Recent::default(),
            trace: options.trace,
        })
    }

    /// The same directories and shared contents for another session, with a budget of its
    /// own and without a trace.
    #[must_use]
    pub fn for_session(&self, limits: ReaderLimits) -> HostDirectories {
        HostDirectories {
            roots: Arc::clone(&self.roots),
            opener: self.opener,
            shared: Arc::clone(&self.shared),
            budget: Budget::new(limits),
            limits,
            recent: Recent::default(),
            trace: None,
        }
    }

    /// The guest paths of the roots, longest first.
    pub fn guest_roots(&self) -> impl Iterator<Item = &str> {
        self.roots.guest_paths()
    }

    /// The contents of a regular file. Never blocks on a FIFO or a device: those are
    /// recognised before anything is opened for reading.
    ///
    /// Every call that succeeds is charged to the limits of this reader, also one that the
    /// shared contents answer.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotAFile`] for what is neither missing nor a regular file,
    /// [`ReadError::TooLarge`] before memory is reserved, and otherwise as
    /// [`HostDirectories::lookup`].
    pub fn read(&self, guest: &str) -> Result<FileContents, ReadError> {
        let read = self.read_stamped(guest);
        self.note_read(read)
    }

    /// The contents of the file that [`HostDirectories::lookup`] just found at `real_path`,
    /// without looking for it again. Once, and for a second; otherwise this is
    /// [`HostDirectories::read`].
    ///
    /// A file that changes in that second is seen as it was found or as it is.
    ///
    /// # Errors
    ///
    /// As [`HostDirectories::read`].
    pub fn read_found(&self, real_path: &str) -> Result<FileContents, ReadError> {
        let read = match self.recent.take(real_path) {
            Some(stamp) => self.read_recent(real_path, stamp),
            None => self.read_stamped(real_path),
        };
        self.note_read(read)
    }

    /// What `guest` names.
    ///
    /// # Errors
    ///
    /// As [`HostDirectories::lookup`].
    pub fn stat(&self, guest: &str) -> Result<FileKind, ReadError> {
        Ok(self.lookup(guest)?.kind)
    }

    /// The guest path of `guest` with every link expanded. Two names of one file have one
    /// real path, except for hard links.
    ///
    /// # Errors
    ///
    /// As [`HostDirectories::lookup`].
    pub fn real_path(&self, guest: &str) -> Result<String, ReadError> {
        Ok(self.find(guest)?.real_path)
    }

    /// Kind and real path in one step.
    ///
    /// # Errors
    ///
    /// [`ReadError::NotFound`] also for a path under no root and for a relative path;
    /// [`ReadError::OutsideRoot`] for a link that leaves its root or is absolute;
    /// [`ReadError::NotAFile`] for a FIFO, socket or device.
    pub fn lookup(&self, guest: &str) -> Result<Entry, ReadError> {
        let found = self.find(guest)?;
        let kind = if is_directory(&found.stat) {
            FileKind::Directory
        } else if is_regular(&found.stat) {
            self.recent
                .remember(&found.real_path, FileStamp::new(&found.stat));
            FileKind::File
        } else {
            return Err(ReadError::NotAFile);
        };
        Ok(Entry {
            kind,
            real_path: found.real_path,
        })
    }

    fn find(&self, guest: &str) -> Result<Found, ReadError> {
        let path = guest_path::normalize(guest)?;
        let found = self.find_normal(path.clone());
        if let Some(trace) = &self.trace {
            trace.note_lookup(path, &found);
        }
        found
    }

    fn find_normal(&self, mut path: String) -> Result<Found, ReadError> {
        for _ in 0..MAX_ATTEMPTS {
            let (root, relative) = self.roots.find(&path)?;
            match self.opener.open(root.directory(), relative, FOR_LOOKUP) {
                Ok(held) => {
                    return Ok(Found {
                        stat: fstat(&held).map_err(ReadError::from_errno)?,
                        real_path: path,
                        _held: held,
                    });
                }
                Err(Errno::ELOOP) => path = self.expand(&path)?,
                Err(errno) => return Err(ReadError::from_errno(errno)),
            }
        }
        Err(ReadError::TooManyLinks)
    }

    /// The guest path that `path` leads to, up to the first step into another root.
    fn expand(&self, path: &str) -> Result<String, ReadError> {
        let (root, relative) = self.roots.find(path)?;
        let in_this_root = |real: &str| self.roots.owns(root, &root.guest_path_of(real));
        let relative = match links::expand(root.directory(), relative, in_this_root)? {
            Expanded::Within(relative) | Expanded::Crossing(relative) => relative,
        };
        guest_path::normalize(&root.guest_path_of(&relative))
    }
}
