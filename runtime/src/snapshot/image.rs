//! Blobs that sessions are restored from, held in memory once for all sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use host_bridge::{SnapshotImage, SnapshotModule};
use protocol::SnapshotKey;
use sha2::{Digest, Sha256};

use crate::bootstrap::{self, Hooks};
use crate::code_cache::ImageCode;
use crate::enter::in_new_context;
use crate::modules::{ModuleKey, SnapshotIndex};
use crate::{externals, flags};

/// A blob with what Rust has to know about it.
#[derive(Debug)]
pub(crate) struct Image {
    /// V8 reads it for as long as a session lives, so it is never given back. The number of
    /// images is bounded by the engine.
    pub(crate) blob: &'static [u8],
    /// Compiled code for its sessions.
    pub(crate) code: Arc<ImageCode>,
    /// Where its modules stand among the data of its context.
    pub(crate) modules: Arc<SnapshotIndex>,
    pub(crate) entries: BTreeMap<String, String>,
    /// Names of the built-in modules of the realm.
    pub(crate) builtins: Vec<String>,
}

impl Image {
    pub(crate) fn new(image: SnapshotImage, builtins: Vec<String>) -> Image {
        let blob = image.blob.to_vec().leak();
        Image {
            blob,
            code: Arc::new(ImageCode::new(blob)),
            modules: Arc::new(index(image.modules)),
            entries: image.entries,
            builtins,
        }
    }
}

fn index(modules: Vec<SnapshotModule>) -> SnapshotIndex {
    modules
        .into_iter()
        .enumerate()
        .map(|(position, module)| {
            let key = ModuleKey {
                url: module.url,
                attribute: module.attribute,
            };
            (key, position)
        })
        .collect()
}

/// Makes the snapshot of the bare realm: the bootstrap scripts and nothing else. It takes a
/// few milliseconds, and holds only code of ours, so it is made in this process.
///
/// `None` means that a bootstrap script threw.
pub(crate) fn base_image() -> Option<Image> {
    let mut isolate = v8::Isolate::snapshot_creator(Some(externals::references()), None);
    let builtins = in_new_context(&mut isolate, |scope| {
        let context = scope.get_current_context();
        let made = bootstrap::run_scripts(scope).and_then(|hooks| {
            scope.add_context_data(context, hooks);
            Some(Hooks::new(scope, hooks)?.builtin_names(scope))
        });
        scope.set_default_context(context);
        made
    });
    // The creator must make its blob in any case, or it aborts when it is dropped.
    let blob = isolate.create_blob(v8::FunctionCodeHandling::Clear)?;
    let blob = blob.to_vec().leak();
    Some(Image {
        blob,
        code: Arc::new(ImageCode::new(blob)),
        modules: Arc::default(),
        entries: BTreeMap::new(),
        builtins: builtins?,
    })
}

/// Names a snapshot: a digest over everything that decides what it is. The blob does not: it
/// holds hash seeds, and two of the same spec and files differ in them alone.
pub(crate) fn key_of(spec: &str, files: &[(String, [u8; 32])]) -> SnapshotKey {
    let mut digest = Sha256::new();
    let mut part = |part: &[u8]| {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    };
    part(env!("CARGO_PKG_VERSION").as_bytes());
    part(v8::V8::get_version().as_bytes());
    part(flags::text().as_bytes());
    part(spec.as_bytes());
    for (path, contents) in files {
        part(path.as_bytes());
        part(contents);
    }
    SnapshotKey(digest.finalize().into())
}
