//! `cargo xtask conformance-modules`: whether modules load as they do in Node.
//!
//! Trees of packages, written (`fixtures/conformance/trees/`) and generated from a seed, are looked at by their entries, programs
//! that tell what they see through the global `t` (`fixtures/conformance/prelude.js`). Each entry runs in real Node and in a
//! session of the sidecar, at the same path; what the two tell must be equal, but for the list of known differences.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "counts of trees and checks, which are small"
)]

mod archive;
mod generate;
mod known;
mod node;
pub(crate) mod node_tests;
mod options;
mod report;
mod rng;
mod seen;
mod sidecar;
mod tree;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io, thread};

use isolate_sidecar_client::SpawnError;

use self::archive::ArchiveError;
use self::options::{Options, USAGE};
use self::report::Report;
use self::seen::Seen;
use self::tree::Tree;

const PRELUDE: &str = include_str!("../../../fixtures/conformance/prelude.js");

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConformanceError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("{0}")]
    Io(#[source] io::Error),
    #[error("the sidecar does not start: {0}")]
    Sidecar(#[source] SpawnError),
    #[error("the sidecar cannot be built")]
    Build,
    #[error("Node did not answer for every entry")]
    NodeAnswers,
    #[error("a thread panicked")]
    Panicked,
}

/// An entry to run.
#[derive(Debug)]
struct Job<'a> {
    tree: &'a Tree,
    entry: &'a str,
    /// Where the tree is.
    root: PathBuf,
}

impl Job<'_> {
    fn path(&self) -> String {
        self.root.join(self.entry).display().to_string()
    }
}

#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a developer tool talks to a terminal"
)]
pub(crate) fn main(root: &Path, args: impl Iterator<Item = String>) -> ExitCode {
    let Some(options) = Options::parse(args) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(root, &options) {
        Ok((table, problems)) => {
            print!("{table}");
            for problem in &problems {
                eprintln!("conformance: {problem}");
            }
            match problems.is_empty() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("conformance: {error}");
            ExitCode::from(2)
        }
    }
}

/// The table, and what is wrong.
fn run(workspace: &Path, options: &Options) -> Result<(String, Vec<String>), ConformanceError> {
    let io = ConformanceError::Io;
    let fixtures = workspace.join("fixtures/conformance");
    let known = known::load(&fixtures.join("known-differences.txt")).map_err(io)?;
    let trees = trees(&fixtures, options)?;
    let program = match &options.sidecar {
        Some(program) => program.clone(),
        None => build(workspace)?,
    };
    let out = workspace.join(&options.out);
    fs::create_dir_all(&out).map_err(io)?;
    let scratch = tempfile::Builder::new().prefix("conformance-").tempdir();
    let scratch = scratch.map_err(io)?;
    // Links lead to real paths, and so must the name of the folder.
    let place = scratch.path().canonicalize().map_err(io)?;
    let jobs = write(&trees, &place).map_err(io)?;
    let (node, ours) = both(options, &program, &place, &jobs)?;

    let mut report = Report::default();
    trees
        .iter()
        .for_each(|tree| report.count_tree(tree.class()));
    for ((job, node), ours) in jobs.iter().zip(&node).zip(&ours) {
        report.add(job, &seen::compare(node, ours), &known);
    }
    fs::write(out.join("differences.txt"), &report.differences).map_err(io)?;
    fs::write(out.join("words.txt"), &report.words).map_err(io)?;
    if options.keep {
        keep(&trees, &out.join("trees")).map_err(io)?;
    }
    let mut problems = Vec::new();
    if report.total().different > 0 {
        let file = out.join("differences.txt");
        problems.push(format!(
            "{} differences, in {}",
            report.total().different,
            file.display()
        ));
    }
    if options.is_whole() {
        let unused = report.unused(&known).into_iter();
        problems.extend(
            unused.map(|known| format!("no difference is as known-differences.txt says, {known}")),
        );
    }
    Ok((report.table(), problems))
}

fn trees(fixtures: &Path, options: &Options) -> Result<Vec<Tree>, ConformanceError> {
    let mut trees = archive::load(&fixtures.join("trees"), &options.classes)?;
    trees.extend(generate::generate(options));
    if let Some(name) = &options.tree {
        trees.retain(|tree| tree.name == *name);
    }
    Ok(trees)
}

fn write<'a>(trees: &'a [Tree], place: &Path) -> io::Result<Vec<Job<'a>>> {
    let mut jobs = Vec::new();
    for tree in trees {
        let root = place.join(tree.name.replace('/', "-"));
        tree.write(&root)?;
        jobs.extend(tree.entries.iter().map(|entry| Job {
            tree,
            entry,
            root: root.clone(),
        }));
    }
    Ok(jobs)
}

fn keep(trees: &[Tree], folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    for tree in trees {
        tree.write(&folder.join(&tree.name))?;
        fs::write(folder.join(format!("{}.txt", tree.name)), tree.to_archive())?;
    }
    Ok(())
}

type Both = (Vec<Seen>, Vec<Seen>);

fn both(
    options: &Options,
    program: &Path,
    place: &Path,
    jobs: &[Job<'_>],
) -> Result<Both, ConformanceError> {
    thread::scope(|scope| {
        let oracle = thread::Builder::new().name("oracle".to_owned());
        let oracle = oracle.spawn_scoped(scope, || node::run(&options.node, place, jobs));
        let oracle = oracle.map_err(ConformanceError::Io)?;
        let ours = sidecar::run(program, jobs);
        let node = oracle.join().map_err(|_| ConformanceError::Panicked)?;
        Ok((node?, ours?))
    })
}

/// The sidecar of the profile that this program was built in, which lies beside it.
#[expect(
    clippy::disallowed_methods,
    reason = "builds the program that is asked"
)]
fn build(workspace: &Path) -> Result<PathBuf, ConformanceError> {
    let own = env::current_exe().map_err(ConformanceError::Io)?;
    let status = Command::new("cargo")
        .args(["build", "--quiet", "--package", "sidecar"])
        .current_dir(workspace)
        .status()
        .map_err(ConformanceError::Io)?;
    match status.success() {
        true => Ok(own.with_file_name("isolate-sidecar")),
        false => Err(ConformanceError::Build),
    }
}
