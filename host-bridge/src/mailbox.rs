//! What a session thread waits for, in one place: commands, replies, V8 tasks, room for
//! output, and the order to stop. It sleeps on one condition variable and is woken exactly
//! when something for it has arrived or its own deadline has passed.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::frame::Reply;
use protocol::{CallId, RequestId};

use crate::{OpenCall, Pause, SendError, SessionCommand, wait_until};

/// Requests that may wait behind the running one. One more is answered `Busy`.
pub const MAX_COMMANDS: usize = 32;
/// Output bytes that a session may have under way to the host. More makes its guest wait.
pub const MAX_OUTPUT_IN_FLIGHT: usize = 256 * 1024;
/// V8 tasks that may wait for the session thread. Further ones are dropped, which only
/// harms the guest that caused them.
const MAX_TASKS: usize = 65_536;

/// The queue in front of one session thread. `T` is the engine's own kind of task.
pub struct Mailbox<T> {
    inner: Mutex<Inner<T>>,
    bell: Condvar,
}

struct Inner<T> {
    commands: VecDeque<SessionCommand>,
    replies: VecDeque<Answer>,
    tasks: VecDeque<T>,
    delayed: Vec<(Instant, T)>,
    /// Whether a task was what ran last between requests.
    was_task: bool,
    output_in_flight: usize,
    interrupted: bool,
    closing: bool,
    gone: bool,
}

/// A reply together with the call that it answers.
#[derive(Debug)]
pub struct Answer {
    /// Which call.
    pub call: CallId,
    /// What was recorded when it was sent.
    pub open: OpenCall,
    /// From sending to the arrival of the reply.
    pub latency: Duration,
    /// What the host said.
    pub reply: Reply,
}

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Everything: the session is idle.
    Commands,
    /// Replies and tasks: a request waits for its promises.
    Progress,
    /// The reply to this call alone: a synchronous host call.
    Reply(CallId),
}

/// Why a wait ended.
#[derive(Debug)]
pub enum Received<T> {
    /// The next command. Only with [`Wants::Commands`].
    Command(SessionCommand),
    /// A reply.
    Answer(Answer),
    /// A task to run on the session thread.
    Task(T),
    /// The running request is to stop.
    Interrupted,
    /// The deadline has passed.
    TimedOut,
}

/// The running request is to stop; nothing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl<T> std::fmt::Debug for Mailbox<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mailbox")
    }
}

impl<T> Default for Mailbox<T> {
    fn default() -> Mailbox<T> {
        Mailbox {
            inner: Mutex::new(Inner {
                commands: VecDeque::new(),
                replies: VecDeque::new(),
                tasks: VecDeque::new(),
                delayed: Vec::new(),
                was_task: false,
                output_in_flight: 0,
                interrupted: false,
                closing: false,
                gone: false,
            }),
            bell: Condvar::new(),
        }
    }
}

impl<T> Mailbox<T> {
    /// Queues a command. Never blocks.
    ///
    /// # Errors
    ///
    /// [`SendError::QueueFull`] when [`MAX_COMMANDS`] requests wait, [`SendError::Gone`]
    /// when the session has ended or is about to. `Close` is always taken.
    pub fn send(&self, command: SessionCommand) -> Result<(), SendError> {
        let mut inner = self.lock();
        if inner.gone || inner.closing {
            return Err(SendError::Gone);
        }
        if matches!(command, SessionCommand::Close { .. }) {
            inner.closing = true;
        } else if inner.commands.len() >= MAX_COMMANDS {
            return Err(SendError::QueueFull);
        }
        inner.commands.push_back(command);
        drop(inner);
        self.bell.notify_all();
        Ok(())
    }

    /// Takes back a request that nobody has taken. `true` when it will not run.
    pub fn withdraw(&self, request: RequestId) -> bool {
        let mut inner = self.lock();
        let before = inner.commands.len();
        inner.commands.retain(|command| match command {
            SessionCommand::Execute { request: own, .. }
            | SessionCommand::Call { request: own, .. } => *own != request,
            _ => true,
        });
        inner.commands.len() < before
    }

    /// Requests that wait.
    #[cfg(test)]
    fn n_waiting(&self) -> usize {
        self.lock().commands.len()
    }

    /// Delivers a reply. The caller has taken the call out of the call table, so there are
    /// never more replies than calls in flight.
    pub fn answer(&self, call: CallId, open: OpenCall, reply: Reply) {
        let latency = open.sent.elapsed();
        self.lock().replies.push_back(Answer {
            call,
            open,
            latency,
            reply,
        });
        self.bell.notify_all();
    }

    /// Hands over a task that is due now, or after `delay`.
    pub fn post(&self, task: T, delay: Option<Duration>) {
        let mut inner = self.lock();
        if inner.gone || inner.tasks.len().saturating_add(inner.delayed.len()) >= MAX_TASKS {
            drop(inner);
            drop(task);
            return;
        }
        match delay.and_then(|delay| Instant::now().checked_add(delay)) {
            Some(due) => inner.delayed.push((due, task)),
            None => inner.tasks.push_back(task),
        }
        drop(inner);
        self.bell.notify_all();
    }

    /// Wakes the session thread out of any wait until [`Mailbox::clear_interrupt`].
    pub fn interrupt(&self) {
        self.lock().interrupted = true;
        self.bell.notify_all();
    }

    /// Session thread: the interrupted request is over.
    pub fn clear_interrupt(&self) {
        self.lock().interrupted = false;
    }

    /// Session thread: forgets replies and tasks of a request that was stopped.
    pub fn forget_replies(&self) {
        self.lock().replies.clear();
    }

    /// Session thread: nothing is taken any more. Returns the commands that were waiting,
    /// so that each can be answered.
    pub fn shut(&self) -> Vec<SessionCommand> {
        let mut inner = self.lock();
        inner.gone = true;
        inner.replies.clear();
        let (tasks, delayed) = (
            std::mem::take(&mut inner.tasks),
            std::mem::take(&mut inner.delayed),
        );
        let commands = inner.commands.drain(..).collect();
        drop(inner);
        // Outside the lock: dropping a task runs the engine's code.
        drop((tasks, delayed));
        commands
    }

    /// Whether replies or tasks wait to be handled now.
    pub fn has_work(&self) -> bool {
        let inner = self.lock();
        !inner.replies.is_empty() || !inner.tasks.is_empty()
    }

    /// Whether a task waits for its time.
    pub fn has_delayed_tasks(&self) -> bool {
        !self.lock().delayed.is_empty()
    }

    /// Sleeps until something that is wanted arrives, the request is interrupted, or
    /// `deadline` has passed.
    pub fn wait(&self, wants: Wants, deadline: Option<Instant>) -> Received<T> {
        // Declared before the lock, so that it ends after it.
        let mut pause = Pause::new();
        let mut inner = self.lock();
        loop {
            if inner.interrupted && wants != Wants::Commands {
                return Received::Interrupted;
            }
            if let Some(received) = inner.take(wants) {
                if wants == Wants::Commands {
                    pause.end_without_turn();
                }
                return received;
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                if wants == Wants::Commands {
                    pause.end_without_turn();
                }
                return Received::TimedOut;
            }
            pause.begin();
            let wake = match wants {
                Wants::Reply(_) => deadline,
                Wants::Commands | Wants::Progress => earliest(deadline, inner.next_delayed()),
            };
            inner = wait_until(&self.bell, inner, wake);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // Nobody panics while holding the lock: the code under it only moves data.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> Mailbox<T> {
    /// Session thread: waits until `bytes` of output may be sent. One write larger than
    /// the whole allowance is let through alone.
    ///
    /// # Errors
    ///
    /// [`Interrupted`] when the request is stopped first.
    pub fn reserve_output(self: &Arc<Self>, bytes: usize) -> Result<OutputTicket, Interrupted> {
        let mut pause = Pause::new();
        let mut inner = self.lock();
        while inner.output_in_flight > 0
            && inner.output_in_flight.saturating_add(bytes) > MAX_OUTPUT_IN_FLIGHT
        {
            if inner.interrupted {
                return Err(Interrupted);
            }
            pause.begin();
            inner = self
                .bell
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
        }
        inner.output_in_flight = inner.output_in_flight.saturating_add(bytes);
        drop(inner);
        let mailbox = Arc::clone(self);
        Ok(OutputTicket(Some(Box::new(move || {
            let mut inner = mailbox.lock();
            inner.output_in_flight = inner.output_in_flight.saturating_sub(bytes);
            drop(inner);
            mailbox.bell.notify_all();
        }))))
    }
}

impl<T> Inner<T> {
    fn take(&mut self, wants: Wants) -> Option<Received<T>> {
        if let Wants::Reply(call) = wants {
            let index = self.replies.iter().position(|answer| answer.call == call)?;
            return self.replies.remove(index).map(Received::Answer);
        }
        // What is closed answers what waits and runs nothing more.
        if self.closing && wants == Wants::Commands {
            return self.commands.pop_front().map(Received::Command);
        }
        if let Some(answer) = self.replies.pop_front() {
            return Some(Received::Answer(answer));
        }
        self.promote_delayed();
        let between = wants == Wants::Commands;
        // Tasks that make tasks must not keep a request waiting for good.
        let task = match between && self.was_task && !self.commands.is_empty() {
            true => None,
            false => self.tasks.pop_front(),
        };
        self.was_task = between && task.is_some();
        if let Some(task) = task {
            return Some(Received::Task(task));
        }
        if between {
            return self.commands.pop_front().map(Received::Command);
        }
        None
    }

    fn promote_delayed(&mut self) {
        if self.delayed.is_empty() {
            return;
        }
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.delayed)
            .into_iter()
            .partition::<Vec<_>, _>(|(due, _)| *due <= now);
        self.delayed = later;
        self.tasks.extend(due.into_iter().map(|(_, task)| task));
    }

    fn next_delayed(&self) -> Option<Instant> {
        self.delayed.iter().map(|(due, _)| *due).min()
    }
}

fn earliest(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Output on its way to the host. Dropping it, after the bytes were written or given up,
/// makes room for more.
pub struct OutputTicket(Option<Box<dyn FnOnce() + Send>>);

impl OutputTicket {
    /// A ticket that calls `release` when it is dropped.
    pub fn new(release: impl FnOnce() + Send + 'static) -> OutputTicket {
        OutputTicket(Some(Box::new(release)))
    }

    /// A ticket that stands for no allowance.
    pub fn free() -> OutputTicket {
        OutputTicket(None)
    }
}

impl Drop for OutputTicket {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

impl std::fmt::Debug for OutputTicket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OutputTicket")
    }
}

#[cfg(test)]
mod tests;
