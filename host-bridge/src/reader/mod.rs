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
//! Reading order: [`HostDirectories`], [`ReadError`], [`Opener`], [`SharedSources`].

mod error;
mod guest_path;
mod limits;
mod links;
mod opener;
mod recent;
mod roots;
mod shared;
#[cfg(test)]
mod tests;

pub use self::error::{OpenRootError, ReadError};
pub use self::guest_path::{MAX_DEPTH, MAX_PATH_BYTES};
pub use self::limits::ReaderLimits;
pub use self::links::MAX_LINKS;
pub use self::opener::Opener;
pub use self::shared::{FileContents, SharedSources};

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use nix::errno::Errno;
use nix::sys::stat::{FileStat, fstat};

use self::limits::Budget;
use self::links::Expanded;
use self::opener::{FOR_LOOKUP, FOR_READING, is_directory, is_regular};
use self::recent::Recent;
use self::roots::Roots;
use self::shared::FileStamp;

/// How often a lookup starts again, because it crossed into another root or because the
/// tree changed under it.
const MAX_ATTEMPTS: usize = 40;

/// Memory reserved for a file on the word of its size; more grows as bytes arrive.
const MAX_RESERVED_BYTES: usize = 32 << 20;

/// The directories of one session, and what it has read from them.
#[derive(Debug)]
pub struct HostDirectories {
    roots: Arc<Roots>,
    opener: Opener,
    shared: Arc<SharedSources>,
    limits: ReaderLimits,
    budget: Budget,
    recent: Recent,
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
}

impl Default for ReaderOptions {
    /// Default limits, a cache of its own, and what [`Opener::probe`] finds.
    fn default() -> ReaderOptions {
        ReaderOptions {
            limits: ReaderLimits::default(),
            shared: Arc::default(),
            opener: Opener::probe(),
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
        })
    }

    /// The same directories and shared contents for another session, with a budget of its
    /// own.
    #[must_use]
    pub fn for_session(&self, limits: ReaderLimits) -> HostDirectories {
        HostDirectories {
            roots: Arc::clone(&self.roots),
            opener: self.opener,
            shared: Arc::clone(&self.shared),
            budget: Budget::new(limits),
            limits,
            recent: Recent::default(),
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
        for _ in 0..MAX_ATTEMPTS {
            let found = self.find(guest)?;
            let size = self.check_regular(&found.stat)?;
            if let Some(contents) = self.shared.get(&FileStamp::new(&found.stat)) {
                self.budget.charge_file(size)?;
                return Ok(contents);
            }
            let (root, relative) = self.roots.find(&found.real_path)?;
            match self.opener.open(root.directory(), relative, FOR_READING) {
                Ok(file) => return self.read_open_file(file),
                // The file became a link after it was found: look again.
                Err(Errno::ELOOP) => {}
                Err(errno) => return Err(ReadError::from_errno(errno)),
            }
        }
        Err(ReadError::TooManyLinks)
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
        let Some(stamp) = self.recent.take(real_path) else {
            return self.read(real_path);
        };
        if let Some(contents) = self.shared.get(&stamp) {
            let size = u64::try_from(contents.bytes().len()).unwrap_or(u64::MAX);
            self.limits.check_size(size)?;
            self.budget.charge_file(size)?;
            return Ok(contents);
        }
        let (root, relative) = self.roots.find(real_path)?;
        match self.opener.open(root.directory(), relative, FOR_READING) {
            Ok(file) => self.read_open_file(file),
            Err(_) => self.read(real_path),
        }
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
        let mut path = guest_path::normalize(guest)?;
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

    /// Size of a regular file within the limit.
    fn check_regular(&self, stat: &FileStat) -> Result<u64, ReadError> {
        if !is_regular(stat) {
            return Err(ReadError::NotAFile);
        }
        self.limits
            .check_size(u64::try_from(stat.st_size).unwrap_or(0))
    }

    fn read_open_file(&self, file: OwnedFd) -> Result<FileContents, ReadError> {
        let stat = fstat(&file).map_err(ReadError::from_errno)?;
        let size = self.check_regular(&stat)?;
        self.budget.charge_file(size)?;
        let stamp = FileStamp::new(&stat);
        // A change after this moment has another time, so that what is read now is not
        // found under the stamp of the changed file, even if it is half old and half new.
        let is_settled = self.shared.is_settled(&stamp);

        let bytes = self
            .read_bytes(File::from(file), size)
            .map_err(|error| ReadError::from_io(&error))?;
        let n_read = self
            .limits
            .check_size(u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
        self.budget.charge_bytes(n_read.saturating_sub(size))?;
        let contents = FileContents::new(bytes);
        if is_settled && n_read == size {
            Ok(self.shared.insert(stamp, contents))
        } else {
            Ok(contents)
        }
    }

    /// The bytes of a file that should have `size`; one past the limit, if there are more.
    fn read_bytes(&self, mut file: File, size: u64) -> io::Result<Vec<u8>> {
        // One byte past the limit tells a file that grew from one that just fits, and one
        // past the size tells the end of the file in the same call that reads it.
        let ceiling = self.limits.max_file_bytes.saturating_add(1);
        let expected = usize::try_from(size).unwrap_or(0).min(MAX_RESERVED_BYTES);
        let mut bytes = vec![0; expected.saturating_add(1)];
        let n_read = loop {
            match file.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        bytes.truncate(n_read);
        // A file without a size, such as those of /proc, has one byte or more.
        if n_read == 0 || (n_read == expected && u64::try_from(n_read).is_ok_and(|n| n == size)) {
            return Ok(bytes);
        }
        let rest = ceiling.saturating_sub(u64::try_from(n_read).unwrap_or(u64::MAX));
        file.by_ref().take(rest).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}
