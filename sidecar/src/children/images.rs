//! Snapshots on their way to a child: a message a snapshot, with its descriptor, on a socket of
//! its own. The child takes them when it needs them; what was sent before a frame is there
//! before that frame.
//!
//! ```text
//!  +------------+----------------+----------------+-----------------+
//!  | has_key u64| blob_len u64   | header_len u64 | key: 32 bytes   |   and a descriptor
//!  +------------+----------------+----------------+-----------------+
//! ```

use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use bytes::{Buf, BufMut};
use host_bridge::{ImageLabel, SealedImage};
use nix::cmsg_space;
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, UnixAddr,
    recvmsg, sendmsg, socketpair,
};
use nix::unistd::close;
use protocol::SnapshotKey;

const LABEL_LEN: usize = 3 * 8 + 32;

/// Both ends of the way for snapshots.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let flags = SockFlag::SOCK_CLOEXEC;
    Ok(socketpair(
        AddressFamily::Unix,
        SockType::SeqPacket,
        None,
        flags,
    )?)
}

/// Sends an image. Never blocks.
pub(super) fn send(way: &OwnedFd, image: &SealedImage) -> io::Result<()> {
    let label = encode(image.label());
    let descriptors = [image.as_fd().as_raw_fd()];
    let rights = [ControlMessage::ScmRights(&descriptors)];
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
    let label = [IoSlice::new(&label)];
    sendmsg::<()>(way.as_raw_fd(), &label, &rights, flags, None)?;
    Ok(())
}

/// Takes the next image, if one was sent. Never blocks.
pub(super) fn receive(way: &OwnedFd) -> io::Result<Option<SealedImage>> {
    let mut label = [0; LABEL_LEN];
    let mut space = cmsg_space!([RawFd; 1]);
    let mut into = [IoSliceMut::new(&mut label)];
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_CMSG_CLOEXEC;
    let received = recvmsg::<UnixAddr>(way.as_raw_fd(), &mut into, Some(&mut space), flags);
    let received = match received {
        Ok(received) => received,
        Err(Errno::EAGAIN) => return Ok(None),
        Err(err) => return Err(err.into()),
    };
    let n_bytes = received.bytes;
    let mut files = Vec::new();
    for message in received.cmsgs()? {
        if let ControlMessageOwned::ScmRights(descriptors) = message {
            files.extend(descriptors.into_iter().map(own));
        }
    }
    if n_bytes == 0 {
        return Ok(None);
    }
    let file = files.pop().ok_or(io::ErrorKind::InvalidData)??;
    SealedImage::adopt(file, decode(&label)?).map(Some)
}

/// A descriptor that came in a message, as a file of its own.
fn own(descriptor: RawFd) -> io::Result<File> {
    let file = File::open(format!("/proc/self/fd/{descriptor}"));
    close(descriptor)?;
    file
}

fn encode(label: ImageLabel) -> [u8; LABEL_LEN] {
    let mut bytes = [0; LABEL_LEN];
    let mut rest = &mut bytes[..];
    rest.put_u64(u64::from(label.key.is_some()));
    rest.put_u64(u64::try_from(label.blob_len).unwrap_or(u64::MAX));
    rest.put_u64(u64::try_from(label.header_len).unwrap_or(u64::MAX));
    rest.put_slice(&label.key.map(|key| key.0).unwrap_or_default());
    bytes
}

fn decode(mut bytes: &[u8]) -> io::Result<ImageLabel> {
    let has_key = bytes.get_u64() != 0;
    let mut len = || usize::try_from(bytes.get_u64());
    let (Ok(blob_len), Ok(header_len)) = (len(), len()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let mut key = [0; 32];
    bytes.copy_to_slice(&mut key);
    Ok(ImageLabel {
        key: has_key.then_some(SnapshotKey(key)),
        blob_len,
        header_len,
    })
}

#[cfg(test)]
mod tests {
    use host_bridge::ImageHeader;

    use super::*;

    #[test]
    fn images_come_in_the_order_in_which_they_are_sent() {
        let (ours, theirs) = pair().unwrap();
        let header = ImageHeader {
            builtins: vec!["fs".to_owned()],
            ..ImageHeader::default()
        };
        for key in [None, Some(SnapshotKey([7; 32]))] {
            send(&ours, &SealedImage::new(key, b"blob", &header).unwrap()).unwrap();
        }
        let first = receive(&theirs).unwrap().unwrap();
        assert_eq!((first.label().key, first.label().blob_len), (None, 4));
        assert_eq!(first.header().unwrap(), header);
        let second = receive(&theirs).unwrap().unwrap();
        assert_eq!(second.label().key, Some(SnapshotKey([7; 32])));
        assert!(receive(&theirs).unwrap().is_none());
        drop(ours);
        assert!(receive(&theirs).unwrap().is_none());
    }
}
