//! Guests that mean harm, one file each in `fixtures/hostile`, whose header says how it must
//! end. Whatever it does: it ends in time, within its memory, and nobody else notices.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use e2e_tests::{Hostile, Trial, fixtures, sidecar};
use isolate_sidecar_client::{Isolation, SessionOptions};

// A test for each file; the build script lists them.
include!(concat!(env!("OUT_DIR"), "/hostile.rs"));

fn check(file: &str, isolation: Isolation) {
    let hostile = Hostile::read(&fixtures().join("hostile").join(file));
    let sidecar = sidecar();
    let pid = sidecar.pid().unwrap();
    let options = SessionOptions {
        isolation,
        ..SessionOptions::default()
    };
    let trial = Trial::run(&sidecar, &hostile, options);
    let faults = trial.faults(&hostile);
    assert!(faults.is_empty(), "{file}: {}", faults.join("; "));
    if hostile.needs_process {
        return;
    }
    assert_eq!(sidecar.pid(), Some(pid));
    assert!(sidecar.lost().is_none());
    assert!(1 < trial.neighbours.rounds);
}
