//! Bounds of snapshots and sessions.

use protocol::bounds::{
    MAX_ARG, MAX_ENV_BYTES, MAX_ENV_VALUE, MAX_GROUP, MAX_LIST, MAX_NAME, MAX_PATH,
};
use protocol::frame::{Kind, OpenSession, SessionClosed, WarmSnapshot};
use protocol::{
    CallMode, EncodeError, EnvVar, Fault, HostFunction, Isolation, Jsx, LimitsRequest, MethodStats,
    ModuleOptions, Root, SessionStats, ValueFormat,
};

use super::{check, grow, x};
use crate::support::{Any, body, malformed, raw};

fn open() -> OpenSession {
    OpenSession::default()
}

fn warm() -> WarmSnapshot {
    WarmSnapshot {
        roots: Vec::new(),
        entries: Vec::new(),
        script: None,
        env: Vec::new(),
        argv: Vec::new(),
        cwd: String::new(),
        conditions: Vec::new(),
        modules: ModuleOptions::default(),
        limits: LimitsRequest::default(),
    }
}

fn root(host: String, guest: String) -> Root {
    Root { host, guest }
}

fn var(name: String, value: String) -> EnvVar {
    EnvVar { name, value }
}

fn function(name: String) -> HostFunction {
    HostFunction {
        name,
        mode: CallMode::Async,
        format: ValueFormat::Json,
    }
}

#[test]
fn lists_of_opening() {
    check("open_session.roots", MAX_LIST, b"\x01x\x01x", |n| {
        let roots = vec![root(x(1), x(1)); n];
        Any::host(1, 1, OpenSession { roots, ..open() })
    });
    check("open_session.argv", MAX_LIST, b"\x01x", |n| {
        let argv = vec![x(1); n];
        Any::host(1, 1, OpenSession { argv, ..open() })
    });
    check("open_session.conditions", MAX_LIST, b"\x01x", |n| {
        let conditions = vec![x(1); n];
        Any::host(
            1,
            1,
            OpenSession {
                conditions,
                ..open()
            },
        )
    });
    check("open_session.functions", MAX_LIST, b"\x01x\0\0", |n| {
        let functions = vec![function(x(1)); n];
        Any::host(
            1,
            1,
            OpenSession {
                functions,
                ..open()
            },
        )
    });
    check("env", MAX_LIST, b"\x01x\x01x", |n| {
        let env = vec![var(x(1), x(1)); n];
        Any::host(1, 1, OpenSession { env, ..open() })
    });
    check("warm_snapshot.entries", MAX_LIST, b"\x01x", |n| {
        let entries = vec![x(1); n];
        Any::host(0, 1, WarmSnapshot { entries, ..warm() })
    });
    check(
        "session_stats.methods",
        MAX_LIST,
        b"\x01x\0\0\0\0\0\0\0",
        |n| {
            let method = MethodStats {
                method: x(1),
                ..MethodStats::default()
            };
            let stats = SessionStats {
                methods: vec![method; n],
                ..SessionStats::default()
            };
            Any::sidecar(1, 1, SessionClosed { stats })
        },
    );
}

#[test]
fn texts_of_opening() {
    check("root.host", MAX_PATH, b"x", |n| {
        let roots = vec![root(x(n), String::new())];
        Any::host(1, 1, OpenSession { roots, ..open() })
    });
    check("root.guest", MAX_PATH, b"x", |n| {
        let roots = vec![root(String::new(), x(n))];
        Any::host(1, 1, OpenSession { roots, ..open() })
    });
    check("open_session.argv", MAX_ARG, b"x", |n| {
        let argv = vec![x(n)];
        Any::host(1, 1, OpenSession { argv, ..open() })
    });
    check("open_session.cwd", MAX_PATH, b"x", |n| {
        Any::host(
            1,
            1,
            OpenSession {
                cwd: x(n),
                ..open()
            },
        )
    });
    check("open_session.conditions", MAX_NAME, b"x", |n| {
        let conditions = vec![x(n)];
        Any::host(
            1,
            1,
            OpenSession {
                conditions,
                ..open()
            },
        )
    });
    check("host_function.name", MAX_NAME, b"x", |n| {
        let functions = vec![function(x(n))];
        Any::host(
            1,
            1,
            OpenSession {
                functions,
                ..open()
            },
        )
    });
    check("env_var.name", MAX_NAME, b"x", |n| {
        let env = vec![var(x(n), String::new())];
        Any::host(1, 1, OpenSession { env, ..open() })
    });
    check("env_var.value", MAX_ENV_VALUE, b"x", |n| {
        let env = vec![var(String::new(), x(n))];
        Any::host(1, 1, OpenSession { env, ..open() })
    });
    check("warm_snapshot.entries", MAX_PATH, b"x", |n| {
        let entries = vec![x(n)];
        Any::host(0, 1, WarmSnapshot { entries, ..warm() })
    });
}

#[test]
fn texts_of_jsx() {
    let with = |jsx| {
        let modules = ModuleOptions {
            jsx,
            ..ModuleOptions::default()
        };
        Any::host(1, 1, OpenSession { modules, ..open() })
    };
    check("jsx.import_source", MAX_PATH, b"x", |n| {
        with(Jsx::Automatic {
            import_source: x(n),
        })
    });
    check("jsx.factory", MAX_NAME, b"x", |n| {
        with(Jsx::Classic {
            factory: x(n),
            fragment: String::new(),
        })
    });
    check("jsx.fragment", MAX_NAME, b"x", |n| {
        with(Jsx::Classic {
            factory: String::new(),
            fragment: x(n),
        })
    });
}

#[test]
fn names_of_groups() {
    check("isolation.group", MAX_GROUP, b"x", |n| {
        let isolation = Isolation::Group(x(n));
        Any::host(
            1,
            1,
            OpenSession {
                isolation,
                ..open()
            },
        )
    });
}

#[test]
fn an_environment_is_bounded_as_a_whole() {
    let filled = |last: usize| {
        let mut env = vec![var("n".into(), "y".repeat(MAX_ENV_VALUE - 1)); 7];
        env.push(var("n".into(), x(last)));
        env.push(var(String::new(), "k".into()));
        Any::host(0, 1, WarmSnapshot { env, ..warm() })
    };
    let at = MAX_ENV_VALUE - 2;
    for last in [at - 1, at] {
        let frame = filled(last);
        assert_eq!(frame.decode_like(&frame.encode().unwrap()), Ok(frame));
    }
    let fault = Fault::TooLong {
        len: u64::try_from(MAX_ENV_BYTES + 1).unwrap(),
        bound: MAX_ENV_BYTES,
    };
    let over = filled(at + 1).encode();
    assert_eq!(
        over,
        Err(EncodeError::OverBound {
            field: "env",
            fault: fault.clone()
        })
    );
    let frame = filled(at);
    let grown = grow(body(&frame.encode().unwrap()), at, b"x");
    let got = frame.decode_like(&raw(Kind::WarmSnapshot, 0, &grown));
    assert_eq!(got, Err(malformed("env", fault)));
}
