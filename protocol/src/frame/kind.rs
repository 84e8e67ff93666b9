//! Which frame a head introduces, who may send it, and whom it concerns.

use std::fmt;

use crate::SessionId;

/// Which frame follows a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// [`Hello`](super::Hello).
    Hello,
    /// [`Welcome`](super::Welcome).
    Welcome,
    /// [`Ping`](super::Ping).
    Ping,
    /// [`Pong`](super::Pong).
    Pong,
    /// [`GoAway`](super::GoAway).
    GoAway,
    /// [`Shutdown`](super::Shutdown).
    Shutdown,
    /// [`Refused`](super::Refused).
    Refused,
    /// [`Reset`](super::Reset).
    Reset,
    /// [`WarmSnapshot`](super::WarmSnapshot).
    WarmSnapshot,
    /// [`SnapshotReady`](super::SnapshotReady).
    SnapshotReady,
    /// [`OpenSession`](super::OpenSession).
    OpenSession,
    /// [`SessionOpened`](super::SessionOpened).
    SessionOpened,
    /// [`Execute`](super::Execute).
    Execute,
    /// [`Outcome`](super::OutcomeFrame).
    Outcome,
    /// [`Call`](super::Call).
    Call,
    /// [`Called`](super::CalledFrame).
    Called,
    /// [`HostCall`](super::HostCall).
    HostCall,
    /// [`HostReply`](super::HostReply).
    HostReply,
    /// [`Output`](super::Output).
    Output,
    /// [`Cancel`](super::Cancel).
    Cancel,
    /// [`CloseSession`](super::CloseSession).
    CloseSession,
    /// [`SessionClosed`](super::SessionClosed).
    SessionClosed,
    /// [`SessionEvent`](super::SessionEvent).
    SessionEvent,
    /// [`GetStats`](super::GetStats).
    GetStats,
    /// [`Stats`](super::Stats).
    Stats,
    /// A kind this version does not know. Kept so that it can be reported.
    Unknown(u8),
}

/// Who may send a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sender {
    /// The host only.
    Host,
    /// The sidecar only.
    Sidecar,
    /// Either side.
    Both,
}

/// What the head's session field must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionRule {
    /// 0: the frame is about the connection.
    Connection,
    /// Not 0: the frame is about one session.
    Session,
    /// Either.
    Either,
}

impl SessionRule {
    /// Whether a head may name `session`.
    pub const fn admits(self, session: SessionId) -> bool {
        match self {
            SessionRule::Connection => session.is_connection(),
            SessionRule::Session => !session.is_connection(),
            SessionRule::Either => true,
        }
    }
}

impl Kind {
    /// Every kind of this version.
    pub const ALL: [Kind; 25] = [
        Kind::Hello,
        Kind::Welcome,
        Kind::Ping,
        Kind::Pong,
        Kind::GoAway,
        Kind::Shutdown,
        Kind::Refused,
        Kind::Reset,
        Kind::WarmSnapshot,
        Kind::SnapshotReady,
        Kind::OpenSession,
        Kind::SessionOpened,
        Kind::Execute,
        Kind::Outcome,
        Kind::Call,
        Kind::Called,
        Kind::HostCall,
        Kind::HostReply,
        Kind::Output,
        Kind::Cancel,
        Kind::CloseSession,
        Kind::SessionClosed,
        Kind::SessionEvent,
        Kind::GetStats,
        Kind::Stats,
    ];

    /// The kind with this byte.
    pub const fn from_wire(byte: u8) -> Kind {
        match byte {
            0x01 => Kind::Hello,
            0x02 => Kind::Welcome,
            0x03 => Kind::Ping,
            0x04 => Kind::Pong,
            0x05 => Kind::GoAway,
            0x06 => Kind::Shutdown,
            0x07 => Kind::Refused,
            0x08 => Kind::Reset,
            0x10 => Kind::WarmSnapshot,
            0x11 => Kind::SnapshotReady,
            0x12 => Kind::OpenSession,
            0x13 => Kind::SessionOpened,
            0x14 => Kind::Execute,
            0x15 => Kind::Outcome,
            0x16 => Kind::Call,
            0x17 => Kind::Called,
            0x18 => Kind::HostCall,
            0x19 => Kind::HostReply,
            0x1a => Kind::Output,
            0x1b => Kind::Cancel,
            0x1c => Kind::CloseSession,
            0x1d => Kind::SessionClosed,
            0x1e => Kind::SessionEvent,
            0x1f => Kind::GetStats,
            0x20 => Kind::Stats,
            other => Kind::Unknown(other),
        }
    }

    /// The byte as it travels.
    pub const fn to_wire(self) -> u8 {
        match self {
            Kind::Hello => 0x01,
            Kind::Welcome => 0x02,
            Kind::Ping => 0x03,
            Kind::Pong => 0x04,
            Kind::GoAway => 0x05,
            Kind::Shutdown => 0x06,
            Kind::Refused => 0x07,
            Kind::Reset => 0x08,
            Kind::WarmSnapshot => 0x10,
            Kind::SnapshotReady => 0x11,
            Kind::OpenSession => 0x12,
            Kind::SessionOpened => 0x13,
            Kind::Execute => 0x14,
            Kind::Outcome => 0x15,
            Kind::Call => 0x16,
            Kind::Called => 0x17,
            Kind::HostCall => 0x18,
            Kind::HostReply => 0x19,
            Kind::Output => 0x1a,
            Kind::Cancel => 0x1b,
            Kind::CloseSession => 0x1c,
            Kind::SessionClosed => 0x1d,
            Kind::SessionEvent => 0x1e,
            Kind::GetStats => 0x1f,
            Kind::Stats => 0x20,
            Kind::Unknown(other) => other,
        }
    }

    /// Who may send it. An unknown kind may come from anywhere.
    pub const fn sender(self) -> Sender {
        match self {
            Kind::Hello
            | Kind::Shutdown
            | Kind::WarmSnapshot
            | Kind::OpenSession
            | Kind::Execute
            | Kind::Call
            | Kind::HostReply
            | Kind::Cancel
            | Kind::CloseSession
            | Kind::GetStats => Sender::Host,
            Kind::Welcome
            | Kind::GoAway
            | Kind::Refused
            | Kind::Reset
            | Kind::SnapshotReady
            | Kind::SessionOpened
            | Kind::Outcome
            | Kind::Called
            | Kind::HostCall
            | Kind::Output
            | Kind::SessionClosed
            | Kind::SessionEvent
            | Kind::Stats => Sender::Sidecar,
            Kind::Ping | Kind::Pong | Kind::Unknown(_) => Sender::Both,
        }
    }

    /// What the head's session field must be (PROTOCOL.md 5).
    pub const fn session_rule(self) -> SessionRule {
        match self {
            Kind::Hello
            | Kind::Welcome
            | Kind::Ping
            | Kind::Pong
            | Kind::GoAway
            | Kind::Shutdown
            | Kind::WarmSnapshot
            | Kind::SnapshotReady => SessionRule::Connection,
            Kind::Reset
            | Kind::OpenSession
            | Kind::SessionOpened
            | Kind::Execute
            | Kind::Outcome
            | Kind::Call
            | Kind::Called
            | Kind::HostCall
            | Kind::HostReply
            | Kind::Output
            | Kind::Cancel
            | Kind::CloseSession
            | Kind::SessionClosed
            | Kind::SessionEvent => SessionRule::Session,
            Kind::Refused | Kind::GetStats | Kind::Stats | Kind::Unknown(_) => SessionRule::Either,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Unknown(byte) => write!(f, "kind {byte:#04x}"),
            known => fmt::Debug::fmt(known, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_kind_and_keeps_its_value() {
        let mut known = 0;
        for byte in 0..=u8::MAX {
            let kind = Kind::from_wire(byte);
            assert_eq!(kind.to_wire(), byte);
            known += usize::from(Kind::ALL.contains(&kind));
        }
        assert_eq!(known, Kind::ALL.len());
    }
}
