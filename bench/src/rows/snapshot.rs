//! A session from a snapshot of zod and lodash-es, against one that evaluates the same packages from files. Both run the same module,
//! which imports them; the sessions from files come after the first, so sources and compiled code are cached for them already.

use std::time::{Duration, Instant};

use protocol::frame::{Code, OpenSession, OutcomeFrame, WarmSnapshot};
use protocol::{LimitsRequest, Root, SessionId, SnapshotKey, Usage};
use serde_json::json;

use crate::error::{MeasureError, Result};
use crate::pairs::{Extent, Pairs};
use crate::procfs::settle;
use crate::report::{Row, Unit, figures};
use crate::rows::{Context, bare, execute, milliseconds_since};
use crate::sidecar::{Ending, Sidecar, expect_json};

const ENTRIES: [&str; 2] = ["zod", "lodash-es"];
const MODULE: &str = "import { z } from 'zod';
import { camelCase } from 'lodash-es';
export default z.string().parse(camelCase('first result'));
";
const EXPECTED: &str = r#""firstResult""#;
const HEAP_MIB: u32 = 128;
const SETTLE: Duration = Duration::from_millis(50);
const BAR: f64 = 0.1;

pub(crate) fn measure(context: &Context) -> Result<Vec<Row>> {
    let extent = Extent {
        pairs: context.pick(10, 60),
        warm_up: 1,
        time: context.pick(Duration::from_secs(10), Duration::from_secs(60)),
    };
    let root = Root {
        host: context.project.to_string_lossy().into_owned(),
        guest: "/app".to_owned(),
    };
    let mut sidecar = context.sidecar()?;
    let (first, from_files) = open(&mut sidecar, session(&root, None))?;
    let ready = sidecar.warm(warm(&root))?;
    let (_, from_snapshot) = open(&mut sidecar, session(&root, Some(ready.key)))?;

    let sidecar = std::cell::RefCell::new(sidecar);
    let mut ours = || {
        let spec = session(&root, Some(ready.key));
        open(&mut sidecar.borrow_mut(), spec).map(|(time, _)| time)
    };
    let mut other = || {
        let spec = session(&root, None);
        open(&mut sidecar.borrow_mut(), spec).map(|(time, _)| time)
    };
    let pairs = Pairs::take(extent, &mut ours, Some(&mut other))?;
    let mut row = Row::compared(
        "snapshot",
        "open with zod and lodash-es, first result",
        (Unit::Milliseconds, &pairs),
        "from files",
        Some(BAR),
    );
    row.notes.push(format!(
        "{} modules from the snapshot, {} from files; the very first session from files took {} ms; snapshot of {} KiB made in {} ms{}",
        from_snapshot.modules_from_snapshot,
        from_files.modules_from_reader,
        figures(first),
        ready.bytes >> 10,
        figures(ready.build_us as f64 / 1e3),
        if ready.reused { " (an earlier one was reused)" } else { "" },
    ));
    if let Some(data) = row.data.as_object_mut() {
        let extra = json!({
            "first_from_files_ms": first, "snapshot_bytes": ready.bytes, "build_us": ready.build_us,
            "evaluate_us": ready.evaluate_us, "reused": ready.reused,
            "modules_from_snapshot": from_snapshot.modules_from_snapshot,
            "modules_from_reader": from_files.modules_from_reader,
        });
        data.insert("snapshot".to_owned(), extra);
    }
    Ok(vec![row])
}

/// Opens a session, runs the module, and closes the session outside the measured time.
fn open(sidecar: &mut Sidecar, spec: OpenSession) -> Result<(f64, Usage)> {
    let session = SessionId(1);
    let start = Instant::now();
    sidecar.send(session, spec)?;
    let module = execute(Code::Module {
        name: "/app/measure.mjs".to_owned(),
        source: MODULE.into(),
    });
    let request = sidecar.send(session, module)?;
    let ending = sidecar.ending(session, request)?;
    let time = milliseconds_since(start);
    expect_json(&ending, EXPECTED)?;
    sidecar.close(session)?;
    settle(sidecar.pid(), 0, SETTLE)?;
    match ending {
        Ending::Outcome(OutcomeFrame { usage, .. }) => Ok((time, usage)),
        Ending::Lost(reset) => Err(MeasureError::unexpected("an outcome", reset)),
    }
}

fn session(root: &Root, snapshot: Option<SnapshotKey>) -> OpenSession {
    OpenSession {
        snapshot,
        roots: vec![root.clone()],
        cwd: root.guest.clone(),
        ..bare(HEAP_MIB)
    }
}

fn warm(root: &Root) -> WarmSnapshot {
    WarmSnapshot {
        roots: vec![root.clone()],
        entries: ENTRIES.map(str::to_owned).to_vec(),
        script: None,
        env: Vec::new(),
        argv: Vec::new(),
        cwd: root.guest.clone(),
        conditions: Vec::new(),
        modules: protocol::ModuleOptions::default(),
        limits: LimitsRequest::default(),
    }
}
