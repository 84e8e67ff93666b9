//! Frozen bytes: `fixtures/wire/<kind>/<case>.hex` is the compatibility promise.
//!
//! `UPDATE=1` writes the vectors anew from the samples. A vector that changes for
//! any other reason than a new protocol version is a broken promise.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use protocol::frame::{HEAD_LEN, Kind};

use crate::samples;
use crate::support::Any;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/wire")
}

#[expect(
    clippy::disallowed_methods,
    reason = "a switch of the test run, not configuration"
)]
fn updating() -> bool {
    std::env::var("UPDATE").is_ok_and(|value| value == "1")
}

/// `WarmSnapshot` -> `warm_snapshot`.
fn snake(kind: Kind) -> String {
    let mut name = String::new();
    for c in kind.to_string().chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// The head on a line of its own, then the body in lines of 16 bytes.
fn to_hex(wire: &[u8]) -> String {
    let mut text = String::new();
    let (head, body) = wire.split_at(HEAD_LEN);
    for line in std::iter::once(head).chain(body.chunks(16)) {
        let bytes: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(text, "{}", bytes.join(" ")).unwrap();
    }
    text
}

fn from_hex(text: &str) -> Vec<u8> {
    let bytes = text.split_whitespace();
    bytes
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

fn debug(frame: &Any) -> String {
    match frame {
        Any::Host(envelope) => format!("{envelope:#?}\n"),
        Any::Sidecar(envelope) => format!("{envelope:#?}\n"),
    }
}

#[test]
fn bytes_and_values_are_frozen() {
    for sample in samples::all() {
        let dir = directory().join(snake(sample.frame.kind()));
        let (hex, txt) = (
            dir.join(format!("{}.hex", sample.name)),
            dir.join(format!("{}.txt", sample.name)),
        );
        let wire = sample.frame.encode().unwrap();
        if updating() {
            fs::create_dir_all(&dir).unwrap();
            fs::write(&hex, to_hex(&wire)).unwrap();
            fs::write(&txt, debug(&sample.frame)).unwrap();
        }
        let frozen = fs::read_to_string(&hex).unwrap_or_else(|e| panic!("{}: {e}", hex.display()));
        assert_eq!(to_hex(&wire), frozen, "value -> bytes, {}", hex.display());

        let decoded = sample.frame.decode_like(&from_hex(&frozen));
        let decoded = decoded.unwrap_or_else(|e| panic!("{}: {e}", hex.display()));
        assert_eq!(decoded, sample.frame, "bytes -> value, {}", hex.display());
        let described = fs::read_to_string(&txt).unwrap();
        assert_eq!(debug(&decoded), described, "{}", txt.display());
    }
}

#[test]
fn every_kind_has_a_vector_and_every_file_a_sample() {
    let mut expected = BTreeSet::new();
    for sample in samples::all() {
        for ending in ["hex", "txt"] {
            let file = format!("{}/{}.{ending}", snake(sample.frame.kind()), sample.name);
            assert!(expected.insert(file.clone()), "{file} is named twice");
        }
    }
    for kind in Kind::ALL {
        let prefix = format!("{}/", snake(kind));
        assert!(
            expected.iter().any(|file| file.starts_with(&prefix)),
            "{kind} has none"
        );
    }
    if updating() {
        return;
    }

    let mut found = BTreeSet::new();
    for dir in fs::read_dir(directory()).unwrap() {
        let dir = dir.unwrap();
        for file in fs::read_dir(dir.path()).unwrap() {
            let (dir, file) = (dir.file_name(), file.unwrap().file_name());
            found.insert(format!("{}/{}", dir.display(), file.display()));
        }
    }
    assert_eq!(found, expected);
}
