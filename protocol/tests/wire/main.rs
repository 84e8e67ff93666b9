//! The wire as both sides see it: frozen bytes, properties, bounds, damage.
//!
//! One binary. The modules are marked as tests so that shared functions may unwrap.

#![expect(
    clippy::arithmetic_side_effects,
    reason = "an overflow fails the test, as it should"
)]

#[cfg(test)]
mod bounds;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod document;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod mirror;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod strategies;
#[cfg(test)]
mod support;
