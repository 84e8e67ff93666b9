//! Starts children, on a thread that lives as long as the process: the kernel ends a child
//! with the *thread* that has started it.
//!
//! One child is kept in reserve from the first one on, so that only the first session waits
//! for a process to start.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use host_bridge::{OpenError, SealedImage};

use super::child::Child;
use super::images;
use crate::config::{ChildCommand, LOG_VARIABLE, variable};

/// Children that are about to be started. More at one time are refused.
const MAX_ORDERS: usize = 4096;

/// See the module's text.
#[derive(Debug)]
pub(super) struct Nursery {
    orders: SyncSender<Order>,
    spare: Mutex<Option<Arc<Child>>>,
    /// What every child starts from.
    base: Option<Arc<SealedImage>>,
}

/// A child that waits for its process, and the process's end of the socket.
#[derive(Debug)]
struct Order {
    child: Arc<Child>,
    theirs: UnixStream,
    their_images: OwnedFd,
}

impl Nursery {
    pub(super) fn start(
        command: ChildCommand,
        base: Option<Arc<SealedImage>>,
    ) -> io::Result<Nursery> {
        let (orders, receiver) = sync_channel(MAX_ORDERS);
        std::thread::Builder::new()
            .name("children".to_owned())
            .spawn(move || start_all(&command, &receiver))?;
        Ok(Nursery {
            orders,
            spare: Mutex::default(),
            base,
        })
    }

    /// A child without sessions. It may be starting yet. Never blocks.
    pub(super) fn child(&self) -> Result<Arc<Child>, OpenError> {
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let child = match spare.take().filter(|child| child.takes_sessions()) {
            Some(child) => child,
            None => self.order()?,
        };
        // The error is met again when the next one is needed.
        *spare = self.order().ok();
        Ok(child)
    }

    fn order(&self) -> Result<Arc<Child>, OpenError> {
        let (ours, theirs) = UnixStream::pair().map_err(|_| OpenError::NoProcess)?;
        let (our_images, their_images) = images::pair().map_err(|_| OpenError::NoProcess)?;
        if let Some(base) = &self.base {
            images::send(&our_images, base).map_err(|_| OpenError::NoProcess)?;
        }
        let child = Child::new(ours, our_images).map_err(|_| OpenError::NoThread)?;
        let order = Order {
            child: Arc::clone(&child),
            theirs,
            their_images,
        };
        // Dropped with its end of the socket, an order is the end of its child.
        self.orders
            .try_send(order)
            .map_err(|_| OpenError::NoProcess)?;
        Ok(child)
    }
}

fn start_all(command: &ChildCommand, orders: &Receiver<Order>) {
    for order in orders {
        start(command, order);
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this very program, so that what breaks it breaks nothing else"
)]
fn start(command: &ChildCommand, order: Order) {
    let mut process = Command::new(&command.program);
    process
        .args(&command.args)
        .env_clear()
        .current_dir("/")
        // The terminal's interrupt is for us, and what we make of it for the child.
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(order.theirs)))
        .stdout(Stdio::from(order.their_images))
        .stderr(Stdio::inherit());
    if let Some(filter) = variable(LOG_VARIABLE) {
        process.env(LOG_VARIABLE, filter);
    }
    order.child.process().started(process.spawn());
    // Only here is our copy of the child's end of the socket closed: its end is seen when it
    // is known how it was started.
    drop(process);
}
