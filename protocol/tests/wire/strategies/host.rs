//! What the host sends.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use protocol::frame::{
    Call, CallTarget, Cancel, CloseSession, Code, Execute, GetStats, Hello, HostError, HostFrame,
    HostReply, OpenSession, Ping, Pong, Reply, Shutdown, WarmSnapshot,
};
use protocol::{
    EnvVar, HostFunction, Isolation, Jsx, ModuleOptions, Root, SnapshotKey, TypeScript,
};

use super::vocabulary::{blob, format, limits_request, mode, num32, text, texts, until, value};

fn host<F: Into<HostFrame>>(
    frames: impl Strategy<Value = F> + 'static,
) -> BoxedStrategy<HostFrame> {
    frames.prop_map_into().boxed()
}

/// Strategies for the frames that the host sends, one a kind.
pub(super) fn host_kinds() -> Vec<BoxedStrategy<HostFrame>> {
    let hello = (any::<u16>(), any::<u16>(), text(), num32()).prop_map(
        |(min_version, max_version, client, max_frame)| Hello {
            min_version,
            max_version,
            client,
            max_frame,
        },
    );
    let (warm, open) = opening_kinds();
    let mut kinds = vec![
        host(hello),
        host(any::<[u8; 8]>().prop_map(|payload| Ping { payload })),
        host(any::<[u8; 8]>().prop_map(|payload| Pong { payload })),
        host(num32().prop_map(|grace_ms| Shutdown { grace_ms })),
        warm,
        open,
        host(Just(Cancel {})),
        host(Just(CloseSession {})),
        host(Just(GetStats {})),
    ];
    kinds.extend(host_running_kinds());
    kinds
}

fn opening_kinds() -> (BoxedStrategy<HostFrame>, BoxedStrategy<HostFrame>) {
    let warm = (
        (roots(), texts(), option::of(text()), env()),
        (texts(), text(), texts(), modules(), limits_request()),
    )
        .prop_map(
            |((roots, entries, script, env), (argv, cwd, conditions, modules, limits))| {
                WarmSnapshot {
                    roots,
                    entries,
                    script,
                    env,
                    argv,
                    cwd,
                    conditions,
                    modules,
                    limits,
                }
            },
        );
    let open = (
        (
            option::of(any::<[u8; 32]>()),
            roots(),
            limits_request(),
            env(),
        ),
        (
            texts(),
            text(),
            texts(),
            modules(),
            functions(),
            isolation(),
        ),
    )
        .prop_map(
            |(
                (key, roots, limits, env),
                (argv, cwd, conditions, modules, functions, isolation),
            )| {
                OpenSession {
                    snapshot: key.map(SnapshotKey),
                    roots,
                    limits,
                    env,
                    argv,
                    cwd,
                    conditions,
                    modules,
                    functions,
                    isolation,
                }
            },
        );
    (host(warm), host(open))
}

fn host_running_kinds() -> [BoxedStrategy<HostFrame>; 3] {
    let code = prop_oneof![
        (text(), blob()).prop_map(|(name, source)| Code::Script { name, source }),
        (text(), blob()).prop_map(|(name, source)| Code::Module { name, source }),
        text().prop_map(|specifier| Code::Import { specifier }),
    ];
    let execute =
        (code, until(), format(), value()).prop_map(|(code, until, result, input)| Execute {
            code,
            until,
            result,
            input,
        });
    let target = prop_oneof![
        (text(), text()).prop_map(|(specifier, name)| CallTarget::Export { specifier, name }),
        text().prop_map(|name| CallTarget::Global { name }),
    ];
    let call =
        (target, value(), until(), format()).prop_map(|(target, args, until, result)| Call {
            target,
            args,
            until,
            result,
        });
    let error = (text(), text(), option::of(text())).prop_map(|(name, message, code)| HostError {
        name,
        message,
        code,
    });
    let reply = prop_oneof![value().prop_map(Reply::Ok), error.prop_map(Reply::Err)];
    [
        host(execute),
        host(call),
        host(reply.prop_map(|reply| HostReply { reply })),
    ]
}

fn roots() -> BoxedStrategy<Vec<Root>> {
    vec(
        (text(), text()).prop_map(|(host, guest)| Root { host, guest }),
        0..3,
    )
    .boxed()
}

fn env() -> BoxedStrategy<Vec<EnvVar>> {
    vec(
        (text(), text()).prop_map(|(name, value)| EnvVar { name, value }),
        0..3,
    )
    .boxed()
}

fn modules() -> BoxedStrategy<ModuleOptions> {
    let typescript = prop_oneof![Just(TypeScript::Strip), Just(TypeScript::Transform)];
    let jsx = prop_oneof![
        Just(Jsx::Off),
        text().prop_map(|import_source| Jsx::Automatic { import_source }),
        (text(), text()).prop_map(|(factory, fragment)| Jsx::Classic { factory, fragment }),
    ];
    (typescript, jsx)
        .prop_map(|(typescript, jsx)| ModuleOptions { typescript, jsx })
        .boxed()
}

fn functions() -> BoxedStrategy<Vec<HostFunction>> {
    let function = (text(), mode(), format()).prop_map(|(name, mode, format)| HostFunction {
        name,
        mode,
        format,
    });
    vec(function, 0..3).boxed()
}

fn isolation() -> BoxedStrategy<Isolation> {
    prop_oneof![
        Just(Isolation::Thread),
        Just(Isolation::Process),
        "[a-z]{1,64}".prop_map(Isolation::Group)
    ]
    .boxed()
}
