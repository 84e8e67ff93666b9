//! Every way in which the process ends, with its number. Hosts and supervisors act on
//! these; they never change their meaning.

/// How the process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// The host closed standard input or asked for a shutdown, and all went well.
    Clean = 0,
    /// `run` only: the guest threw, or left a rejection unhandled.
    GuestException = 1,
    /// The command line or the descriptors do not fit.
    Usage = 2,
    /// The sidecar is at fault.
    Internal = 70,
    /// The host broke the protocol, and the stream cannot be followed further.
    Protocol = 71,
    /// The host closed its end of standard output, or does not read what it is sent.
    HostNotReading = 72,
    /// A session did not stop within its grace period, or too many are parked for good.
    /// A supervisor starts the sidecar anew.
    StuckSession = 73,
    /// The machine does not let the engine start; standard error says what is missing.
    CannotStart = 74,
    /// The process that started the sidecar died.
    ParentDied = 75,
    /// `serve --supervise` only: the sidecar has ended too often within a minute.
    TooManyRestarts = 76,
    /// `run` only: a time limit stopped the guest. The number is that of `timeout(1)`.
    Time = 124,
    /// `run` only: an interrupt from the terminal stopped the guest.
    Interrupted = 130,
    /// `run` only: a memory limit stopped the guest. The number is that of `SIGKILL`,
    /// as a kernel out of memory would have left.
    Memory = 137,
    /// `SIGTERM` or `SIGINT` came.
    Terminated = 143,
}

impl ExitCode {
    /// Every code.
    pub const ALL: [ExitCode; 14] = [
        ExitCode::Clean,
        ExitCode::GuestException,
        ExitCode::Usage,
        ExitCode::Internal,
        ExitCode::Protocol,
        ExitCode::HostNotReading,
        ExitCode::StuckSession,
        ExitCode::CannotStart,
        ExitCode::ParentDied,
        ExitCode::TooManyRestarts,
        ExitCode::Time,
        ExitCode::Interrupted,
        ExitCode::Memory,
        ExitCode::Terminated,
    ];

    /// The number that the parent sees.
    pub const fn number(self) -> u8 {
        // The discriminants are the numbers.
        self as u8
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> std::process::ExitCode {
        std::process::ExitCode::from(code.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_stable() {
        let numbers = ExitCode::ALL.map(ExitCode::number);
        assert_eq!(
            numbers,
            [0, 1, 2, 70, 71, 72, 73, 74, 75, 76, 124, 130, 137, 143]
        );
    }
}
