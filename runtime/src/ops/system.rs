//! Randomness, the end of a run, and what the session uses.

use host_bridge::StopReason;
use std::io::Read;

use crate::Scope;
use crate::externals::{Native, table};
use crate::guards::ThreadClock;
use crate::session::State;
use crate::strings::{ErrorClass, set, throw};
use crate::{bootstrap, scripts};

pub(super) fn natives() -> Vec<Native> {
    table! {
        "randomFill" => random_fill,
        "exit" => exit,
        "loadScript" => load_script,
        "memoryUsage" => memory_usage,
        "cpuUsage" => cpu_usage,
    }
}

/// `randomFill(view)`: bytes of the operating system. Nothing is kept between calls, so
/// sessions of one snapshot share no random stream.
fn random_fill<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(args.get(0)) else {
        let message = "The argument must be a view of an ArrayBuffer";
        throw(
            scope,
            ErrorClass::TypeError,
            "ERR_INVALID_ARG_TYPE",
            message,
        );
        return;
    };
    let Some(buffer) = view.buffer(scope) else {
        return;
    };
    let (offset, length) = (view.byte_offset(), view.byte_length());
    let store = buffer.get_backing_store();
    let cells = store.iter().skip(offset).take(length);
    if fill(cells).is_err() {
        let message = "The operating system gave no random bytes";
        throw(scope, ErrorClass::Error, "ERR_OPERATION_FAILED", message);
    }
}

fn fill<'a>(cells: impl Iterator<Item = &'a std::cell::Cell<u8>>) -> std::io::Result<()> {
    let mut chunk = [0u8; 256];
    let mut cells = cells.peekable();
    while cells.peek().is_some() {
        getrandom(&mut chunk)?;
        for byte in chunk {
            match cells.next() {
                Some(cell) => cell.set(byte),
                None => break,
            }
        }
    }
    Ok(())
}

fn getrandom(chunk: &mut [u8]) -> std::io::Result<()> {
    std::fs::File::open("/dev/urandom")?.read_exact(chunk)
}

/// `exit(code)`: stops the run; the guest does not go on.
fn exit<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    let code = args.get(0).int32_value(scope).unwrap_or(0);
    if let Some(state) = State::of(scope) {
        state.links.terminator.stop_running(StopReason::Exit(code));
    }
}

/// `loadScript(file)` → the function of a script of ours that has not run yet.
fn load_script<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let file = args.get(0).to_rust_string_lossy(scope);
    let Some(script) = scripts::named(&file) else {
        let message = format!("No such script: {file}");
        throw(scope, ErrorClass::Error, "ERR_INTERNAL", &message);
        return;
    };
    if let Some(function) = bootstrap::compile(scope, script) {
        result.set(function.into());
    }
}

fn memory_usage<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let heap = scope.get_heap_statistics();
    let buffers = State::of(scope).map_or(0, |state| state.links.budget.external());
    let usage = v8::Object::new(scope);
    let total = heap.total_physical_size().saturating_add(buffers);
    for (name, bytes) in [
        ("rss", total),
        ("heapTotal", heap.total_heap_size()),
        ("heapUsed", heap.used_heap_size()),
        ("external", heap.external_memory()),
        ("arrayBuffers", buffers),
    ] {
        let bytes = v8::Number::new(scope, u32::try_from(bytes).map_or(f64::MAX, f64::from));
        set(scope, usage, name, bytes.into());
    }
    result.set(usage.into());
}

/// `cpuUsage()` → microseconds of this session's thread, `[user, system]`; the two are not
/// told apart.
fn cpu_usage<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let used = ThreadClock::of_this_thread().now();
    let user = v8::Number::new(scope, used.as_secs_f64() * 1e6);
    let system = v8::Number::new(scope, 0.0);
    result.set(v8::Array::new_with_elements(scope, &[user.into(), system.into()]).into());
}
