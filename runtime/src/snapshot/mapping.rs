//! Blobs that several processes map: V8 restores isolates straight from the mapping, so that
//! a blob is in memory once for all of them.
#![expect(
    unsafe_code,
    reason = "the kernel gives memory as an address and a length"
)]

use std::io;
use std::num::NonZeroUsize;

use host_bridge::SealedImage;
use nix::sys::mman::{MapFlags, ProtFlags, mmap};

/// The blob of an image, mapped for the life of the process.
pub(super) fn map(image: &SealedImage) -> io::Result<&'static [u8]> {
    let len = image.label().blob_len;
    let size = NonZeroUsize::new(len).ok_or(io::ErrorKind::InvalidData)?;
    // SAFETY: the kernel chooses the address, so that nothing is mapped over.
    let start = unsafe {
        mmap(
            None,
            size,
            ProtFlags::PROT_READ,
            MapFlags::MAP_SHARED,
            image,
            0,
        )
    }?;
    // SAFETY: `len` bytes are mapped there and nobody unmaps them; a `SealedImage` has that
    // length and can neither be written nor cut short, so they never change.
    Ok(unsafe { std::slice::from_raw_parts(start.as_ptr().cast::<u8>(), len) })
}
