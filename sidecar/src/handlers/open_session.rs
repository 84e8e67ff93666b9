//! `OpenSession`: checked here, carried out by the engine on a thread of its own.

use std::time::Instant;

use host_bridge::{OpenError, OpenSpec};
use protocol::Isolation;
use protocol::frame::OpenSession;

use crate::admission::{Admission, Ledger, Policy, Reservation};
use crate::error::RequestError;
use crate::machine::Memory;
use crate::session_table::NewSession;
use crate::state::{Address, State};
use crate::validate::{self, InvalidArgument};

pub(crate) fn handle(
    state: &mut State,
    to: Address,
    open: OpenSession,
) -> Result<(), RequestError> {
    if !state.lifeline.is_serving() {
        return Err(RequestError::ShuttingDown);
    }
    if state.is_draining {
        return Err(RequestError::Draining);
    }
    check(&open)?;
    let key = state
        .sessions
        .vacancy(to.session, state.config.max_sessions)?;
    let limits = open.limits.resolve(&state.config.ceilings);
    let (isolation, reservation) = admitted(state, open.isolation, limits.heap_bytes)?;
    let (events, credit) = state.event_sender(key, reservation);
    let spec = OpenSpec {
        session: to.session,
        snapshot: open.snapshot,
        roots: open.roots,
        limits,
        env: open.env,
        argv: open.argv,
        cwd: open.cwd,
        conditions: open.conditions,
        modules: open.modules,
        functions: open.functions,
        isolation,
    };
    let handle = state
        .engine
        .open(spec, events)
        .map_err(|err| refusal(state, err))?;
    let new = NewSession {
        key,
        request: to.request,
        limits,
        handle,
        credit,
    };
    state.sessions.insert(new, Instant::now());
    state.counters.sessions_opened = state.counters.sessions_opened.saturating_add(1);
    Ok(())
}

/// Where a session runs, and the room that its heap has here. One that asks for a process of
/// its own, or for a group, has its heap in another cage.
fn admitted(
    state: &State,
    asked: Isolation,
    heap_bytes: u64,
) -> Result<(Isolation, Option<Reservation>), RequestError> {
    let least = &state.config.isolation;
    if asked != Isolation::Thread || *least != Isolation::Thread {
        Ledger::has_machine_room(&Memory::Real)?;
        return Ok((asked, None));
    }
    let policy = Policy {
        further: state.config.further_processes,
        overcommit_percent: state.config.heap_overcommit,
    };
    match state.ledger.admit(heap_bytes, policy, &Memory::Real) {
        Admission::Here(reservation) => Ok((asked, Some(reservation))),
        Admission::FurtherProcess(number, reservation) => {
            // No host can name such a group.
            let group = Isolation::Group(format!("further/{number}"));
            Ok((group, Some(reservation)))
        }
        Admission::Refused(no_room) => Err(no_room.into()),
    }
}

fn check(open: &OpenSession) -> Result<(), InvalidArgument> {
    validate::roots(&open.roots)?;
    validate::guest_path("cwd", &open.cwd)?;
    validate::functions(&open.functions)?;
    validate::env(&open.env)?;
    validate::argv(&open.argv)?;
    validate::conditions(&open.conditions)?;
    validate::modules(&open.modules)?;
    validate::isolation(&open.isolation)
}

fn refusal(state: &State, err: OpenError) -> RequestError {
    match err {
        OpenError::NoThread | OpenError::NoProcess => RequestError::NoRoom {
            open: u32::try_from(state.sessions.len()).unwrap_or(u32::MAX),
            err,
        },
        err => RequestError::Open(err),
    }
}
