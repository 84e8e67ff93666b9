//! The router over socket pairs, with the fake engine in place of V8: every row of
//! PROTOCOL.md 7.1, every bound of a queue, every transition of a session.
//!
//! Tests read as conversations. They never sleep; what they wait for has a deadline.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests are tests, but clippy only knows test functions"
)]

mod backpressure;
mod cancel;
mod errors;
mod handshake;
mod host_calls;
mod limits;
mod output;
mod sessions;
mod shutdown;
mod snapshots;
mod stats;
mod stuck;
mod support;
