//! Strings whose characters stay outside of the heap, in memory that sessions share.
#![expect(
    unsafe_code,
    reason = "V8 takes the characters of an external string as a raw pointer"
)]

use std::ptr::slice_from_raw_parts;
use std::sync::Arc;

use crate::Scope;

/// A string over shared Latin-1 characters, which live until V8 has collected it. `None`
/// for a text that is longer than a string may be.
pub(crate) fn one_byte<'s>(
    scope: &Scope<'s, '_>,
    text: &Arc<[u8]>,
) -> Option<v8::Local<'s, v8::String>> {
    let length = text.len();
    if v8::String::MAX_LENGTH < length {
        return None;
    }
    let characters = Arc::into_raw(Arc::clone(text)).cast_mut().cast();
    // SAFETY: the characters are readable and do not change as long as the count that
    // `into_raw` kept is there; `free_one_byte` gives it back, once, when V8 is done. V8
    // never writes through the pointer of an external string.
    unsafe { v8::String::new_external_onebyte_raw(scope, characters, length, free_one_byte) }
}

/// The same over UTF-16.
pub(crate) fn two_byte<'s>(
    scope: &Scope<'s, '_>,
    text: &Arc<[u16]>,
) -> Option<v8::Local<'s, v8::String>> {
    let length = text.len();
    if v8::String::MAX_LENGTH < length {
        return None;
    }
    let characters = Arc::into_raw(Arc::clone(text)).cast_mut().cast();
    // SAFETY: as in `one_byte`, with `free_two_byte`.
    unsafe { v8::String::new_external_twobyte_raw(scope, characters, length, free_two_byte) }
}

unsafe extern "C" fn free_one_byte(characters: *mut std::ffi::c_char, length: usize) {
    let text = slice_from_raw_parts(characters.cast::<u8>(), length);
    // SAFETY: pointer and length are those that `one_byte` gave away, and V8 calls this
    // once for each.
    drop(unsafe { Arc::from_raw(text) });
}

unsafe extern "C" fn free_two_byte(characters: *mut u16, length: usize) {
    let text = slice_from_raw_parts(characters.cast_const(), length);
    // SAFETY: as in `free_one_byte`, with `two_byte`.
    drop(unsafe { Arc::from_raw(text) });
}
