//! What the sidecar itself says on its standard error: of interest when it is lost, and
//! noise when only its guest has come to harm.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::process::Stdio;

use nix::sys::memfd::{MFdFlags, memfd_create};

/// The end of a log is what tells.
const SHOWN: u64 = 4 * 1024;

/// Keeps the log in memory, or lets it through.
#[derive(Debug)]
pub(super) struct ChildLog(Option<File>);

impl ChildLog {
    /// The sidecar writes to our own standard error.
    pub(super) fn passing_on() -> ChildLog {
        ChildLog(None)
    }

    /// The sidecar writes into memory.
    pub(super) fn keeping() -> io::Result<ChildLog> {
        let memory = memfd_create("sidecar-log", MFdFlags::MFD_CLOEXEC)?;
        Ok(ChildLog(Some(File::from(memory))))
    }

    /// What the sidecar gets for its standard error.
    pub(super) fn stdio(&self) -> io::Result<Stdio> {
        match &self.0 {
            Some(memory) => Ok(memory.try_clone()?.into()),
            None => Ok(Stdio::inherit()),
        }
    }

    /// The last of what was kept, by lines.
    pub(super) fn last_lines(&self) -> String {
        let Some(memory) = &self.0 else {
            return String::new();
        };
        // Whatever cannot be read is not shown.
        let len = memory.metadata().map_or(0, |metadata| metadata.len());
        let from = len.saturating_sub(SHOWN);
        let mut bytes = vec![0; usize::try_from(len.saturating_sub(from)).unwrap_or_default()];
        let read = memory.read_at(&mut bytes, from).unwrap_or_default();
        bytes.truncate(read);
        let text = String::from_utf8_lossy(&bytes);
        match text.split_once('\n') {
            Some((_cut, lines)) if from != 0 => lines.trim_end().to_owned(),
            _ => text.trim_end().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn kept(text: &str) -> ChildLog {
        let log = ChildLog::keeping().unwrap();
        let mut writer = log.0.as_ref().unwrap().try_clone().unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        log
    }

    #[test]
    fn the_last_lines_are_kept_whole() {
        assert_eq!(kept("").last_lines(), "");
        assert_eq!(kept("one\ntwo\n").last_lines(), "one\ntwo");
        let long = kept(&"a line of this log\n".repeat(1000)).last_lines();
        assert!(long.len() < 4096 && long.starts_with("a line"), "{long}");
        assert_eq!(ChildLog::passing_on().last_lines(), "");
    }
}
