//! Measurements of the sidecar: each does the same work with the sidecar and with what it is compared to, in turns, in one run, and
//! reports a ratio. README.md beside this package says what each row means; `bench/run` builds and runs everything.
//!
//! Reading order: [`cli`] for what is run, [`rows`] for one measurement a file, [`pairs`] for how turns are taken, [`stats`] for how
//! they are summed up, [`report`] for what comes out. [`sidecar`] and [`peers`] drive the processes, with blocking reads and
//! writes and nothing between, so that what is measured is theirs.
#![forbid(unsafe_code)]

mod cli;
mod error;
mod machine;
mod pairs;
mod peers;
mod process;
mod procfs;
mod report;
mod rows;
mod sidecar;
mod stats;

pub use self::cli::main;
