//! A snapshot in memory that processes share: a file without a name that nobody can change any
//! more, the sidecar that made it included.
//!
//! ```text
//!  0        blob_len                  blob_len + header_len
//! +--------+-------------------------+
//! | blob   | ImageHeader, JSON       |
//! +--------+-------------------------+
//! ```
//!
//! Invariant: whoever holds a [`SealedImage`] may map its blob and rely on it: it has the
//! seals that forbid writing, growing and shrinking, and is as long as its label says.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use protocol::SnapshotKey;
use serde::{Deserialize, Serialize};

/// The longest header that is read.
const MAX_HEADER: usize = 64 * 1024 * 1024;

/// See the module's text.
#[derive(Debug)]
pub struct SealedImage {
    file: File,
    label: ImageLabel,
}

/// What is told of a sealed image beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageLabel {
    /// Its key; `None` is the bare realm.
    pub key: Option<SnapshotKey>,
    /// Bytes of the engine's blob.
    pub blob_len: usize,
    /// Bytes of the header behind it.
    pub header_len: usize,
}

/// What has to be known of a blob.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageHeader {
    /// The modules inside: URL and attribute, in the order of their handles.
    pub modules: Vec<(String, String)>,
    /// Entry specifier to module URL.
    pub entries: BTreeMap<String, String>,
    /// Names of the built-in modules of the realm.
    pub builtins: Vec<String>,
}

impl SealedImage {
    /// Puts a blob with its header into memory that can be shared.
    ///
    /// # Errors
    ///
    /// When the operating system refuses.
    pub fn new(
        key: Option<SnapshotKey>,
        blob: &[u8],
        header: &ImageHeader,
    ) -> io::Result<SealedImage> {
        let header = serde_json::to_vec(header)?;
        let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let mut file = File::from(memfd_create(c"isolate-sidecar-snapshot", flags)?);
        file.write_all(blob)?;
        file.write_all(&header)?;
        fcntl(&file, FcntlArg::F_ADD_SEALS(seals()))?;
        let label = ImageLabel {
            key,
            blob_len: blob.len(),
            header_len: header.len(),
        };
        Ok(SealedImage { file, label })
    }

    /// Takes over what another process has made.
    ///
    /// # Errors
    ///
    /// When it is not sealed or not what the label says.
    pub fn adopt(file: File, label: ImageLabel) -> io::Result<SealedImage> {
        let found = SealFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GET_SEALS)?);
        let len = label.blob_len.checked_add(label.header_len);
        let is_as_long = usize::try_from(file.metadata()?.len()).ok() == len;
        if !found.contains(seals()) || !is_as_long || MAX_HEADER < label.header_len {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(SealedImage { file, label })
    }

    /// What it is and how long.
    pub fn label(&self) -> ImageLabel {
        self.label
    }

    /// Reads the header.
    ///
    /// # Errors
    ///
    /// When it does not parse.
    pub fn header(&self) -> io::Result<ImageHeader> {
        let mut bytes = vec![0; self.label.header_len];
        let offset = u64::try_from(self.label.blob_len).unwrap_or(u64::MAX);
        self.file.read_exact_at(&mut bytes, offset)?;
        Ok(serde_json::from_slice(&bytes)?)
    }
}

impl AsFd for SealedImage {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn seals() -> SealFlag {
    SealFlag::F_SEAL_SEAL | SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_WRITE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> ImageHeader {
        ImageHeader {
            modules: vec![("file:///app/a.js".to_owned(), String::new())],
            entries: BTreeMap::from([("a".to_owned(), "file:///app/a.js".to_owned())]),
            builtins: vec!["fs".to_owned()],
        }
    }

    #[test]
    fn what_is_sealed_can_be_read_and_not_changed() {
        let image = SealedImage::new(None, b"blob", &header()).unwrap();
        assert_eq!(image.header().unwrap(), header());
        let file = image.file.try_clone().unwrap();
        assert!(file.write_at(b"x", 0).is_err());
        assert!(file.set_len(1).is_err());
        let again = SealedImage::adopt(file, image.label()).unwrap();
        assert_eq!(again.header().unwrap(), header());
    }

    #[test]
    fn what_is_not_sealed_or_of_another_length_is_not_adopted() {
        let image = SealedImage::new(None, b"blob", &header()).unwrap();
        let label = ImageLabel {
            blob_len: 5,
            ..image.label()
        };
        let file = image.file.try_clone().unwrap();
        assert!(SealedImage::adopt(file, label).is_err());
        let open = memfd_create(c"open", MFdFlags::MFD_ALLOW_SEALING).unwrap();
        let label = ImageLabel {
            key: None,
            blob_len: 0,
            header_len: 0,
        };
        assert!(SealedImage::adopt(File::from(open), label).is_err());
    }
}
