//! The bodies are plain bincode: a mirror that bincode derives by itself reads and
//! writes the same bytes.

// The mirror is only compared, field by field as bincode sees it.
#![allow(dead_code, reason = "fields are read by the derived code alone")]

use bincode::config::standard;

use crate::samples;
use crate::support::body;

#[derive(bincode::Encode, bincode::Decode)]
struct OpenSession {
    snapshot: Option<[u8; 32]>,
    roots: Vec<(String, String)>,
    limits: Limits,
    env: Vec<(String, String)>,
    argv: Vec<String>,
    cwd: String,
    conditions: Vec<String>,
    modules: (TypeScript, Jsx),
    functions: Vec<(String, Mode, Format)>,
    isolation: Isolation,
}

#[derive(bincode::Encode, bincode::Decode)]
enum Isolation {
    Thread,
    Process,
    Group(String),
}

#[derive(bincode::Encode, bincode::Decode)]
enum TypeScript {
    Strip,
    Transform,
}

#[derive(bincode::Encode, bincode::Decode)]
enum Jsx {
    Off,
    Automatic { import_source: String },
    Classic { factory: String, fragment: String },
}

#[derive(bincode::Encode, bincode::Decode)]
struct Limits {
    bytes: [Option<u64>; 4],
    host_calls_in_flight: Option<u32>,
    host_call_timeout_ms: Option<u64>,
    timers: Option<u32>,
    message_bytes: Option<u32>,
}

#[derive(bincode::Encode, bincode::Decode)]
enum Mode {
    Async,
    Sync,
}

#[derive(bincode::Encode, bincode::Decode)]
enum Format {
    Json,
    V8,
    Raw,
}

#[derive(bincode::Encode, bincode::Decode)]
enum Code {
    Script { name: String, source: Vec<u8> },
    Module { name: String, source: Vec<u8> },
    Import { specifier: String },
}

#[derive(bincode::Encode, bincode::Decode)]
enum Value {
    Undefined,
    Json(Vec<u8>),
    V8(Vec<u8>),
    Raw(Vec<u8>),
}

#[derive(bincode::Encode, bincode::Decode)]
enum Until {
    Settled,
    Drained,
}

type Execute = (Code, Until, Format, Value);

#[derive(bincode::Encode, bincode::Decode)]
struct JsError {
    name: String,
    message: String,
    code: Option<String>,
    stack: String,
    frames: Vec<(Option<String>, String, u32, u32)>,
    cause: Option<Box<JsError>>,
}

type LimitReport = (u32, u64, u64, String);

#[derive(bincode::Encode, bincode::Decode)]
enum Outcome {
    Ok(Value),
    Exception(JsError),
    LimitExceeded(LimitReport),
    Cancelled,
}

type OutcomeFrame = (Outcome, [u64; 10]);

type Refused = (u8, u16, String, Option<LimitReport>);

#[track_caller]
fn check<T: bincode::Encode + bincode::Decode<()>>(wire: &[u8]) {
    let (mirror, read) = bincode::decode_from_slice::<T, _>(body(wire), standard()).unwrap();
    assert_eq!(read, body(wire).len());
    assert_eq!(
        bincode::encode_to_vec(&mirror, standard()).unwrap(),
        body(wire)
    );
}

#[test]
fn bodies_are_what_bincode_derives() {
    use protocol::frame::Kind;

    let mut checked = 0;
    for sample in samples::all() {
        let wire = sample.frame.encode().unwrap();
        match sample.frame.kind() {
            Kind::OpenSession => check::<OpenSession>(&wire),
            Kind::Execute => check::<Execute>(&wire),
            Kind::Outcome | Kind::Called => check::<OutcomeFrame>(&wire),
            Kind::Refused => check::<Refused>(&wire),
            _ => continue,
        }
        checked += 1;
    }
    assert_eq!(checked, 3 + 4 + 5 + 2);
}
