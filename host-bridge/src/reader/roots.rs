//! The table of roots: which open directory answers for a guest path.

use std::cmp::Reverse;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;

use super::{OpenRootError, ReadError, guest_path};

/// Roots, longest guest path first.
#[derive(Debug)]
pub(super) struct Roots(Vec<Root>);

/// One directory of the host and where the guest sees it.
#[derive(Debug)]
pub(super) struct Root {
    directory: OwnedFd,
    /// Normal; `/` for a root that holds everything.
    guest: String,
}

impl Roots {
    pub(super) fn open(
        pairs: &[(impl AsRef<Path>, impl AsRef<str>)],
    ) -> Result<Roots, OpenRootError> {
        let mut roots: Vec<Root> = Vec::with_capacity(pairs.len());
        for (host, guest) in pairs {
            let root = Root::open(host.as_ref(), guest.as_ref())?;
            if roots.iter().any(|other| other.guest == root.guest) {
                return Err(OpenRootError::Duplicate { guest: root.guest });
            }
            roots.push(root);
        }
        roots.sort_by_key(|root| Reverse(root.guest.len()));
        Ok(Roots(roots))
    }

    pub(super) fn guest_paths(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|root| root.guest.as_str())
    }

    /// The root that answers for a normal path, and the path relative to it.
    pub(super) fn find<'a>(&self, path: &'a str) -> Result<(&Root, &'a str), ReadError> {
        self.0
            .iter()
            .find_map(|root| root.strip(path).map(|relative| (root, relative)))
            .ok_or(ReadError::NotFound)
    }

    /// Whether `root` answers for `path`.
    pub(super) fn owns(&self, root: &Root, path: &str) -> bool {
        self.find(path)
            .is_ok_and(|(owner, _)| owner.guest == root.guest)
    }
}

impl Root {
    fn open(host: &Path, guest: &str) -> Result<Root, OpenRootError> {
        let guest = guest.to_owned();
        if guest_path::normalize(&guest).as_ref() != Ok(&guest) {
            return Err(OpenRootError::BadGuestPath { guest });
        }
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        match open(host, flags, Mode::empty()) {
            Ok(directory) => Ok(Root { directory, guest }),
            Err(Errno::ENOENT) => Err(OpenRootError::NotFound { guest }),
            Err(Errno::ENOTDIR) => Err(OpenRootError::NotADirectory { guest }),
            Err(errno) => Err(OpenRootError::Io { guest, errno }),
        }
    }

    pub(super) fn directory(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    /// The guest path of a path relative to this root.
    pub(super) fn guest_path_of(&self, relative: &str) -> String {
        match (self.guest.as_str(), relative) {
            (guest, "") => guest.to_owned(),
            ("/", relative) => format!("/{relative}"),
            (guest, relative) => format!("{guest}/{relative}"),
        }
    }

    fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        if self.guest == "/" {
            return path.strip_prefix('/');
        }
        match path.strip_prefix(self.guest.as_str())? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        }
    }
}
