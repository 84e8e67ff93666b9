//! Where and when it was measured, and what: a number without these says little.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

/// The load above which a machine does not count as idle.
const IDLE_LOAD: f64 = 0.5;

/// The machine and the versions measured.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    cpu: String,
    processors: usize,
    kernel: String,
    load_before: String,
    load_after: String,
    ours: String,
    peer: String,
}

impl Machine {
    /// Looks at the machine before anything is measured.
    pub(crate) fn look(ours: String, peer: String) -> Machine {
        let cpuinfo = read("/proc/cpuinfo");
        let cpu = cpuinfo
            .lines()
            .find(|line| line.starts_with("model name"))
            .and_then(|line| line.split(':').nth(1))
            .unwrap_or("unknown");
        Machine {
            cpu: cpu.trim().to_owned(),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            load_before: load(),
            load_after: String::new(),
            ours,
            peer,
        }
    }

    /// Looks at the load again when all is measured.
    pub(crate) fn look_again(&mut self) {
        self.load_after = load();
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        let one_minute = self.load_before.split(' ').next().unwrap_or_default();
        let busy = one_minute.parse().is_ok_and(|load: f64| load > IDLE_LOAD);
        let hint = if busy {
            " (the machine was not idle: trust the ratios, not the times)"
        } else {
            ""
        };
        vec![
            format!("{} × {}, Linux {}", self.processors, self.cpu, self.kernel),
            format!(
                "load average before {}, after {}{hint}",
                self.load_before, self.load_after
            ),
            format!("ours: {}", self.ours),
            format!("peer: {}", self.peer),
        ]
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "cpu": self.cpu, "processors": self.processors, "kernel": self.kernel,
            "load_before": self.load_before, "load_after": self.load_after, "ours": self.ours, "peer": self.peer,
        })
    }
}

/// What the `package.json` beside a program from npm says: `NAME VERSION`.
pub(crate) fn npm_version(program: &Path) -> Option<String> {
    let text = fs::read_to_string(program.parent()?.join("package.json")).ok()?;
    let package: Value = serde_json::from_str(&text).ok()?;
    let field = |key: &str| package.get(key).and_then(Value::as_str);
    Some(format!("{} {}", field("name")?, field("version")?))
}

/// The averages over 1, 5 and 15 minutes.
fn load() -> String {
    let text = read("/proc/loadavg");
    let averages: Vec<&str> = text.split(' ').take(3).collect();
    averages.join(" ")
}

/// A missing file of the kernel is no reason not to measure.
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
