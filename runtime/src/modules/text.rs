//! The text of a file as V8 takes it, shared by all sessions with the code that was
//! compiled from it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use host_bridge::blob_cache::BlobCache;
use host_bridge::reader::FileContents;
use sha2::{Digest as _, Sha256};

use crate::Scope;
use crate::external_text;
use crate::strings::{ErrorClass, throw};

/// Characters of the shortest text that is kept outside of a heap. A shorter one costs less
/// as a plain string than the bookkeeping of an external one.
const MIN_EXTERNAL: usize = 1024;
/// Characters of the shortest text whose compiled code is worth keeping.
const MIN_CACHED: usize = 512;
/// Characters of the longest.
const MAX_CACHED: usize = 16 << 20;
/// Bytes of memory that are counted for compiled code before there is any, beside one for
/// each character; code that is larger is not kept.
const CODE_ALLOWANCE: usize = 2048;

/// How a text was parsed: compiled code is good for the same way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeForm {
    /// As an ES module.
    Module,
    /// As the body of the CommonJS wrapper.
    Wrapper,
}

/// A text and its compiled code.
///
/// Code is made of the text alone by an isolate that never ran a guest, or comes from the
/// blob cache; nothing that a session holds gets in here.
#[derive(Debug)]
pub(crate) struct SharedText {
    units: Units,
    digest: OnceLock<[u8; 32]>,
    module: Mutex<Slot>,
    wrapper: Mutex<Slot>,
}

#[derive(Debug)]
enum Units {
    /// Latin-1.
    OneByte(Arc<[u8]>),
    /// UTF-16.
    TwoByte(Arc<[u16]>),
}

#[derive(Debug, Default)]
enum Slot {
    /// Nobody has looked.
    #[default]
    Unknown,
    /// There is none yet.
    Missing,
    Code(Arc<[u8]>),
    /// None can be kept: V8 did not take what there was, or it was too large.
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
            let weight = n_own
                .saturating_add(units.len())
                .saturating_add(CODE_ALLOWANCE);
            (SharedText::new(units), weight)
        })
    }

    fn new(units: Units) -> SharedText {
        SharedText {
            units,
            digest: OnceLock::new(),
            module: Mutex::default(),
            wrapper: Mutex::default(),
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
    pub(crate) fn code(&self, form: CodeForm, store: Option<&BlobCache>) -> Option<Arc<[u8]>> {
        let mut slot = self.slot(form);
        if matches!(*slot, Slot::Unknown) {
            let stored = store.and_then(|store| store.get(&self.key(form)));
            *slot = stored.map_or(Slot::Missing, |code| Slot::Code(Arc::from(code)));
        }
        match &*slot {
            Slot::Code(code) => Some(Arc::clone(code)),
            _ => None,
        }
    }

    /// Whether code would be kept if somebody made it.
    pub(crate) fn lacks_code(&self, form: CodeForm) -> bool {
        self.is_cacheable() && matches!(*self.slot(form), Slot::Unknown | Slot::Missing)
    }

    /// Keeps `code`, in memory and in `store`.
    pub(crate) fn set_code(&self, form: CodeForm, code: &[u8], store: Option<&BlobCache>) {
        let allowance = self.units.len().saturating_add(CODE_ALLOWANCE);
        if allowance < code.len() {
            *self.slot(form) = Slot::Never;
            return;
        }
        *self.slot(form) = Slot::Code(Arc::from(code));
        if let Some(store) = store {
            // A disk that is full costs speed and nothing else.
            let _ = store.put(&self.key(form), code);
        }
    }

    /// Gives up code that V8 did not take.
    pub(crate) fn reject_code(&self, form: CodeForm) {
        *self.slot(form) = Slot::Never;
    }

    fn slot(&self, form: CodeForm) -> MutexGuard<'_, Slot> {
        let slot = match form {
            CodeForm::Module => &self.module,
            CodeForm::Wrapper => &self.wrapper,
        };
        slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What compiled code depends on: the text, how it is parsed, and the engine with its
    /// flags and the processor, for which V8 has a tag.
    fn key(&self, form: CodeForm) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"isolate-sidecar compiled code 1");
        hash.update(v8::V8::get_version());
        hash.update(v8::script_compiler::cached_data_version_tag().to_le_bytes());
        hash.update([match form {
            CodeForm::Module => 0,
            CodeForm::Wrapper => 1,
        }]);
        hash.update(self.digest.get_or_init(|| self.units.digest()));
        hash.finalize().into()
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
