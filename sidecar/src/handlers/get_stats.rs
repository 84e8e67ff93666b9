//! `GetStats`: counters of the process or of one session.

use protocol::frame::{Stats, StatsBody};

use crate::error::RequestError;
use crate::state::{Address, State};

pub(crate) fn handle(state: &mut State, to: Address) -> Result<(), RequestError> {
    let stats = if to.session.is_connection() {
        state.builds.check_new(to.request)?;
        StatsBody::Process(state.process_stats())
    } else {
        let session = state.sessions.get(to.session)?;
        session.check_unused(to.request)?;
        if session.handle().ask_stats(to.request) {
            return state.sessions.update(to.session, |session| {
                session.asked_stats(to.request);
                Ok(())
            });
        }
        StatsBody::Session(session.handle().stats())
    };
    state.reply(to, Stats { stats });
    Ok(())
}
