//! The text of a file as V8 takes it, shared by all sessions with the code that was
//! compiled from it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use host_bridge::blob_cache::BlobCache;
use host_bridge::reader::FileContents;
use sha2::{Digest as _, Sha256};

use crate::Scope;
use crate::code_cache::CodeFlavour;
use crate::external_text;
use crate::strings::{ErrorClass, throw};

/// Characters of the shortest text that is kept outside of a heap. A shorter one costs less
/// as a plain string than the bookkeeping of an external one.
const MIN_EXTERNAL: usize = 1024;
/// Characters of the shortest text whose compiled code is worth keeping.
const MIN_CACHED: usize = 512;
/// Characters of the longest.
const MAX_CACHED: usize = 16 << 20;
/// Translations of one file whose texts are kept.
const MAX_TRANSLATIONS: usize = 4;
/// Bytes of memory that are counted for the compiled code of a text, of all kinds, beside two
/// for each character; what is over that is not kept.
const CODE_ALLOWANCE: usize = 4096;

/// How a text was parsed: compiled code is good for the same way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CodeForm {
    /// As an ES module.
    Module,
    /// As the body of the CommonJS wrapper.
    Wrapper,
}

/// What a piece of compiled code is good for.
pub(crate) type CodeKind = (CodeForm, CodeFlavour);

/// A text and its compiled code.
///
/// Code is made of the text alone by an isolate that never ran a guest, or comes from the
/// blob cache; nothing that a session holds gets in here.
#[derive(Debug)]
pub(crate) struct SharedText {
    units: Units,
    digest: OnceLock<[u8; 32]>,
    slots: Mutex<BTreeMap<CodeKind, Slot>>,
}

#[derive(Debug)]
enum Units {
    /// Latin-1.
    OneByte(Arc<[u8]>),
    /// UTF-16.
    TwoByte(Arc<[u16]>),
}

#[derive(Debug)]
enum Slot {
    /// There is none yet.
    Missing,
    Code(Arc<[u8]>),
    /// None can be kept: it would be too large.
    Never,
}

impl SharedText {
    /// The text of a file, made once for all that share its contents.
    pub(crate) fn of(contents: &FileContents) -> Arc<SharedText> {
        contents.derived_weighed(|bytes| {
            let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
            let (units, n_own) = if bytes.is_ascii() && bytes.len() == contents.bytes().len() {
                (Units::OneByte(Arc::clone(contents.shared())), 0)
            } else {
                let units = Units::from_utf8(bytes);
                let n_own = units.n_bytes();
                (units, n_own)
            };
            let weight = n_own.saturating_add(units.code_allowance());
            (SharedText::new(units), weight)
        })
    }

    /// The text that the file with these contents was translated to. Whoever gives the same
    /// `translation`, not an equal one, gets the same text.
    pub(crate) fn of_translation(contents: &FileContents, translation: &Bytes) -> Arc<SharedText> {
        let all = contents.derived_weighed(|bytes| {
            // What the file takes in JavaScript is about what it takes itself.
            (Translations::default(), bytes.len().saturating_mul(4))
        });
        let mut all = all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = all.iter().find(|(known, _)| is_same(known, translation)) {
            return Arc::clone(text);
        }
        let text = Arc::new(SharedText::new(Units::from_utf8(translation)));
        if MAX_TRANSLATIONS <= all.len() {
            all.remove(0);
        }
        all.push((translation.clone(), Arc::clone(&text)));
        text
    }

    fn new(units: Units) -> SharedText {
        SharedText {
            units,
            digest: OnceLock::new(),
            slots: Mutex::default(),
        }
    }

    /// Whether code of this text is worth keeping.
    pub(crate) fn is_cacheable(&self) -> bool {
        (MIN_CACHED..=MAX_CACHED).contains(&self.units.len())
    }

    /// The text as a string. `None` means that an exception is pending.
    pub(crate) fn to_string<'s>(&self, scope: &Scope<'s, '_>) -> Option<v8::Local<'s, v8::String>> {
        let is_external = MIN_EXTERNAL <= self.units.len();
        let normal = v8::NewStringType::Normal;
        let string = match &self.units {
            Units::OneByte(text) if is_external => external_text::one_byte(scope, text),
            Units::TwoByte(text) if is_external => external_text::two_byte(scope, text),
            Units::OneByte(text) => v8::String::new_from_one_byte(scope, text, normal),
            Units::TwoByte(text) => v8::String::new_from_two_byte(scope, text, normal),
        };
        if string.is_none() {
            let message = "The source is too long";
            throw(
                scope,
                ErrorClass::RangeError,
                "ERR_STRING_TOO_LONG",
                message,
            );
        }
        string
    }

    /// Compiled code, from memory or from `store`.
    pub(crate) fn code(&self, kind: CodeKind, store: Option<&BlobCache>) -> Option<Arc<[u8]>> {
        let mut slots = self.slots();
        let slot = slots.entry(kind).or_insert_with(|| {
            let stored = store.and_then(|store| store.get(&self.key(kind)));
            stored.map_or(Slot::Missing, |code| Slot::Code(Arc::from(code)))
        });
        match slot {
            Slot::Code(code) => Some(Arc::clone(code)),
            _ => None,
        }
    }

    /// Whether code would be kept if somebody made it.
    pub(crate) fn lacks_code(&self, kind: CodeKind) -> bool {
        let slots = self.slots();
        self.is_cacheable() && matches!(slots.get(&kind), None | Some(Slot::Missing))
    }

    /// Keeps `code`, in memory and in `store`.
    pub(crate) fn set_code(&self, kind: CodeKind, code: &[u8], store: Option<&BlobCache>) {
        let mut slots = self.slots();
        let kept: usize = slots.values().map(Slot::n_bytes).sum();
        if self.units.code_allowance() < kept.saturating_add(code.len()) {
            slots.insert(kind, Slot::Never);
            return;
        }
        slots.insert(kind, Slot::Code(Arc::from(code)));
        drop(slots);
        if let Some(store) = store {
            // A disk that is full costs speed and nothing else.
            let _ = store.put(&self.key(kind), code);
        }
    }

    /// Lets go of code that V8 did not take, so that it is made anew.
    pub(crate) fn reject_code(&self, kind: CodeKind) {
        self.slots().insert(kind, Slot::Missing);
    }

    /// There will be no code.
    pub(crate) fn give_up(&self, kind: CodeKind) {
        self.slots().insert(kind, Slot::Never);
    }

    fn slots(&self) -> MutexGuard<'_, BTreeMap<CodeKind, Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What compiled code depends on: the text, how it is parsed, and the engine with its
    /// flags and the processor, for which V8 has a tag.
    fn key(&self, (form, flavour): CodeKind) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"isolate-sidecar compiled code 1");
        hash.update(v8::V8::get_version());
        hash.update(v8::script_compiler::cached_data_version_tag().to_le_bytes());
        hash.update(flavour.bytes());
        hash.update([match form {
            CodeForm::Module => 0,
            CodeForm::Wrapper => 1,
        }]);
        hash.update(self.digest.get_or_init(|| self.units.digest()));
        hash.finalize().into()
    }
}

/// Texts of the translations of one file, oldest first.
#[derive(Default)]
struct Translations(Mutex<Vec<(Bytes, Arc<SharedText>)>>);

fn is_same(a: &Bytes, b: &Bytes) -> bool {
    std::ptr::eq(a.as_ptr(), b.as_ptr()) && a.len() == b.len()
}

impl Slot {
    fn n_bytes(&self) -> usize {
        match self {
            Slot::Code(code) => code.len(),
            Slot::Missing | Slot::Never => 0,
        }
    }
}

impl Units {
    /// Ill-formed UTF-8 is replaced, as in Node.
    fn from_utf8(bytes: &[u8]) -> Units {
        let text = String::from_utf8_lossy(bytes);
        let latin: Option<Vec<u8>> = text
            .chars()
            .map(|character| u8::try_from(u32::from(character)).ok())
            .collect();
        match latin {
            Some(latin) => Units::OneByte(Arc::from(latin)),
            None => Units::TwoByte(text.encode_utf16().collect()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Units::OneByte(text) => text.len(),
            Units::TwoByte(text) => text.len(),
        }
    }

    /// Bytes of memory that are counted for compiled code before there is any.
    fn code_allowance(&self) -> usize {
        self.len().saturating_mul(2).saturating_add(CODE_ALLOWANCE)
    }

    fn n_bytes(&self) -> usize {
        match self {
            Units::OneByte(text) => text.len(),
            Units::TwoByte(text) => text.len().saturating_mul(2),
        }
    }

    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        match self {
            Units::OneByte(text) => {
                hash.update([1]);
                hash.update(text);
            }
            Units::TwoByte(text) => {
                hash.update([2]);
                for units in text.chunks(4096) {
                    let bytes: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
                    hash.update(bytes);
                }
            }
        }
        hash.finalize().into()
    }
}
