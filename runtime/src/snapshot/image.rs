//! Blobs that sessions are restored from, held in memory once for all sessions.

use std::collections::BTreeMap;

use bytes::Bytes;
use host_bridge::{SnapshotImage, SnapshotModule};
use protocol::SnapshotKey;
use sha2::{Digest, Sha256};

use crate::bootstrap::{self, Hooks};
use crate::{externals, flags};

/// A blob with what Rust has to know about it.
#[derive(Debug)]
pub(crate) struct Image {
    /// V8 reads it for as long as a session lives, so it is never given back. The number of
    /// images is bounded by the engine.
    pub(crate) blob: &'static [u8],
    pub(crate) modules: Vec<SnapshotModule>,
    pub(crate) entries: BTreeMap<String, String>,
    /// Names of the built-in modules of the realm.
    pub(crate) builtins: Vec<String>,
}

impl Image {
    pub(crate) fn new(image: SnapshotImage, builtins: Vec<String>) -> Image {
        Image {
            blob: image.blob.to_vec().leak(),
            modules: image.modules,
            entries: image.entries,
            builtins,
        }
    }
}

/// Makes the snapshot of the bare realm: the bootstrap scripts and nothing else. It takes a
/// few milliseconds, and holds only code of ours, so it is made in this process.
///
/// `None` means that a bootstrap script threw.
pub(crate) fn base_image() -> Option<Image> {
    let mut isolate = v8::Isolate::snapshot_creator(Some(externals::references()), None);
    let builtins = {
        let scope = std::pin::pin!(v8::HandleScope::new(&mut isolate));
        let scope = &mut scope.init();
        let context = v8::Context::new(scope, v8::ContextOptions::default());
        let scope = &mut v8::ContextScope::new(scope, context);
        let made = bootstrap::run_scripts(scope).and_then(|hooks| {
            scope.add_context_data(context, hooks);
            Some(Hooks::new(scope, hooks)?.builtin_names(scope))
        });
        scope.set_default_context(context);
        made
    };
    // The creator must make its blob in any case, or it aborts when it is dropped.
    let blob = isolate.create_blob(v8::FunctionCodeHandling::Clear)?;
    Some(Image {
        blob: blob.to_vec().leak(),
        modules: Vec::new(),
        entries: BTreeMap::new(),
        builtins: builtins?,
    })
}

/// Names a snapshot: a digest over everything that decides what it is.
pub(crate) fn key_of(blob: &Bytes, spec: &str) -> SnapshotKey {
    let mut digest = Sha256::new();
    for part in [
        env!("CARGO_PKG_VERSION"),
        v8::V8::get_version(),
        &flags::text(),
        spec,
    ] {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.update(blob);
    SnapshotKey(digest.finalize().into())
}
