//! One hostile guest beside ten neighbours: what was seen, and what of it is wrong.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use isolate_sidecar_client::{
    Outcome, Reason, RequestError, Session, SessionOptions, Sidecar, Value, script,
};

use super::{Attack, Checked, Ending, Entry, Hostile, Neighbours, Resident, attack};

/// How much later than its limit a guest may end.
pub const LATE: Duration = Duration::from_secs(1);
/// How long a session that does not stop has until it is given up.
const GRACE: Duration = Duration::from_secs(2);
const NEIGHBOURS: usize = 10;
/// By how much more than its multiple of the guest's heap the process may grow.
const ROOM_MIB: u64 = 16;
/// The multiple of the guest's heap by which the process may grow.
const MOST_OF_CAP: u64 = 2;

/// What was seen of one guest.
#[derive(Debug)]
pub struct Trial {
    /// How it ended, or why the sidecar did.
    pub ending: Result<Ending, String>,
    /// What was said about it.
    pub said: String,
    /// How long it ran.
    pub took: Duration,
    /// By how much the peak of memory rose, in KiB.
    pub grown_kib: u64,
    /// Whether the guest's thread is parked for good.
    pub is_quarantined: bool,
    /// What the neighbours came to meanwhile.
    pub neighbours: Checked,
    /// What became of the guest's session.
    pub afterwards: Afterwards,
    /// Whether a new session works.
    pub is_open: Result<(), String>,
}

/// What the session of a guest is good for afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Afterwards {
    /// It takes the next request.
    Answers,
    /// It is closed, and says so.
    Lost,
    /// There was none.
    None,
    /// Neither.
    Wrong(String),
}

/// The most by which the peak of memory may rise for a guest, in KiB; `None` where its heap
/// is not limited.
pub fn allowed_kib(hostile: &Hostile) -> Option<u64> {
    let mib = match (hostile.heap_mib, hostile.peak_mib) {
        (0, _) => return None,
        (heap, 0) => heap.saturating_mul(MOST_OF_CAP).saturating_add(ROOM_MIB),
        (_, known) => known,
    };
    Some(mib.saturating_mul(1024))
}

impl Trial {
    /// Runs a guest in a sidecar that has nothing else to do.
    pub fn run(sidecar: &Sidecar, hostile: &Hostile, options: SessionOptions) -> Trial {
        match Trial::try_run(sidecar, hostile, options) {
            Ok(trial) => trial,
            Err(err) => Trial {
                ending: Err(err.to_string()),
                said: String::new(),
                took: Duration::ZERO,
                grown_kib: 0,
                is_quarantined: false,
                neighbours: Checked::default(),
                afterwards: Afterwards::None,
                is_open: Err(err.to_string()),
            },
        }
    }

    fn try_run(
        sidecar: &Sidecar,
        hostile: &Hostile,
        options: SessionOptions,
    ) -> Result<Trial, RequestError> {
        let pid = sidecar.pid().unwrap_or(0);
        let neighbours = Neighbours::open(sidecar, NEIGHBOURS)?;
        let stop = AtomicBool::new(false);
        let resident = Mutex::new(None::<Resident>);
        let look = || {
            if let Some(resident) = &mut *resident.lock().unwrap() {
                resident.look_at_children();
            }
        };
        let watch = || *resident.lock().unwrap() = Some(Resident::watch(pid));
        let (attacked, checked) = thread::scope(|scope| {
            let computing = scope.spawn(|| neighbours.compute(sidecar, &stop, look));
            let attacked = attack(sidecar, hostile, options, watch);
            stop.store(true, Ordering::Release);
            (attacked, computing.join().unwrap())
        });
        let attack = attacked?;
        let watched = resident.into_inner().unwrap();
        let grown_kib = watched.map_or(0, |mut resident| resident.grown_kib());
        let afterwards = match &attack.session {
            Some(session) => afterwards(session),
            None => Afterwards::None,
        };
        let is_quarantined = sidecar.stats()?.sessions_quarantined != 0;
        attack.answer_late();
        let Attack {
            ending, said, took, ..
        } = attack;
        let again = neighbours.round();
        Ok(Trial {
            ending: Ok(ending),
            said,
            took,
            grown_kib,
            is_quarantined,
            neighbours: Checked {
                wrong: checked.wrong.or(again.err()),
                ..checked
            },
            afterwards,
            is_open: opens(sidecar),
        })
    }

    /// All that is not as it should be.
    pub fn faults(&self, hostile: &Hostile) -> Vec<String> {
        let mut faults = Vec::new();
        match &self.ending {
            Ok(ending) if hostile.endings.contains(ending) => {}
            // A process of its own that was ended with the guest.
            Ok(Ending::Lost(reason))
                if *reason == Reason::ProcessLost.to_string()
                    && (hostile.needs_process || hostile.may_lose_its_session()) => {}
            Ok(ending) => faults.push(format!("ended with {ending} ({})", self.said)),
            Err(_) if hostile.needs_process => return faults,
            Err(why) => return vec![format!("the sidecar is lost: {why}")],
        }
        let given_up = match hostile.needs_process {
            true => GRACE,
            false => Duration::ZERO,
        };
        let most = hostile
            .deadline()
            .saturating_add(LATE)
            .saturating_add(given_up);
        // A snapshot is made beside all this; between requests the host watches for longer.
        let is_watched = matches!(hostile.entry, Entry::Snapshot | Entry::Background);
        if !is_watched && most < self.took {
            faults.push(format!("ended after {:?}", self.took));
        }
        if let Some(wrong) = &self.neighbours.wrong {
            faults.push(wrong.clone());
        }
        if let Some(most) = allowed_kib(hostile)
            && most < self.grown_kib
        {
            faults.push(format!(
                "memory rose by {} KiB, at most {most}",
                self.grown_kib
            ));
        }
        match &self.afterwards {
            Afterwards::Lost if !hostile.may_lose_its_session() => {
                faults.push("the session is lost".to_owned());
            }
            Afterwards::Wrong(why) => faults.push(format!("afterwards: {why}")),
            _ => {}
        }
        if let Err(why) = &self.is_open {
            faults.push(format!("a new session: {why}"));
        }
        faults
    }
}

/// The session takes the next request, or tells that it is lost.
fn afterwards(session: &Session) -> Afterwards {
    match session.execute(script("next.js", "1")) {
        Ok(finished) if finished.outcome == Outcome::Ok(Value::Json("1".into())) => {
            Afterwards::Answers
        }
        Ok(finished) => Afterwards::Wrong(format!("{:?}", finished.outcome)),
        Err(
            RequestError::SessionLost { .. }
            | RequestError::Refused {
                reason: Reason::SessionClosed | Reason::UnknownSession,
                ..
            },
        ) => Afterwards::Lost,
        Err(err) => Afterwards::Wrong(err.to_string()),
    }
}

fn opens(sidecar: &Sidecar) -> Result<(), String> {
    let tried = || -> Result<Outcome, RequestError> {
        sidecar.ping()?;
        let session = sidecar.session(SessionOptions::default()).open()?;
        Ok(session.execute(script("new.js", "[1, 2].join()"))?.outcome)
    };
    match tried().map_err(|err| err.to_string())? {
        Outcome::Ok(value) if value.bytes() == b"\"1,2\"" => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
