//! A sidecar that finds its snapshot on disk: from the start of the process to the first result of a session, against a process of
//! Node that loads the same from files. What the start without the snapshot on disk takes, which builds it, is told in the notes.

use std::path::Path;
use std::time::{Duration, Instant};

use protocol::frame::{Code, OpenSession, WarmSnapshot};
use protocol::{LimitsRequest, Root, SessionId};
use serde_json::json;

use crate::error::{MeasureError, Result};
use crate::pairs::{Extent, Pairs};
use crate::process::{Process, command};
use crate::report::{Row, Unit, figures};
use crate::rows::{BOUND, Context, bare, execute, milliseconds_since};
use crate::sidecar::{Sidecar, expect_json};

const HEAP_MIB: u32 = 512;
const SESSION: SessionId = SessionId(1);

/// What is loaded, and what the program that loads it comes to.
struct Sdk {
    name: &'static str,
    what: &'static str,
    is_demo: bool,
    entries: &'static [&'static str],
    program: &'static str,
    expected: &'static str,
}

const SDKS: [Sdk; 3] = [
    Sdk {
        name: "snapshot-cached",
        what: "start of the process to first result with zod and lodash-es",
        is_demo: true,
        entries: &["zod", "lodash-es"],
        program: "import { z } from 'zod'; import { camelCase } from 'lodash-es';
                  const result = z.string().parse(camelCase('first result'));",
        expected: "\"firstResult\"",
    },
    Sdk {
        name: "snapshot-cached-ai",
        what: "the same with ai and zod",
        is_demo: false,
        entries: &["ai", "zod"],
        program: "import { tool } from 'ai'; import { z } from 'zod';
                  const result = typeof tool + z.string().parse('!');",
        expected: "\"function!\"",
    },
    Sdk {
        name: "snapshot-cached-typescript",
        what: "the same with typescript",
        is_demo: false,
        entries: &["typescript"],
        program: "import ts from 'typescript'; const result = ts.transpile('let a: number = 1').trim();",
        expected: "\"var a = 1;\"",
    },
];

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let rows = SDKS
        .iter()
        .map(|sdk| measure_sdk(context, sdk).unwrap_or_else(|error| Row::failed(sdk.name, &error)));
    Ok(rows.collect())
}

fn measure_sdk(context: &Context, sdk: &Sdk) -> Result<Row> {
    let extent = Extent {
        pairs: context.pick(5, 30),
        warm_up: 1,
        time: context.pick(Duration::from_secs(15), Duration::from_secs(60)),
    };
    let project = if sdk.is_demo {
        &context.project
    } else {
        &context.packages
    };
    let cache = tempfile::tempdir().map_err(MeasureError::io("make a directory"))?;
    let cold = start(context, cache.path(), (project, sdk))?;
    if cold.from_cache {
        return Err(MeasureError::Missing("a cache that is empty"));
    }
    let mut last = None;
    let mut ours = || {
        let started = start(context, cache.path(), (project, sdk))?;
        if !started.from_cache {
            return Err(MeasureError::Missing("the snapshot that is on disk"));
        }
        let time = started.time;
        last = Some(started);
        Ok(time)
    };
    let mut other = || node(context, project, sdk);
    let pairs = Pairs::take(extent, &mut ours, Some(&mut other))?;
    let mut row = Row::compared(
        sdk.name,
        sdk.what,
        (Unit::Milliseconds, &pairs),
        "Node",
        None,
    );
    if let Some(last) = last {
        row.notes.push(format!(
            "with nothing on disk {} ms; the last start: ready for the host after {} ms, the snapshot of {} KiB mapped and {} files compared after {} ms",
            figures(cold.time), figures(last.welcome), last.bytes >> 10, last.files, figures(last.ready),
        ));
        if let Some(data) = row.data.as_object_mut() {
            let extra = json!({
                "cold_ms": cold.time, "welcome_ms": last.welcome, "ready_ms": last.ready, "bytes": last.bytes, "files": last.files,
            });
            data.insert("snapshot".to_owned(), extra);
        }
    }
    Ok(row)
}

/// A start of the sidecar; times in milliseconds since then.
struct Started {
    welcome: f64,
    ready: f64,
    time: f64,
    bytes: u64,
    files: u32,
    from_cache: bool,
}

fn start(context: &Context, cache: &Path, (project, sdk): (&Path, &Sdk)) -> Result<Started> {
    let root = Root {
        host: project.to_string_lossy().into_owned(),
        guest: "/app".to_owned(),
    };
    let mut serve = command(&context.sidecar);
    serve.arg("serve").arg("--cache-dir").arg(cache);
    let begun = Instant::now();
    let mut sidecar = Sidecar::start_by(serve, BOUND, &context.log("sidecar"))?;
    let welcome = milliseconds_since(begun);
    let ready = sidecar.warm(warm(&root, sdk))?;
    let made = milliseconds_since(begun);
    sidecar.open(
        SESSION,
        OpenSession {
            snapshot: Some(ready.key),
            roots: vec![root],
            cwd: "/app".to_owned(),
            ..bare(HEAP_MIB)
        },
    )?;
    let module = execute(Code::Module {
        name: "/app/measure.mjs".to_owned(),
        source: format!("{}\nexport default result;", sdk.program).into(),
    });
    let request = sidecar.send(SESSION, module)?;
    let ending = sidecar.ending(SESSION, request)?;
    let time = milliseconds_since(begun);
    expect_json(&ending, sdk.expected)?;
    Ok(Started {
        welcome,
        ready: made,
        time,
        bytes: ready.bytes,
        files: ready.files,
        from_cache: ready.from_cache,
    })
}

/// From the start of a process of Node to its first output.
fn node(context: &Context, project: &Path, sdk: &Sdk) -> Result<f64> {
    use std::io::Read as _;
    let source = format!("{}\nconsole.log(JSON.stringify(result));", sdk.program);
    let mut node = command(Path::new("node"));
    node.args(["--input-type=module", "-e", &source])
        .current_dir(project);
    let begun = Instant::now();
    let (mut process, stdin, mut stdout) = Process::start(node, BOUND, &context.log("node"))?;
    drop(stdin);
    let mut text = vec![0; sdk.expected.len()];
    stdout
        .read_exact(&mut text)
        .map_err(MeasureError::io("read from node"))?;
    let time = milliseconds_since(begun);
    process.wait()?;
    match text == sdk.expected.as_bytes() {
        true => Ok(time),
        false => Err(MeasureError::unexpected(
            sdk.expected,
            String::from_utf8_lossy(&text),
        )),
    }
}

fn warm(root: &Root, sdk: &Sdk) -> WarmSnapshot {
    WarmSnapshot {
        roots: vec![root.clone()],
        entries: sdk.entries.iter().map(|&entry| entry.to_owned()).collect(),
        script: None,
        env: Vec::new(),
        argv: Vec::new(),
        cwd: root.guest.clone(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        limits: LimitsRequest {
            heap_bytes: Some(u64::from(HEAP_MIB) << 20),
            ..LimitsRequest::default()
        },
    }
}
