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
use crate::enter::in_new_context;
use crate::externals;

/// Batches that wait; when there are more, a later session brings the texts up again.
const MAX_BATCHES: usize = 16;
/// Texts of one batch, and texts that a session remembers between two.
pub(crate) const MAX_BATCH: usize = 4096;
/// Heap of the isolate that compiles. The largest text takes a part of it.
const HEAP_BYTES: usize = 1 << 30;
/// As that of a session, since a text must nest no deeper here than there.
const STACK_BYTES: usize = 4 << 20;

/// A text that was compiled without cached code.
pub(crate) struct Uncached {
    pub(crate) text: Arc<SharedText>,
    pub(crate) form: CodeForm,
}

/// The way to the thread that compiles, and to code of earlier processes.
#[derive(Debug)]
pub(crate) struct CodeMaker {
    batches: SyncSender<Vec<Uncached>>,
    store: Option<Arc<BlobCache>>,
}

impl CodeMaker {
    /// Starts the thread. It ends when this is dropped.
    pub(crate) fn start(
        blob: &'static [u8],
        store: Option<Arc<BlobCache>>,
    ) -> std::io::Result<CodeMaker> {
        let (batches, receiver) = sync_channel(MAX_BATCHES);
        let thread_store = store.clone();
        std::thread::Builder::new()
            .name("code-cache".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || serve(&receiver, blob, thread_store.as_deref()))?;
        Ok(CodeMaker { batches, store })
    }

    /// Where code outlives the process, if it does.
    pub(crate) fn store(&self) -> Option<&BlobCache> {
        self.store.as_deref()
    }

    /// Takes texts to be compiled. Never waits: what does not fit is forgotten.
    pub(crate) fn offer(&self, texts: Vec<Uncached>) {
        let _ = self.batches.try_send(texts);
    }
}

fn serve(batches: &Receiver<Vec<Uncached>>, blob: &'static [u8], store: Option<&BlobCache>) {
    for batch in batches {
        // An isolate for each batch: what its heap holds at the end is freed with it.
        let params = v8::Isolate::create_params()
            .snapshot_blob(v8::StartupData::from(blob))
            .external_references(externals::references())
            .heap_limits(0, HEAP_BYTES);
        let mut isolate = v8::Isolate::new(params);
        in_new_context(&mut isolate, |scope| {
            let made = batch.iter().filter(|text| make(scope, text, store));
            let n_made = made.count();
            if 0 < n_made {
                tracing::debug!(n_made, "compiled for later sessions");
            }
        });
    }
}

/// Compiles one text, unless another session's batch had it too.
fn make(scope: &mut Scope<'_, '_>, uncached: &Uncached, store: Option<&BlobCache>) -> bool {
    let Uncached { text, form } = uncached;
    if !text.lacks_code(*form) {
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
        text.reject_code(*form);
        return false;
    };
    text.set_code(*form, &code, store);
    true
}
