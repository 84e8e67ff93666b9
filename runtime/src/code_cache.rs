//! Compiled code and the image that it is good for.
//!
//! V8 ties compiled code to the read-only part of the blob that an isolate came from, by a
//! checksum. Code is therefore made in isolates of each image for the sessions of that image.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Scope;
use crate::bootstrap::compile_unbound;
use crate::scripts::SCRIPTS;

/// Where the header of a blob has the checksum of its read-only part (V8, `snapshot.cc`).
/// Were it elsewhere, V8 would refuse code of another image and nothing worse.
const CHECKSUM: std::ops::Range<usize> = 12..16;

/// What code is good for: two images with the same one can share it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CodeFlavour([u8; 4]);

impl CodeFlavour {
    pub(crate) fn bytes(self) -> [u8; 4] {
        self.0
    }
}

/// Compiled code of our own scripts that run on first use, made once an image: a session
/// takes it over instead of parsing the text again. No guest can add to it.
#[derive(Debug)]
pub(crate) struct ImageCode {
    /// The blob that isolates which make code are restored from.
    pub(crate) blob: &'static [u8],
    pub(crate) flavour: CodeFlavour,
    scripts: OnceLock<HashMap<&'static str, Box<[u8]>>>,
}

impl ImageCode {
    pub(crate) fn new(blob: &'static [u8]) -> ImageCode {
        let checksum = blob.get(CHECKSUM).and_then(|bytes| bytes.try_into().ok());
        ImageCode {
            blob,
            flavour: CodeFlavour(checksum.unwrap_or_default()),
            scripts: OnceLock::new(),
        }
    }

    /// Compiled code of the script of this file name, once there is some.
    pub(crate) fn of_script(&self, file: &str) -> Option<&[u8]> {
        self.scripts.get()?.get(file).map(|code| &**code)
    }

    /// Compiles all scripts that run on first use, in an isolate of the image.
    pub(crate) fn fill(&self, scope: &mut Scope<'_, '_>) {
        let code = SCRIPTS
            .iter()
            .filter(|script| !script.is_eager())
            .filter_map(|script| {
                let unbound = compile_unbound(scope, script, None)?;
                let code = unbound.create_code_cache()?;
                Some((script.file, code.to_vec().into_boxed_slice()))
            })
            .collect();
        // Filled once: the engine asks for it when it takes the image.
        let _ = self.scripts.set(code);
    }
}
