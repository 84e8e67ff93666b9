//! What hosts ask for, with the usual choices made.

use protocol::frame::{Call, CallTarget, Code, Execute, Until, WarmSnapshot};
use protocol::{
    Blob, EnvVar, Isolation, LimitsRequest, ModuleOptions, Root, SnapshotKey, Value, ValueFormat,
};

/// The working directory of a guest when the host does not say.
const DEFAULT_CWD: &str = "/app";

/// What a session is opened with, besides its host functions.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The snapshot to start from; `None` starts from the sidecar's own.
    pub snapshot: Option<SnapshotKey>,
    /// Directories that modules are loaded from.
    pub roots: Vec<Root>,
    /// What the session may use.
    pub limits: LimitsRequest,
    /// The guest's environment; it sees nothing else.
    pub env: Vec<EnvVar>,
    /// The guest's `process.argv`.
    pub argv: Vec<String>,
    /// The guest's working directory, a guest path.
    pub cwd: String,
    /// Conditions for `exports` and `imports`, beyond Node's own.
    pub conditions: Vec<String>,
    /// What becomes of TypeScript and of elements in `.jsx` and `.tsx`.
    pub modules: ModuleOptions,
    /// Which process the session runs in.
    pub isolation: Isolation,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            snapshot: None,
            roots: Vec::new(),
            limits: LimitsRequest::default(),
            env: Vec::new(),
            argv: Vec::new(),
            cwd: DEFAULT_CWD.to_owned(),
            conditions: Vec::new(),
            modules: ModuleOptions::default(),
            isolation: Isolation::Thread,
        }
    }
}

/// What a snapshot is made of.
#[derive(Debug, Clone)]
pub struct SnapshotSpec {
    /// Directories that modules are loaded from.
    pub roots: Vec<Root>,
    /// Module specifiers to evaluate, in order.
    pub entries: Vec<String>,
    /// A script to evaluate before the entries.
    pub script: Option<String>,
    /// The environment meanwhile.
    pub env: Vec<EnvVar>,
    /// `process.argv` meanwhile.
    pub argv: Vec<String>,
    /// The working directory, a guest path.
    pub cwd: String,
    /// Conditions for `exports` and `imports`, beyond Node's own.
    pub conditions: Vec<String>,
    /// What becomes of TypeScript and of elements in `.jsx` and `.tsx`.
    pub modules: ModuleOptions,
    /// Limits meanwhile.
    pub limits: LimitsRequest,
}

impl Default for SnapshotSpec {
    fn default() -> SnapshotSpec {
        SnapshotSpec {
            roots: Vec::new(),
            entries: Vec::new(),
            script: None,
            env: Vec::new(),
            argv: Vec::new(),
            cwd: DEFAULT_CWD.to_owned(),
            conditions: Vec::new(),
            modules: ModuleOptions::default(),
            limits: LimitsRequest::default(),
        }
    }
}

impl From<SnapshotSpec> for WarmSnapshot {
    fn from(spec: SnapshotSpec) -> WarmSnapshot {
        WarmSnapshot {
            roots: spec.roots,
            entries: spec.entries,
            script: spec.script,
            env: spec.env,
            argv: spec.argv,
            cwd: spec.cwd,
            conditions: spec.conditions,
            modules: spec.modules,
            limits: spec.limits,
        }
    }
}

/// Runs a classic script until its value is there; the value comes as JSON.
pub fn script(name: impl Into<String>, source: impl Into<Blob>) -> Execute {
    execute(Code::Script {
        name: name.into(),
        source: source.into(),
    })
}

/// Imports a module until its default export is there, which comes as JSON.
pub fn import(specifier: impl Into<String>) -> Execute {
    execute(Code::Import {
        specifier: specifier.into(),
    })
}

/// Calls an export of a module; `args` is an encoded array. The result comes as JSON.
pub fn call_export(specifier: impl Into<String>, name: impl Into<String>, args: Value) -> Call {
    call(
        CallTarget::Export {
            specifier: specifier.into(),
            name: name.into(),
        },
        args,
    )
}

/// Calls a global function; `args` is an encoded array. The result comes as JSON.
pub fn call_global(name: impl Into<String>, args: Value) -> Call {
    call(CallTarget::Global { name: name.into() }, args)
}

fn execute(code: Code) -> Execute {
    Execute {
        code,
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    }
}

fn call(target: CallTarget, args: Value) -> Call {
    Call {
        target,
        args,
        until: Until::Settled,
        result: ValueFormat::Json,
    }
}
