//! The globals that come into being when a guest first reads one. Until then each is a property
//! that V8 knows as lazy: it is small, and counts as plain data for whoever lists, writes,
//! freezes or deletes it.

use std::ffi::c_void;

use v8::MapFnTo;

use crate::Scope;
use crate::externals::{Native, table};
use crate::session::State;
use crate::strings::{key, string, text};

const HIDDEN: bool = false;
const ENUMERABLE: bool = true;

/// Name, the script in `js/lazy/` that makes it, and whether it shows when globals are listed.
type Lazy = (&'static str, &'static str, bool);

/// In the order of their names.
const GLOBALS: &[Lazy] = &[
    ("AbortController", "abort", HIDDEN),
    ("AbortSignal", "abort", HIDDEN),
    ("Blob", "blob", HIDDEN),
    ("BroadcastChannel", "messages", HIDDEN),
    ("Buffer", "buffer", HIDDEN),
    ("ByteLengthQueuingStrategy", "web-streams", HIDDEN),
    ("CloseEvent", "sockets", HIDDEN),
    ("CompressionStream", "text-streams", HIDDEN),
    ("CountQueuingStrategy", "web-streams", HIDDEN),
    ("Crypto", "crypto", HIDDEN),
    ("CryptoKey", "subtle", HIDDEN),
    ("CustomEvent", "event-target", HIDDEN),
    ("DOMException", "errors", HIDDEN),
    ("DecompressionStream", "text-streams", HIDDEN),
    ("Event", "event-target", HIDDEN),
    ("EventSource", "sockets", HIDDEN),
    ("EventTarget", "event-target", HIDDEN),
    ("File", "blob", HIDDEN),
    ("FormData", "fetch", HIDDEN),
    ("Headers", "fetch", HIDDEN),
    ("MessageChannel", "messages", HIDDEN),
    ("MessageEvent", "messages", HIDDEN),
    ("MessagePort", "messages", HIDDEN),
    ("Performance", "performance", HIDDEN),
    ("PerformanceEntry", "performance", HIDDEN),
    ("PerformanceMark", "performance", HIDDEN),
    ("PerformanceMeasure", "performance", HIDDEN),
    ("PerformanceObserver", "performance", HIDDEN),
    ("ReadableByteStreamController", "web-streams", HIDDEN),
    ("ReadableStream", "web-streams", HIDDEN),
    ("ReadableStreamBYOBReader", "web-streams", HIDDEN),
    ("ReadableStreamBYOBRequest", "web-streams", HIDDEN),
    ("ReadableStreamDefaultController", "web-streams", HIDDEN),
    ("ReadableStreamDefaultReader", "web-streams", HIDDEN),
    ("Request", "fetch", HIDDEN),
    ("Response", "fetch", HIDDEN),
    ("SubtleCrypto", "subtle", HIDDEN),
    ("TextDecoder", "encoding", HIDDEN),
    ("TextDecoderStream", "text-streams", HIDDEN),
    ("TextEncoder", "encoding", HIDDEN),
    ("TextEncoderStream", "text-streams", HIDDEN),
    ("TransformStream", "web-streams", HIDDEN),
    ("TransformStreamDefaultController", "web-streams", HIDDEN),
    ("URL", "url", HIDDEN),
    ("URLSearchParams", "url", HIDDEN),
    ("WebSocket", "sockets", HIDDEN),
    ("WritableStream", "web-streams", HIDDEN),
    ("WritableStreamDefaultController", "web-streams", HIDDEN),
    ("WritableStreamDefaultWriter", "web-streams", HIDDEN),
    ("atob", "base64", ENUMERABLE),
    ("btoa", "base64", ENUMERABLE),
    ("clearImmediate", "timers", ENUMERABLE),
    ("clearInterval", "timers", ENUMERABLE),
    ("clearTimeout", "timers", ENUMERABLE),
    ("console", "console", HIDDEN),
    ("crypto", "crypto", ENUMERABLE),
    ("fetch", "fetch", ENUMERABLE),
    ("host", "host", HIDDEN),
    ("performance", "performance", ENUMERABLE),
    ("process", "process", HIDDEN),
    ("queueMicrotask", "queues", ENUMERABLE),
    ("setImmediate", "timers", ENUMERABLE),
    ("setInterval", "timers", ENUMERABLE),
    ("setTimeout", "timers", ENUMERABLE),
    ("structuredClone", "structured-clone", ENUMERABLE),
];

pub(crate) fn natives() -> Vec<Native> {
    table! {
        "defineGlobals" => define,
    }
}

/// What V8 resolves the getter in a snapshot by.
pub(crate) fn reference() -> v8::ExternalReference {
    let getter: v8::AccessorNameGetterCallback = get.map_fn_to();
    v8::ExternalReference {
        pointer: getter as *mut c_void,
    }
}

/// `defineGlobals()`: gives the realm all of them.
fn define<'s>(
    scope: &mut Scope<'s, '_>,
    _args: v8::FunctionCallbackArguments<'s>,
    _result: v8::ReturnValue<'s, v8::Value>,
) {
    let global = scope.get_current_context().global(scope);
    for &(name, _, enumerable) in GLOBALS {
        let attributes = match enumerable {
            ENUMERABLE => v8::PropertyAttribute::NONE,
            HIDDEN => v8::PropertyAttribute::DONT_ENUM,
        };
        let name = key(scope, name);
        let none = v8::undefined(scope).into();
        global.set_lazy_data_property_with_data(
            scope,
            name,
            get,
            none,
            attributes,
            v8::SideEffectType::HasSideEffect,
            v8::SideEffectType::HasSideEffect,
        );
    }
}

/// Runs the script that makes the global. Where it is cut short, the exception is pending and
/// the property stays as it is.
fn get<'s>(
    scope: &mut Scope<'s, '_>,
    name: v8::Local<'s, v8::Name>,
    _args: v8::PropertyCallbackArguments<'s>,
    mut result: v8::ReturnValue<'_, v8::Value>,
) {
    let Some(file) = text(scope, name.into()).and_then(|name| file_of(&name)) else {
        return;
    };
    let file = string(scope, file).into();
    let value = State::of(scope).and_then(|state| {
        let hooks = state.hooks.get()?;
        hooks.call(scope, "readGlobal", &[name.into(), file])
    });
    if let Some(value) = value {
        result.set(value);
    }
}

fn file_of(name: &str) -> Option<&'static str> {
    let place = GLOBALS.binary_search_by(|entry| entry.0.cmp(name)).ok()?;
    GLOBALS.get(place).map(|entry| entry.1)
}

#[cfg(test)]
mod tests {
    use super::GLOBALS;

    #[test]
    fn names_are_in_order_and_their_scripts_exist() {
        for pair in GLOBALS.windows(2) {
            assert!(pair[0].0 < pair[1].0, "{} before {}", pair[0].0, pair[1].0);
        }
        for (name, file, _) in GLOBALS {
            let file = format!("lazy/{file}.js");
            assert!(crate::scripts::named(&file).is_some(), "{name}: {file}");
        }
    }
}
