//! What end-to-end tests share: the built programs, sidecars that run, what guests came to,
//! processes that must be gone.
//!
//! The programs are looked for beside the test, and built once when they are missing or older
//! than the sources; `ISOLATE_SIDECAR_PROGRAMS` names a folder with programs to take as they
//! are, such as those of a release.
#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what goes wrong in here fails a test, as it should"
)]

mod guest;
mod hostile;
mod process;
mod program;
mod raw;
mod system;

pub use self::guest::{
    Ended, Unanswered, answers, code_of, demo_root, error, fixtures, imported, json, limit, limits,
    ok, open, project, root, run, session, sidecar, sidecar_with, text_of, unanswered,
};
pub use self::hostile::{
    Afterwards, Attack, Checked, Ending, Entry, Hostile, LATE, Neighbours, Resident, Trial,
    allowed_kib, attack,
};
pub use self::process::{
    Ran, child_of, is_gone_within, run_cli, run_cli_with, run_program, within,
};
pub use self::program::{Program, program};
pub use self::raw::RawSidecar;
pub use self::system::{Status, children_of, descriptors_of, signal, thread_names, zombies_of};
