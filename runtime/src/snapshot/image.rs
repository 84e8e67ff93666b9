//! Blobs that sessions are restored from, held in memory once for all sessions: a file of the
//! cache stays mapped, so that other sidecars hold the same memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
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
    key: Option<SnapshotKey>,
    /// The same, for other processes; made when one needs it, where the blob is not in it.
    sealed: OnceLock<Option<Arc<SealedImage>>>,
}

impl Image {
    /// Puts a blob where other processes can share it, or else into memory of this one.
    fn keep(key: Option<SnapshotKey>, blob: &[u8], header: ImageHeader) -> Image {
        let sealed = SealedImage::new(key, blob, &header)
            .and_then(|image| Ok((map(&image)?, Arc::new(image))));
        let (blob, sealed) = match sealed {
            Ok((blob, image)) => (blob, Some(image)),
            Err(error) => {
                cannot_share(&error);
                (&*blob.to_vec().leak(), None)
            }
        };
        Image::of(key, blob, header, OnceLock::from(sealed))
    }

    /// Takes over what another process shares.
    ///
    /// # Errors
    ///
    /// When it cannot be mapped or its header does not parse.
    pub(crate) fn adopt(image: SealedImage) -> io::Result<Image> {
        let (blob, header) = (map(&image)?, image.header()?);
        let key = image.label().key;
        let sealed = OnceLock::from(Some(Arc::new(image)));
        Ok(Image::of(key, blob, header, sealed))
    }

    /// Takes over what was built. A file of the cache is used where it is mapped.
    pub(crate) fn new(image: SnapshotImage, builtins: Vec<String>) -> Image {
        let modules = image.modules.into_iter();
        let header = ImageHeader {
            modules: modules
                .map(|module| (module.url, module.attribute))
                .collect(),
            entries: image.entries,
            builtins,
        };
        match image.is_mapped {
            true => Image::of(Some(image.key), kept(image.blob), header, OnceLock::new()),
            false => Image::keep(Some(image.key), &image.blob, header),
        }
    }

    /// The image in memory that other processes can map too. `None` where the operating system
    /// refuses.
    pub(crate) fn sealed(&self) -> Option<Arc<SealedImage>> {
        let sealed = self.sealed.get_or_init(|| {
            let mut modules: Vec<_> = self.modules.iter().collect();
            modules.sort_by_key(|(_, position)| **position);
            let header = ImageHeader {
                modules: modules
                    .into_iter()
                    .map(|(key, _)| (key.url.clone(), key.attribute.clone()))
                    .collect(),
                entries: self.entries.clone(),
                builtins: self.builtins.clone(),
            };
            let sealed = SealedImage::new(self.key, self.blob, &header);
            sealed.inspect_err(cannot_share).ok().map(Arc::new)
        });
        sealed.clone()
    }

    fn of(
        key: Option<SnapshotKey>,
        blob: &'static [u8],
        header: ImageHeader,
        sealed: OnceLock<Option<Arc<SealedImage>>>,
    ) -> Image {
        Image {
            blob,
            code: Arc::new(ImageCode::new(blob)),
            modules: Arc::new(index(header.modules)),
            entries: header.entries,
            builtins: header.builtins,
            key,
            sealed,
        }
    }

    /// An image without a blob, for a realm that is still to be made.
    pub(super) fn empty() -> Image {
        Image::of(None, &[], ImageHeader::default(), OnceLock::from(None))
    }
}

fn cannot_share(error: &io::Error) {
    tracing::warn!(%error, "a snapshot cannot be shared with other processes");
}

/// V8 reads words of a blob, so it must be aligned as they are.
fn kept(blob: Bytes) -> &'static [u8] {
    match blob.as_ptr().cast::<u64>().is_aligned() {
        true => Box::leak(Box::new(blob)),
        false => blob.to_vec().leak(),
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

/// Stands for all that makes a blob what it is beside its spec and its files: this build, the
/// engine, its flags and what the engine makes of them and of the processor. A blob of
/// another maker cannot be used. V8 must be initialised.
#[must_use]
pub fn snapshot_maker() -> [u8; 32] {
    let mut digest = Sha256::new();
    for part in [
        env!("CARGO_PKG_VERSION"),
        env!("ISOLATE_SIDECAR_SOURCES"),
        v8::V8::get_version(),
        &flags::text(),
    ] {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    }
    digest.update(v8::script_compiler::cached_data_version_tag().to_be_bytes());
    digest.finalize().into()
}

/// Names a snapshot: a digest over everything that decides what it is. The blob does not: it
/// holds hash seeds, and two of the same spec and files differ in them alone.
pub(crate) fn key_of(spec: &str, files: &[(String, [u8; 32])]) -> SnapshotKey {
    let mut digest = Sha256::new();
    let mut part = |part: &[u8]| {
        digest.update(part.len().to_be_bytes());
        digest.update(part);
    };
    part(&snapshot_maker());
    part(spec.as_bytes());
    for (path, contents) in files {
        part(path.as_bytes());
        part(contents);
    }
    SnapshotKey(digest.finalize().into())
}
