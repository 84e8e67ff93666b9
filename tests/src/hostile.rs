//! Guests that mean harm: files of `fixtures/hostile`, each with a header that says how it
//! must end.
//!
//! ```text
//! // ending: limit wall
//! // heap-mb: 32
//! // wall-ms: 300
//! // why: what it tries
//! ```

use std::fs;
use std::path::Path;

use isolate_sidecar_client::{Outcome, Reason, RequestError};

/// How a guest may end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// With a value.
    Ok,
    /// With an exception.
    Exception,
    /// Over a limit of this name.
    Limit(String),
}

/// A guest with what its header says.
#[derive(Debug, Clone)]
pub struct Hostile {
    /// The name of the file.
    pub name: String,
    /// Its text, header and all.
    pub source: String,
    /// How it may end: several where V8 or the machine decides.
    pub endings: Vec<Ending>,
    /// The limit on its heap, in MiB; 0 takes the default.
    pub heap_mib: u64,
    /// The limit on elapsed time, in milliseconds.
    pub wall_ms: u64,
    /// The limit on time on the CPU, in milliseconds; 0 takes the default.
    pub cpu_ms: u64,
    /// The most by which the peak of the process may grow, in MiB; 0 for thrice the heap.
    pub peak_mib: u64,
    /// Whether it is a module and no script.
    pub is_module: bool,
}

impl Hostile {
    /// Reads one file.
    pub fn read(path: &Path) -> Hostile {
        let source = fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let number = |key: &str| field(&source, key).map(|text| text.parse::<u64>().unwrap());
        let endings = field(&source, "ending").unwrap_or_else(|| panic!("{name}: no ending"));
        Hostile {
            endings: endings
                .split('|')
                .map(|one| ending(one.trim(), &name))
                .collect(),
            heap_mib: number("heap-mb").unwrap_or(0),
            wall_ms: number("wall-ms").unwrap_or(1_500),
            cpu_ms: number("cpu-ms").unwrap_or(0),
            peak_mib: number("peak-mb").unwrap_or(0),
            is_module: name.ends_with(".mjs"),
            name,
            source,
        }
    }

    /// Fails unless the guest ended as its header says.
    #[track_caller]
    pub fn check(&self, result: &Result<Outcome, RequestError>) {
        let seen = match result {
            Ok(Outcome::Ok(_)) => Ending::Ok,
            Ok(Outcome::Exception(_)) => Ending::Exception,
            Ok(Outcome::LimitExceeded(report)) => Ending::Limit(report.which.as_str().to_owned()),
            Err(RequestError::SessionLost {
                reason: Reason::EngineOom | Reason::MemoryExceeded,
                ..
            }) => Ending::Limit("memory".to_owned()),
            other => panic!("{}: {other:?}", self.name),
        };
        let Hostile { name, endings, .. } = self;
        assert!(
            endings.contains(&seen),
            "{name}: expected {endings:?}, saw {result:?}"
        );
    }
}

/// The value of `// key: value` among the comments at the top.
fn field(source: &str, key: &str) -> Option<String> {
    let header = source.lines().take_while(|line| line.starts_with("//"));
    let prefix = format!("// {key}: ");
    let mut values = header.filter_map(|line| line.strip_prefix(&prefix));
    values.next().map(str::to_owned)
}

fn ending(text: &str, name: &str) -> Ending {
    match text.split_once(' ') {
        None if text == "ok" => Ending::Ok,
        None if text == "exception" => Ending::Exception,
        Some(("limit", which)) => Ending::Limit(which.to_owned()),
        _ => panic!("{name}: unknown ending {text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        let source = "// ending: ok | limit memory\n// heap-mb: 32\nfor (;;); // ending: no\n";
        assert_eq!(field(source, "ending").unwrap(), "ok | limit memory");
        assert_eq!(field(source, "heap-mb").unwrap(), "32");
        assert_eq!(field(source, "wall-ms"), None);
        assert_eq!(
            ending("limit memory", ""),
            Ending::Limit("memory".to_owned())
        );
    }
}
