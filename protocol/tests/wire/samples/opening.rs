//! Snapshots and new sessions.

use protocol::frame::{OpenSession, SessionOpened, SnapshotReady, WarmSnapshot};
use protocol::{
    CallMode, EnvVar, HostFunction, Isolation, Jsx, Limits, LimitsRequest, ModuleOptions, Root,
    SnapshotKey, TypeScript, ValueFormat,
};

use super::{Sample, host, sidecar, text, texts};

pub(super) fn all() -> Vec<Sample> {
    [snapshots(), sessions()].into_iter().flatten().collect()
}

fn snapshots() -> Vec<Sample> {
    let (roots, env) = world();
    let key = SnapshotKey(std::array::from_fn(|i| u8::try_from(i).unwrap()));
    vec![
        host(
            "minimal",
            (0, 4),
            WarmSnapshot {
                roots: Vec::new(),
                entries: Vec::new(),
                script: None,
                env: Vec::new(),
                argv: Vec::new(),
                cwd: text("/"),
                conditions: Vec::new(),
                modules: ModuleOptions::default(),
                limits: LimitsRequest::default(),
            },
        ),
        host(
            "full",
            (0, 4),
            WarmSnapshot {
                roots,
                entries: texts(&["@scope/agent", "./tools.js"]),
                script: Some(text("globalThis.ready = true")),
                env,
                argv: texts(&["node", "agent"]),
                cwd: text("/app"),
                conditions: texts(&["worker"]),
                modules: ModuleOptions {
                    typescript: TypeScript::Transform,
                    jsx: Jsx::automatic(),
                },
                limits: Limits::DEFAULT.into(),
            },
        ),
        sidecar(
            "built",
            (0, 4),
            SnapshotReady {
                key,
                bytes: 12_000_000,
                modules: 251,
                build_us: 900_000,
                evaluate_us: 388_000,
                reused: false,
                files: 312,
                from_cache: true,
            },
        ),
    ]
}

fn sessions() -> Vec<Sample> {
    let (roots, env) = world();
    let key = SnapshotKey(std::array::from_fn(|i| u8::try_from(i).unwrap()));
    vec![
        host("minimal", (1, 5), bare(Isolation::Thread)),
        host("process", (1, 5), bare(Isolation::Process)),
        host(
            "full",
            (u32::MAX, u64::MAX),
            OpenSession {
                snapshot: Some(key),
                roots,
                limits: LimitsRequest {
                    heap_bytes: Some(64 * 1024 * 1024),
                    timers: Some(250),
                    message_bytes: Some(251),
                    ..LimitsRequest::default()
                },
                env,
                argv: texts(&["node", "agent"]),
                cwd: text("/app"),
                conditions: texts(&["worker", "import"]),
                modules: ModuleOptions {
                    typescript: TypeScript::Strip,
                    jsx: Jsx::classic(),
                },
                functions: vec![
                    function("fs.read", CallMode::Sync, ValueFormat::Raw),
                    function("fetch", CallMode::Async, ValueFormat::V8),
                ],
                isolation: Isolation::Group(text("tenant-7")),
            },
        ),
        sidecar(
            "defaults",
            (1, 5),
            SessionOpened {
                limits: Limits::DEFAULT,
                open_us: 1_250,
            },
        ),
    ]
}

fn bare(isolation: Isolation) -> OpenSession {
    OpenSession {
        cwd: text("/"),
        isolation,
        ..OpenSession::default()
    }
}

fn world() -> (Vec<Root>, Vec<EnvVar>) {
    let root = Root {
        host: text("/srv/agent"),
        guest: text("/app"),
    };
    let var = EnvVar {
        name: text("NODE_ENV"),
        value: text("production"),
    };
    (vec![root], vec![var])
}

fn function(name: &str, mode: CallMode, format: ValueFormat) -> HostFunction {
    let name = text(name);
    HostFunction { name, mode, format }
}
