//! One frame of every kind, and more where a body has alternatives. The golden
//! vectors are made from these.

mod closing;
mod connection;
mod opening;
mod outcomes;
mod running;

use protocol::frame::{HostFrame, SidecarFrame};

use crate::support::Any;

pub(crate) struct Sample {
    /// The file in `fixtures/wire/<kind>/`, without its ending.
    pub(crate) name: &'static str,
    pub(crate) frame: Any,
}

pub(crate) fn all() -> Vec<Sample> {
    let mut samples = connection::all();
    samples.extend(opening::all());
    samples.extend(running::all());
    samples.extend(outcomes::all());
    samples.extend(closing::all());
    samples
}

fn host(name: &'static str, at: (u32, u64), frame: impl Into<HostFrame>) -> Sample {
    let frame = Any::host(at.0, at.1, frame);
    Sample { name, frame }
}

fn sidecar(name: &'static str, at: (u32, u64), frame: impl Into<SidecarFrame>) -> Sample {
    let frame = Any::sidecar(at.0, at.1, frame);
    Sample { name, frame }
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().copied().map(text).collect()
}
