//! ES modules, CommonJS and JSON: from a specifier to an evaluated module.
//!
//! `resolve.rs` asks the resolver of `host-bridge`, `compile.rs` makes a V8 module of what
//! was found with the compiler calls of `source.rs`, `map.rs` keeps one instance per URL, `load.rs` walks a graph, `dynamic.rs`
//! serves `import()`, and `natives.rs` what the CommonJS loader in JavaScript needs.

mod compile;
mod dynamic;
mod language;
mod load;
mod map;
mod natives;
mod resolve;
mod source;

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use host_bridge::reader::HostDirectories;
use host_bridge::resolver::Resolver;
use protocol::ModuleOptions;

pub(crate) use self::dynamic::{import_dynamically, promise_callback};
pub(crate) use self::load::{
    Imported, evaluate_synthetic, import, import_source, init_import_meta, linked, namespace_value,
};
pub(crate) use self::map::{ModuleKey, ModuleMap, SnapshotIndex};
pub(crate) use self::natives::natives;
pub(crate) use self::resolve::{directory_url, path_url};
pub(crate) use self::source::{CodeKind, origin};

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
    /// Modules that have been counted, by URL or path: each counts once.
    counted: RefCell<HashSet<String>>,
}

/// What a session inherits from its snapshot.
pub(crate) struct Snapshot {
    pub(crate) modules: Arc<SnapshotIndex>,
    pub(crate) entries: BTreeMap<String, String>,
}

impl Modules {
    pub(crate) fn new(
        directories: Arc<HostDirectories>,
        resolver: Resolver,
        cwd: String,
        options: ModuleOptions,
        snapshot: Snapshot,
    ) -> Modules {
        Modules {
            directories,
            resolver,
            map: RefCell::new(ModuleMap::over(snapshot.modules)),
            cwd,
            options,
            pinned: snapshot.entries,
            counted: RefCell::default(),
        }
    }

    /// Path and digest of each file that a module was made of, in the order of their paths.
    pub(crate) fn file_digests(&self) -> Vec<(String, [u8; 32])> {
        let mut files: Vec<(String, [u8; 32])> = self
            .counted
            .borrow()
            .iter()
            .filter_map(|path| {
                let contents = self.directories.read(path).ok()?;
                Some((path.clone(), contents.digest()))
            })
            .collect();
        files.sort();
        files
    }
}
