//! How a run ended, with the exit code that says so.

use isolate_sidecar_client::{
    JsError, LimitKind, LimitReport, Limits, Outcome, Reason, RequestError, SessionStats, Usage,
    Value,
};
use sidecar::ExitCode;

/// How a run ended.
#[derive(Debug, Clone)]
pub(super) enum Ending {
    /// Well; the value as JSON, unless it was undefined.
    Ok(Option<String>),
    /// The guest threw, or left a rejection unhandled.
    Exception(Box<JsError>),
    /// A limit stopped it.
    Limit(LimitReport),
    /// An interrupt stopped it.
    Cancelled,
    /// There is no outcome, and no fault of the guest.
    Lost { reason: String, code: ExitCode },
}

impl Ending {
    /// A run without an outcome.
    pub(super) fn lost(reason: impl ToString) -> Ending {
        Ending::Lost {
            reason: reason.to_string(),
            code: ExitCode::Internal,
        }
    }

    /// The snapshot that the run was to start from could not be made.
    pub(super) fn no_snapshot(err: &RequestError) -> Ending {
        Ending::Lost {
            reason: format!("the snapshot could not be made: {err}"),
            code: match err {
                RequestError::Refused { .. } => ExitCode::GuestException,
                _ => ExitCode::Internal,
            },
        }
    }

    /// `unhandled` is the first rejection that nobody handled: as in Node, it is how the run
    /// ends, unless the run had ended otherwise before.
    pub(super) fn of_outcome(outcome: Outcome, unhandled: Option<JsError>) -> Ending {
        match (outcome, unhandled) {
            (Outcome::Ok(_) | Outcome::Cancelled, Some(error)) => {
                Ending::Exception(Box::new(error))
            }
            (Outcome::Ok(value), None) => match value {
                Value::Undefined => Ending::Ok(None),
                value => Ending::Ok(Some(String::from_utf8_lossy(value.bytes()).into_owned())),
            },
            (Outcome::Exception(error), _) => Ending::Exception(Box::new(error)),
            (Outcome::LimitExceeded(report), _) => Ending::Limit(report),
            (Outcome::Cancelled, None) => Ending::Cancelled,
        }
    }

    /// A request that got no outcome, in a session with these limits.
    pub(super) fn of_error(err: RequestError, limits: &Limits) -> Ending {
        match err {
            RequestError::SessionLost { reason, stats, .. } if is_out_of_memory(reason) => {
                let peak = stats.map_or(0, |stats| peak_bytes(&stats));
                let usage = peak.max(limits.heap_bytes);
                let report = LimitReport::new(LimitKind::Memory, limits.heap_bytes, usage);
                Ending::Limit(report)
            }
            // It was over a limit and went on: a built-in that V8 does not interrupt. Which
            // limit it was is not told.
            RequestError::SessionLost {
                reason: Reason::StuckSession,
                ..
            } => Ending::Lost {
                reason: "the guest was over a limit and did not stop when it was told to; the sidecar ended for it".to_owned(),
                code: ExitCode::Time,
            },
            RequestError::Refused {
                limit: Some(report),
                ..
            } => Ending::Limit(report),
            RequestError::Unsendable(err) => Ending::Lost {
                reason: format!("the guest does not fit into one frame: {err}"),
                code: ExitCode::Usage,
            },
            err => Ending::lost(err),
        }
    }

    /// Whether the sidecar's own log may tell more.
    pub(super) fn is_our_fault(&self) -> bool {
        self.exit_code() == ExitCode::Internal
    }

    pub(super) fn exit_code(&self) -> ExitCode {
        match self {
            Ending::Ok(_) => ExitCode::Clean,
            Ending::Exception(_) => ExitCode::GuestException,
            Ending::Limit(report) => match report.which {
                LimitKind::Cpu | LimitKind::Wall => ExitCode::Time,
                LimitKind::Memory => ExitCode::Memory,
                _ => ExitCode::GuestException,
            },
            Ending::Cancelled => ExitCode::Interrupted,
            Ending::Lost { code, .. } => *code,
        }
    }
}

/// What a session used that ended without an outcome.
pub(super) fn usage_of(err: &RequestError) -> Usage {
    match err {
        RequestError::SessionLost {
            stats: Some(stats), ..
        } => Usage {
            cpu_us: stats.cpu_us,
            heap_peak_bytes: stats.heap_peak_bytes,
            external_peak_bytes: stats.external_peak_bytes,
            round_trips: stats.round_trips,
            modules_from_reader: stats.modules_from_reader,
            modules_from_snapshot: stats.modules_from_snapshot,
            ..Usage::default()
        },
        _ => Usage::default(),
    }
}

fn is_out_of_memory(reason: Reason) -> bool {
    matches!(reason, Reason::MemoryExceeded | Reason::EngineOom)
}

fn peak_bytes(stats: &SessionStats) -> u64 {
    stats
        .heap_peak_bytes
        .saturating_add(stats.external_peak_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(which: LimitKind) -> Ending {
        Ending::of_outcome(Outcome::LimitExceeded(LimitReport::new(which, 1, 2)), None)
    }

    #[track_caller]
    fn check(ending: &Ending, code: ExitCode) {
        assert_eq!(ending.exit_code(), code, "{ending:?}");
    }

    #[test]
    fn each_ending_has_its_exit_code() {
        let error = || Some(JsError::default());
        check(
            &Ending::of_outcome(Outcome::Ok(Value::Undefined), None),
            ExitCode::Clean,
        );
        check(
            &Ending::of_outcome(Outcome::Ok(Value::Undefined), error()),
            ExitCode::GuestException,
        );
        check(
            &Ending::of_outcome(Outcome::Cancelled, error()),
            ExitCode::GuestException,
        );
        check(
            &Ending::of_outcome(Outcome::Cancelled, None),
            ExitCode::Interrupted,
        );
        check(&limit(LimitKind::Cpu), ExitCode::Time);
        check(&limit(LimitKind::Wall), ExitCode::Time);
        check(&limit(LimitKind::Memory), ExitCode::Memory);
        check(&limit(LimitKind::Message), ExitCode::GuestException);
        check(&Ending::lost("x"), ExitCode::Internal);
    }

    #[test]
    fn a_session_lost_to_memory_met_its_limit() {
        for (reason, code) in [
            (Reason::EngineOom, ExitCode::Memory),
            (Reason::MemoryExceeded, ExitCode::Memory),
            (Reason::Internal, ExitCode::Internal),
        ] {
            let err = RequestError::SessionLost {
                reason,
                message: String::new(),
                stats: None,
            };
            check(&Ending::of_error(err, &Limits::DEFAULT), code);
        }
    }
}
