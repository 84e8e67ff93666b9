//! Running one request from its first line to its encoded result, all of it within the
//! request's limits.

use std::time::{Duration, Instant};

use host_bridge::{Received, SessionEvent, StopReason, Wants};
use protocol::frame::{GuestEvent, Until};
use protocol::{JsError, LimitReport, Outcome, RequestId, Usage, Value, ValueFormat};

use super::rejections::judge;
use super::work::{Started, ThenWhat, after_module, guarded, start};
use super::{State, Work};
use crate::Scope;
use crate::enter::Realm;
use crate::error::flatten;
use crate::guards::{Deadlines, ThreadClock, Watchdog};
use crate::ops;
use crate::platform::Task;
use crate::value::{EncodeFailure, encode};

/// How guest code ended, before limits are considered.
#[derive(Debug)]
pub(crate) enum Ended {
    Value(Value),
    Threw(Box<JsError>),
    TooLarge(LimitReport),
    Stopped,
}

/// Runs requests in one realm.
pub(crate) struct Runner<'a> {
    pub(crate) realm: &'a mut Realm,
    pub(crate) watchdog: &'a Watchdog,
    pub(crate) clock: ThreadClock,
}

impl Runner<'_> {
    /// Runs `work` as `request`: arms the limits, runs, disarms, reads the verdict. The
    /// value is encoded in `format`; with `None` nobody wants it.
    pub(crate) fn request(
        &mut self,
        request: RequestId,
        work: &Work,
        until: Until,
        format: Option<ValueFormat>,
    ) -> (Outcome, Usage) {
        self.state().begin_usage(self.clock);
        let (ended, stopped) = self.bounded(request, |runner| runner.drive(work, until, format));
        let pieces = self.state().output.borrow_mut().finish();
        ops::deliver(&self.realm.state().clone(), pieces);
        let outcome = match (stopped, ended) {
            (Some(StopReason::Cancelled), _) => Outcome::Cancelled,
            (Some(StopReason::Limit(report)), _) => Outcome::LimitExceeded(report),
            (Some(StopReason::Exit(code)), _) => exited(code),
            (_, Ended::Value(value)) => Outcome::Ok(value),
            (_, Ended::Threw(error)) => Outcome::Exception(*error),
            (_, Ended::TooLarge(report)) => Outcome::LimitExceeded(report),
            (_, Ended::Stopped) => Outcome::Cancelled,
        };
        let state = self.state();
        let usage = state.usage();
        let counters = &state.links.counters;
        counters.request(Duration::from_micros(usage.cpu_us));
        counters.output_dropped(usage.output_dropped_bytes);
        state.request.set(RequestId::NONE);
        state.output.borrow_mut().reset();
        (outcome, usage)
    }

    /// One turn between requests: a timer, a task or a reply. What it throws is reported on
    /// the session.
    pub(crate) fn background(&mut self, received: Received<Task>) {
        self.state().begin_usage(self.clock);
        let (_, stopped) = self.bounded(RequestId::NONE, |runner| {
            let thrown = runner.progress(received);
            thrown
                .into_iter()
                .for_each(|error| runner.report_unhandled(*error));
        });
        let used = Duration::from_micros(self.state().usage().cpu_us);
        self.state().links.counters.between_requests(used);
        if let Some(StopReason::Limit(report)) = stopped {
            let event = GuestEvent::LimitWarning(report);
            self.state().links.events.send(SessionEvent::Guest(event));
        }
    }

    /// Runs `f` within the limits of a request and says why it was stopped, if it was.
    pub(super) fn bounded<R>(
        &mut self,
        request: RequestId,
        f: impl FnOnce(&mut Self) -> R,
    ) -> (R, Option<StopReason>) {
        let state = self.realm.state().clone();
        state.request.set(request);
        state.links.terminator.begin(request);
        let watch = self.watchdog.watch(
            request,
            &state.links.terminator,
            self.clock,
            Deadlines {
                wall: Duration::from_millis(state.limits.wall_ms),
                cpu: Duration::from_millis(state.limits.cpu_ms),
            },
        );
        // Within the limits: time in the queue is elapsed time of the request.
        state.links.wait_for_turn(request);
        let result = f(self);
        self.realm.check_memory();
        drop(watch);
        let stopped = state.links.terminator.finish();
        if stopped.is_some() {
            self.realm.recover();
            state.links.calm();
            if request == RequestId::NONE {
                state.links.events.send(SessionEvent::Calm);
            }
        }
        (result, stopped)
    }

    fn drive(&mut self, work: &Work, until: Until, format: Option<ValueFormat>) -> Ended {
        let mut stage = self.turn(|scope, state| start(scope, state, work));
        loop {
            stage = match stage {
                Started::Threw(error) => return Ended::Threw(error),
                Started::Stopped => return Ended::Stopped,
                Started::Value(value) => return self.finish(value, until, format),
                Started::Promise(promise) => match self.settled(&promise) {
                    Settled::Fulfilled(value) => Started::Value(value),
                    other => match self.unsettled(other) {
                        Some(ended) => return ended,
                        None => Started::Promise(promise),
                    },
                },
                Started::Module {
                    promise,
                    module,
                    then,
                } => match self.settled(&promise) {
                    Settled::Fulfilled(_) => self.enter_module(&module, &then),
                    other => match self.unsettled(other) {
                        Some(ended) => return ended,
                        None => Started::Module {
                            promise,
                            module,
                            then,
                        },
                    },
                },
            };
        }
    }

    fn enter_module(&mut self, module: &v8::Global<v8::Module>, then: &ThenWhat) -> Started {
        self.turn(|scope, _| after_module(scope, module, then))
    }

    fn settled(&mut self, promise: &v8::Global<v8::Promise>) -> Settled {
        self.realm.look(|scope| {
            let promise = v8::Local::new(scope, promise);
            match promise.state() {
                v8::PromiseState::Pending => Settled::Pending,
                v8::PromiseState::Fulfilled => {
                    let value = promise.result(scope);
                    Settled::Fulfilled(v8::Global::new(scope, value))
                }
                v8::PromiseState::Rejected => {
                    let reason = promise.result(scope);
                    Settled::Rejected(Box::new(flatten(scope, reason)))
                }
            }
        })
    }

    /// Rejected: that is the end. Pending: waits for something to happen.
    fn unsettled(&mut self, settled: Settled) -> Option<Ended> {
        match settled {
            Settled::Rejected(error) => Some(Ended::Threw(error)),
            _ => self.wait_for_progress(Need::Promise),
        }
    }

    /// Waits for one reply, task or timer and runs it. `Some` is the end of the request.
    fn wait_for_progress(&mut self, need: Need) -> Option<Ended> {
        if self.state().links.terminator.verdict().is_some() {
            return Some(Ended::Stopped);
        }
        if need == Need::Promise && !self.can_progress() {
            return Some(Ended::Threw(Box::new(never_settles())));
        }
        let due = self.state().next_due();
        let received = self.state().links.mailbox.wait(Wants::Progress, due);
        if matches!(received, Received::Interrupted) {
            return Some(Ended::Stopped);
        }
        self.progress(received).map(Ended::Threw)
    }

    /// Whether anything is left that could settle a promise.
    fn can_progress(&mut self) -> bool {
        let state = self.state();
        state.timers.borrow().len() > 0
            || !state.links.calls.is_empty()
            || !state.pending.borrow().is_empty()
            || state.links.mailbox.has_work()
            || state.links.mailbox.has_delayed_tasks()
            || self.realm.isolate().has_pending_background_tasks()
    }

    /// Runs what was received, and the timers that are due. What a callback throws comes back.
    pub(super) fn progress(&mut self, received: Received<Task>) -> Option<Box<JsError>> {
        match received {
            Received::Answer(answer) => {
                self.turn(|scope, state| ops::settle(scope, state, &answer));
            }
            Received::Task(task) => self.turn(|_, _| task.run()),
            _ => {}
        }
        let now = Instant::now();
        self.turn(|scope, state| ops::expire(scope, state, now));
        loop {
            let id = self.state().timers.borrow_mut().take_due(now)?;
            let started = self.turn(|scope, state| {
                guarded(scope, |scope| {
                    let value = state.hooks.get()?.run_timer(scope, id)?;
                    Some(Started::Value(v8::Global::new(scope, value)))
                })
            });
            match started {
                Started::Threw(error) => return Some(error),
                Started::Stopped => return None,
                _ => {}
            }
        }
    }

    /// The value is there: waits for the rest where that was asked for, and encodes it.
    fn finish(
        &mut self,
        value: v8::Global<v8::Value>,
        until: Until,
        format: Option<ValueFormat>,
    ) -> Ended {
        while until == Until::Drained && self.is_busy() {
            if let Some(ended) = self.wait_for_progress(Need::Rest) {
                return ended;
            }
        }
        let Some(format) = format else {
            return Ended::Value(Value::Undefined);
        };
        let max_bytes = self.state().limits.message_bytes;
        let mut encoded = Ended::Stopped;
        let started = self.turn(|scope, _| {
            guarded(scope, |scope| {
                let value = v8::Local::new(scope, &value);
                encoded = match encode(scope, value, format, max_bytes) {
                    Ok(value) => Ended::Value(value),
                    Err(EncodeFailure::TooLarge(report)) => Ended::TooLarge(report),
                    Err(EncodeFailure::Threw) => return None,
                };
                Some(Started::Stopped)
            })
        });
        match started {
            Started::Threw(error) => Ended::Threw(error),
            _ => encoded,
        }
    }

    /// A turn of guest code, its microtasks, and then the judgement on rejections.
    fn turn<R>(&mut self, f: impl for<'s, 'i> FnOnce(&mut Scope<'s, 'i>, &State) -> R) -> R {
        let result = self.realm.turn(|scope, state| f(scope, state));
        // A handler of `unhandledRejection` may reject again; those wait for the next turn.
        let rejected = self.state().rejections.borrow_mut().take();
        for rejection in rejected {
            if self.state().links.terminator.verdict().is_some() {
                break;
            }
            let unhandled = self
                .realm
                .turn(|scope, state| judge(scope, state, &rejection));
            unhandled
                .into_iter()
                .for_each(|error| self.report_unhandled(error));
        }
        result
    }

    fn report_unhandled(&self, error: JsError) {
        let event = GuestEvent::UnhandledRejection(error);
        self.state().links.events.send(SessionEvent::Guest(event));
    }

    fn state(&self) -> &State {
        self.realm.state()
    }
}

/// What a request waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// A promise: it is in vain when nothing is left that could settle it.
    Promise,
    /// Whatever is left to do.
    Rest,
}

enum Settled {
    Pending,
    Fulfilled(v8::Global<v8::Value>),
    Rejected(Box<JsError>),
}

fn never_settles() -> JsError {
    let message =
        "The promise never settles: no timer, host call or task is left that could settle it";
    JsError {
        name: "Error".to_owned(),
        message: message.to_owned(),
        code: Some("ERR_UNSETTLED_PROMISE".to_owned()),
        stack: format!("Error: {message}"),
        frames: Vec::new(),
        cause: None,
    }
}

/// `process.exit(code)`: a run that ends well at 0, and an exception otherwise.
fn exited(code: i32) -> Outcome {
    if code == 0 {
        return Outcome::Ok(Value::Undefined);
    }
    let message = format!("The guest called process.exit({code})");
    Outcome::Exception(JsError {
        name: "Error".to_owned(),
        stack: format!("Error: {message}"),
        message,
        code: Some("ERR_PROCESS_EXIT".to_owned()),
        frames: Vec::new(),
        cause: None,
    })
}
