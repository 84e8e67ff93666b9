//! `Stats`: the answer to `GetStats`.

use crate::wire::{Reader, Wire, Writer, unknown_tag};
use crate::{EncodeError, FrameError, ProcessStats, SessionStats};

/// The counters that were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// The counters.
    pub stats: StatsBody,
}

/// Counters of the process or of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatsBody {
    /// Asked with session 0.
    Process(ProcessStats),
    /// Asked with a session.
    Session(SessionStats),
}

impl Wire for Stats {
    fn load(src: &mut Reader) -> Result<Stats, FrameError> {
        Ok(Stats {
            stats: StatsBody::load(src)?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        self.stats.encode(dst)?;
        Ok(())
    }
}

impl Wire for StatsBody {
    fn load(src: &mut Reader) -> Result<StatsBody, FrameError> {
        match src.tag("stats_body")? {
            0 => ProcessStats::load(src).map(StatsBody::Process),
            1 => SessionStats::load(src).map(StatsBody::Session),
            other => Err(unknown_tag("stats_body", other)),
        }
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        match self {
            StatsBody::Process(value) => {
                dst.tag(0);
                value.encode(dst)?;
            }
            StatsBody::Session(value) => {
                dst.tag(1);
                value.encode(dst)?;
            }
        }
        Ok(())
    }
}
