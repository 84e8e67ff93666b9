//! Why a root cannot be opened, and why a guest path cannot be read.

use std::io;

use nix::errno::Errno;

/// Why a directory of the host cannot become a root. Names the guest path only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenRootError {
    /// The guest path is not an absolute, normal path.
    #[error("guest path {guest:?} is not an absolute path in its normal form")]
    BadGuestPath {
        /// As the host gave it.
        guest: String,
    },
    /// Two roots have one guest path.
    #[error("guest path {guest:?} is given twice")]
    Duplicate {
        /// The guest path.
        guest: String,
    },
    /// The host path does not exist.
    #[error("the directory for {guest:?} does not exist")]
    NotFound {
        /// The guest path.
        guest: String,
    },
    /// The host path is not a directory.
    #[error("what is given for {guest:?} is not a directory")]
    NotADirectory {
        /// The guest path.
        guest: String,
    },
    /// The operating system refuses.
    #[error("the directory for {guest:?} cannot be opened: {errno}")]
    Io {
        /// The guest path.
        guest: String,
        /// Its answer.
        errno: Errno,
    },
}

/// Why a guest path cannot be read. Carries no path: the caller knows which it asked for,
/// and no host path can leak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing is there, or it lies under no root.
    #[error("no such file or directory")]
    NotFound,
    /// A directory, FIFO, socket or device where a regular file is wanted.
    #[error("not a regular file")]
    NotAFile,
    /// A link leads out of its root, or is absolute.
    #[error("a link leads out of the directories that the host shares")]
    OutsideRoot,
    /// The file has more bytes than one file may have.
    #[error("the file has {size} bytes, the limit is {limit}")]
    TooLarge {
        /// [`ReaderLimits::max_file_bytes`](super::ReaderLimits::max_file_bytes).
        limit: u64,
        /// Bytes seen; a file that grows meanwhile may have more.
        size: u64,
    },
    /// The reader has read as many files as it may.
    #[error("{limit} files are read, which is the limit")]
    TooManyFiles {
        /// [`ReaderLimits::max_files`](super::ReaderLimits::max_files).
        limit: u64,
    },
    /// The reader would exceed the bytes that it may read in all.
    #[error("the files read would exceed {limit} bytes in all, which is the limit")]
    TooManyBytes {
        /// [`ReaderLimits::max_total_bytes`](super::ReaderLimits::max_total_bytes).
        limit: u64,
    },
    /// More links than [`MAX_LINKS`](super::MAX_LINKS), or a loop of links.
    #[error("too many levels of symbolic links")]
    TooManyLinks,
    /// Longer than [`MAX_PATH_BYTES`](super::MAX_PATH_BYTES), deeper than
    /// [`MAX_DEPTH`](super::MAX_DEPTH), or with a name too long for the file system.
    #[error("the path is too long")]
    PathTooLong,
    /// The operating system refuses.
    #[error("{errno}")]
    Io {
        /// Its answer.
        errno: Errno,
    },
}

impl ReadError {
    /// A code in the style of Node's `error.code`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            ReadError::NotFound => "ENOENT",
            ReadError::NotAFile => "EISDIR",
            ReadError::OutsideRoot => "ERR_ACCESS_DENIED",
            ReadError::TooLarge { .. } => "EFBIG",
            ReadError::TooManyFiles { .. } | ReadError::TooManyBytes { .. } => "EDQUOT",
            ReadError::TooManyLinks => "ELOOP",
            ReadError::PathTooLong => "ENAMETOOLONG",
            ReadError::Io { errno } => match errno {
                Errno::EACCES => "EACCES",
                Errno::EPERM => "EPERM",
                Errno::EMFILE => "EMFILE",
                Errno::ENFILE => "ENFILE",
                Errno::ENOMEM => "ENOMEM",
                _ => "EIO",
            },
        }
    }

    pub(super) fn from_errno(errno: Errno) -> ReadError {
        match errno {
            // EINVAL: a name that the file system cannot have.
            Errno::ENOENT | Errno::ENOTDIR | Errno::EINVAL => ReadError::NotFound,
            // ENXIO: a socket, or a device that is not there.
            Errno::EISDIR | Errno::ENXIO => ReadError::NotAFile,
            Errno::EXDEV => ReadError::OutsideRoot,
            Errno::ELOOP => ReadError::TooManyLinks,
            Errno::ENAMETOOLONG => ReadError::PathTooLong,
            errno => ReadError::Io { errno },
        }
    }

    pub(super) fn from_io(error: &io::Error) -> ReadError {
        ReadError::from_errno(error.raw_os_error().map_or(Errno::EIO, Errno::from_raw))
    }
}
