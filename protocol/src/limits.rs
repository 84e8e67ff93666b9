//! What a session may use.

use crate::wire::{Reader, Wire, Writer};
use crate::{EncodeError, FrameError};

/// Limits of one session. Zero never means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// JavaScript heap, buffers of every kind, WebAssembly memory and large blocks of
    /// native code together, in bytes. Does not count V8's own code pages and metadata.
    pub heap_bytes: u64,
    /// Time on the CPU per request, in milliseconds. Does not count waiting for
    /// the host.
    pub cpu_ms: u64,
    /// Elapsed time per request, in milliseconds, waiting included.
    pub wall_ms: u64,
    /// Output per request, in bytes. What exceeds it is dropped from the middle
    /// and counted.
    pub output_bytes: u64,
    /// Host calls without a reply at one time.
    pub host_calls_in_flight: u32,
    /// How long one host call may wait for its reply, in milliseconds.
    pub host_call_timeout_ms: u64,
    /// Timers pending at one time.
    pub timers: u32,
    /// Largest value that crosses between guest and host, encoded, in bytes:
    /// arguments and results of host calls, inputs and results of requests.
    pub message_bytes: u32,
}

impl Limits {
    /// What a session gets when the host asks for nothing and no ceiling is lower.
    pub const DEFAULT: Limits = Limits {
        heap_bytes: 128 * 1024 * 1024,
        cpu_ms: 30_000,
        wall_ms: 300_000,
        output_bytes: 16 * 1024 * 1024,
        host_calls_in_flight: 1024,
        host_call_timeout_ms: 30_000,
        timers: 4096,
        message_bytes: 16 * 1024 * 1024,
    };

    /// The least a session gets, whatever is asked and whatever the ceilings say.
    pub const FLOOR: Limits = Limits {
        heap_bytes: 8 * 1024 * 1024,
        cpu_ms: 1,
        wall_ms: 1,
        output_bytes: 1,
        host_calls_in_flight: 1,
        host_call_timeout_ms: 1,
        timers: 1,
        message_bytes: 1,
    };
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

/// What the host asks for: `None` takes the default. Each field is that of [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LimitsRequest {
    /// See [`Limits::heap_bytes`].
    pub heap_bytes: Option<u64>,
    /// See [`Limits::cpu_ms`].
    pub cpu_ms: Option<u64>,
    /// See [`Limits::wall_ms`].
    pub wall_ms: Option<u64>,
    /// See [`Limits::output_bytes`].
    pub output_bytes: Option<u64>,
    /// See [`Limits::host_calls_in_flight`].
    pub host_calls_in_flight: Option<u32>,
    /// See [`Limits::host_call_timeout_ms`].
    pub host_call_timeout_ms: Option<u64>,
    /// See [`Limits::timers`].
    pub timers: Option<u32>,
    /// See [`Limits::message_bytes`].
    pub message_bytes: Option<u32>,
}

impl LimitsRequest {
    /// The limits that hold: what is asked, or else the default, but never above
    /// the ceiling and never below [`Limits::FLOOR`]. Where a ceiling is below the
    /// floor, the floor wins: zero would read as unbounded further down.
    pub fn resolve(&self, ceilings: &Limits) -> Limits {
        fn pick<T: Ord>(asked: Option<T>, default: T, ceiling: T, floor: T) -> T {
            asked.unwrap_or(default).min(ceiling).max(floor)
        }
        macro_rules! pick {
            ($field:ident) => {
                pick(
                    self.$field,
                    Limits::DEFAULT.$field,
                    ceilings.$field,
                    Limits::FLOOR.$field,
                )
            };
        }
        Limits {
            heap_bytes: pick!(heap_bytes),
            cpu_ms: pick!(cpu_ms),
            wall_ms: pick!(wall_ms),
            output_bytes: pick!(output_bytes),
            host_calls_in_flight: pick!(host_calls_in_flight),
            host_call_timeout_ms: pick!(host_call_timeout_ms),
            timers: pick!(timers),
            message_bytes: pick!(message_bytes),
        }
    }
}

impl From<Limits> for LimitsRequest {
    fn from(limits: Limits) -> LimitsRequest {
        LimitsRequest {
            heap_bytes: Some(limits.heap_bytes),
            cpu_ms: Some(limits.cpu_ms),
            wall_ms: Some(limits.wall_ms),
            output_bytes: Some(limits.output_bytes),
            host_calls_in_flight: Some(limits.host_calls_in_flight),
            host_call_timeout_ms: Some(limits.host_call_timeout_ms),
            timers: Some(limits.timers),
            message_bytes: Some(limits.message_bytes),
        }
    }
}

impl Wire for Limits {
    fn load(src: &mut Reader) -> Result<Limits, FrameError> {
        Ok(Limits {
            heap_bytes: src.number("limits.heap_bytes")?,
            cpu_ms: src.number("limits.cpu_ms")?,
            wall_ms: src.number("limits.wall_ms")?,
            output_bytes: src.number("limits.output_bytes")?,
            host_calls_in_flight: src.number("limits.host_calls_in_flight")?,
            host_call_timeout_ms: src.number("limits.host_call_timeout_ms")?,
            timers: src.number("limits.timers")?,
            message_bytes: src.number("limits.message_bytes")?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.number(self.heap_bytes);
        dst.number(self.cpu_ms);
        dst.number(self.wall_ms);
        dst.number(self.output_bytes);
        dst.number(self.host_calls_in_flight);
        dst.number(self.host_call_timeout_ms);
        dst.number(self.timers);
        dst.number(self.message_bytes);
        Ok(())
    }
}

impl Wire for LimitsRequest {
    fn load(src: &mut Reader) -> Result<LimitsRequest, FrameError> {
        Ok(LimitsRequest {
            heap_bytes: src.option("limits_request.heap_bytes", |src| {
                src.number("limits_request.heap_bytes")
            })?,
            cpu_ms: src.option("limits_request.cpu_ms", |src| {
                src.number("limits_request.cpu_ms")
            })?,
            wall_ms: src.option("limits_request.wall_ms", |src| {
                src.number("limits_request.wall_ms")
            })?,
            output_bytes: src.option("limits_request.output_bytes", |src| {
                src.number("limits_request.output_bytes")
            })?,
            host_calls_in_flight: src.option("limits_request.host_calls_in_flight", |src| {
                src.number("limits_request.host_calls_in_flight")
            })?,
            host_call_timeout_ms: src.option("limits_request.host_call_timeout_ms", |src| {
                src.number("limits_request.host_call_timeout_ms")
            })?,
            timers: src.option("limits_request.timers", |src| {
                src.number("limits_request.timers")
            })?,
            message_bytes: src.option("limits_request.message_bytes", |src| {
                src.number("limits_request.message_bytes")
            })?,
        })
    }

    fn encode(&self, dst: &mut Writer<'_>) -> Result<(), EncodeError> {
        dst.option(self.heap_bytes, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.cpu_ms, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.wall_ms, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.output_bytes, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.host_calls_in_flight, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.host_call_timeout_ms, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.timers, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        dst.option(self.message_bytes, |dst, number| {
            dst.number(number);
            Ok(())
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CEILINGS: Limits = Limits {
        heap_bytes: 256 * 1024 * 1024,
        cpu_ms: 10_000,
        ..Limits::DEFAULT
    };

    #[track_caller]
    fn check(asked: LimitsRequest, expected: Limits) {
        assert_eq!(asked.resolve(&CEILINGS), expected);
    }

    #[test]
    fn nothing_asked_is_the_default_under_the_ceiling() {
        let cpu_ms = CEILINGS.cpu_ms;
        check(
            LimitsRequest::default(),
            Limits {
                cpu_ms,
                ..Limits::DEFAULT
            },
        );
    }

    #[test]
    fn what_is_asked_holds_up_to_the_ceiling() {
        for (asked, given) in [(9_999, 9_999), (10_000, 10_000), (10_001, 10_000)] {
            let request = LimitsRequest {
                cpu_ms: Some(asked),
                ..LimitsRequest::from(CEILINGS)
            };
            check(
                request,
                Limits {
                    cpu_ms: given,
                    ..CEILINGS
                },
            );
        }
    }

    #[test]
    fn more_than_the_default_can_be_asked() {
        let heap_bytes = Limits::DEFAULT.heap_bytes + 1;
        let request = LimitsRequest {
            heap_bytes: Some(heap_bytes),
            ..LimitsRequest::from(CEILINGS)
        };
        check(
            request,
            Limits {
                heap_bytes,
                ..CEILINGS
            },
        );
    }

    #[test]
    fn nothing_is_below_the_floor() {
        let floor = Limits::FLOOR.heap_bytes;
        for (asked, given) in [(floor - 1, floor), (floor, floor), (floor + 1, floor + 1)] {
            let request = LimitsRequest {
                heap_bytes: Some(asked),
                ..LimitsRequest::from(CEILINGS)
            };
            check(
                request,
                Limits {
                    heap_bytes: given,
                    ..CEILINGS
                },
            );
        }
    }

    #[test]
    fn zero_is_never_unbounded() {
        let zero = Limits {
            heap_bytes: 0,
            cpu_ms: 0,
            wall_ms: 0,
            output_bytes: 0,
            host_calls_in_flight: 0,
            host_call_timeout_ms: 0,
            timers: 0,
            message_bytes: 0,
        };
        check(zero.into(), Limits::FLOOR);
        assert_eq!(LimitsRequest::default().resolve(&zero), Limits::FLOOR);
    }
}
