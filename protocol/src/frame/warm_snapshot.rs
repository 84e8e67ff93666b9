//! `WarmSnapshot`: evaluate an SDK once, for all sessions that start from it.

use crate::bounds::{MAX_ARG, MAX_LIST, MAX_NAME, MAX_PATH, MAX_SCRIPT};
use crate::guest::{encode_env, load_env};
use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, EnvVar, FrameError, LimitsRequest, ModuleOptions, Root};

/// Asks for a snapshot; an equal one that exists is reused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarmSnapshot {
    /// Directories that modules are loaded from.
    pub roots: Vec<Root>,
    /// Module specifiers to evaluate, in order.
    pub entries: Vec<String>,
    /// A script to evaluate before the entries.
    pub script: Option<String>,
    /// Environment while the snapshot is made.
    pub env: Vec<EnvVar>,
    /// `process.argv` while the snapshot is made.
    pub argv: Vec<String>,
    /// Working directory, a guest path.
    pub cwd: String,
    /// Conditions for `exports` and `imports`, beyond Node's own.
    pub conditions: Vec<String>,
    /// What becomes of TypeScript and of elements.
    pub modules: ModuleOptions,
    /// Limits while the snapshot is made.
    pub limits: LimitsRequest,
}

impl Wire for WarmSnapshot {
    fn load(src: &mut Reader) -> Result<WarmSnapshot, FrameError> {
        Ok(WarmSnapshot {
            roots: src.values("warm_snapshot.roots", MAX_LIST)?,
            entries: src.texts("warm_snapshot.entries", MAX_PATH)?,
            script: src.option("warm_snapshot.script", |src| {
                src.text("warm_snapshot.script", MAX_SCRIPT)
            })?,
            env: load_env(src)?,
            argv: src.texts("warm_snapshot.argv", MAX_ARG)?,
            cwd: src.text("warm_snapshot.cwd", MAX_PATH)?,
            conditions: src.texts("warm_snapshot.conditions", MAX_NAME)?,
            modules: ModuleOptions::load(src)?,
            limits: LimitsRequest::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.values("warm_snapshot.roots", MAX_LIST, &self.roots)?;
        dst.texts("warm_snapshot.entries", MAX_PATH, &self.entries)?;
        dst.option(self.script.as_ref(), |dst, text| {
            dst.text("warm_snapshot.script", MAX_SCRIPT, text)
        })?;
        encode_env(&self.env, dst)?;
        dst.texts("warm_snapshot.argv", MAX_ARG, &self.argv)?;
        dst.text("warm_snapshot.cwd", MAX_PATH, &self.cwd)?;
        dst.texts("warm_snapshot.conditions", MAX_NAME, &self.conditions)?;
        self.modules.encode(dst)?;
        self.limits.encode(dst)?;
        Ok(())
    }
}
