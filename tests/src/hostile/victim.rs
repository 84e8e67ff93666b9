//! A hostile guest as its host meets it: a session, and what makes the guest's code run.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use isolate_sidecar_client::{
    CallMode, Code, Execute, Finished, GuestEvent, HostError, Outcome, Pending, Reason,
    RequestError, Responder, Session, SessionOptions, Sidecar, SnapshotSpec, Until, Value,
    ValueFormat, call_export, call_global, import,
};

use super::{Ending, Entry, Hostile};
use crate::guest::{limits, root};

/// How long the host looks for something that happens between requests, at a time.
const LOOK: Duration = Duration::from_millis(5);
/// How much longer than its limit a guest between requests is watched.
const WATCHED: Duration = Duration::from_secs(3);
/// Where the guest's files are, for the guest.
const FOLDER: &str = "/hostile";

/// An attack that has been made.
#[derive(Debug)]
pub struct Attack {
    /// How it ended.
    pub ending: Ending,
    /// What was said about it.
    pub said: String,
    /// How long the guest ran.
    pub took: Duration,
    /// The session that it ran in; a snapshot has none.
    pub session: Option<Session>,
    kept: Arc<Mutex<Vec<Responder>>>,
    /// The guest's files, which it may still read.
    _folder: tempfile::TempDir,
}

impl Attack {
    /// Answers the host calls that nobody has answered.
    pub fn answer_late(&self) {
        let kept = std::mem::take(&mut *self.kept.lock().unwrap());
        kept.into_iter()
            .for_each(|late| late.reply(Ok(Value::Undefined)));
    }
}

/// Makes the attack; `armed` is called when the guest is about to run.
///
/// # Errors
///
/// What kept the guest from being tried at all.
pub fn attack(
    sidecar: &Sidecar,
    hostile: &Hostile,
    options: SessionOptions,
    armed: impl FnOnce(),
) -> Result<Attack, RequestError> {
    let folder = files(hostile);
    let mut attack = Attack {
        ending: Ending::Ok,
        said: String::new(),
        took: Duration::ZERO,
        session: None,
        kept: Arc::default(),
        _folder: folder,
    };
    if hostile.entry == Entry::Snapshot {
        armed();
        let spec = snapshot(hostile, attack._folder.path());
        let begun = Instant::now();
        let made = sidecar.warm_snapshot(spec);
        attack.took = begun.elapsed();
        (attack.ending, attack.said) = match made {
            Ok(ready) => (Ending::Ok, format!("{} bytes", ready.bytes)),
            Err(err) => lost(err)?,
        };
        return Ok(attack);
    }
    let events = Arc::default();
    let options = SessionOptions {
        limits: session_limits(hostile),
        roots: vec![root(attack._folder.path(), FOLDER)],
        ..options
    };
    let session = open(sidecar, options, &attack.kept, &events)?;
    prepare(&session, hostile)?;
    armed();
    let begun = Instant::now();
    let ended = run(&session, hostile);
    (attack.ending, attack.said) = match ended {
        Ok(finished) => said(finished.outcome),
        Err(err) => lost(err)?,
    };
    if hostile.entry == Entry::Background && attack.ending == Ending::Ok {
        (attack.ending, attack.said) = between(sidecar, &session, hostile, &events);
    }
    attack.took = begun.elapsed();
    attack.session = Some(session);
    Ok(attack)
}

fn session_limits(hostile: &Hostile) -> isolate_sidecar_client::LimitsRequest {
    let mut options = limits(hostile.heap_mib, hostile.wall_ms);
    options.limits.cpu_ms = (hostile.cpu_ms != 0).then_some(hostile.cpu_ms);
    options.limits
}

/// The guest's files: `NAME.mjs`, or `NAME-0.mjs` and so on where there are several.
fn files(hostile: &Hostile) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for n in 0..hostile.files {
        fs::write(folder.path().join(file_name(hostile, n)), hostile.file(n)).unwrap();
    }
    folder
}

fn file_name(hostile: &Hostile, n: usize) -> String {
    let Hostile { name, suffix, .. } = hostile;
    match hostile.files {
        1 => format!("{name}.{suffix}"),
        _ => format!("{name}-{n}.{suffix}"),
    }
}

fn specifier(hostile: &Hostile) -> String {
    format!("{FOLDER}/{}", file_name(hostile, 0))
}

fn snapshot(hostile: &Hostile, folder: &Path) -> SnapshotSpec {
    SnapshotSpec {
        roots: vec![root(folder, FOLDER)],
        entries: vec![specifier(hostile)],
        limits: session_limits(hostile),
        ..SnapshotSpec::default()
    }
}

type Events = Arc<Mutex<Vec<GuestEvent>>>;

/// A session with functions of the host: some answer, some do not.
fn open(
    sidecar: &Sidecar,
    options: SessionOptions,
    kept: &Arc<Mutex<Vec<Responder>>>,
    events: &Events,
) -> Result<Session, RequestError> {
    let keep = || {
        let kept = Arc::clone(kept);
        move |_, responder| kept.lock().unwrap().push(responder)
    };
    let fail = |_| {
        Err(HostError {
            name: "Error".to_owned(),
            message: "the host refuses".to_owned(),
            code: None,
        })
    };
    let events = Arc::clone(events);
    sidecar
        .session(options)
        .function("echo", CallMode::Sync, Ok)
        .function("later", CallMode::Async, Ok)
        .function("fail", CallMode::Sync, fail)
        .deferred("never", CallMode::Sync, ValueFormat::Json, keep())
        .deferred("forgotten", CallMode::Async, ValueFormat::Json, keep())
        .on_event(move |_, event| events.lock().unwrap().push(event))
        .open()
}

/// What is done before the guest's attack begins.
fn prepare(session: &Session, hostile: &Hostile) -> Result<(), RequestError> {
    if hostile.entry == Entry::Call && hostile.suffix == "js" {
        let prepared = session.execute(execute(hostile))?;
        assert!(
            matches!(prepared.outcome, Outcome::Ok(_)),
            "{}: not prepared: {prepared:?}",
            hostile.name
        );
    }
    Ok(())
}

fn run(session: &Session, hostile: &Hostile) -> Result<Finished, RequestError> {
    let none = || Value::Json("[]".into());
    let pending = match (hostile.entry, hostile.suffix.as_str()) {
        (Entry::Call, "js") => session.start_call(call_global("attack", none())),
        (Entry::Call, _) => session.start_call(call_export(specifier(hostile), "attack", none())),
        (Entry::Load, _) => session.start(import(specifier(hostile))),
        _ => session.start(execute(hostile)),
    }?;
    match hostile.cancel_ms {
        0 => pending.wait(),
        after => cancelled(pending, Duration::from_millis(after)),
    }
}

fn cancelled(pending: Pending, after: Duration) -> Result<Finished, RequestError> {
    pending.wait_for(after).unwrap_or_else(|pending| {
        pending.canceller().cancel();
        pending.wait()
    })
}

fn execute(hostile: &Hostile) -> Execute {
    let source = hostile.source.clone().into();
    let name = format!("{FOLDER}/{}.{}", hostile.name, hostile.suffix);
    let code = match hostile.suffix.as_str() {
        "mjs" => Code::Module { name, source },
        _ => Code::Script { name, source },
    };
    Execute {
        code,
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    }
}

/// Waits for the end of what runs between requests: a limit that is told, an error that
/// nobody handles or the end of the session. `ok` is that nothing of the kind happens.
fn between(
    sidecar: &Sidecar,
    session: &Session,
    hostile: &Hostile,
    events: &Events,
) -> (Ending, String) {
    let begun = Instant::now();
    let watched = hostile.deadline().saturating_add(WATCHED);
    while begun.elapsed() < watched {
        sidecar.serve_for(LOOK);
        let told = events.lock().unwrap().pop();
        match told {
            Some(GuestEvent::LimitWarning(report)) => {
                return (
                    Ending::Limit(report.which.as_str().to_owned()),
                    String::new(),
                );
            }
            Some(GuestEvent::UnhandledRejection(error)) => {
                return (Ending::Exception, error.message);
            }
            None => {}
        }
        if let Err(err) = session.stats() {
            return lost(err).unwrap_or_else(|err| (Ending::Lost(err.to_string()), String::new()));
        }
    }
    (Ending::Ok, "nothing happened".to_owned())
}

fn said(outcome: Outcome) -> (Ending, String) {
    match outcome {
        Outcome::Ok(_) => (Ending::Ok, String::new()),
        Outcome::Exception(error) => (
            Ending::Exception,
            format!("{}: {}", error.name, error.message),
        ),
        Outcome::LimitExceeded(report) => (
            Ending::Limit(report.which.as_str().to_owned()),
            format!("{} of {}", report.usage, report.limit),
        ),
        Outcome::Cancelled => (Ending::Cancelled, String::new()),
    }
}

/// What a request without an outcome says about the guest. The end of the sidecar says
/// nothing about one guest.
fn lost(err: RequestError) -> Result<(Ending, String), RequestError> {
    match err {
        RequestError::SessionLost {
            reason: Reason::EngineOom | Reason::MemoryExceeded,
            message,
            ..
        } => Ok((Ending::Limit("memory".to_owned()), message)),
        RequestError::SessionLost {
            reason, message, ..
        } => Ok((Ending::Lost(reason.to_string()), message)),
        RequestError::Refused { message, .. } => Ok((Ending::Refused, message)),
        err => Err(err),
    }
}
