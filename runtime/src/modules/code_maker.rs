//! Compiles the texts of files once for all sessions, on a thread and in isolates that
//! never run a guest.
//!
//! A session that had to compile a text itself names it here when it has nothing better to
//! do; the next session that loads the file takes over what was made. Making it apart costs
//! a second parse, off the session's thread, and buys that no guest has a hand in code
//! that another will run.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use host_bridge::blob_cache::BlobCache;

use super::source::{self, compile_module_text};
use super::text::{CodeForm, SharedText};
use crate::Scope;
use crate::code_cache::{CodeFlavour, ImageCode};
use crate::engine::STACK_BYTES;
use crate::enter::in_new_context;
use crate::externals;

/// Batches that wait; when there are more, a later session brings the texts up again.
const MAX_BATCHES: usize = 16;
/// Texts of one batch, and texts that a session remembers between two.
pub(crate) const MAX_BATCH: usize = 4096;
/// Heap of the isolate that compiles. The largest text takes a part of it.
const HEAP_BYTES: usize = 1 << 30;

/// A text that was compiled without cached code.
pub(crate) struct Uncached {
    pub(crate) text: Arc<SharedText>,
    pub(crate) form: CodeForm,
}

/// What is compiled, and for which image.
struct Batch {
    image: Arc<ImageCode>,
    what: What,
}

enum What {
    /// The scripts of the realm.
    Scripts,
    Texts(Vec<Uncached>),
}

/// The way to the thread that compiles, and to code of earlier processes.
#[derive(Debug)]
pub(crate) struct CodeMaker {
    batches: SyncSender<Batch>,
    store: Option<Arc<BlobCache>>,
}

impl CodeMaker {
    /// Starts the thread. It ends when this is dropped.
    pub(crate) fn start(store: Option<Arc<BlobCache>>) -> std::io::Result<CodeMaker> {
        let (batches, receiver) = sync_channel(MAX_BATCHES);
        let thread_store = store.clone();
        std::thread::Builder::new()
            .name("code-cache".to_owned())
            // As that of a session, since a text must nest no deeper here than there.
            .stack_size(STACK_BYTES)
            .spawn(move || serve(&receiver, thread_store.as_deref()))?;
        Ok(CodeMaker { batches, store })
    }

    /// Where code outlives the process, if it does.
    pub(crate) fn store(&self) -> Option<&BlobCache> {
        self.store.as_deref()
    }

    /// Takes texts to be compiled for sessions of `image`. Never waits: what does not fit is
    /// forgotten.
    pub(crate) fn offer(&self, image: &Arc<ImageCode>, texts: Vec<Uncached>) {
        self.send(image, What::Texts(texts));
    }

    /// Takes an image whose sessions will need the scripts of the realm.
    pub(crate) fn offer_image(&self, image: &Arc<ImageCode>) {
        self.send(image, What::Scripts);
    }

    fn send(&self, image: &Arc<ImageCode>, what: What) {
        let image = Arc::clone(image);
        let _ = self.batches.try_send(Batch { image, what });
    }
}

fn serve(batches: &Receiver<Batch>, store: Option<&BlobCache>) {
    for Batch { image, what } in batches {
        // An isolate for each batch: what its heap holds at the end is freed with it.
        let params = v8::Isolate::create_params()
            .snapshot_blob(v8::StartupData::from(image.blob))
            .external_references(externals::references())
            .heap_limits(0, HEAP_BYTES);
        let mut isolate = v8::Isolate::new(params);
        in_new_context(&mut isolate, |scope| match &what {
            What::Scripts => image.fill(scope),
            What::Texts(texts) => make_all(scope, texts, image.flavour, store),
        });
    }
}

fn make_all(
    scope: &mut Scope<'_, '_>,
    texts: &[Uncached],
    flavour: CodeFlavour,
    store: Option<&BlobCache>,
) {
    let made = texts
        .iter()
        .filter(|text| make(scope, text, flavour, store));
    let n_made = made.count();
    if 0 < n_made {
        tracing::debug!(n_made, "compiled for later sessions");
    }
}

/// Compiles one text, unless another session's batch had it too.
fn make(
    scope: &mut Scope<'_, '_>,
    uncached: &Uncached,
    flavour: CodeFlavour,
    store: Option<&BlobCache>,
) -> bool {
    let Uncached { text, form } = uncached;
    let kind = (*form, flavour);
    if !text.lacks_code(kind) {
        return false;
    }
    let scope = std::pin::pin!(v8::HandleScope::new(scope));
    let scope = &mut scope.init();
    let scope = std::pin::pin!(v8::TryCatch::new(scope));
    let scope = &mut scope.init();
    let code = match form {
        CodeForm::Module => compile_module_text(scope, text, "")
            .and_then(|module| module.get_unbound_module_script(scope).create_code_cache()),
        CodeForm::Wrapper => source::compile_wrapper_text(scope, text, "")
            .and_then(|function| function.create_code_cache()),
    };
    let Some(code) = code else {
        text.give_up(kind);
        return false;
    };
    text.set_code(kind, &code, store);
    true
}
