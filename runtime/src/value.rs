//! Values between guest and host, in the format that was asked for.

use v8::{ValueDeserializerHelper, ValueSerializerHelper};

use protocol::{Blob, LimitKind, LimitReport, Value, ValueFormat};

use crate::Scope;
use crate::session::State;
use crate::strings::{ErrorClass, throw};

/// Why a value was not encoded.
#[derive(Debug)]
pub(crate) enum EncodeFailure {
    /// The guest's own code threw, or the format cannot hold the value; an exception is pending.
    Threw,
    /// The encoded value is larger than a message may be.
    TooLarge(LimitReport),
}

/// Encodes `value`. Runs guest code: getters, proxies and `toJSON`.
pub(crate) fn encode(
    scope: &mut Scope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
    format: ValueFormat,
    max_bytes: u32,
) -> Result<Value, EncodeFailure> {
    let encoded = match format {
        ValueFormat::Json => encode_json(scope, value, max_bytes)?,
        ValueFormat::V8 => Value::V8(Blob::from(
            serialize(scope, value).ok_or(EncodeFailure::Threw)?,
        )),
        ValueFormat::Raw => encode_raw(scope, value)?,
    };
    check_size(byte_len(&encoded), max_bytes)?;
    Ok(encoded)
}

/// Size of the encoded bytes.
pub(crate) fn byte_len(value: &Value) -> u64 {
    match value {
        Value::Json(bytes) | Value::V8(bytes) | Value::Raw(bytes) => {
            u64::try_from(bytes.len()).unwrap_or(u64::MAX)
        }
        _ => 0,
    }
}

fn check_size(bytes: u64, max_bytes: u32) -> Result<(), EncodeFailure> {
    let limit = u64::from(max_bytes);
    if bytes > limit {
        let report = LimitReport::new(LimitKind::Message, limit, bytes);
        return Err(EncodeFailure::TooLarge(report));
    }
    Ok(())
}

fn encode_json(
    scope: &mut Scope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
    max_bytes: u32,
) -> Result<Value, EncodeFailure> {
    if value.is_undefined() || value.is_symbol() || value.is_function() {
        return Ok(Value::Undefined);
    }
    let text = v8::json::stringify(scope, value).ok_or(EncodeFailure::Threw)?;
    // Before the copy: the text may be far larger than what can be sent.
    check_size(u64::try_from(text.length()).unwrap_or(u64::MAX), max_bytes)?;
    let text = text.to_rust_string_lossy(scope);
    // `toJSON` may answer undefined, which V8 writes as this word; it is no JSON text.
    if text == "undefined" {
        return Ok(Value::Undefined);
    }
    Ok(Value::Json(Blob::from(text)))
}

fn encode_raw(
    scope: &mut Scope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
) -> Result<Value, EncodeFailure> {
    if value.is_undefined() || value.is_null() {
        return Ok(Value::Undefined);
    }
    if let Ok(text) = v8::Local::<v8::String>::try_from(value) {
        return Ok(Value::Raw(Blob::from(text.to_rust_string_lossy(scope))));
    }
    let view = if let Ok(buffer) = v8::Local::<v8::ArrayBuffer>::try_from(value) {
        let len = buffer.byte_length();
        v8::Uint8Array::new(scope, buffer, 0, len).map(v8::Local::<v8::ArrayBufferView>::from)
    } else {
        v8::Local::<v8::ArrayBufferView>::try_from(value).ok()
    };
    let Some(view) = view else {
        throw(
            scope,
            ErrorClass::TypeError,
            "ERR_VALUE_NOT_ENCODABLE",
            "The format 'raw' takes a string, an ArrayBuffer or a view of one",
        );
        return Err(EncodeFailure::Threw);
    };
    Ok(Value::Raw(Blob::from(view_bytes(view))))
}

/// A copy of the bytes that a view shows.
pub(crate) fn view_bytes(view: v8::Local<'_, v8::ArrayBufferView>) -> Vec<u8> {
    let mut bytes = vec![0; view.byte_length()];
    let copied = view.copy_contents(&mut bytes);
    bytes.truncate(copied);
    bytes
}

/// Decodes a value from the host. `None` means that an exception is pending.
pub(crate) fn decode<'s>(
    scope: &mut Scope<'s, '_>,
    value: &Value,
) -> Option<v8::Local<'s, v8::Value>> {
    match value {
        Value::Json(text) => {
            let text = v8::String::new_from_utf8(scope, text, v8::NewStringType::Normal)?;
            v8::json::parse(scope, text)
        }
        Value::V8(bytes) => deserialize(scope, bytes),
        Value::Raw(bytes) => Some(bytes_to_view(scope, bytes)?.into()),
        _ => Some(v8::undefined(scope).into()),
    }
}

/// A new `Uint8Array` that holds `bytes`. `None` when the session has no memory left for
/// it; a `RangeError` is pending then.
pub(crate) fn bytes_to_view<'s>(
    scope: &mut Scope<'s, '_>,
    bytes: &[u8],
) -> Option<v8::Local<'s, v8::Uint8Array>> {
    claim_room(scope, bytes.len())?;
    let buffer = v8::ArrayBuffer::new(scope, bytes.len());
    let store = buffer.get_backing_store();
    for (cell, byte) in store.iter().zip(bytes) {
        cell.set(*byte);
    }
    v8::Uint8Array::new(scope, buffer, 0, bytes.len())
}

/// Whether the session may have so many bytes more; `None` with a `RangeError` pending when it
/// may not. V8 ends the process when an embedder's allocation fails, so this is asked first.
pub(crate) fn claim_room(scope: &mut Scope<'_, '_>, bytes: usize) -> Option<()> {
    let has_room = find_room(scope, bytes);
    if !has_room {
        throw(
            scope,
            ErrorClass::RangeError,
            "ERR_MEMORY_ALLOCATION_FAILED",
            "Array buffer allocation failed",
        );
    }
    has_room.then_some(())
}

/// Whether there is room for so many bytes. Garbage is collected where it is in the way.
pub(crate) fn find_room(scope: &mut Scope<'_, '_>, bytes: usize) -> bool {
    let Some(state) = State::of(scope) else {
        return true;
    };
    let budget = &state.links.budget;
    if budget.has_room(bytes) {
        return true;
    }
    scope.low_memory_notification();
    budget.has_room(bytes)
}

/// The structured clone of `value` as bytes; Node's `v8.deserialize` reads them.
pub(crate) fn serialize(
    scope: &mut Scope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
) -> Option<Vec<u8>> {
    let context = scope.get_current_context();
    let serializer = v8::ValueSerializer::new(scope, Box::new(Clone));
    serializer.write_header();
    serializer.write_value(context, value)?;
    Some(serializer.release())
}

/// The opposite of [`serialize`].
pub(crate) fn deserialize<'s>(
    scope: &mut Scope<'s, '_>,
    bytes: &[u8],
) -> Option<v8::Local<'s, v8::Value>> {
    let context = scope.get_current_context();
    let deserializer = v8::ValueDeserializer::new(scope, Box::new(Clone), bytes);
    deserializer.read_header(context)?;
    deserializer.read_value(context)
}

/// Structured clone without anything of the host's.
struct Clone;

impl v8::ValueSerializerImpl for Clone {
    fn throw_data_clone_error<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        message: v8::Local<'s, v8::String>,
    ) {
        let message = message.to_rust_string_lossy(scope);
        throw_not_cloneable(scope, &message);
    }

    fn is_host_object<'s>(
        &self,
        _scope: &mut v8::PinScope<'s, '_>,
        _object: v8::Local<'s, v8::Object>,
    ) -> Option<bool> {
        Some(false)
    }

    fn write_host_object<'s>(
        &self,
        scope: &mut v8::PinScope<'s, '_>,
        _object: v8::Local<'s, v8::Object>,
        _serializer: &dyn v8::ValueSerializerHelper,
    ) -> Option<bool> {
        not_cloneable(scope)
    }

    fn get_wasm_module_transfer_id(
        &self,
        scope: &mut v8::PinScope<'_, '_>,
        _module: v8::Local<'_, v8::WasmModuleObject>,
    ) -> Option<u32> {
        not_cloneable(scope)
    }
}

impl v8::ValueDeserializerImpl for Clone {}

/// Throws what `structuredClone` makes a `DataCloneError` of.
pub(crate) fn throw_not_cloneable(scope: &Scope<'_, '_>, message: &str) {
    throw(scope, ErrorClass::TypeError, "ERR_DATA_CLONE", message);
}

/// Throws and gives back nothing.
pub(crate) fn not_cloneable<T>(scope: &Scope<'_, '_>) -> Option<T> {
    throw_not_cloneable(scope, "The object could not be cloned");
    None
}

/// Throws for a value that could not be encoded because of its size.
pub(crate) fn throw_too_large(scope: &Scope<'_, '_>, report: &LimitReport) {
    let message = format!(
        "The value takes {} bytes, and a message may have {}",
        report.usage, report.limit
    );
    throw(scope, ErrorClass::RangeError, "ERR_LIMIT_MESSAGE", &message);
}
