//! The whole process, with the fake engine in place of V8: descriptors, signals, the death
//! of the parent, exit codes, traces.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "helpers of tests are tests, but clippy only knows test functions; and tests \
              start processes"
)]

mod command_line;
mod descriptors;
mod endings;
mod support;
mod traces;
