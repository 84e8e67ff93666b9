//! Opening a path beneath a directory descriptor, without following any link.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat, openat2};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat};

/// To look at kind and size. Opens nothing for reading, so it has no effect on a device.
pub(super) const FOR_LOOKUP: OFlag = OFlag::O_PATH.union(OFlag::O_CLOEXEC);
/// To read a regular file, and not to wait if it has become a FIFO meanwhile.
pub(super) const FOR_READING: OFlag = OFlag::O_RDONLY
    .union(OFlag::O_NONBLOCK)
    .union(OFlag::O_NOCTTY)
    .union(OFlag::O_CLOEXEC);

/// How often a call that the kernel asks to repeat is repeated.
const MAX_REPEATS: usize = 16;

/// How the kernel is asked to open a path beneath a root.
///
/// Both ways refuse a path that has a link in it with `ELOOP`; the reader then expands the
/// link and asks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opener {
    /// One `openat2` call with `RESOLVE_BENEATH`, `RESOLVE_NO_MAGICLINKS` and
    /// `RESOLVE_NO_SYMLINKS`: Linux 5.6 and later.
    Openat2,
    /// One `openat` call with `O_NOFOLLOW` for each name, for kernels and system-call
    /// filters that lack `openat2`.
    Walk,
}

impl Opener {
    /// The best way that this kernel allows.
    #[must_use]
    pub fn probe() -> Opener {
        match openat2(AT_FDCWD, ".", how(FOR_LOOKUP)) {
            // Missing, or hidden by a system-call filter.
            Err(Errno::ENOSYS | Errno::EPERM | Errno::EINVAL | Errno::E2BIG) => Opener::Walk,
            _ => Opener::Openat2,
        }
    }

    /// Opens `relative`, a normal path without `..`; an empty one is `root` itself.
    pub(super) fn open(
        self,
        root: BorrowedFd<'_>,
        relative: &str,
        flags: OFlag,
    ) -> Result<OwnedFd, Errno> {
        let relative = if relative.is_empty() { "." } else { relative };
        for _ in 0..MAX_REPEATS {
            let opened = match self {
                Opener::Openat2 => openat2(root, relative, how(flags)),
                Opener::Walk => walk(root, relative, flags),
            };
            match opened {
                // openat2(2): EAGAIN when a rename ran at the same time.
                Err(Errno::EINTR | Errno::EAGAIN) => {}
                opened => return opened,
            }
        }
        Err(Errno::EAGAIN)
    }
}

fn how(flags: OFlag) -> OpenHow {
    let resolve = ResolveFlag::RESOLVE_BENEATH
        | ResolveFlag::RESOLVE_NO_MAGICLINKS
        | ResolveFlag::RESOLVE_NO_SYMLINKS;
    OpenHow::new().flags(flags).resolve(resolve)
}

fn walk(root: BorrowedFd<'_>, relative: &str, flags: OFlag) -> Result<OwnedFd, Errno> {
    let (parents, last) = relative.rsplit_once('/').unwrap_or(("", relative));
    let mut directory: Option<OwnedFd> = None;
    for name in parents.split('/').filter(|name| !name.is_empty()) {
        let parent = directory.as_ref().map_or(root, |fd| fd.as_fd());
        let fd = open_name(parent, name, FOR_LOOKUP)?;
        directory = Some(fd);
    }
    let parent = directory.as_ref().map_or(root, |fd| fd.as_fd());
    open_name(parent, last, flags)
}

/// With `O_PATH` the kernel opens a link itself, which counts as `ELOOP` here.
fn open_name(parent: BorrowedFd<'_>, name: &str, flags: OFlag) -> Result<OwnedFd, Errno> {
    let fd = openat(parent, name, flags | OFlag::O_NOFOLLOW, Mode::empty())?;
    if flags.contains(OFlag::O_PATH) && is_link(&fstat(&fd)?) {
        return Err(Errno::ELOOP);
    }
    Ok(fd)
}

pub(super) fn is_regular(stat: &FileStat) -> bool {
    has_type(stat, SFlag::S_IFREG)
}

pub(super) fn is_directory(stat: &FileStat) -> bool {
    has_type(stat, SFlag::S_IFDIR)
}

pub(super) fn is_link(stat: &FileStat) -> bool {
    has_type(stat, SFlag::S_IFLNK)
}

fn has_type(stat: &FileStat, file_type: SFlag) -> bool {
    stat.st_mode & SFlag::S_IFMT.bits() == file_type.bits()
}
