//! The header of a hostile guest: comments at the top of its file.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How a guest may end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// With a value.
    Ok,
    /// With an exception.
    Exception,
    /// Over a limit of this name.
    Limit(String),
    /// By the host's wish.
    Cancelled,
    /// Refused before it ran, or while it was made into a snapshot.
    Refused,
    /// With its session, for this reason. No header names it.
    Lost(String),
}

/// What makes a guest's code run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Entry {
    /// A classic script.
    Script,
    /// The evaluation of a module whose text came in a frame.
    Module,
    /// A call of the function `attack`: a global of a script, an export of a module.
    Call,
    /// A promise job, after the script has ended.
    Job,
    /// A timer or an immediate.
    Timer,
    /// What continues when a host call is answered, or the encoding of its arguments.
    HostCall,
    /// A getter or a trap that the encoder of a value runs.
    Encoder,
    /// What a returned value does by itself: `then`, `toJSON`, `toString`.
    Result,
    /// A finalisation callback.
    Finaliser,
    /// A handler of the process's events.
    Handler,
    /// Loading a module from a host directory, its text or its graph being the bomb.
    Load,
    /// The making of a snapshot.
    Snapshot,
    /// A turn between requests.
    Background,
}

impl Entry {
    const ALL: [(&'static str, Entry); 13] = [
        ("script", Entry::Script),
        ("module", Entry::Module),
        ("call", Entry::Call),
        ("job", Entry::Job),
        ("timer", Entry::Timer),
        ("host-call", Entry::HostCall),
        ("encoder", Entry::Encoder),
        ("result", Entry::Result),
        ("finaliser", Entry::Finaliser),
        ("handler", Entry::Handler),
        ("load", Entry::Load),
        ("snapshot", Entry::Snapshot),
        ("background", Entry::Background),
    ];
}

/// A guest with what its header says.
#[derive(Debug, Clone)]
pub struct Hostile {
    /// The name of the file, without its suffix.
    pub name: String,
    /// Its suffix: `js` or `mjs`.
    pub suffix: String,
    /// Its text, header and all.
    pub source: String,
    /// How it may end: several where V8 or the machine decides.
    pub endings: Vec<Ending>,
    /// What makes its code run.
    pub entry: Entry,
    /// The limit on its heap, in MiB; 0 takes the default.
    pub heap_mib: u64,
    /// The limit on elapsed time, in milliseconds.
    pub wall_ms: u64,
    /// The limit on time on the CPU, in milliseconds; 0 takes the default.
    pub cpu_ms: u64,
    /// When the host cancels it, in milliseconds; 0 for never.
    pub cancel_ms: u64,
    /// The most by which the peak of the process may grow, in MiB; 0 for the usual.
    pub peak_mib: u64,
    /// How often what follows the header stands in the file that the guest loads.
    pub repeat: usize,
    /// How many files there are; in each, `@THIS@` is its number and `@NEXT@` the one after.
    pub files: usize,
    /// Whether only a process of its own can be freed of it: a thread that cannot be parked
    /// costs the sidecar.
    pub needs_process: bool,
    /// Whether its session is given up, since V8 does not stop it.
    pub is_given_up: bool,
}

impl Hostile {
    /// Reads one file.
    pub fn read(path: &Path) -> Hostile {
        let part = |part: Option<&std::ffi::OsStr>| part.unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(path).unwrap();
        Hostile::from_source(&part(path.file_stem()), &part(path.extension()), source)
    }

    /// A guest of this name, with this text.
    pub fn from_source(name: &str, suffix: &str, source: String) -> Hostile {
        let number = |key: &str| field(&source, key).map(|text| text.parse::<u64>().unwrap());
        let count = |key: &str| number(key).map_or(1, |n| usize::try_from(n).unwrap());
        let endings = field(&source, "ending").unwrap_or_else(|| panic!("{name}: no ending"));
        Hostile {
            endings: endings
                .split('|')
                .map(|one| ending(one.trim(), name))
                .collect(),
            entry: entry(field(&source, "entry"), suffix, name),
            heap_mib: number("heap-mb").unwrap_or(0),
            wall_ms: number("wall-ms").unwrap_or(1_500),
            cpu_ms: number("cpu-ms").unwrap_or(0),
            cancel_ms: number("cancel-ms").unwrap_or(0),
            peak_mib: number("peak-mb").unwrap_or(0),
            repeat: count("repeat"),
            files: count("files"),
            is_given_up: field(&source, "given-up").is_some_and(|given_up| given_up == "yes"),
            needs_process: field(&source, "needs").is_some_and(|needs| needs == "process"),
            name: name.to_owned(),
            suffix: suffix.to_owned(),
            source,
        }
    }

    /// Every guest of a folder, by name.
    pub fn read_all(folder: &Path) -> Vec<Hostile> {
        let files = fs::read_dir(folder).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let is_guest = |path: &std::path::PathBuf| {
            matches!(
                path.extension().and_then(|s| s.to_str()),
                Some("js" | "mjs")
            )
        };
        let mut all: Vec<Hostile> = paths
            .filter(is_guest)
            .map(|path| Hostile::read(&path))
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// The first word of the name: `memory`, `time`, and so on.
    pub fn class(&self) -> &str {
        self.name.split('-').next().unwrap_or(&self.name)
    }

    /// Whether its session may be over afterwards: it took all of its memory, or does not stop.
    pub fn may_lose_its_session(&self) -> bool {
        let may_exhaust = self.endings.contains(&Ending::Limit("memory".to_owned()));
        may_exhaust || self.is_given_up || self.needs_process
    }

    /// The time by which it must have ended.
    pub fn deadline(&self) -> Duration {
        Duration::from_millis(self.wall_ms)
    }

    /// The text of file `n` of those that it is loaded from.
    pub fn file(&self, n: usize) -> String {
        let is_header = |line: &&str| line.starts_with("//");
        let header: usize = self
            .source
            .split_inclusive('\n')
            .take_while(is_header)
            .map(str::len)
            .sum();
        let body = self.source.get(header..).unwrap_or_default().trim_end();
        body.replace("@THIS@", &n.to_string())
            .replace("@NEXT@", &n.saturating_add(1).to_string())
            .repeat(self.repeat)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Ok => f.write_str("ok"),
            Ending::Exception => f.write_str("exception"),
            Ending::Limit(which) => write!(f, "limit {which}"),
            Ending::Cancelled => f.write_str("cancelled"),
            Ending::Refused => f.write_str("refused"),
            Ending::Lost(reason) => write!(f, "lost: {reason}"),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = Entry::ALL.iter();
        let name = all.find_map(|(name, entry)| (entry == self).then_some(*name));
        f.write_str(name.unwrap_or_default())
    }
}

/// The value of `// key: value` among the comments at the top.
fn field(source: &str, key: &str) -> Option<String> {
    let header = source.lines().take_while(|line| line.starts_with("//"));
    let prefix = format!("// {key}: ");
    let mut values = header.filter_map(|line| line.strip_prefix(&prefix));
    values.next().map(str::to_owned)
}

fn entry(said: Option<String>, suffix: &str, guest: &str) -> Entry {
    let Some(said) = said else {
        return match suffix {
            "mjs" => Entry::Module,
            _ => Entry::Script,
        };
    };
    let known = Entry::ALL.iter().find(|(name, _)| *name == said);
    known
        .unwrap_or_else(|| panic!("{guest}: unknown entry {said:?}"))
        .1
}

fn ending(text: &str, name: &str) -> Ending {
    match text.split_once(' ') {
        None if text == "ok" => Ending::Ok,
        None if text == "exception" => Ending::Exception,
        None if text == "cancelled" => Ending::Cancelled,
        None if text == "refused" => Ending::Refused,
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
        assert_eq!(entry(None, "mjs", ""), Entry::Module);
        assert_eq!(
            entry(Some("host-call".to_owned()), "js", ""),
            Entry::HostCall
        );
        assert_eq!(Entry::HostCall.to_string(), "host-call");
    }

    #[test]
    fn files_are_made_of_what_follows_the_header() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("load-x.mjs");
        fs::write(
            &path,
            "// ending: ok\n// repeat: 2\nimport './@NEXT@.mjs';\n",
        )
        .unwrap();
        let hostile = Hostile::read(&path);
        assert_eq!(hostile.file(4), "import './5.mjs';import './5.mjs';");
        assert_eq!(hostile.class(), "load");
    }
}
