//! UTF-8.

use crate::Scope;
use crate::externals::{Native, table};
use crate::strings::{ErrorClass, throw};
use crate::value::{bytes_to_view, claim_room, view_bytes};

pub(super) fn natives() -> Vec<Native> {
    table! {
        "utf8Encode" => utf8_encode,
        "utf8Decode" => utf8_decode,
        "utf8Length" => utf8_length,
    }
}

fn utf8_encode<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    // The bytes are no fewer than the characters: what cannot be held is not made first.
    let length = v8::Local::<v8::String>::try_from(args.get(0)).map_or(0, |text| text.length());
    if claim_room(scope, length).is_none() {
        return;
    }
    let text = args.get(0).to_rust_string_lossy(scope);
    if let Some(view) = bytes_to_view(scope, text.as_bytes()) {
        result.set(view.into());
    }
}

/// `utf8Decode(view, fatal, ignoreBOM)` → string. WHATWG Encoding, "TextDecoder".
fn utf8_decode<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let bytes = match bytes_of(args.get(0)) {
        Some(bytes) => bytes,
        None => {
            let message = "The argument must be an ArrayBuffer or a view of one";
            throw(
                scope,
                ErrorClass::TypeError,
                "ERR_INVALID_ARG_TYPE",
                message,
            );
            return;
        }
    };
    let (fatal, keep_bom) = (args.get(1).is_true(), args.get(2).is_true());
    let body = match bytes.strip_prefix(b"\xEF\xBB\xBF") {
        Some(rest) if !keep_bom => rest,
        _ => &bytes,
    };
    if fatal && std::str::from_utf8(body).is_err() {
        let message = "The encoded data was not valid for encoding utf-8";
        throw(
            scope,
            ErrorClass::TypeError,
            "ERR_ENCODING_INVALID_ENCODED_DATA",
            message,
        );
        return;
    }
    let text = v8::String::new_from_utf8(scope, body, v8::NewStringType::Normal);
    match text {
        Some(text) => result.set(text.into()),
        None => throw(
            scope,
            ErrorClass::RangeError,
            "ERR_STRING_TOO_LONG",
            "Invalid string length",
        ),
    }
}

fn bytes_of(value: v8::Local<'_, v8::Value>) -> Option<Vec<u8>> {
    if let Ok(view) = v8::Local::<v8::ArrayBufferView>::try_from(value) {
        return Some(view_bytes(view));
    }
    if let Ok(buffer) = v8::Local::<v8::ArrayBuffer>::try_from(value) {
        let store = buffer.get_backing_store();
        return Some(store.iter().map(std::cell::Cell::get).collect());
    }
    let buffer = v8::Local::<v8::SharedArrayBuffer>::try_from(value).ok()?;
    let store = buffer.get_backing_store();
    Some(store.iter().map(std::cell::Cell::get).collect())
}

fn utf8_length<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    if let Ok(text) = v8::Local::<v8::String>::try_from(args.get(0)) {
        let length = u32::try_from(text.utf8_length(scope)).unwrap_or(u32::MAX);
        result.set_uint32(length);
    }
}
