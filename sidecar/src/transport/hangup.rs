//! Notices that nobody reads standard output any more, also while nothing is written.
//!
//! The descriptor is watched for errors and hang-up only. Watching for writability would
//! wake the sidecar each time the host reads from a socket.

use std::io;

use tokio::io::Interest;
use tokio::sync::mpsc;

use super::watch::watch;
use super::{Channel, ChannelKind};
use crate::router::Event;

/// Sends [`Event::HostHungUp`] when the reader of `output` goes away. Must be called
/// inside the tokio runtime.
pub(crate) fn watch_hangup(output: &Channel, events: mpsc::Sender<Event>) -> io::Result<()> {
    // The closed read end of a pipe shows as EPOLLERR; a socket whose peer is gone, as
    // EPOLLHUP, which tokio counts as "read closed" and reports with this interest.
    let interest = match output.kind {
        ChannelKind::Pipe => Interest::ERROR,
        ChannelKind::Socket => Interest::PRIORITY,
        ChannelKind::File => return Ok(()),
    };
    let fd = watch(output.fd.try_clone()?, interest)?;
    tokio::spawn(async move {
        if fd.ready(interest).await.is_ok() {
            // The router may be gone already; then nobody needs to know.
            let _ = events.send(Event::HostHungUp).await;
        }
    });
    Ok(())
}
