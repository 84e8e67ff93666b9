//! What a realm does for the sake of a snapshot that is made of it: `js/lazy/build.js`.

use crate::Scope;
use crate::bootstrap::Hooks;
use crate::strings::string;

/// Why an SDK is loaded in a realm that is no session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// For a snapshot.
    Snapshot,
    /// To tell what it takes from its surroundings.
    Explanation,
}

impl Hooks {
    /// Prepares the realm for a snapshot that will be made of it: what no snapshot can hold
    /// gets stand-ins. No code of the guest has run.
    ///
    /// For an explanation it keeps a record of what the SDK takes from its surroundings.
    pub(crate) fn begin_build(&self, scope: &mut Scope<'_, '_>, purpose: Purpose) -> Option<()> {
        let file = [v8::undefined(scope).into(), string(scope, "build").into()];
        self.call(scope, "readGlobal", &file)?;
        let is_explained = v8::Boolean::new(scope, purpose == Purpose::Explanation).into();
        self.call(scope, "beginBuild", &[is_explained]).map(|_| ())
    }

    /// The record of a build that is explained, in JSON.
    pub(crate) fn record(&self, scope: &mut Scope<'_, '_>) -> Option<String> {
        let record = self.call(scope, "record", &[])?;
        Some(record.to_rust_string_lossy(scope))
    }

    /// The snapshot is made next: forgets what stand-ins stand for. Garbage was collected.
    /// Says why there can be none; `None` means that it could not be asked.
    pub(crate) fn end_build(&self, scope: &mut Scope<'_, '_>) -> Option<Result<(), String>> {
        let reason = self.call(scope, "endBuild", &[])?;
        if reason.is_undefined() {
            return Some(Ok(()));
        }
        Some(Err(reason.to_rust_string_lossy(scope)))
    }
}
