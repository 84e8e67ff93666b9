//! The end of a snapshot build: `SnapshotReady` or `Refused(SnapshotFailed)` for everyone
//! who asked for it.

use protocol::frame::{Kind, Refused, SnapshotReady};
use protocol::{Reason, SessionId};

use crate::error::clipped;
use crate::snapshots::Built;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, built: Built) {
    let requests = state.builds.finished(built.build);
    let result = match built.result {
        Ok((image, report)) => {
            let mut ready = SnapshotReady {
                key: image.key,
                bytes: u64::try_from(image.blob.len()).unwrap_or(u64::MAX),
                modules: report.modules,
                build_us: report.build_us,
                evaluate_us: report.evaluate_us,
                reused: false,
            };
            let n_before = state.engine.n_snapshots();
            match state.engine.add_snapshot(image) {
                Ok(()) => {
                    ready.reused = state.engine.n_snapshots() == n_before;
                    Ok(ready)
                }
                Err(err) => Err((Reason::SnapshotFailed, err.to_string())),
            }
        }
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
