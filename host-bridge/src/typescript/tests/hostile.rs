//! Text that is made to exhaust whoever reads it.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use super::*;
use crate::typescript::depth::MAX_DEPTH;

/// How long the outcome of a text is waited for.
const PATIENCE: Duration = Duration::from_secs(3);

/// Nestings: what is repeated, what stands in the middle, what is repeated after it.
const NESTINGS: [(&str, &str, &str); 28] = [
    ("(", "1", ")"),
    ("[", "", "]"),
    ("!", "1", ""),
    ("-", "1", ""),
    ("{", "", "}"),
    ("if(a)", ";", ""),
    ("if(a);else ", ";", ""),
    ("a=>", "1", ""),
    ("a?b:", "c", ""),
    ("a?", "b", ":c"),
    ("a=", "b", ""),
    ("a**", "b", ""),
    ("a+", "b", ""),
    ("a.", "b", ""),
    ("", "a", "!"),
    ("", "a", "()"),
    ("", "a", "[0]"),
    ("", "a", " as T"),
    ("`${", "1", "}`"),
    ("new ", "a", ""),
    ("class extends ", "a", "{}"),
    ("(a?", "b", ")=>c"),
    ("a<", "b", ""),
    ("for(;;)", ";", ""),
    ("()=>{", "", "}"),
    ("<T>", "a", ""),
    ("function f(){", "", "}"),
    ("namespace a{", "", "}"),
];

/// The same in a type: `type A = `.
const TYPES: [(&str, &str, &str); 9] = [
    ("(", "1", ")"),
    ("[", "", "]"),
    ("{a:", "1", "}"),
    ("", "a", "[]"),
    ("keyof ", "a", ""),
    ("A<", "1", ">"),
    ("()=>", "1", ""),
    ("A extends B?C:", "D", ""),
    ("a.", "b", ""),
];

const ELEMENTS: [(&str, &str, &str); 3] = [
    ("<p>", "", "</p>"),
    ("<>", "", "</>"),
    ("<p a={", "1", "}/>"),
];

fn nested((before, middle, after): (&str, &str, &str), depth: usize) -> String {
    let (before, after) = (before.repeat(depth), after.repeat(depth));
    format!("{before}{middle}{after}")
}

/// What becomes of the text, where that does not take longer than [`PATIENCE`]: what does is
/// left behind, and ends with the test's process.
fn every_way(text: &str, path: &str) -> Vec<Result<JavaScript, TypeScriptError>> {
    let ask = |typescript| {
        let (sender, receiver) = sync_channel(1);
        let (text, path) = (text.to_owned(), path.to_owned());
        let translate = move || sender.send(ask(&text, &path, typescript, Jsx::automatic()));
        std::thread::Builder::new().spawn(translate).unwrap();
        match receiver.recv_timeout(PATIENCE) {
            Ok(made) => Some(made),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the thread died"),
        }
    };
    [TypeScript::Strip, TypeScript::Transform]
        .into_iter()
        .filter_map(ask)
        .collect()
}

#[track_caller]
fn check(text: &str, path: &str) {
    for made in every_way(text, path) {
        let Err(error) = made else { continue };
        let known = [
            "ERR_LIMIT_TYPESCRIPT",
            "ERR_INVALID_TYPESCRIPT_SYNTAX",
            "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
        ];
        assert!(
            known.contains(&error.code()),
            "{:?}: {error}",
            text.get(..40)
        );
    }
}

#[test]
fn a_hundred_thousand_levels() {
    // Of each kind one at the full depth; the others are as deep as tells them apart.
    let levels = |at: usize| if at == 0 { 100_000 } else { 20_000 };
    for (at, nesting) in NESTINGS.iter().enumerate() {
        check(&nested(*nesting, levels(at)), "/app/a.mts");
    }
    for (at, nesting) in TYPES.iter().enumerate() {
        let text = format!("type A = {}", nested(*nesting, levels(at)));
        check(&text, "/app/a.mts");
    }
    for (at, nesting) in ELEMENTS.iter().enumerate() {
        check(&nested(*nesting, levels(at)), "/app/a.tsx");
    }
}

#[test]
fn as_deep_as_is_allowed() {
    // What surrounds the innermost level: one statement, and at most two nodes a level.
    let most = usize::try_from(MAX_DEPTH / 3).unwrap();
    for nesting in NESTINGS {
        check(&nested(nesting, most), "/app/a.mts");
    }
    for nesting in TYPES {
        check(&format!("type A = {}", nested(nesting, most)), "/app/a.mts");
    }
    for nesting in ELEMENTS {
        check(&nested(nesting, most), "/app/a.tsx");
    }
}

#[test]
fn a_chain_just_below_at_and_above_the_limit() {
    let limit = usize::try_from(MAX_DEPTH).unwrap();
    // The statement and the first operand count one each.
    let sum = |n: usize| format!("a{}", " + a".repeat(n));
    for n in [limit - 3, limit - 2] {
        let made = every_way(&sum(n), "/app/a.mts");
        assert!(made.len() == 2 && made.iter().all(Result::is_ok), "{n}");
    }
    for made in every_way(&sum(limit - 1), "/app/a.mts") {
        let error = made.unwrap_err();
        assert!(matches!(error, TypeScriptError::TooDeep { .. }), "{error}");
        assert_eq!(error.class(), TypeScriptErrorClass::RangeError);
    }
}

#[test]
fn a_long_text_is_not_deep() {
    let text = "const a: number = f<T>(b as c);\n".repeat(10_000);
    let made = every_way(&text, "/app/a.mts");
    assert!(made.iter().all(Result::is_ok));
}

#[test]
fn text_has_a_limit() {
    let made = |n: usize| strip(&" ".repeat(n));
    assert!(made(MAX_TEXT_BYTES - 1).is_ok());
    assert!(made(MAX_TEXT_BYTES).is_ok());
    let error = made(MAX_TEXT_BYTES + 1).unwrap_err();
    let (size, limit) = (MAX_TEXT_BYTES + 1, MAX_TEXT_BYTES);
    assert_eq!(error, TypeScriptError::TooLong { size, limit });
    assert_eq!(error.code(), "ERR_LIMIT_TYPESCRIPT");
}
