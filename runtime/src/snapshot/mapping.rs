//! Memory of files, shared by all processes that map them and for reading only: V8 restores
//! isolates straight from a mapping, so that a blob is in memory once for all of them.
#![expect(
    unsafe_code,
    reason = "the kernel gives memory as an address and a length"
)]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::os::fd::AsFd;
use std::ptr::NonNull;

use bytes::Bytes;
use host_bridge::SealedImage;
use nix::sys::mman::{MapFlags, ProtFlags, mmap, munmap};

/// A mapping of the first bytes of a file, until it is dropped.
struct Mapped {
    start: NonNull<c_void>,
    len: NonZeroUsize,
}

// SAFETY: nothing writes through it, so it is used from any thread as a `&[u8]` is.
unsafe impl Send for Mapped {}

impl Mapped {
    fn new(file: impl AsFd, len: usize) -> io::Result<Mapped> {
        let len = NonZeroUsize::new(len).ok_or(io::ErrorKind::InvalidData)?;
        // SAFETY: the kernel chooses the address, so that nothing is mapped over.
        let start = unsafe {
            mmap(
                None,
                len,
                ProtFlags::PROT_READ,
                MapFlags::MAP_SHARED,
                file,
                0,
            )
        };
        Ok(Mapped { start: start?, len })
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        let start = self.start.cast::<u8>().as_ptr();
        // SAFETY: `len` bytes are mapped readable there until `self` is dropped. A sealed image
        // can neither be written nor cut short. A file of the cache lies in a directory of this
        // user alone: whoever writes one gives it its name when it is complete, and nobody
        // writes to it or shortens it afterwards.
        unsafe { std::slice::from_raw_parts(start, self.len.get()) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: what `mmap` gave, once; what borrowed from `self` is gone.
        let unmapped = unsafe { munmap(self.start, self.len.get()) };
        if let Err(error) = unmapped {
            tracing::error!(%error, "a file stays mapped");
        }
    }
}

/// The blob of an image, mapped for the life of the process.
pub(super) fn map(image: &SealedImage) -> io::Result<&'static [u8]> {
    let mapped = Mapped::new(image, image.label().blob_len)?;
    let mapped: &'static Mapped = Box::leak(Box::new(mapped));
    Ok(mapped.as_ref())
}

/// Maps the first `len` bytes of a file of the cache. The file must have them, and keep them
/// as they are while anything of the mapping is in use: reading past the end of a file that
/// became shorter ends the process.
///
/// # Errors
///
/// What the operating system says, also where `len` is 0.
pub fn map_file(file: &File, len: usize) -> io::Result<Bytes> {
    Ok(Bytes::from_owner(Mapped::new(file, len)?))
}
