//! Timers and clocks.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Scope;
use crate::externals::{Native, table};
use crate::session::State;
use crate::session::timers::Hold;
use crate::strings::{ErrorClass, throw};

pub(super) fn natives() -> Vec<Native> {
    table! {
        "setTimer" => set_timer,
        "clearTimer" => clear_timer,
        "refTimer" => ref_timer,
        "now" => now,
        "timeOrigin" => time_origin,
        "hrtime" => hrtime,
    }
}

/// `setTimer(id, delayMs, referenced = true)`.
fn set_timer<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    let (Some(state), Some(id)) = (State::of(scope), args.get(0).uint32_value(scope)) else {
        return;
    };
    let millis = args.get(1).number_value(scope).unwrap_or(0.0);
    let delay = Duration::try_from_secs_f64(millis / 1000.0).unwrap_or_default();
    let mut timers = state.timers.borrow_mut();
    let limit = state.limits.timers;
    if timers.len() >= usize::try_from(limit).unwrap_or(usize::MAX) {
        drop(timers);
        let message = format!("A session may have {limit} timers set at once");
        throw(scope, ErrorClass::RangeError, "ERR_LIMIT_TIMERS", &message);
        return;
    }
    timers.set(id, delay, hold(args.get(2)));
}

/// A timer holds unless it is told not to.
fn hold(referenced: v8::Local<'_, v8::Value>) -> Hold {
    if referenced.is_false() {
        Hold::Unreferenced
    } else {
        Hold::Referenced
    }
}

fn clear_timer<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    if let (Some(state), Some(id)) = (State::of(scope), args.get(0).uint32_value(scope)) {
        state.timers.borrow_mut().clear_one(id);
    }
}

/// `refTimer(id, referenced)`.
fn ref_timer<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    if let (Some(state), Some(id)) = (State::of(scope), args.get(0).uint32_value(scope)) {
        state.timers.borrow_mut().reference(id, hold(args.get(1)));
    }
}

/// Time since the session began.
fn age(scope: &Scope<'_, '_>) -> Duration {
    State::of(scope).map_or(Duration::ZERO, |state| state.born.elapsed())
}

/// `now()` → milliseconds since the time origin, never going back.
fn now<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    result.set_double(age(scope).as_secs_f64() * 1000.0);
}

/// `timeOrigin()` → the session's beginning in milliseconds since 1970.
fn time_origin<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let since_1970 = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let origin = since_1970.saturating_sub(age(scope));
    result.set_double(origin.as_secs_f64() * 1000.0);
}

/// `hrtime()` → nanoseconds on a clock of the session's own, as a `BigInt`.
fn hrtime<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let nanos = u64::try_from(age(scope).as_nanos()).unwrap_or(u64::MAX);
    result.set(v8::BigInt::new_from_u64(scope, nanos).into());
}
