//! Compiled code of the scripts that run on first use, made once a process: a session then
//! takes it over instead of parsing the text again.
//!
//! It is made of our own scripts by this very process, and no guest can add to it.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Scope;
use crate::bootstrap::compile_unbound;
use crate::scripts::SCRIPTS;

static CODE: OnceLock<HashMap<&'static str, Box<[u8]>>> = OnceLock::new();

/// Compiled code of the script of this file name, once there is some.
pub(crate) fn of(file: &str) -> Option<&'static [u8]> {
    CODE.get()?.get(file).map(|code| &**code)
}

/// Compiles all scripts that run on first use.
pub(crate) fn fill(scope: &mut Scope<'_, '_>) {
    let code = SCRIPTS
        .iter()
        .filter(|script| !script.is_eager())
        .filter_map(|script| {
            let unbound = compile_unbound(scope, script)?;
            let code = unbound.create_code_cache()?;
            Some((script.file, code.to_vec().into_boxed_slice()))
        })
        .collect();
    // Another engine of this process may have been first, with the same code.
    let _ = CODE.set(code);
}
