//! Waiting for a descriptor, for exactly what is of interest.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor that tokio watches.
pub(crate) type Watched = AsyncFd<OwnedFd>;

/// Watches `fd`. Must be called inside the tokio runtime.
#[expect(
    deprecated,
    reason = "deprecated for types whose descriptor can change or close; an OwnedFd stays what \
              it is, and the replacement is an unsafe fn, of which this crate has none"
)]
pub(super) fn watch(fd: OwnedFd, interest: Interest) -> io::Result<Watched> {
    AsyncFd::with_interest(fd, interest)
}
