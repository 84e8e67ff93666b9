//! What the command line means: what is run, with what, and what is wrong with the line.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::PathBuf;

use isolate_sidecar_client::{
    Code, EnvVar, Execute, LimitsRequest, SessionOptions, SnapshotSpec, Until, Value, ValueFormat,
};
use serde::de::IgnoredAny;
use sidecar::{BadModuleOptions, LOG_VARIABLE, TRACE_VARIABLE, check_module_options};

use super::Args;
use super::directories::{Directories, DirectoryError};

/// What Node's own `process.argv` begins with.
const NODE: &str = "/usr/bin/node";
/// The name of code without a file, as in Node's stacks.
const EVAL: &str = "[eval]";
const MIB: u64 = 1 << 20;

/// The command line does not say what can be done.
#[derive(Debug, thiserror::Error)]
pub(super) enum UsageError {
    #[error("{0}")]
    Directory(#[from] DirectoryError),
    #[error("cannot read the script from standard input: {0}")]
    Stdin(#[source] io::Error),
    #[error("--input is not JSON: {0}")]
    Input(#[source] serde_json::Error),
    #[error("--env {0:?} is not NAME or NAME=VALUE")]
    Env(String),
    #[error("--jsx: {0}")]
    Jsx(#[from] BadModuleOptions),
    #[error("--conditions must not be empty")]
    Condition,
    #[error("{0} must not hold a NUL character")]
    Nul(&'static str),
}

/// What is to be done.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) options: SessionOptions,
    pub(super) snapshot: Option<SnapshotSpec>,
    pub(super) execute: Execute,
    pub(super) n_sessions: u32,
    cache_dir: Option<PathBuf>,
    /// Whether our environment asks for the sidecar's log.
    pub(super) shows_log: bool,
    /// Whether the value is printed when all went well.
    pub(super) shows_value: bool,
}

/// What is run.
enum Guest {
    Script(Vec<u8>),
    File(PathBuf),
}

impl Plan {
    pub(super) fn new(args: Args) -> Result<Plan, UsageError> {
        let modules = args.module_options();
        check_module_options(&modules)?;
        let guest = guest(args.eval, args.file)?;
        let mut directories = Directories::parse(&args.root)?;
        let specifier = match &guest {
            Guest::Script(_) => None,
            Guest::File(file) => Some(directories.admit(file)?),
        };
        let cwd = directories.cwd();
        check_texts(&args.args, &args.conditions)?;
        let snapshot = (!args.snapshot.is_empty()).then(|| SnapshotSpec {
            roots: directories.roots(),
            entries: args.snapshot,
            cwd: cwd.clone(),
            conditions: args.conditions.clone(),
            modules: modules.clone(),
            ..SnapshotSpec::default()
        });
        let limits = LimitsRequest {
            heap_bytes: args.heap_mb.map(|mib| mib.saturating_mul(MIB)),
            cpu_ms: args.cpu_ms,
            wall_ms: args.wall_ms,
            ..LimitsRequest::default()
        };
        let started_as = specifier.clone().unwrap_or_else(|| EVAL.to_owned());
        let argv = [NODE.to_owned(), started_as].into_iter().chain(args.args);
        Ok(Plan {
            options: SessionOptions {
                snapshot: None,
                roots: directories.roots(),
                limits,
                env: environment(&args.env)?,
                argv: argv.collect(),
                cwd,
                conditions: args.conditions,
                modules,
                isolation: args.isolation.into(),
            },
            snapshot,
            shows_log: own_variable(LOG_VARIABLE).is_some()
                || own_variable(TRACE_VARIABLE).is_some(),
            shows_value: specifier.is_none(),
            execute: Execute {
                code: code(guest, specifier),
                until: Until::Drained,
                result: ValueFormat::Json,
                input: input(args.input)?,
            },
            n_sessions: args.sessions,
            cache_dir: args.cache_dir,
        })
    }

    /// Arguments of a sidecar whose ceilings admit what is asked for.
    pub(super) fn serve_args(&self) -> Vec<OsString> {
        let limits = &self.options.limits;
        let heap_mib = limits.heap_bytes.map(|bytes| bytes.div_ceil(MIB).max(8));
        let ceilings = [
            ("--heap-mb-ceiling", heap_mib),
            ("--cpu-ms-ceiling", limits.cpu_ms),
            ("--wall-ms-ceiling", limits.wall_ms),
            ("--max-sessions", Some(u64::from(self.n_sessions))),
        ];
        let given = ceilings
            .into_iter()
            .filter_map(|(name, value)| Some([name.into(), value?.to_string().into()]));
        let cache_dir = self.cache_dir.as_ref();
        let cache_dir = cache_dir.map(|path| ["--cache-dir".into(), path.into()]);
        given.chain(cache_dir).flatten().collect()
    }
}

fn guest(eval: Option<String>, file: Option<PathBuf>) -> Result<Guest, UsageError> {
    match (eval, file) {
        (Some(code), _) => Ok(Guest::Script(code.into_bytes())),
        (None, Some(file)) if file.as_os_str() != "-" => Ok(Guest::File(file)),
        (None, _) => {
            let mut script = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut script);
            read.map_err(UsageError::Stdin)?;
            Ok(Guest::Script(script))
        }
    }
}

fn code(guest: Guest, specifier: Option<String>) -> Code {
    match (guest, specifier) {
        (Guest::Script(source), _) => Code::Script {
            name: EVAL.to_owned(),
            source: source.into(),
        },
        (Guest::File(_), specifier) => Code::Import {
            specifier: specifier.unwrap_or_default(),
        },
    }
}

fn input(json: Option<String>) -> Result<Value, UsageError> {
    let Some(json) = json else {
        return Ok(Value::Undefined);
    };
    serde_json::from_str::<IgnoredAny>(&json).map_err(UsageError::Input)?;
    Ok(Value::Json(json.into()))
}

/// Variables with their values; those that are to be passed on and are not set are left out.
fn environment(given: &[String]) -> Result<Vec<EnvVar>, UsageError> {
    let mut env = Vec::new();
    for text in given {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text.as_str(), own_variable(text)),
        };
        if name.is_empty() || text.contains('\0') {
            return Err(UsageError::Env(text.clone()));
        }
        let name = name.to_owned();
        env.extend(value.map(|value| EnvVar { name, value }));
    }
    Ok(env)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line names variables to pass on to the guest, and the log is the sidecar's"
)]
fn own_variable(name: &str) -> Option<String> {
    if name.is_empty() || name.contains('\0') {
        return None;
    }
    std::env::var(name).ok()
}

fn check_texts(args: &[String], conditions: &[String]) -> Result<(), UsageError> {
    if args.iter().any(|arg| arg.contains('\0')) {
        return Err(UsageError::Nul("an argument"));
    }
    if conditions.iter().any(String::is_empty) {
        return Err(UsageError::Condition);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn plan(line: &[&str]) -> Result<Plan, UsageError> {
        let line = ["run"].iter().chain(line);
        Plan::new(Line::try_parse_from(line).unwrap().args)
    }

    #[test]
    fn code_of_the_command_line_has_no_directories() {
        let plan = plan(&["-e", "1 + 1", "--", "a", "-b"]).unwrap();
        assert!(plan.options.roots.is_empty());
        assert_eq!(plan.options.cwd, "/app");
        assert_eq!(plan.options.argv, [NODE, EVAL, "a", "-b"]);
        assert!(plan.shows_value && plan.snapshot.is_none());
    }

    #[test]
    fn ceilings_rise_with_what_is_asked_for() {
        let plan = plan(&[
            "-e",
            "1",
            "--heap-mb",
            "4",
            "--wall-ms",
            "9",
            "--sessions",
            "3",
        ]);
        assert_eq!(
            plan.unwrap().serve_args(),
            [
                "--heap-mb-ceiling",
                "8",
                "--wall-ms-ceiling",
                "9",
                "--max-sessions",
                "3"
            ]
        );
    }

    #[test]
    fn a_cache_may_have_any_name() {
        use std::os::unix::ffi::OsStringExt;
        let name = OsString::from_vec(b"/tmp/\xff".to_vec());
        let line = ["run", "-e", "1", "--cache-dir"].map(OsString::from);
        let line = line.into_iter().chain([name.clone()]);
        let plan = Plan::new(Line::try_parse_from(line).unwrap().args).unwrap();
        let args = plan.serve_args();
        assert_eq!(
            args[args.len() - 2..],
            [OsString::from("--cache-dir"), name]
        );
    }

    #[test]
    fn names_for_elements_must_be_names() {
        let long = "a".repeat(2000);
        for (line, word) in [
            (["--jsx", "classic", "--jsx-factory", "1x"], "factory"),
            (["--jsx", "classic", "--jsx-factory", &long], "factory"),
            (["--jsx", "classic", "--jsx-fragment", "a b"], "fragment"),
            (
                ["--jsx", "automatic", "--jsx-import-source", "./a"],
                "import source",
            ),
        ] {
            let err = plan(&[&["-e", "1"], &line[..]].concat())
                .unwrap_err()
                .to_string();
            assert!(err.starts_with("--jsx: ") && err.contains(word), "{err}");
        }
    }

    #[test]
    fn input_is_json_as_it_stands() {
        let plan_with = |json| plan(&["-e", "1", "--input", json]);
        let value = plan_with("[0.1, 1e400]").unwrap().execute.input;
        assert_eq!(value.bytes(), b"[0.1, 1e400]");
        for bad in ["", "{", "undefined", "1 2"] {
            let err = plan_with(bad).unwrap_err();
            assert!(err.to_string().starts_with("--input is not JSON"), "{err}");
        }
    }

    #[test]
    fn variables_are_given_or_passed_on() {
        let plan_with = |var| plan(&["-e", "1", "--env", var]);
        let env = plan_with("A=b=c").unwrap().options.env;
        assert_eq!((env[0].name.as_str(), env[0].value.as_str()), ("A", "b=c"));
        assert!(
            plan_with("NOT_SET_ANYWHERE")
                .unwrap()
                .options
                .env
                .is_empty()
        );
        assert_eq!(plan_with("PATH").unwrap().options.env.len(), 1);
        assert!(plan_with("=b").is_err());
    }

    #[test]
    fn one_guest_and_no_more() {
        let parse = |line: &[&str]| Line::try_parse_from(["run"].iter().chain(line)).is_ok();
        assert!(parse(&["a.js"]) && parse(&["-"]) && parse(&["-e", "1"]));
        assert!(!parse(&[]) && !parse(&["a.js", "b.js"]) && !parse(&["-e", "1", "a.js"]));
    }
}
