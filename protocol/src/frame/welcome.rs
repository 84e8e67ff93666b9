//! `Welcome`: the answer to `Hello`. What was agreed and what the sidecar is.

use crate::bounds::MAX_NAME;
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError, Limits};

/// Answers `Hello`: from here on the agreed version and size hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The protocol version both sides speak from here on.
    pub version: u16,
    /// The sidecar's build, for logs.
    pub build: String,
    /// The version of V8.
    pub v8: String,
    /// Largest body from here on, in both directions, in bytes.
    pub max_frame: u32,
    /// Most sessions at one time.
    pub max_sessions: u32,
    /// The most that a session can be given.
    pub ceilings: Limits,
    /// What a session is given when the host asks for nothing.
    pub defaults: Limits,
    /// What this build can do beyond the protocol's version.
    pub features: Vec<String>,
}

impl Wire for Welcome {
    fn load(src: &mut Reader) -> Result<Welcome, FrameError> {
        Ok(Welcome {
            version: src.number("welcome.version")?,
            build: src.text("welcome.build", MAX_NAME)?,
            v8: src.text("welcome.v8", MAX_NAME)?,
            max_frame: src.number("welcome.max_frame")?,
            max_sessions: src.number("welcome.max_sessions")?,
            ceilings: Limits::load(src)?,
            defaults: Limits::load(src)?,
            features: src.texts("welcome.features", MAX_NAME)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.version);
        dst.text("welcome.build", MAX_NAME, &self.build)?;
        dst.text("welcome.v8", MAX_NAME, &self.v8)?;
        dst.number(self.max_frame);
        dst.number(self.max_sessions);
        self.ceilings.encode(dst)?;
        self.defaults.encode(dst)?;
        dst.texts("welcome.features", MAX_NAME, &self.features)?;
        Ok(())
    }
}
