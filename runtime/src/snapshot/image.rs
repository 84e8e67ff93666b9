//! Blobs that sessions are restored from, held in memory once for all sessions.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use host_bridge::{ImageHeader, SealedImage, SnapshotImage};
use protocol::SnapshotKey;
use sha2::{Digest, Sha256};

use super::mapping::map;
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
    /// The same, for other processes.
    pub(crate) sealed: Option<Arc<SealedImage>>,
}

impl Image {
    /// Puts a blob where other processes can share it, or else into memory of this one.
    fn keep(key: Option<SnapshotKey>, blob: &[u8], header: ImageHeader) -> Image {
        let sealed = SealedImage::new(key, blob, &header)
            .and_then(|image| Ok((map(&image)?, Arc::new(image))));
        let (blob, sealed) = match sealed {
            Ok((blob, image)) => (blob, Some(image)),
            Err(error) => {
                tracing::warn!(%error, "a snapshot cannot be shared with other processes");
                (&*blob.to_vec().leak(), None)
            }
        };
        Image::of(blob, header, sealed)
    }

    /// Takes over what another process shares.
    ///
    /// # Errors
    ///
    /// When it cannot be mapped or its header does not parse.
    pub(crate) fn adopt(image: SealedImage) -> io::Result<Image> {
        let (blob, header) = (map(&image)?, image.header()?);
        Ok(Image::of(blob, header, Some(Arc::new(image))))
    }

    pub(crate) fn new(image: SnapshotImage, builtins: Vec<String>) -> Image {
        let modules = image.modules.into_iter();
        let header = ImageHeader {
            modules: modules
                .map(|module| (module.url, module.attribute))
                .collect(),
            entries: image.entries,
            builtins,
        };
        Image::keep(Some(image.key), &image.blob, header)
    }

    fn of(blob: &'static [u8], header: ImageHeader, sealed: Option<Arc<SealedImage>>) -> Image {
        Image {
            blob,
            code: Arc::new(ImageCode::new(blob)),
            modules: Arc::new(index(header.modules)),
            entries: header.entries,
            builtins: header.builtins,
            sealed,
        }
    }
}

fn index(modules: Vec<(String, String)>) -> SnapshotIndex {
    modules
        .into_iter()
        .enumerate()
        .map(|(position, (url, attribute))| (ModuleKey { url, attribute }, position))
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
    let header = ImageHeader {
        builtins: builtins?,
        ..ImageHeader::default()
    };
    Some(Image::keep(None, &blob, header))
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
