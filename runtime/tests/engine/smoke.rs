//! A session runs scripts, waits for promises, and survives exceptions.

use crate::support::{Session, json, spec};
use protocol::Outcome;

#[test]
fn webassembly_settles() {
    let mut session = Session::open(spec(1));
    let module = "new Uint8Array([0,97,115,109,1,0,0,0,1,5,1,96,0,1,127,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,65,42,11])";
    let source = format!("WebAssembly.instantiate({module}).then(m => m.instance.exports.f())");
    assert_eq!(json(&session.script(&source)), "42");
    assert_eq!(
        json(&session.script("typeof SharedArrayBuffer")),
        "\"function\""
    );
    assert_eq!(
        json(
            &session.script(
                "new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Warsaw' }).format(0)"
            )
        ),
        "\"01/01/1970\""
    );
}

#[test]
fn scripts_and_promises() {
    let mut session = Session::open(spec(1));
    assert_eq!(json(&session.script("1 + 1")), "2");
    assert_eq!(
        json(&session.script("Promise.resolve({ a: [1] })")),
        r#"{"a":[1]}"#
    );
    assert_eq!(
        json(&session.script("new Promise(done => setTimeout(() => done('late'), 5))")),
        "\"late\""
    );
    match session.script("function f() { throw new TypeError('no') }\nf()") {
        Outcome::Exception(error) => {
            assert_eq!(
                (error.name.as_str(), error.message.as_str()),
                ("TypeError", "no")
            );
            assert_eq!(
                error.stack,
                "TypeError: no\n    at f (file:///app/main.js:1:22)\n    at file:///app/main.js:2:1"
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(
        json(&session.script("console.log('hi %s', 'x', {a: 1}); process.env.WHO")),
        "\"session 1\""
    );
    assert_eq!(session.output, "hi x { a: 1 }\n");
}
