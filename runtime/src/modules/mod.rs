//! ES modules, CommonJS, JSON and WebAssembly: from a specifier to an evaluated module.
//!
//! `resolve.rs` asks the resolver of `host-bridge`; `compile.rs` makes a V8 module of what was
//! found, with `detect.rs` where nothing says which grammar it is in, `cjs_names.rs` for the
//! exports of CommonJS and the compiler calls of `source.rs`; `map.rs` keeps one instance per
//! URL and what failed; `walk.rs` finds what a graph lacks and `graph.rs` links it, no deeper
//! than `depth.rs` says; `load.rs` imports for the host, `dynamic.rs` for `import()`,
//! `require.rs` for `require`; `synthetic.rs` is what V8 asks of modules that run, `thrown.rs`
//! makes errors, and `natives.rs` what the CommonJS loader in JavaScript needs. `language.rs`
//! turns TypeScript and elements into JavaScript, `text.rs` keeps text and compiled code of a
//! file for all sessions, `code_maker.rs` makes the code.

mod attributes;
mod cjs_names;
mod code_maker;
mod compile;
mod depth;
mod detect;
mod dynamic;
mod graph;
mod language;
mod link_error;
mod load;
mod map;
mod natives;
mod require;
mod resolve;
mod scope_error;
mod source;
mod synthetic;
mod text;
mod thrown;
mod walk;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use host_bridge::reader::{HostDirectories, SharedSources, Trace};
use host_bridge::resolver::Resolver;
use host_bridge::typescript::{InProcess, Translator};
use host_bridge::{Counters, OpenSpec, Terminator};
use protocol::ModuleOptions;

use crate::code_cache::ImageCode;
use crate::session::Links;

use self::code_maker::{MAX_BATCH, Uncached};
use self::detect::Detected;
use self::text::{CodeForm, SharedText};

pub(crate) use self::code_maker::CodeMaker;
pub(crate) use self::dynamic::import_dynamically;
pub(crate) use self::graph::linked;
pub(crate) use self::load::{Imported, import, import_source, namespace_value};
pub(crate) use self::map::{ModuleKey, ModuleMap, Origin, SnapshotIndex};
pub(crate) use self::natives::natives;
pub(crate) use self::resolve::{directory_url, path_url};
pub(crate) use self::source::{CodeKind, origin};
pub(crate) use self::synthetic::{evaluate_synthetic, init_import_meta};

/// Why a graph is loaded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// For an `import`; what fails is remembered.
    Import,
    /// For a `require`, which may be tried again and must not meet a cycle.
    Require {
        /// The `import` in the graph that is being followed: its specifier, and the URL of
        /// the module that it stands in.
        parent: Option<(&'a str, &'a str)>,
    },
}

impl Purpose<'_> {
    fn of_import<'b>(self, specifier: &'b str, referrer: &'b str) -> Purpose<'b> {
        match self {
            Purpose::Import => Purpose::Import,
            Purpose::Require { .. } => Purpose::Require {
                parent: Some((specifier, referrer)),
            },
        }
    }
}

/// What the sessions of one engine share.
#[derive(Debug, Clone)]
pub(crate) struct SharedModules {
    pub(crate) sources: Arc<SharedSources>,
    pub(crate) code_maker: Option<Arc<CodeMaker>>,
    pub(crate) translator: Arc<dyn Translator>,
    /// Where is written down what is read, if anywhere.
    pub(crate) trace: Option<Arc<Trace>>,
}

impl Default for SharedModules {
    /// What a process has that makes a snapshot and is killed when it does not end.
    fn default() -> SharedModules {
        SharedModules {
            sources: Arc::default(),
            code_maker: None,
            translator: Arc::new(InProcess),
            trace: None,
        }
    }
}

/// Everything of a session that concerns modules.
pub(crate) struct Modules {
    pub(crate) directories: Arc<HostDirectories>,
    pub(crate) resolver: Resolver,
    pub(crate) map: RefCell<ModuleMap>,
    /// Guest path that relative specifiers of the host start from.
    pub(crate) cwd: String,
    /// What becomes of TypeScript and of elements.
    pub(crate) options: ModuleOptions,
    /// Entry specifiers of the snapshot: specifier to URL.
    pub(crate) pinned: BTreeMap<String, String>,
    /// What was found out about files without a declared grammar, by path.
    detected: RefCell<HashMap<String, Detected>>,
    /// Calls of `import()` whose jobs have not begun.
    pub(crate) waiting_imports: Cell<u32>,
    /// Modules that have been counted, by URL or path: each counts once.
    counted: RefCell<HashSet<String>>,
    /// Where compiled code comes from and is made; none while a snapshot is built.
    pub(crate) code_maker: Option<Arc<CodeMaker>>,
    /// What compiled code must have been made for.
    pub(crate) image_code: Arc<ImageCode>,
    translator: Arc<dyn Translator>,
    /// What lets the session's thread go while it waits for a translation.
    terminator: Arc<Terminator>,
    counters: Arc<Counters>,
    /// Texts that were compiled without cached code.
    uncached: RefCell<Vec<Uncached>>,
}

/// What a session inherits from its snapshot.
pub(crate) struct Snapshot {
    pub(crate) modules: Arc<SnapshotIndex>,
    pub(crate) entries: BTreeMap<String, String>,
    pub(crate) code: Arc<ImageCode>,
}

impl Modules {
    pub(crate) fn new(
        directories: Arc<HostDirectories>,
        resolver: Resolver,
        spec: &OpenSpec,
        snapshot: Snapshot,
        (shared, links): (&SharedModules, &Links),
    ) -> Modules {
        Modules {
            directories,
            resolver,
            map: RefCell::new(ModuleMap::over(snapshot.modules)),
            cwd: spec.cwd.clone(),
            options: spec.modules.clone(),
            pinned: snapshot.entries,
            detected: RefCell::default(),
            waiting_imports: Cell::default(),
            counted: RefCell::default(),
            code_maker: shared.code_maker.clone(),
            image_code: snapshot.code,
            translator: Arc::clone(&shared.translator),
            terminator: Arc::clone(&links.terminator),
            counters: Arc::clone(&links.counters),
            uncached: RefCell::default(),
        }
    }

    /// Remembers a text that was compiled without cached code.
    fn remember_uncached(&self, text: &Arc<SharedText>, form: CodeForm) {
        let mut uncached = self.uncached.borrow_mut();
        if uncached.len() < MAX_BATCH {
            uncached.push(Uncached {
                text: Arc::clone(text),
                form,
            });
        }
    }

    /// Has code made of the texts that were compiled without. For when a request is done:
    /// it is the processor that the next session saves.
    pub(crate) fn offer_uncached(&self) {
        let uncached = std::mem::take(&mut *self.uncached.borrow_mut());
        if let Some(maker) = &self.code_maker
            && !uncached.is_empty()
        {
            maker.offer(&self.image_code, uncached);
        }
    }
}
