//! Expanding symbolic links by hand, one name at a time, on a stack that cannot leave its
//! root.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use nix::fcntl::{OFlag, openat, readlinkat};
use nix::sys::stat::{Mode, fstat};

use super::opener::{is_directory, is_link};
use super::{MAX_DEPTH, ReadError};

/// Links that one path may go through, as many as Linux allows.
pub const MAX_LINKS: usize = 40;

/// Where a path leads, relative to its root.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expanded {
    /// To this path, free of links when it was walked.
    Within(String),
    /// Through links into another root; the part after the crossing is not expanded.
    Crossing(String),
}

/// Walks `relative` from `root` and expands each link on the way, the last one included.
///
/// Each name is opened with `O_NOFOLLOW`, so that what it is, and where a link points, is
/// read from the descriptor. `in_this_root` says whether a link-free path belongs to this
/// root rather than to one that is nested in it.
pub(super) fn expand(
    root: BorrowedFd<'_>,
    relative: &str,
    in_this_root: impl Fn(&str) -> bool,
) -> Result<Expanded, ReadError> {
    let mut pending: Vec<String> = names_reversed(relative).collect();
    let mut walked: Vec<(String, OwnedFd)> = Vec::new();
    let mut n_links: usize = 0;
    while let Some(name) = pending.pop() {
        if name == ".." {
            walked.pop().ok_or(ReadError::OutsideRoot)?;
            continue;
        }
        if MAX_DEPTH <= walked.len() {
            return Err(ReadError::PathTooLong);
        }
        let real = join(walked.iter().map(|(name, _)| name).chain([&name]));
        if !in_this_root(&real) {
            let rest = [&real].into_iter().chain(pending.iter().rev());
            return Ok(Expanded::Crossing(join(rest)));
        }
        let parent = walked.last().map_or(root, |(_, fd)| fd.as_fd());
        let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let fd =
            openat(parent, name.as_str(), flags, Mode::empty()).map_err(ReadError::from_errno)?;
        let stat = fstat(&fd).map_err(ReadError::from_errno)?;
        if is_link(&stat) {
            n_links = n_links.saturating_add(1);
            if MAX_LINKS < n_links {
                return Err(ReadError::TooManyLinks);
            }
            pending.extend(names_reversed(&target(&fd)?));
        } else if is_directory(&stat) || pending.is_empty() {
            walked.push((name, fd));
        } else {
            // A file where a directory is wanted.
            return Err(ReadError::NotFound);
        }
    }
    Ok(Expanded::Within(join(walked.iter().map(|(name, _)| name))))
}

/// Where an open link points, if that is a relative path.
fn target(link: &OwnedFd) -> Result<String, ReadError> {
    let target = readlinkat(link, "").map_err(ReadError::from_errno)?;
    // A name that is not UTF-8 has no guest path.
    let target = target.into_string().map_err(|_| ReadError::NotFound)?;
    if target.starts_with('/') {
        return Err(ReadError::OutsideRoot);
    }
    Ok(target)
}

fn names_reversed(path: &str) -> impl Iterator<Item = String> {
    let is_step = |name: &&str| !matches!(*name, "" | ".");
    path.rsplit('/').filter(is_step).map(str::to_owned)
}

fn join<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let mut path = String::new();
    for name in names {
        if !path.is_empty() {
            path.push('/');
        }
        path.push_str(name);
    }
    path
}
