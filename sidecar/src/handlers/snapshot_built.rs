//! The end of a snapshot build: `SnapshotReady` or `Refused(SnapshotFailed)` for everyone
//! who asked for it.

use protocol::frame::{Kind, Refused, SnapshotReady, WarmSnapshot};
use protocol::{Reason, SessionId};

use crate::error::clipped;
use crate::snapshots::{Built, Known, Made};
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, built: Built) {
    let Some((spec, requests)) = state.builds.finished(built.build) else {
        return;
    };
    let result = match built.result {
        Ok(made) => take(state, &spec, made),
        Err(err) => Err((err.reason(), err.to_string())),
    };
    for (position, request) in requests.into_iter().enumerate() {
        let to = Address {
            session: SessionId::CONNECTION,
            request,
        };
        match &result {
            // Whoever asked while the build was under way finds it there.
            Ok(ready) => state.reply(
                to,
                SnapshotReady {
                    reused: ready.reused || position > 0,
                    ..ready.clone()
                },
            ),
            Err((reason, message)) => {
                tracing::warn!(%request, message, "snapshot failed");
                let refused = Refused {
                    kind: Kind::WarmSnapshot.to_wire(),
                    reason: *reason,
                    message: clipped(message.clone()),
                    limit: None,
                };
                state.reply(to, refused);
            }
        }
    }
}

/// Gives the snapshot to the engine and remembers that it has it.
fn take(
    state: &mut State,
    spec: &WarmSnapshot,
    made: Made,
) -> Result<SnapshotReady, (Reason, String)> {
    let Made {
        mut ready,
        image,
        seen,
    } = made;
    if let Some(image) = image {
        let n_before = state.engine.n_snapshots();
        state
            .engine
            .add_snapshot(image)
            .map_err(|err| (Reason::SnapshotFailed, err.to_string()))?;
        ready.reused = state.engine.n_snapshots() == n_before;
    }
    if let Some(seen) = seen {
        let ready = ready.clone();
        state.builds.remember(spec, Known { ready, seen });
    }
    Ok(ready)
}
