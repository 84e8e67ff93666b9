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
    ($($file:literal),* $(,)?) => {
        &[$(Script {
            file: $file,
            text: v8::String::create_external_onebyte_const(
                include_bytes!(concat!("../js/", $file)),
            ),
        }),*]
    };
}

/// In the order in which they run.
pub(crate) static SCRIPTS: &[Script] = scripts![
    "00-primordials.js",
    "05-errors.js",
    "10-inspect-base.js",
    "11-inspect-layout.js",
    "12-inspect-kinds.js",
    "13-inspect.js",
    "14-format.js",
    "15-console.js",
    "19-builtins.js",
    "20-events.js",
    "22-event-target.js",
    "25-timers.js",
    "26-encoding.js",
    "27-abort.js",
    "30-process.js",
    "31-stdio.js",
    "35-buffer.js",
    "36-buffer-methods.js",
    "40-path.js",
    "45-performance.js",
    "46-crypto.js",
    "50-util-types.js",
    "51-deep-equal.js",
    "52-util.js",
    "53-assert.js",
    "54-parse-args.js",
    "60-url-host.js",
    "61-url-parser.js",
    "62-url.js",
    "64-url-module.js",
    "70-small-modules.js",
    "71-diagnostics-channel.js",
    "72-async-hooks.js",
    "80-host.js",
    "85-cjs-loader.js",
    "90-import-meta.js",
    "99-hooks.js",
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
