//! `cargo xtask conformance-node-tests`: Node's own tests of modules, where they can run in a session.
//!
//! `scripts/fetch-node-tests` brings them. A test is imported in a session that has Node's tree of tests at `/node/test`, with our
//! `common` (`fixtures/conformance/node-tests/common`) over Node's. Real Node runs the same file as the control: what fails
//! there, because of its version or the machine, is not asked of us.

mod needs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use std::{fs, io};

use isolate_sidecar_client::{
    LimitsRequest, Outcome, RequestError, Root, SessionOptions, Sidecar, SidecarCommand, Until,
    import, script,
};

use self::needs::{Demand, demand};
use super::{ConformanceError, build, known};

const USAGE: &str =
    "usage: cargo xtask conformance-node-tests [--filter TEXT] [--sidecar FILE] [--node FILE]";
const TREE: &str = "target/node-tests/tree";
const FOLDERS: [&str; 2] = ["es-module", "parallel"];
const GUEST: &str = "/node/test";
const WALL_MS: u64 = 20_000;
const NODE_SECONDS: &str = "30";
const PATIENCE: Duration = Duration::from_secs(30);

/// What a test came to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Passes,
    /// With what was said.
    Fails(String),
    Needs(String),
    /// For the reason that the list gives, or because Node fails as well.
    DoesNotApply(String),
}

#[derive(Debug)]
struct Options {
    filter: String,
    sidecar: Option<PathBuf>,
    node: PathBuf,
}

#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a developer tool talks to a terminal"
)]
pub(crate) fn main(workspace: &Path, args: impl Iterator<Item = String>) -> ExitCode {
    let Some(options) = parse(args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    if !workspace.join(TREE).exists() {
        eprintln!("conformance: run scripts/fetch-node-tests first");
        return ExitCode::from(2);
    }
    match run(workspace, &options) {
        Ok(verdicts) => {
            print!("{}", report(&verdicts));
            match verdicts
                .values()
                .any(|verdict| matches!(verdict, Verdict::Fails(_)))
            {
                true => ExitCode::FAILURE,
                false => ExitCode::SUCCESS,
            }
        }
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
    let mut options = Options {
        filter: String::new(),
        sidecar: None,
        node: PathBuf::from("node"),
    };
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--filter" => options.filter = args.next()?,
            "--sidecar" => options.sidecar = Some(PathBuf::from(args.next()?)),
            "--node" => options.node = PathBuf::from(args.next()?),
            _ => return None,
        }
    }
    Some(options)
}

type Verdicts = BTreeMap<String, Verdict>;

fn run(workspace: &Path, options: &Options) -> Result<Verdicts, ConformanceError> {
    let io = ConformanceError::Io;
    let program = match &options.sidecar {
        Some(program) => program.clone(),
        None => build(workspace)?,
    };
    let excluded = excluded(&workspace.join("fixtures/conformance/node-tests.txt")).map_err(io)?;
    let tree = workspace.join(TREE);
    let mut sidecar = start(&program)?;
    let mut verdicts = Verdicts::new();
    for name in names(&tree.join("test")).map_err(io)? {
        if !name.contains(&options.filter) {
            continue;
        }
        let text = fs::read_to_string(tree.join("test").join(&name)).map_err(io)?;
        let demand = demand(&text);
        let listed = excluded
            .iter()
            .find(|(pattern, _)| known::matches(pattern, &name));
        let verdict = match (listed, &demand.needs) {
            (Some((_, reason)), _) => Verdict::DoesNotApply(reason.clone()),
            (None, Some(needs)) => Verdict::Needs(needs.clone()),
            (None, None) => {
                match passes_in_node(&options.node, &tree, &name, &demand).map_err(io)? {
                    false => Verdict::DoesNotApply("Node fails it as well".to_owned()),
                    true => in_session(&mut sidecar, &program, workspace, &name, &demand)?,
                }
            }
        };
        verdicts.insert(name, verdict);
    }
    Ok(verdicts)
}

/// Patterns of names, with reasons.
fn excluded(path: &Path) -> io::Result<Vec<(String, String)>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(" = "));
    Ok(pairs
        .map(|(pattern, reason)| (pattern.to_owned(), reason.to_owned()))
        .collect())
}

/// `FOLDER/FILE`, in order.
fn names(tests: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(tests.join(folder))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let is_program = [".js", ".mjs", ".cjs"]
                .iter()
                .any(|end| name.ends_with(end));
            if name.starts_with("test-") && is_program {
                names.push(format!("{folder}/{name}"));
            }
        }
    }
    names.sort();
    Ok(names)
}

/// As its own runner does it: the exit code says how it went.
#[expect(clippy::disallowed_methods, reason = "Node is the control")]
fn passes_in_node(node: &Path, tree: &Path, name: &str, demand: &Demand) -> io::Result<bool> {
    let mut command = Command::new("timeout");
    command.arg(NODE_SECONDS).arg(node).args(&demand.flags);
    command.arg(tree.join("test").join(name)).current_dir(tree);
    command.env_remove("NODE_OPTIONS").env_remove("NODE_PATH");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command.status()?.success())
}

fn start(program: &Path) -> Result<Sidecar, ConformanceError> {
    let command = SidecarCommand::new(program).client("conformance");
    command
        .patience(PATIENCE)
        .stderr(Stdio::null())
        .spawn()
        .map_err(ConformanceError::Sidecar)
}

fn in_session(
    sidecar: &mut Sidecar,
    program: &Path,
    workspace: &Path,
    name: &str,
    demand: &Demand,
) -> Result<Verdict, ConformanceError> {
    match ask(sidecar, workspace, name, demand) {
        Ok(verdict) => Ok(verdict),
        Err(error) => {
            if matches!(error, RequestError::SidecarLost(_)) {
                *sidecar = start(program)?;
            }
            Ok(Verdict::Fails(error.to_string()))
        }
    }
}

fn ask(
    sidecar: &Sidecar,
    workspace: &Path,
    name: &str,
    demand: &Demand,
) -> Result<Verdict, RequestError> {
    let root = |host: PathBuf, guest: String| Root {
        host: host.display().to_string(),
        guest,
    };
    let path = format!("{GUEST}/{name}");
    let session = sidecar.session(SessionOptions {
        roots: vec![
            root(workspace.join(TREE).join("test"), GUEST.to_owned()),
            root(
                workspace.join("fixtures/conformance/node-tests/common"),
                format!("{GUEST}/common"),
            ),
        ],
        argv: vec!["node".to_owned(), path.clone()],
        cwd: "/node".to_owned(),
        conditions: demand.conditions.clone(),
        limits: LimitsRequest {
            wall_ms: Some(WALL_MS),
            ..LimitsRequest::default()
        },
        ..SessionOptions::default()
    });
    let session = session.open()?;
    let mut execute = import(path);
    execute.until = Until::Drained;
    let verdict = match session.execute(execute)?.outcome {
        Outcome::Exception(error) if error.code.as_deref() == Some("SKIPPED") => {
            Verdict::DoesNotApply(error.message)
        }
        Outcome::Exception(error) => Verdict::Fails(first_lines(&error.stack)),
        Outcome::Ok(_) => {
            let owed =
                session.execute(script("owed.js", "globalThis.__owed?.().join('; ') ?? ''"))?;
            match owed.outcome {
                Outcome::Ok(value) if value.bytes() == b"\"\"" => Verdict::Passes,
                Outcome::Ok(value) => {
                    Verdict::Fails(String::from_utf8_lossy(value.bytes()).into_owned())
                }
                other => Verdict::Fails(format!("{other:?}")),
            }
        }
        other => Verdict::Fails(format!("{other:?}")),
    };
    session.close()?;
    Ok(verdict)
}

fn first_lines(stack: &str) -> String {
    let lines: Vec<&str> = stack.lines().take(3).map(str::trim).collect();
    lines.join(" | ")
}

fn report(verdicts: &Verdicts) -> String {
    let mut text = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, verdict) in verdicts {
        let (kind, why) = match verdict {
            Verdict::Passes => ("passes", ""),
            Verdict::Fails(why) => ("fails", why.as_str()),
            Verdict::Needs(why) => ("needs", why.as_str()),
            Verdict::DoesNotApply(why) => ("does not apply", why.as_str()),
        };
        *counts.entry(kind).or_default() += 1;
        // Writing to a string does not fail.
        let _ = writeln!(text, "{kind:<15} {name}  {why}");
    }
    let count = |kind: &str| counts.get(kind).copied().unwrap_or_default();
    let (passes, fails) = (count("passes"), count("fails"));
    let _ = writeln!(
        text,
        "\n{} files: {} apply ({passes} pass, {fails} fail), {} need what is not there, {} do not apply",
        verdicts.len(),
        passes + fails,
        count("needs"),
        count("does not apply"),
    );
    text
}
