//! Syscalls of the sidecar a host call, counted by strace: what the process does for many calls less what it does for few, so that the
//! start and the end do not count. Under strace everything is slow; no time is taken here.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;

use protocol::SessionId;
use serde_json::{Value, json};

use crate::error::{MeasureError, Result};
use crate::process::command;
use crate::report::figures;
use crate::rows::host_call::{answer_calls, caller};
use crate::rows::{BOUND, Context};
use crate::sidecar::Sidecar;

const FEW: u32 = 100;
const MANY: u32 = 1100;
/// A syscall that is made less often a call than this is not shown.
const SHOWN: f64 = 0.05;

/// Calls of the kernel, by name.
type Counts = BTreeMap<String, u64>;

/// Syscalls a host call, by name, and all together.
#[derive(Debug)]
pub(crate) struct Counted {
    each: Vec<(String, f64)>,
    all: f64,
}

/// `None` where strace is not there or may not trace.
pub(crate) fn per_call(context: &Context) -> Option<Counted> {
    let few = count(context, FEW).ok()?;
    let many = count(context, MANY).ok()?;
    let calls = f64::from(MANY.saturating_sub(FEW));
    let mut each: Vec<(String, f64)> = many
        .iter()
        .map(|(name, n)| {
            let before = few.get(name).copied().unwrap_or(0);
            (name.clone(), (*n as f64 - before as f64) / calls)
        })
        .collect();
    each.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let all = each.iter().map(|(_, n)| n).sum();
    Some(Counted { each, all })
}

impl Counted {
    pub(crate) fn show(&self) -> String {
        let shown: Vec<String> = self
            .each
            .iter()
            .filter(|(_, n)| *n >= SHOWN)
            .map(|(name, n)| format!("{name} {}", figures(*n)))
            .collect();
        let all = figures(self.all);
        format!("{all} syscalls of the sidecar a call: {}", shown.join(", "))
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "all": self.all, "each": self.each })
    }
}

fn count(context: &Context, calls: u32) -> Result<Counts> {
    let file = context.out.join("strace.txt");
    let mut strace = command(Path::new("strace"));
    // A group of its own: the sidecar is to end with strace where that is killed.
    strace.process_group(0);
    strace.args(["-f", "-c", "-o"]).arg(&file).arg("--");
    strace.arg(&context.sidecar).arg("serve");
    let mut sidecar = Sidecar::start_by(strace, BOUND, &context.log("strace"))?;
    let session = SessionId(1);
    sidecar.open(session, caller())?;
    let source = format!("for (let i = 0; i < {calls}; i++) host.ping('0123456789abcdef'); 0");
    answer_calls(&mut sidecar, session, &source)?;
    sidecar.close(session)?;
    // strace writes its summary when the sidecar has ended.
    drop(sidecar);
    let text = fs::read_to_string(&file).map_err(MeasureError::io("read what strace counted"))?;
    Ok(parse(&text))
}

/// Lines are `% time, seconds, usecs/call, calls, [errors], syscall`.
fn parse(summary: &str) -> Counts {
    summary
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let calls = words.get(3)?.parse().ok()?;
            let name = words.last().filter(|name| **name != "total")?;
            Some(((*name).to_owned(), calls))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_parsed() {
        let text = "% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 60.00    0.000600           6       100        20 futex
 40.00    0.000400           4       101           write
------ ----------- ----------- --------- --------- ----------------
100.00    0.001000           4       201        20 total
";
        let counts: Counts = [("futex", 100), ("write", 101)]
            .map(|(name, n)| (name.to_owned(), n))
            .into();
        assert_eq!(parse(text), counts);
    }
}
