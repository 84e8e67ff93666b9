//! The client against a sidecar that is a thread with a script: what it sends, what it makes
//! of each answer, and that it always comes to an end.
//!
//! One binary. The modules are marked as tests so that shared functions may unwrap.

#[cfg(test)]
mod endings;
#[cfg(test)]
mod host_calls;
#[cfg(test)]
mod requests;
#[cfg(test)]
mod script;
#[cfg(test)]
mod threads;
#[cfg(test)]
mod traffic;
