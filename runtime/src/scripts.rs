//! The scripts of `js/` as strings outside of any heap: every realm of every session refers
//! to the same text, which a snapshot holds by its place in the table of references.

use std::ffi::c_void;

/// A script that makes a part of the realm.
pub(crate) struct Script {
    /// File name in `js/`.
    pub(crate) file: &'static str,
    /// Its text; ASCII, which the compiler checks.
    pub(crate) text: v8::OneByteConst,
}

impl Script {
    /// Whether it runs when the realm is made. The others run on the first use of what
    /// they define, which keeps the heap of a session small.
    pub(crate) fn is_eager(&self) -> bool {
        !self.file.starts_with("lazy/")
    }
}

macro_rules! scripts {
    ($($file:literal),* $(,)? ; $($bundled:literal),* $(,)?) => {
        &[$(Script {
            file: $file,
            text: v8::String::create_external_onebyte_const(
                include_bytes!(concat!("../js/", $file)),
            ),
        },)* $(Script {
            file: concat!("lazy/", $bundled),
            // Made by `build.rs` of packages of npm.
            text: v8::String::create_external_onebyte_const(
                include_bytes!(concat!(env!("OUT_DIR"), "/", $bundled)),
            ),
        },)*]
    };
}

/// Those that run when a realm is made come first, in their order.
pub(crate) static SCRIPTS: &[Script] = scripts![
    "00-primordials.js",
    "10-lazy.js",
    "20-modules.js",
    "99-hooks.js",
    "lazy/abort.js",
    "lazy/assert.js",
    "lazy/async-hooks.js",
    "lazy/base64.js",
    "lazy/blob.js",
    "lazy/buffer-core.js",
    "lazy/buffer.js",
    "lazy/build-files.js",
    "lazy/build-intl.js",
    "lazy/build-lazy.js",
    "lazy/build-random.js",
    "lazy/build-record.js",
    "lazy/build-shared.js",
    "lazy/build-weak.js",
    "lazy/build.js",
    "lazy/builtins.js",
    "lazy/bytes.js",
    "lazy/cjs-loader.js",
    "lazy/cjs-imports.js",
    "lazy/cjs-resolve.js",
    "lazy/console-parts.js",
    "lazy/console.js",
    "lazy/crypto-hash.js",
    "lazy/crypto.js",
    "lazy/deep-equal.js",
    "lazy/denied.js",
    "lazy/diagnostics-channel.js",
    "lazy/digests.js",
    "lazy/encoding.js",
    "lazy/errors.js",
    "lazy/event-target.js",
    "lazy/events.js",
    "lazy/fetch-parts.js",
    "lazy/format.js",
    "lazy/fs-classes.js",
    "lazy/fs.js",
    "lazy/helpers.js",
    "lazy/host.js",
    "lazy/http.js",
    "lazy/http2.js",
    "lazy/import-meta.js",
    "lazy/inspect-base.js",
    "lazy/inspect-kinds.js",
    "lazy/inspect-layout.js",
    "lazy/inspect.js",
    "lazy/messages.js",
    "lazy/net.js",
    "lazy/parse-args.js",
    "lazy/path.js",
    "lazy/performance.js",
    "lazy/process.js",
    "lazy/queues.js",
    "lazy/readline.js",
    "lazy/script-require.js",
    "lazy/shapes.js",
    "lazy/small-modules.js",
    "lazy/sockets.js",
    "lazy/stdio.js",
    "lazy/stream-more.js",
    "lazy/structured-clone.js",
    "lazy/subtle.js",
    "lazy/text-streams.js",
    "lazy/timers.js",
    "lazy/url-host.js",
    "lazy/url-module.js",
    "lazy/url-parser.js",
    "lazy/url.js",
    "lazy/util-types.js",
    "lazy/util.js",
    "lazy/wasm-module.js",
    "lazy/web-streams-parts.js",
    "lazy/zlib.js",
    ;
    "fetch.js",
    "punycode.js",
    "stream.js",
    "web-streams.js",
];

/// The script of this file name, for those that run when they are first needed.
pub(crate) fn named(file: &str) -> Option<&'static Script> {
    SCRIPTS.iter().find(|script| script.file == file)
}

/// The texts as V8 refers to them in a snapshot.
pub(crate) fn references() -> impl Iterator<Item = v8::ExternalReference> {
    SCRIPTS.iter().map(|script| v8::ExternalReference {
        pointer: std::ptr::from_ref(&script.text).cast_mut().cast::<c_void>(),
    })
}
