//! Sessions from a snapshot: the same modules without reading a file, and nothing shared.

use std::path::Path;

use crate::support::{Session, engine, json, spec};
use host_bridge::Engine;
use protocol::frame::{Code, Until, WarmSnapshot};
use protocol::{LimitsRequest, Root};

fn demo() -> Root {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo");
    Root {
        host: demo.display().to_string(),
        guest: "/app".into(),
    }
}

fn snapshot(entries: &[&str], script: Option<&str>) -> WarmSnapshot {
    WarmSnapshot {
        roots: vec![demo()],
        entries: entries.iter().map(|entry| (*entry).to_owned()).collect(),
        script: script.map(str::to_owned),
        env: Vec::new(),
        argv: Vec::new(),
        cwd: "/app".into(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        limits: LimitsRequest::default(),
    }
}

fn warm(spec: &WarmSnapshot) -> protocol::SnapshotKey {
    let built = runtime::build_snapshot(crate::support::platform(), spec, drop).unwrap();
    let image = built.image;
    assert!(built.report.modules > 0 || spec.entries.is_empty());
    let key = image.key;
    engine().add_snapshot(image).unwrap();
    key
}

fn open(id: u32, key: protocol::SnapshotKey) -> Session {
    let mut spec = spec(id);
    spec.roots = vec![demo()];
    spec.snapshot = Some(key);
    Session::open(spec)
}

fn module(session: &mut Session, source: &str) -> (String, protocol::Usage) {
    let code = Code::Module {
        name: "main.mjs".into(),
        source: source.to_owned().into(),
    };
    let request = session.send(code, Until::Settled);
    let (outcome, usage) = session.finish(request, |_, _| None);
    (json(&outcome), usage)
}

#[test]
fn a_restored_session_imports_without_reading() {
    let key = warm(&snapshot(&["zod", "lodash-es", "semver"], None));
    for id in 1..4 {
        let mut session = open(id, key);
        let (value, usage) = module(
            &mut session,
            "import { z } from 'zod'; import { chunk } from 'lodash-es'; import semver from 'semver';
             export default [z.number().parse(3), chunk([1, 2, 3], 2).length, semver.valid('1.2.3'), process.env.WHO, process.cwd(), process.pid]",
        );
        assert_eq!(
            value,
            format!(r#"[3,2,"1.2.3","session {id}","/app",{id}]"#)
        );
        assert_eq!(
            (usage.modules_from_reader, usage.modules_from_snapshot),
            (0, 3)
        );
    }
}

#[test]
fn sessions_share_no_mutation_and_no_random_stream() {
    let script = "globalThis.shared = { n: 0 }; globalThis.drawn = Math.random()";
    let key = warm(&snapshot(&["lodash-es"], Some(script)));
    let mut seen = std::collections::HashSet::new();
    for id in 1..6 {
        let mut session = open(id, key);
        let (value, _) = module(
            &mut session,
            "import * as _ from 'lodash-es'; shared.n++; Object.prototype.evil = 1; Array.prototype.map = null;
             export default [shared.n, Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(8)).join()]",
        );
        let value: Vec<serde_json::Value> = serde_json::from_str(&value).unwrap();
        assert_eq!(value[0], 1);
        for random in &value[1..] {
            assert!(seen.insert(random.to_string()), "{random} twice");
        }
    }
}

#[test]
fn what_an_sdk_does_at_load_survives() {
    let script = "
        globalThis.bytes = new Uint8Array([1, 2, 3]);
        globalThis.settled = Promise.resolve(4);
        globalThis.log = console.log;
        class Secret { #x = 5; get x() { return this.#x } }
        globalThis.secret = new Secret();
        globalThis.env = process.env;
        globalThis.later = async () => { await null; return 6 };
        globalThis.pattern = /a+/g;
        globalThis.map = new Map([['k', { v: 7 }]]);
        globalThis.weak = new WeakMap([[map, 8]]);
        globalThis.timer = setTimeout(() => {}, 1);
        globalThis.dynamic = import('lodash-es').then(m => m.chunk);
    ";
    let key = warm(&snapshot(&[], Some(script)));
    let mut session = open(1, key);
    let (value, _) = module(
        &mut session,
        "log('x'); export default [bytes.join(), await settled, secret.x, env.WHO, await later(), 'aab'.match(pattern)[0], map.get('k').v, weak.get(map), (await dynamic)([1, 2], 1).length]",
    );
    assert_eq!(value, r#"["1,2,3",4,5,"session 1",6,"aa",7,8,2]"#);
    assert_eq!(session.output, "x\n");
}

#[test]
fn a_snapshot_that_throws_or_loops_is_refused_with_the_reason() {
    let error = runtime::build_snapshot(
        crate::support::platform(),
        &snapshot(&["nowhere"], None),
        drop,
    );
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("nowhere") && text.contains("ERR_MODULE_NOT_FOUND")
            || text.contains("Cannot find package"),
        "{text}"
    );
}

#[test]
fn a_snapshot_that_loops_is_refused() {
    let mut spec = snapshot(&[], Some("for (;;) {}"));
    spec.limits.wall_ms = Some(200);
    let text = runtime::build_snapshot(crate::support::platform(), &spec, drop)
        .unwrap_err()
        .to_string();
    assert!(text.contains("wall"), "{text}");
}
