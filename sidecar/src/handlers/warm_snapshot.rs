//! `WarmSnapshot`: checked here, built in a child process. Answered by `snapshot_built.rs`.

use protocol::frame::WarmSnapshot;

use crate::error::RequestError;
use crate::state::{Address, State};
use crate::validate::{self, InvalidArgument};

pub(crate) fn handle(
    state: &mut State,
    to: Address,
    mut warm: WarmSnapshot,
) -> Result<(), RequestError> {
    if !state.lifeline.is_serving() {
        return Err(RequestError::ShuttingDown);
    }
    state.builds.check_new(to.request)?;
    check(&warm)?;
    warm.limits = warm.limits.resolve(&state.config.ceilings).into();
    state.builds.submit(to.request, warm)
}

fn check(warm: &WarmSnapshot) -> Result<(), InvalidArgument> {
    if warm.entries.is_empty() && warm.script.is_none() {
        return Err(InvalidArgument::NothingToEvaluate);
    }
    validate::roots(&warm.roots)?;
    validate::guest_path("cwd", &warm.cwd)?;
    validate::env(&warm.env)?;
    validate::argv(&warm.argv)?;
    validate::conditions(&warm.conditions)?;
    validate::modules(&warm.modules)
}
