//! `OpenSession`: start an isolate under the id in the head.

use crate::bounds::{MAX_ARG, MAX_LIST, MAX_NAME, MAX_PATH};
use crate::guest::{encode_env, load_env};
use crate::wire::{Reader, Wire, Writer};
use crate::{
    EncodeError, EnvVar, FrameError, HostFunction, Isolation, LimitsRequest, ModuleOptions, Root,
    SnapshotKey,
};

/// Opens a session. Answered by `SessionOpened` or `Refused`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenSession {
    /// The snapshot to start from; `None` starts from the sidecar's own.
    pub snapshot: Option<SnapshotKey>,
    /// Directories that modules are loaded from.
    pub roots: Vec<Root>,
    /// What the session may use.
    pub limits: LimitsRequest,
    /// The guest's environment.
    pub env: Vec<EnvVar>,
    /// The guest's `process.argv`.
    pub argv: Vec<String>,
    /// The guest's working directory, a guest path.
    pub cwd: String,
    /// Conditions for `exports` and `imports`, beyond Node's own.
    pub conditions: Vec<String>,
    /// What becomes of TypeScript and of elements.
    pub modules: ModuleOptions,
    /// Functions of the host that the guest may call.
    pub functions: Vec<HostFunction>,
    /// Which process it runs in.
    pub isolation: Isolation,
}

impl Wire for OpenSession {
    fn load(src: &mut Reader) -> Result<OpenSession, FrameError> {
        Ok(OpenSession {
            snapshot: src.option("open_session.snapshot", |src| {
                src.snapshot_key("open_session.snapshot")
            })?,
            roots: src.values("open_session.roots", MAX_LIST)?,
            limits: LimitsRequest::load(src)?,
            env: load_env(src)?,
            argv: src.texts("open_session.argv", MAX_ARG)?,
            cwd: src.text("open_session.cwd", MAX_PATH)?,
            conditions: src.texts("open_session.conditions", MAX_NAME)?,
            modules: ModuleOptions::load(src)?,
            functions: src.values("open_session.functions", MAX_LIST)?,
            isolation: Isolation::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.option(self.snapshot.as_ref(), |dst, key| {
            dst.array(&key.0);
            Ok(())
        })?;
        dst.values("open_session.roots", MAX_LIST, &self.roots)?;
        self.limits.encode(dst)?;
        encode_env(&self.env, dst)?;
        dst.texts("open_session.argv", MAX_ARG, &self.argv)?;
        dst.text("open_session.cwd", MAX_PATH, &self.cwd)?;
        dst.texts("open_session.conditions", MAX_NAME, &self.conditions)?;
        self.modules.encode(dst)?;
        dst.values("open_session.functions", MAX_LIST, &self.functions)?;
        self.isolation.encode(dst)?;
        Ok(())
    }
}
