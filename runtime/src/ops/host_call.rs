//! Calls of the guest to functions of the host. An asynchronous one gives a promise; a
//! synchronous one blocks the session thread in its mailbox, where the reply, the deadline
//! and an interrupt wake it.

use std::time::{Duration, Instant};

use host_bridge::{Answer, Received, RoundTrip, SessionEvent, Wants};
use protocol::frame::{HostError, Reply};
use protocol::{CallId, CallMode, LimitKind, ValueFormat};

use crate::Scope;
use crate::error::{Failure, caught};
use crate::externals::{Native, table};
use crate::session::{PendingCall, State};
use crate::strings::{ErrorClass, new_error, set, string, throw};
use crate::value::{EncodeFailure, byte_len, decode, encode, throw_too_large};

pub(super) fn natives() -> Vec<Native> {
    table! { "hostCall" => host_call }
}

/// `hostCall(index, args)` → the value, or a promise of it, as the function was declared.
fn host_call<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let Some(state) = State::of(scope) else {
        return;
    };
    let index = args.get(0).uint32_value(scope).unwrap_or(u32::MAX);
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    let value = match state.functions.get(index).map(|function| function.mode) {
        None => {
            let message = "No such host function was declared for this session";
            throw(
                scope,
                ErrorClass::TypeError,
                "ERR_NO_HOST_FUNCTION",
                message,
            );
            return;
        }
        Some(CallMode::Sync) => call_sync(scope, &state, index, args.get(1)),
        Some(_) => call_async(scope, &state, index, args.get(1)),
    };
    if let Some(value) = value {
        result.set(value);
    }
}

/// Encodes the arguments, registers the call and sends it.
fn send(
    scope: &mut Scope<'_, '_>,
    state: &State,
    index: usize,
    args: v8::Local<'_, v8::Value>,
) -> Option<(CallId, u64)> {
    let format = state.format_of(index);
    let max_bytes = state.limits.message_bytes;
    let encoded = if format == ValueFormat::Raw {
        let argument = only_argument(scope, args)?;
        encode(scope, argument, format, max_bytes)
    } else {
        encode(scope, args, format, max_bytes)
    };
    let args = match encoded {
        Ok(args) => args,
        Err(EncodeFailure::Threw) => return None,
        Err(EncodeFailure::TooLarge(report)) => {
            throw_too_large(scope, &report);
            return None;
        }
    };
    let bytes_out = byte_len(&args);
    let function = state.functions.get(index)?;
    match state.links.calls.open(index, bytes_out) {
        Ok(call) => {
            state.links.events.send(SessionEvent::HostCall {
                call,
                method: function.name.clone(),
                mode: function.mode,
                args,
            });
            Some((call, bytes_out))
        }
        Err(full) => {
            let limit = u64::from(full.limit);
            state.warn(LimitKind::HostCalls, limit, limit);
            let message = format!("A session may have {limit} host calls in flight");
            throw(
                scope,
                ErrorClass::RangeError,
                "ERR_LIMIT_HOST_CALLS",
                &message,
            );
            None
        }
    }
}

/// A function of raw bytes has one argument, which is sent as it is.
fn only_argument<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::Local<'_, v8::Value>,
) -> Option<v8::Local<'s, v8::Value>> {
    let args = v8::Local::<v8::Array>::try_from(args).ok()?;
    if args.length() > 1 {
        let message = "A host function of the format 'raw' takes one argument";
        throw(
            scope,
            ErrorClass::TypeError,
            "ERR_INVALID_ARG_VALUE",
            message,
        );
        return None;
    }
    args.get_index(scope, 0)
}

fn timeout(state: &State) -> Duration {
    Duration::from_millis(state.limits.host_call_timeout_ms)
}

fn call_sync<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    index: usize,
    args: v8::Local<'s, v8::Value>,
) -> Option<v8::Local<'s, v8::Value>> {
    let (call, bytes_out) = send(scope, state, index, args)?;
    let deadline = Instant::now().checked_add(timeout(state));
    match state.links.mailbox.wait(Wants::Reply(call), deadline) {
        Received::Answer(answer) => {
            count(state, &answer);
            match &answer.reply {
                Reply::Ok(value) => decode(scope, value),
                Reply::Err(error) => {
                    let error = host_error(scope, error);
                    scope.throw_exception(error);
                    None
                }
            }
        }
        Received::TimedOut => {
            let error = give_up(scope, state, call, bytes_out, index)?;
            scope.throw_exception(error);
            None
        }
        // The request is being stopped; its execution is already set to terminate.
        _ => {
            state.links.calls.take(call);
            None
        }
    }
}

fn call_async<'s>(
    scope: &mut Scope<'s, '_>,
    state: &State,
    index: usize,
    args: v8::Local<'s, v8::Value>,
) -> Option<v8::Local<'s, v8::Value>> {
    let resolver = v8::PromiseResolver::new(scope)?;
    let sent = caught(scope, |scope| send(scope, state, index, args));
    let (call, bytes_out) = match sent {
        Ok(sent) => sent,
        // What cannot be sent rejects the promise, as what cannot be answered does.
        Err(Failure::Threw(thrown)) => {
            let thrown = v8::Local::new(scope, thrown);
            resolver.reject(scope, thrown)?;
            return Some(resolver.get_promise(scope).into());
        }
        Err(_) => return None,
    };
    let now = Instant::now();
    let pending = PendingCall {
        resolver: v8::Global::new(scope, resolver),
        deadline: now.checked_add(timeout(state)).unwrap_or(now),
        bytes_out,
        function: index,
    };
    state.pending.borrow_mut().insert(call, pending);
    Some(resolver.get_promise(scope).into())
}

/// Settles the promise of the call that was answered.
pub(crate) fn settle(scope: &mut Scope<'_, '_>, state: &State, answer: &Answer) {
    count(state, answer);
    let Some(pending) = state.pending.borrow_mut().remove(&answer.call) else {
        return;
    };
    let resolver = v8::Local::new(scope, &pending.resolver);
    match &answer.reply {
        Reply::Ok(value) => {
            let decoded = caught(scope, |scope| {
                let value = decode(scope, value)?;
                Some(v8::Global::new(scope, value))
            });
            match decoded {
                Ok(value) => {
                    let value = v8::Local::new(scope, value);
                    resolver.resolve(scope, value);
                }
                Err(Failure::Threw(thrown)) => {
                    let thrown = v8::Local::new(scope, thrown);
                    resolver.reject(scope, thrown);
                }
                Err(_) => {}
            }
        }
        Reply::Err(error) => {
            let error = host_error(scope, error);
            resolver.reject(scope, error);
        }
    }
}

/// Rejects the promises of calls whose time is up.
pub(crate) fn expire(scope: &mut Scope<'_, '_>, state: &State, now: Instant) {
    loop {
        let due = {
            let mut pending = state.pending.borrow_mut();
            match pending.first_entry() {
                Some(first) if first.get().deadline <= now => first.remove_entry(),
                _ => return,
            }
        };
        let (call, pending) = due;
        if let Some(error) = give_up(scope, state, call, pending.bytes_out, pending.function) {
            let resolver = v8::Local::new(scope, &pending.resolver);
            resolver.reject(scope, error);
        }
    }
}

/// Takes a call that was not answered in time off the books. A reply that comes later is
/// refused.
fn give_up<'s>(
    scope: &Scope<'s, '_>,
    state: &State,
    call: CallId,
    bytes_out: u64,
    function: usize,
) -> Option<v8::Local<'s, v8::Value>> {
    let latency = timeout(state);
    state.links.calls.take(call);
    let trip = RoundTrip {
        bytes_out,
        bytes_in: 0,
        latency,
        failed: true,
    };
    state.links.counters.round_trip(function, &trip);
    let limit = state.limits.host_call_timeout_ms;
    state.warn(LimitKind::HostCallTimeout, limit, limit);
    let name = &state.functions.get(function)?.name;
    let message = format!(
        "The host did not answer '{name}' within {} ms",
        latency.as_millis()
    );
    Some(new_error(
        scope,
        ErrorClass::Error,
        "ERR_HOST_CALL_TIMEOUT",
        &message,
    ))
}

fn count(state: &State, answer: &Answer) {
    let (bytes_in, failed) = match &answer.reply {
        Reply::Ok(value) => (byte_len(value), false),
        Reply::Err(error) => (u64::try_from(error.message.len()).unwrap_or(0), true),
    };
    let trip = RoundTrip {
        bytes_out: answer.open.bytes_out,
        bytes_in,
        latency: answer.latency,
        failed,
    };
    state.links.counters.round_trip(answer.open.function, &trip);
}

/// An error of the host as one of the guest's realm: plain data, nothing of the host in it.
fn host_error<'s>(scope: &Scope<'s, '_>, error: &HostError) -> v8::Local<'s, v8::Value> {
    let class = match error.name.as_str() {
        "TypeError" => ErrorClass::TypeError,
        "RangeError" => ErrorClass::RangeError,
        "SyntaxError" => ErrorClass::SyntaxError,
        _ => ErrorClass::Error,
    };
    let code = error.code.as_deref().unwrap_or_default();
    let value = new_error(scope, class, code, &error.message);
    if class == ErrorClass::Error
        && error.name != "Error"
        && !error.name.is_empty()
        && let Ok(object) = v8::Local::<v8::Object>::try_from(value)
    {
        let name = string(scope, &error.name);
        set(scope, object, "name", name.into());
    }
    value
}
