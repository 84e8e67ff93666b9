//! Digests and what is derived from them. The state of a running digest is bytes that the realm's JavaScript keeps:
//! there is nothing to free, and a snapshot holds it like any other array.

use hmac::{EagerHash, Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_256};

use super::bytes::{Bytes, bytes_of, copied, is_stopping};
use crate::Scope;
use crate::externals::{Native, table};
use crate::value::{bytes_to_view, claim_room};

/// Rounds of a derivation between two looks at whether the guest is to stop.
const ROUNDS: u32 = 4096;

pub(super) fn natives() -> Vec<Native> {
    table! {
        "hashStart" => hash_start,
        "hashUpdate" => hash_update,
        "hashFinish" => hash_finish,
        "pbkdf2" => pbkdf2,
    }
}

/// Whether the guest is to stop.
type Stopping<'a> = &'a dyn Fn() -> bool;

/// The next state of a digest, which was in the first and takes in the second.
type Update = fn(&[u8], &Bytes<'_>, Stopping<'_>) -> Option<Vec<u8>>;

/// What can be done with a kind of digest.
struct Kind {
    start: fn() -> Vec<u8>,
    update: Update,
    finish: fn(&[u8]) -> Option<Vec<u8>>,
    derive: fn(&Derivation<'_>, Stopping<'_>) -> Option<Vec<u8>>,
}

/// What PBKDF2 is given; RFC 8018, 5.2.
struct Derivation<'a> {
    password: &'a [u8],
    salt: &'a [u8],
    iterations: u32,
    length: usize,
}

macro_rules! kind {
    ($digest:ty) => {
        Some(Kind {
            start: start::<$digest>,
            update: update::<$digest>,
            finish: finish::<$digest>,
            derive: derive::<$digest>,
        })
    };
}

fn kind(name: &str) -> Option<Kind> {
    match name {
        "md5" => kind!(Md5),
        "sha1" => kind!(Sha1),
        "sha224" => kind!(Sha224),
        "sha256" => kind!(Sha256),
        "sha384" => kind!(Sha384),
        "sha512" => kind!(Sha512),
        "sha512-256" => kind!(Sha512_256),
        _ => None,
    }
}

fn start<D: Digest + SerializableState>() -> Vec<u8> {
    D::new().serialize().to_vec()
}

fn restored<D: SerializableState>(state: &[u8]) -> Option<D> {
    let state = SerializedState::<D>::try_from(state).ok()?;
    D::deserialize(&state).ok()
}

fn update<D: Digest + SerializableState>(
    state: &[u8],
    data: &Bytes<'_>,
    is_stopping: Stopping<'_>,
) -> Option<Vec<u8>> {
    let mut digest: D = restored(state)?;
    for piece in data.pieces() {
        if is_stopping() {
            return None;
        }
        digest.update(piece);
    }
    Some(digest.serialize().to_vec())
}

fn finish<D: Digest + SerializableState>(state: &[u8]) -> Option<Vec<u8>> {
    Some(restored::<D>(state)?.finalize().to_vec())
}

fn derive<D: EagerHash>(of: &Derivation<'_>, is_stopping: Stopping<'_>) -> Option<Vec<u8>>
where
    Hmac<D>: Mac + KeyInit + Clone,
{
    let keyed = <Hmac<D> as KeyInit>::new_from_slice(of.password).ok()?;
    let mut derived = Vec::new();
    let mut block: u32 = 0;
    while derived.len() < of.length {
        block = block.checked_add(1)?;
        let first = keyed.clone().chain_update(of.salt);
        let mut last = first
            .chain_update(block.to_be_bytes())
            .finalize()
            .into_bytes();
        let mut sum = last.to_vec();
        for round in 1..of.iterations {
            if round % ROUNDS == 0 && is_stopping() {
                return None;
            }
            last = keyed.clone().chain_update(&last).finalize().into_bytes();
            sum.iter_mut()
                .zip(&last)
                .for_each(|(sum, byte)| *sum ^= byte);
        }
        if is_stopping() {
            return None;
        }
        derived.extend_from_slice(&sum);
    }
    derived.truncate(of.length);
    Some(derived)
}

/// `hashStart(kind)` → the state, or undefined for a kind that is not known.
fn hash_start<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let name = args.get(0).to_rust_string_lossy(scope);
    give(scope, &mut result, kind(&name).map(|kind| (kind.start)()));
}

/// `hashUpdate(kind, state, view)` → the next state.
fn hash_update<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let name = args.get(0).to_rust_string_lossy(scope);
    let (state, data) = (copied(args.get(1)), bytes_of(scope, args.get(2)));
    let stopping = is_stopping(scope);
    let next = kind(&name).and_then(|kind| (kind.update)(&state, &data, &stopping));
    give(scope, &mut result, next);
}

/// `hashFinish(kind, state)` → the digest.
fn hash_finish<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let name = args.get(0).to_rust_string_lossy(scope);
    let state = copied(args.get(1));
    let digest = kind(&name).and_then(|kind| (kind.finish)(&state));
    give(scope, &mut result, digest);
}

/// `pbkdf2(kind, password, salt, iterations, length)` → the key; the caller has checked the numbers.
fn pbkdf2<'s>(
    scope: &mut Scope<'s, '_>,
    args: v8::FunctionCallbackArguments<'s>,
    mut result: v8::ReturnValue<'s, v8::Value>,
) {
    let name = args.get(0).to_rust_string_lossy(scope);
    let password = copied(args.get(1));
    let salt = copied(args.get(2));
    let iterations = args.get(3).uint32_value(scope).unwrap_or(1);
    let length = args.get(4).uint32_value(scope).unwrap_or(0);
    let of = Derivation {
        password: &password,
        salt: &salt,
        iterations,
        length: usize::try_from(length).unwrap_or(usize::MAX),
    };
    if claim_room(scope, of.length).is_none() {
        return;
    }
    let stopping = is_stopping(scope);
    let key = kind(&name).and_then(|kind| (kind.derive)(&of, &stopping));
    give(scope, &mut result, key);
}

/// Returns bytes to the guest; undefined where there are none.
fn give<'s>(
    scope: &mut Scope<'s, '_>,
    result: &mut v8::ReturnValue<'s, v8::Value>,
    bytes: Option<Vec<u8>>,
) {
    if let Some(view) = bytes.and_then(|bytes| bytes_to_view(scope, &bytes)) {
        result.set(view.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn digest(name: &str, parts: &[&[u8]]) -> String {
        let kind = kind(name).unwrap();
        let mut state = (kind.start)();
        for part in parts {
            state = (kind.update)(&state, &Bytes::Copied(part.to_vec()), &|| false).unwrap();
        }
        hex(&(kind.finish)(&state).unwrap())
    }

    #[test]
    fn digests_continue_from_their_state() {
        assert_eq!(
            digest("md5", &[b"ab", b"c"]),
            "900150983cd24fb0d6963f7d28e17f72"
        );
        assert_eq!(
            digest("sha1", &[b"abc"]),
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        );
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest("sha256", &[b"a", b"", b"bc"]), expected);
    }

    #[test]
    fn what_is_not_a_state_is_refused() {
        let kind = kind("sha256").unwrap();
        assert!((kind.finish)(&[]).is_none());
        assert!((kind.finish)(&[0xff; 105]).is_none());
    }

    // RFC 6070.
    #[test]
    fn keys_are_derived() {
        let of = Derivation {
            password: b"password",
            salt: b"salt",
            iterations: 2,
            length: 20,
        };
        let key = (kind("sha1").unwrap().derive)(&of, &|| false).unwrap();
        assert_eq!(hex(&key), "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957");
    }
}
