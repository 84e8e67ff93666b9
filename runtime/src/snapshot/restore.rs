//! A realm out of a snapshot: its hooks and the session's own world.

use host_bridge::OpenSpec;

use crate::Scope;
use crate::bootstrap;
use crate::enter::Realm;
use crate::session::State;

/// Re-makes what a snapshot cannot hold. `false` means that the image is not what this
/// build makes.
pub(crate) fn restore(realm: &mut Realm, spec: &OpenSpec) -> bool {
    realm.turn(|scope, state| {
        let scope = std::pin::pin!(v8::TryCatch::new(scope));
        let scope = &mut scope.init();
        adopt(scope, state, spec).is_some()
    })
}

fn adopt(scope: &mut Scope<'_, '_>, state: &State, spec: &OpenSpec) -> Option<()> {
    let hooks = scope
        .get_context_data_from_snapshot_once::<v8::Object>(0)
        .ok()?;
    if !bootstrap::adopt(scope, state, hooks) {
        return None;
    }
    state.hooks.get()?.restore(scope, spec)
}
