//! From a file that was found to its contents, within the limits.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::sys::stat::{FileStat, fstat};

use super::opener::{FOR_READING, is_regular};
use super::shared::FileStamp;
use super::{FileContents, HostDirectories, MAX_ATTEMPTS, ReadError};

/// Memory reserved for a file on the word of its size; more grows as bytes arrive.
pub(super) const MAX_RESERVED_BYTES: usize = 32 << 20;

/// A file that was read.
pub(super) struct Read {
    pub(super) real_path: String,
    pub(super) contents: FileContents,
    /// The state of the file that has these contents; none where it may be changing.
    pub(super) stamp: Option<FileStamp>,
}

impl Read {
    fn new(real_path: String, contents: FileContents, stamp: Option<FileStamp>) -> Read {
        Read {
            real_path,
            contents,
            stamp,
        }
    }
}

impl HostDirectories {
    pub(super) fn read_stamped(&self, guest: &str) -> Result<Read, ReadError> {
        for _ in 0..MAX_ATTEMPTS {
            let found = self.find(guest)?;
            let size = self.check_regular(&found.stat)?;
            let stamp = FileStamp::new(&found.stat);
            if let Some(contents) = self.shared.get(&stamp) {
                self.budget.charge_file(size)?;
                return Ok(Read::new(found.real_path, contents, Some(stamp)));
            }
            let (root, relative) = self.roots.find(&found.real_path)?;
            match self.opener.open(root.directory(), relative, FOR_READING) {
                Ok(file) => return self.read_open_file(found.real_path, file),
                // The file became a link after it was found: look again.
                Err(Errno::ELOOP) => {}
                Err(errno) => return Err(ReadError::from_errno(errno)),
            }
        }
        Err(ReadError::TooManyLinks)
    }

    pub(super) fn read_recent(&self, real_path: &str, stamp: FileStamp) -> Result<Read, ReadError> {
        if let Some(contents) = self.shared.get(&stamp) {
            let size = u64::try_from(contents.bytes().len()).unwrap_or(u64::MAX);
            self.limits.check_size(size)?;
            self.budget.charge_file(size)?;
            return Ok(Read::new(real_path.to_owned(), contents, Some(stamp)));
        }
        let (root, relative) = self.roots.find(real_path)?;
        match self.opener.open(root.directory(), relative, FOR_READING) {
            Ok(file) => self.read_open_file(real_path.to_owned(), file),
            Err(_) => self.read_stamped(real_path),
        }
    }

    pub(super) fn note_read(
        &self,
        read: Result<Read, ReadError>,
    ) -> Result<FileContents, ReadError> {
        if let Some(trace) = &self.trace {
            trace.note_read(&read);
        }
        read.map(|read| read.contents)
    }

    /// Size of a regular file within the limit.
    fn check_regular(&self, stat: &FileStat) -> Result<u64, ReadError> {
        if !is_regular(stat) {
            return Err(ReadError::NotAFile);
        }
        self.limits
            .check_size(u64::try_from(stat.st_size).unwrap_or(0))
    }

    fn read_open_file(&self, real_path: String, file: OwnedFd) -> Result<Read, ReadError> {
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
            let contents = self.shared.insert(stamp.clone(), contents);
            Ok(Read::new(real_path, contents, Some(stamp)))
        } else {
            Ok(Read::new(real_path, contents, None))
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
