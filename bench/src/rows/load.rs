//! Loading packages from files: a session in a fresh sidecar, a later session of the same sidecar and the first session of a
//! restarted one, each against Node in a fresh process. Every side runs the same program, which times its own imports, so what
//! a process or a session takes to start is not counted.

use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use protocol::frame::{Code, OpenSession, OutcomeFrame};
use protocol::{Outcome, Root, SessionId};

use crate::error::{MeasureError, Result};
use crate::pairs::{Extent, Pairs};
use crate::process::{Process, command};
use crate::procfs::{activity, private_kib, settle};
use crate::report::{Row, Unit, Verdict, figures};
use crate::rows::{BOUND, Context, bare, execute};
use crate::sidecar::{Ending, Sidecar};

const HEAP_MIB: u32 = 512;
const SETTLE: Duration = Duration::from_millis(50);
/// The thread that compiles for later sessions.
const CODE_THREAD: &str = "code-cache";
/// How long it must have been idle to count as done, and how long it is waited for.
const QUIET: Duration = Duration::from_millis(60);
const MAX_QUIET: Duration = Duration::from_secs(20);
const FIRST_BAR: f64 = 1.2;
const LATER_BAR: f64 = 0.5;
const REQUIRE_BAR: f64 = 1.0;
const SMALL_FILES: usize = 100;

/// What is loaded.
struct Graph {
    name: &'static str,
    what: &'static str,
    /// The project that it stands in.
    project: Project,
    /// Statements before the time is taken.
    prepare: &'static str,
    /// Statements that load it.
    load: &'static str,
}

#[derive(Clone, Copy)]
enum Project {
    Packages,
    /// Opt-in, for its size: `make pi`.
    Pi,
}

/// The SDK reads its own package.json while it loads; a session has no files, so both sides are given that one.
const GIVE_MANIFEST: &str = "
const fs = process.getBuiltinModule('fs');
const { createRequire } = process.getBuiltinModule('module');
const require = createRequire('file://' + process.cwd() + '/');
const manifest = JSON.stringify(require('./node_modules/@mariozechner/pi-coding-agent/package.json'));
const isManifest = (path) => `${path}`.endsWith('/pi-coding-agent/package.json');
fs.existsSync = isManifest;
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => isManifest(path) ? manifest : readFileSync(path, ...rest);
";

const TYPESCRIPT: Graph = Graph {
    name: "load-typescript",
    what: "import typescript, one file of 9 MB",
    project: Project::Packages,
    prepare: "",
    load: "await import('typescript');",
};

const GRAPHS: [Graph; 4] = [
    Graph {
        name: "load-pi",
        what: "import @mariozechner/pi-coding-agent, 1,300 files",
        project: Project::Pi,
        prepare: GIVE_MANIFEST,
        load: "await import('@mariozechner/pi-coding-agent');",
    },
    Graph {
        name: "load-ai-mcp",
        what: "import ai and @modelcontextprotocol/sdk",
        project: Project::Packages,
        prepare: "",
        load: "await import('ai'); await import('@modelcontextprotocol/sdk/client/index.js');
               await import('@modelcontextprotocol/sdk/server/mcp.js');",
    },
    TYPESCRIPT,
    Graph {
        name: "load-lodash",
        what: "import lodash-es, zod and date-fns, 1,100 files",
        project: Project::Packages,
        prepare: "",
        load: "await import('lodash-es'); await import('zod'); await import('date-fns');",
    },
];

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let extent = Extent {
        pairs: context.pick(3, 15),
        warm_up: 1,
        time: context.pick(Duration::from_secs(20), Duration::from_secs(120)),
    };
    let mut rows = Vec::new();
    for graph in &GRAPHS {
        match measure_graph(context, extent, graph) {
            Ok(found) => rows.extend(found),
            Err(error) => rows.push(Row::failed(graph.name, &error)),
        }
    }
    rows.push(measure_require(context, extent)?);
    match measure_memory(context) {
        Ok(row) => rows.push(row),
        Err(error) => rows.push(Row::failed("load-memory", &error)),
    }
    Ok(rows)
}

/// A program that leaves in `time` what `load` took.
fn program(prepare: &str, load: &str) -> String {
    format!(
        "{prepare}\nconst start = performance.now();\n{load}\nconst time = performance.now() - start;\n"
    )
}

fn measure_graph(context: &Context, extent: Extent, graph: &Graph) -> Result<Vec<Row>> {
    let project = match graph.project {
        Project::Packages => &context.packages,
        Project::Pi => &context.pi,
    };
    let program = &program(graph.prepare, graph.load);
    let cache = tempfile::tempdir().map_err(MeasureError::io("make a directory"))?;
    let mut later = Vec::new();
    let mut restarted = Vec::new();
    let mut ours = || {
        let mut fresh = context.sidecar()?;
        let first = time_by(&mut fresh, project, program, "time")?;
        wait_for_code(&fresh)?;
        later.push(time_by(&mut fresh, project, program, "time")?);
        drop(fresh);
        let mut again = with_cache(context, cache.path())?;
        restarted.push(time_by(&mut again, project, program, "time")?);
        wait_for_code(&again)?;
        Ok(first)
    };
    let mut other = || node_time_by(context, project, program, "time");
    let first = Pairs::take(extent, &mut ours, Some(&mut other))?;
    // The first turns found neither a warm page cache nor anything in the directory.
    let warm_up = later.len().saturating_sub(first.ours.len());
    let against_node = |samples: &[f64]| Pairs {
        ours: samples.iter().skip(warm_up).copied().collect(),
        other: first.other.clone(),
    };
    let (later, restarted) = (against_node(&later), against_node(&restarted));
    let row = |suffix: &str, which: &str, pairs: &Pairs, bar: Option<f64>| {
        let (name, what) = (
            format!("{}-{suffix}", graph.name),
            format!("{}, {which}", graph.what),
        );
        Row::compared(&name, &what, (Unit::Milliseconds, pairs), "Node", bar)
    };
    Ok(vec![
        row("first", "first session, cold", &first, Some(FIRST_BAR)),
        row("later", "second session", &later, Some(LATER_BAR)),
        row(
            "restarted",
            "first session after a restart",
            &restarted,
            None,
        ),
    ])
}

/// `require` of many small files, in a session of a fresh sidecar.
fn measure_require(context: &Context, extent: Extent) -> Result<Row> {
    let directory = tempfile::tempdir().map_err(MeasureError::io("make a directory"))?;
    let project = directory.path();
    let write = |name: &str, text: &str| {
        std::fs::write(project.join(name), text).map_err(MeasureError::io("write a module"))
    };
    write("package.json", "{}")?;
    for n in 0..SMALL_FILES {
        let text = format!("'use strict';\nexports.n = {n};\nexports.add = (a) => a + {n};\n");
        write(&format!("m{n}.js"), &text)?;
    }
    let program = format!(
        "const {{ createRequire }} = await import('module');
         const require = createRequire('file://' + process.cwd() + '/');
         globalThis.time = (() => {{ const start = performance.now();
           for (let n = 0; n < {SMALL_FILES}; n++) require('./m' + n + '.js');
           return performance.now() - start; }})();"
    );
    // The files must be old enough to be shared.
    std::thread::sleep(Duration::from_millis(100));
    let mut ours = || {
        let mut fresh = context.sidecar()?;
        time_by(&mut fresh, project, &program, "globalThis.time")
    };
    let mut other = || node_time_by(context, project, &program, "globalThis.time");
    let pairs = Pairs::take(extent, &mut ours, Some(&mut other))?;
    Ok(Row::compared(
        "require-100",
        "require 100 small files, first session",
        (Unit::Milliseconds, &pairs),
        "Node",
        Some(REQUIRE_BAR),
    ))
}

/// What a session that has loaded typescript takes more than a bare one, from the second session on: the text is shared.
fn measure_memory(context: &Context) -> Result<Row> {
    let graph = &TYPESCRIPT;
    let mut sidecar = context.sidecar()?;
    let file = context
        .packages
        .join("node_modules/typescript/lib/typescript.js");
    let text_kib = std::fs::metadata(&file)
        .map_err(MeasureError::io(format!("find {}", file.display())))?
        .len()
        >> 10;
    let mut taken = Vec::new();
    for n in 1..=4 {
        let before = private_kib(sidecar.pid())?;
        sidecar.open(SessionId(n), session(&context.packages))?;
        run(&mut sidecar, SessionId(n), &program("", graph.load), "time")?;
        wait_for_code(&sidecar)?;
        std::thread::sleep(SETTLE);
        taken.push(private_kib(sidecar.pid())?.saturating_sub(before) as f64);
    }
    let pairs = Pairs {
        ours: taken.iter().skip(1).copied().collect(),
        other: Vec::new(),
    };
    let mut row = Row::compared(
        "load-memory",
        "private memory of a further session with typescript loaded",
        (Unit::Kibibytes, &pairs),
        "its text alone",
        None,
    );
    row.verdict = Verdict::NoBar;
    row.other = format!("text of {text_kib} KiB, once a process");
    let first = taken.first().copied().unwrap_or_default();
    row.notes
        .push(format!("the first session took {} KiB", figures(first)));
    Ok(row)
}

fn with_cache(context: &Context, cache: &Path) -> Result<Sidecar> {
    let mut serve = command(&context.sidecar);
    serve.arg("serve").arg("--cache-dir").arg(cache);
    Sidecar::start_by(serve, BOUND, &context.log("sidecar"))
}

/// Waits until nothing is being compiled for later sessions.
fn wait_for_code(sidecar: &Sidecar) -> Result<()> {
    let start = Instant::now();
    let mut busy = activity(sidecar.pid(), CODE_THREAD)?;
    while start.elapsed() < MAX_QUIET {
        std::thread::sleep(QUIET);
        let now = activity(sidecar.pid(), CODE_THREAD)?;
        if now == busy {
            return Ok(());
        }
        busy = now;
    }
    Ok(())
}

/// Opens a session over `project`, and says what the program makes of its own time.
fn time_by(sidecar: &mut Sidecar, project: &Path, program: &str, result: &str) -> Result<f64> {
    let id = SessionId(1);
    sidecar.open(id, session(project))?;
    let time = run(sidecar, id, program, result)?;
    sidecar.close(id)?;
    settle(sidecar.pid(), 0, SETTLE)?;
    Ok(time)
}

fn run(sidecar: &mut Sidecar, session: SessionId, program: &str, result: &str) -> Result<f64> {
    let source = format!("{program}export default {result};");
    let module = execute(Code::Module {
        name: "/app/measure.mjs".to_owned(),
        source: source.into(),
    });
    let request = sidecar.send(session, module)?;
    match sidecar.ending(session, request)? {
        Ending::Outcome(OutcomeFrame {
            outcome: Outcome::Ok(value),
            ..
        }) => number(value.bytes()),
        other => Err(MeasureError::unexpected("a number", other)),
    }
}

/// The same program in a process of Node.
fn node_time_by(context: &Context, project: &Path, program: &str, result: &str) -> Result<f64> {
    let source = format!("{program}console.log({result});");
    let mut node = command(Path::new("node"));
    node.args(["--input-type=module", "-e", &source])
        .current_dir(project);
    let (mut process, stdin, mut stdout) = Process::start(node, BOUND, &context.log("node"))?;
    drop(stdin);
    let mut text = Vec::new();
    stdout
        .read_to_end(&mut text)
        .map_err(MeasureError::io("read from node"))?;
    process.wait()?;
    number(text.trim_ascii())
}

fn number(text: &[u8]) -> Result<f64> {
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| MeasureError::unexpected("a number", String::from_utf8_lossy(text)))
}

fn session(project: &Path) -> OpenSession {
    OpenSession {
        roots: vec![Root {
            host: project.to_string_lossy().into_owned(),
            guest: "/app".to_owned(),
        }],
        cwd: "/app".to_owned(),
        ..bare(HEAP_MIB)
    }
}
