//! Every named bound, just below, at and above it, written and read.

mod errors;
mod opening;
mod running;

use protocol::{EncodeError, Fault};

use crate::support::{Any, body, malformed, raw};

/// How bincode writes a length.
fn varint(n: usize) -> Vec<u8> {
    match n {
        0..=250 => vec![u8::try_from(n).unwrap()],
        251..=0xffff => [&[251], &u16::try_from(n).unwrap().to_le_bytes()[..]].concat(),
        _ => [&[252], &u32::try_from(n).unwrap().to_le_bytes()[..]].concat(),
    }
}

/// `body` with one more `unit` in the only run of `n` of them.
fn grow(body: &[u8], n: usize, unit: &[u8]) -> Vec<u8> {
    let run = [varint(n), unit.repeat(n)].concat();
    let at = body
        .windows(run.len())
        .position(|window| window == run)
        .unwrap();
    let longer = [varint(n + 1), unit.repeat(n + 1)].concat();
    [&body[..at], &longer, &body[at + run.len()..]].concat()
}

/// Checks that `make(n)` is read and written for `n` up to `bound` and for no more.
/// `unit` is how one byte of the text or element of the list is written.
#[track_caller]
fn check(field: &'static str, bound: usize, unit: &[u8], make: impl Fn(usize) -> Any) {
    for n in [bound - 1, bound] {
        let frame = make(n);
        let wire = frame.encode().unwrap();
        assert_eq!(frame.decode_like(&wire), Ok(frame), "{field} of {n}");
    }
    let over = u64::try_from(bound + 1).unwrap();
    let fault = match unit.len() {
        1 => Fault::TooLong { len: over, bound },
        _ => Fault::TooMany { count: over, bound },
    };
    assert_eq!(
        make(bound + 1).encode(),
        Err(EncodeError::OverBound {
            field,
            fault: fault.clone()
        })
    );
    let frame = make(bound);
    let wire = frame.encode().unwrap();
    let session = u32::from_be_bytes(wire[8..12].try_into().unwrap());
    let wire = raw(frame.kind(), session, &grow(body(&wire), bound, unit));
    assert_eq!(frame.decode_like(&wire), Err(malformed(field, fault)));
}

fn x(n: usize) -> String {
    "x".repeat(n)
}
