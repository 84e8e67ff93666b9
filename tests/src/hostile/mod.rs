//! Guests that mean harm: files of `fixtures/hostile`, each with a header that says what runs
//! it and how it must end.
//!
//! ```text
//! // ending: limit wall | exception
//! // entry: timer
//! // heap-mb: 32
//! // wall-ms: 300
//! // given-up: yes
//! // why: what it tries, and why several endings are right where several are named
//! ```
//!
//! A [`Trial`] runs one of them beside ten neighbours that compute all the while, and tells
//! what it saw; [`Trial::faults`] compares that with what the header says.

mod header;
mod neighbours;
mod resident;
mod trial;
mod victim;

pub use self::header::{Ending, Entry, Hostile};
pub use self::neighbours::{Checked, Neighbours};
pub use self::resident::Resident;
pub use self::trial::{Afterwards, LATE, Trial, allowed_kib};
pub use self::victim::{Attack, attack};
