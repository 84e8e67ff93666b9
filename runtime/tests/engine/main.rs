//! Sessions of the real engine, driven through the seam: one topic a file, one process a
//! test, and one program, since linking V8 is what takes long.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails"
)]

mod host_calls;
mod limits;
mod modules;
mod realm;
mod smoke;
mod snapshots;
mod support;
