//! What the sidecar is compared to.

pub(crate) mod echo;
pub(crate) mod secure_exec;
