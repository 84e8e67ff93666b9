//! One holder a key, in all processes that share a directory.
//!
//! A lock is on one byte of one empty file, at an offset that the key gives: no number of keys
//! makes a further file, and none has to be taken away. The kernel frees a lock with the last
//! descriptor of its file, so also where its holder was killed.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl, openat};
use nix::libc;
use nix::sys::stat::Mode;

use super::{KEY_BYTES, LOCK};

/// The lock of one key, until it is dropped.
#[derive(Debug)]
pub struct KeyLock(#[expect(dead_code, reason = "held, not used")] File);

impl KeyLock {
    pub(super) fn wait(directory: &OwnedFd, key: &[u8; KEY_BYTES]) -> io::Result<KeyLock> {
        let file = open(directory)?;
        let range = range_of(key);
        loop {
            match fcntl(&file, FcntlArg::F_OFD_SETLKW(&range)) {
                Err(Errno::EINTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(_) => return Ok(KeyLock(file)),
            }
        }
    }

    pub(super) fn try_now(
        directory: &OwnedFd,
        key: &[u8; KEY_BYTES],
    ) -> io::Result<Option<KeyLock>> {
        let file = open(directory)?;
        match fcntl(&file, FcntlArg::F_OFD_SETLK(&range_of(key))) {
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(None),
            Err(errno) => Err(errno.into()),
            Ok(_) => Ok(Some(KeyLock(file))),
        }
    }
}

fn open(directory: &OwnedFd) -> io::Result<File> {
    let flags = OFlag::O_RDWR | OFlag::O_CREAT | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let mode = Mode::S_IRUSR | Mode::S_IWUSR;
    Ok(File::from(openat(directory, LOCK, flags, mode)?))
}

/// Keys whose first bytes are equal share a lock, and lose a little time.
fn range_of(key: &[u8; KEY_BYTES]) -> libc::flock {
    let first = key
        .first_chunk()
        .map_or(0, |bytes| i64::from_be_bytes(*bytes));
    libc::flock {
        l_type: i16::try_from(libc::F_WRLCK).unwrap_or_default(),
        l_whence: i16::try_from(libc::SEEK_SET).unwrap_or_default(),
        // Neither negative nor the last: an offset has 63 bits.
        l_start: (first & i64::MAX) >> 1,
        l_len: 1,
        // The kernel wants it so.
        l_pid: 0,
    }
}
