//! `isolate-sidecar run`: a small host. It starts a sidecar of its own, this very program,
//! and runs one guest in it, as `node` would, within limits and without access to anything
//! that the command line does not name.
//!
//! Reading order: `plan.rs` (what the command line means), `perform.rs` (running it),
//! `ending.rs` (how it ended, and the exit code), `terminal.rs` and `json.rs` (telling so).

mod child_log;
mod directories;
mod ending;
mod interrupt;
mod json;
mod perform;
mod plan;
mod terminal;
mod told;

use std::path::PathBuf;

use isolate_sidecar_client::{Jsx, ModuleOptions, TypeScript};
use sidecar::ExitCode;

pub(super) use self::directories::{Directories, DirectoryError};
use self::perform::{Performed, perform};
use self::plan::Plan;
use self::terminal::Terminal;
use super::IsolationArg;

/// What `run` takes.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit codes: 0 the guest ended well, 1 it threw or met another limit, 2 usage, 70 the sidecar is at \
fault, 124 over a limit on time, 130 interrupted, 137 over the limit on memory.")]
pub(super) struct Args {
    /// The file to run, as Node would take it; `-` runs a script from standard input.
    #[arg(value_name = "FILE", required_unless_present = "eval")]
    file: Option<PathBuf>,

    /// Run this script instead of a file and print its value.
    #[arg(short, long, value_name = "CODE", conflicts_with = "file")]
    eval: Option<String>,

    /// A directory that the guest may load modules from, and where it sees it (`/app` for the
    /// first). Without this, FILE's project is the only one: the nearest directory above it
    /// with a `package.json` or `node_modules`.
    #[arg(long, value_name = "HOSTDIR[=GUESTDIR]")]
    root: Vec<String>,

    /// A package to evaluate once, into a snapshot that the guest starts from.
    #[arg(long, value_name = "SPECIFIER")]
    snapshot: Vec<String>,

    /// Heap and array buffers of the guest together, in MiB; at least 8 [default: 128].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    heap_mb: Option<u64>,

    /// Time on the CPU, in milliseconds [default: 30000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    cpu_ms: Option<u64>,

    /// Elapsed time, in milliseconds [default: 300000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    wall_ms: Option<u64>,

    /// An environment variable of the guest; without a value, ours is passed on.
    #[arg(long, value_name = "NAME[=VALUE]")]
    env: Vec<String>,

    /// A JSON value: the guest's global `input`.
    #[arg(long, value_name = "JSON")]
    input: Option<String>,

    /// Run the same in so many sessions of one sidecar at once.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    sessions: u32,

    /// Print one JSON object with outcome, usage and output, and nothing else.
    #[arg(long)]
    json: bool,

    /// A condition for `exports` and `imports`, beyond Node's own.
    #[arg(long, value_name = "NAME")]
    conditions: Vec<String>,

    /// What becomes of TypeScript: types are blanked, or what needs code in its place is
    /// rewritten too.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = TypeScriptArg::Strip)]
    typescript: TypeScriptArg,

    /// What becomes of elements in `.jsx` and `.tsx`.
    #[arg(long, value_name = "HOW", value_enum, default_value_t = JsxArg::Off)]
    jsx: JsxArg,

    /// The package that `--jsx automatic` imports from [default: react].
    #[arg(long, value_name = "PACKAGE")]
    jsx_import_source: Option<String>,

    /// The function that `--jsx classic` calls [default: React.createElement].
    #[arg(long, value_name = "NAME")]
    jsx_factory: Option<String>,

    /// What `--jsx classic` takes for `<>` [default: React.Fragment].
    #[arg(long, value_name = "NAME")]
    jsx_fragment: Option<String>,

    /// Keep compiled code of modules in this directory, for the next run. It is made if it is
    /// missing, and must be writable by this user alone.
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,

    /// Where the guest runs: on a thread of the sidecar, or in a process of its own.
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = IsolationArg::Thread)]
    isolation: IsolationArg,

    /// The guest's `process.argv` from the third on.
    #[arg(last = true, value_name = "ARGS")]
    args: Vec<String>,
}

/// What becomes of TypeScript.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum TypeScriptArg {
    Strip,
    Transform,
}

/// What becomes of elements.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum JsxArg {
    Off,
    Automatic,
    Classic,
}

impl Args {
    fn module_options(&self) -> ModuleOptions {
        let name =
            |given: &Option<String>, usual: &str| given.as_deref().unwrap_or(usual).to_owned();
        ModuleOptions {
            typescript: match self.typescript {
                TypeScriptArg::Strip => TypeScript::Strip,
                TypeScriptArg::Transform => TypeScript::Transform,
            },
            jsx: match self.jsx {
                JsxArg::Off => Jsx::Off,
                JsxArg::Automatic => Jsx::Automatic {
                    import_source: name(&self.jsx_import_source, "react"),
                },
                JsxArg::Classic => Jsx::Classic {
                    factory: name(&self.jsx_factory, "React.createElement"),
                    fragment: name(&self.jsx_fragment, "React.Fragment"),
                },
            },
        }
    }
}

pub(super) fn run(args: Args) -> ExitCode {
    let wants_json = args.json;
    let plan = match Plan::new(args) {
        Ok(plan) => plan,
        Err(err) => {
            terminal::complain(&err);
            return ExitCode::Usage;
        }
    };
    let terminal = match wants_json || 1 < plan.n_sessions {
        true => Terminal::keeping(),
        false => Terminal::passing_on(),
    };
    let all = perform(&plan, &terminal);
    if wants_json {
        terminal.print_json(&json::Report::new(&all));
    } else {
        all.iter().for_each(|one| terminal.print(one, &plan));
    }
    exit_code(&all, &terminal)
}

/// That of the first session that did not end well.
fn exit_code(all: &[Performed], terminal: &Terminal) -> ExitCode {
    if terminal.is_broken() {
        return ExitCode::HostNotReading;
    }
    all.iter()
        .map(|one| one.ending.exit_code())
        .find(|code| *code != ExitCode::Clean)
        .unwrap_or(ExitCode::Clean)
}
