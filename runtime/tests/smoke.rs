//! A session runs scripts, waits for promises, and survives exceptions.

mod support;

use protocol::Outcome;
use support::{Session, json, spec};

#[test]
fn scripts_and_promises() {
    let mut session = Session::open(spec(1));
    assert_eq!(json(&session.script("1 + 1")), "2");
    assert_eq!(json(&session.script("Promise.resolve({ a: [1] })")), r#"{"a":[1]}"#);
    assert_eq!(
        json(&session.script("new Promise(done => setTimeout(() => done('late'), 5))")),
        "\"late\""
    );
    match session.script("function f() { throw new TypeError('no') }\nf()") {
        Outcome::Exception(error) => {
            assert_eq!((error.name.as_str(), error.message.as_str()), ("TypeError", "no"));
            assert_eq!(error.stack, "TypeError: no\n    at f (file:///app/main.js:1:22)\n    at file:///app/main.js:2:1");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(json(&session.script("console.log('hi %s', 'x', {a: 1}); process.env.WHO")), "\"session 1\"");
    assert_eq!(session.output, "hi x { a: 1 }\n");
}
