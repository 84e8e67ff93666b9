//! A realm out of a snapshot: its hooks, its module map, and the session's own world.

use host_bridge::OpenSpec;

use super::Image;
use crate::Scope;
use crate::bootstrap;
use crate::enter::Realm;
use crate::modules::{Entry, ModuleKey, Origin};
use crate::session::State;

/// Re-makes what a snapshot cannot hold. `false` means that the image is not what this
/// build makes.
pub(crate) fn restore(realm: &mut Realm, image: &Image, spec: &OpenSpec) -> bool {
    realm.turn(|scope, state| {
        let scope = std::pin::pin!(v8::TryCatch::new(scope));
        let scope = &mut scope.init();
        adopt(scope, state, image, spec).is_some()
    })
}

fn adopt(scope: &mut Scope<'_, '_>, state: &State, image: &Image, spec: &OpenSpec) -> Option<()> {
    let hooks = scope
        .get_context_data_from_snapshot_once::<v8::Object>(0)
        .ok()?;
    if !bootstrap::adopt(scope, state, hooks) {
        return None;
    }
    let mut map = state.modules.map.borrow_mut();
    for (position, module) in image.modules.iter().enumerate() {
        let index = position.checked_add(1)?;
        let handle = scope
            .get_context_data_from_snapshot_once::<v8::Module>(index)
            .ok()?;
        let entry = Entry {
            key: ModuleKey {
                url: module.url.clone(),
                attribute: module.attribute.clone(),
            },
            module: v8::Global::new(scope, handle),
            // It has been evaluated; where its exports came from no longer matters.
            origin: Origin::SourceText,
            export_names: Vec::new(),
            restored: true,
        };
        map.insert(scope, entry);
    }
    drop(map);
    state.hooks.get()?.restore(scope, spec)
}
