//! Identifiers. Newtypes so that the compiler keeps them apart.

use std::fmt;

/// Names a session for its whole life. Chosen by the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(pub u32);

impl SessionId {
    /// The connection itself: frames such as `Hello` and `Ping` carry this id.
    pub const CONNECTION: SessionId = SessionId(0);

    /// Wraps an id read from the wire.
    pub const fn new(raw: u32) -> SessionId {
        SessionId(raw)
    }

    /// The id as it travels.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Whether this id names the connection and not a session.
    pub const fn is_connection(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Pairs a request of the host with its answer. Chosen by the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

impl RequestId {
    /// Carried by frames that belong to no request.
    pub const NONE: RequestId = RequestId(0);

    /// Wraps an id read from the wire.
    pub const fn new(raw: u64) -> RequestId {
        RequestId(raw)
    }

    /// The id as it travels.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Pairs a host call with its reply. Chosen by the sidecar, counted per session.
///
/// A call id travels in the request field of the head of `HostCall` and
/// `HostReply`. It is a namespace of its own: call 7 and request 7 of one session
/// have nothing to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(pub u64);

impl CallId {
    /// Wraps an id read from the wire.
    pub const fn new(raw: u64) -> CallId {
        CallId(raw)
    }

    /// The id as it travels.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The call named by the head of a `HostCall` or `HostReply`.
    pub const fn from_head(request: RequestId) -> CallId {
        CallId(request.0)
    }

    /// The value for the request field of the head.
    pub const fn to_head(self) -> RequestId {
        RequestId(self.0)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
