//! Named exports of CommonJS sources.
/// Shim.
#[derive(Debug)]
pub struct CjsExports { /// a
 pub exports: Vec<String>, /// b
 pub reexports: Vec<String> }
/// Shim.
pub fn named_exports(_s: &str) -> Result<CjsExports, ()> { Ok(CjsExports{exports:vec![],reexports:vec![]}) }
