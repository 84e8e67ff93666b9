//! How far a session is kept from all others.

use crate::bounds::MAX_GROUP;
use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError};

/// Which process a session runs in. The sidecar's command line may ask for more than
/// [`Isolation::Thread`] for all of its sessions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Isolation {
    /// A thread of the sidecar.
    #[default]
    Thread,
    /// A process that no other session is in.
    Process,
    /// A process that all sessions of this name share, see [`is_group_name`].
    Group(String),
}

/// Whether a group can have this name: 1 to [`MAX_GROUP`] characters of `A-Z`, `a-z`, `0-9`,
/// `.`, `_` and `-`.
pub fn is_group_name(name: &str) -> bool {
    let is_of_set = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=MAX_GROUP).contains(&name.len()) && name.bytes().all(is_of_set)
}

impl Wire for Isolation {
    fn load(src: &mut Reader) -> Result<Isolation, FrameError> {
        match src.tag("open_session.isolation")? {
            0 => Ok(Isolation::Thread),
            1 => Ok(Isolation::Process),
            2 => src.text("isolation.group", MAX_GROUP).map(Isolation::Group),
            other => Err(unknown_tag("open_session.isolation", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            Isolation::Thread => dst.tag(0),
            Isolation::Process => dst.tag(1),
            Isolation::Group(name) => {
                dst.tag(2);
                dst.text("isolation.group", MAX_GROUP, name)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_groups_are_short_and_plain() {
        let longest = "g".repeat(MAX_GROUP);
        for good in ["a", "tenant-7", "A.b_c", &longest] {
            assert!(is_group_name(good), "{good:?}");
        }
        let too_long = "g".repeat(MAX_GROUP + 1);
        for bad in ["", " ", "a b", "a/b", "é", "a\0", &too_long] {
            assert!(!is_group_name(bad), "{bad:?}");
        }
    }
}
