//! What passes between the sidecar and a process that translates for it.
//!
//! ```text
//!  +----------------+--------------------+--------------+------+
//!  | u32 big-endian | u32 big-endian     | header, JSON | body |
//!  | bytes, header  | bytes, body        |              |      |
//!  +----------------+--------------------+--------------+------+
//! ```
//!
//! A request has the text as its body, an answer the code. Both ends are the same build, so
//! there is no version; lengths are looked at before anything is made room for.

use std::borrow::Cow;
use std::io::{self, Read, Write};
use std::time::Duration;

use protocol::{Jsx, ModuleOptions, TypeScript};
use serde::{Deserialize, Serialize};

use super::{JavaScript, MAX_TEXT_BYTES, Request, TypeScriptError};
use crate::resolver::{Language, ModuleFormat};

/// The longest answer, in bytes: code and map together.
pub const MAX_ANSWER_BYTES: usize = 32 << 20;
/// The longest header of a request, in bytes.
const MAX_REQUEST_HEADER: usize = 1 << 20;

/// A request that has arrived.
#[derive(Debug)]
pub struct Received {
    head: Head<'static>,
    options: ModuleOptions,
    /// What is to be translated.
    pub text: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Head<'a> {
    language: Language,
    format: ModuleFormat,
    path: Cow<'a, str>,
    transform: bool,
    jsx: JsxHead<'a>,
}

#[derive(Debug, Serialize, Deserialize)]
enum JsxHead<'a> {
    Off,
    Automatic(Cow<'a, str>),
    Classic(Cow<'a, str>, Cow<'a, str>),
}

#[derive(Serialize, Deserialize)]
struct AnswerHead {
    cpu_us: u64,
    made: MadeHead,
}

#[derive(Serialize, Deserialize)]
enum MadeHead {
    Made { source_map: Option<String> },
    Failed(TypeScriptError),
}

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The code, or what is wrong with the text.
    pub made: Result<JavaScript, TypeScriptError>,
    /// Time on the CPU that it took.
    pub cpu: Duration,
}

impl Received {
    /// How the text is to be taken.
    pub fn request(&self) -> Request<'_> {
        Request {
            language: self.head.language,
            format: self.head.format,
            path: &self.head.path,
            options: &self.options,
        }
    }
}

/// The bytes that ask for a translation of `text`.
///
/// # Errors
///
/// When it is longer than what is read.
pub fn encode_request(text: &str, request: &Request<'_>) -> io::Result<Vec<u8>> {
    let head = Head {
        language: request.language,
        format: request.format,
        path: Cow::Borrowed(request.path),
        transform: request.options.typescript == TypeScript::Transform,
        jsx: match &request.options.jsx {
            Jsx::Off => JsxHead::Off,
            Jsx::Automatic { import_source } => JsxHead::Automatic(import_source.into()),
            Jsx::Classic { factory, fragment } => JsxHead::Classic(factory.into(), fragment.into()),
        },
    };
    message(&serde_json::to_vec(&head)?, text.as_bytes())
}

/// The next request; `None` at the end of the stream.
///
/// # Errors
///
/// When the stream has something else.
pub fn read_request(input: &mut dyn Read) -> io::Result<Option<Received>> {
    let Some((header, body)) = read_message(input, (MAX_REQUEST_HEADER, MAX_TEXT_BYTES))? else {
        return Ok(None);
    };
    let head: Head<'_> = serde_json::from_slice(&header)?;
    let options = ModuleOptions {
        typescript: match head.transform {
            true => TypeScript::Transform,
            false => TypeScript::Strip,
        },
        jsx: match &head.jsx {
            JsxHead::Off => Jsx::Off,
            JsxHead::Automatic(import_source) => Jsx::Automatic {
                import_source: import_source.to_string(),
            },
            JsxHead::Classic(factory, fragment) => Jsx::Classic {
                factory: factory.to_string(),
                fragment: fragment.to_string(),
            },
        },
    };
    Ok(Some(Received {
        head: Head {
            path: Cow::Owned(head.path.into_owned()),
            jsx: JsxHead::Off,
            ..head
        },
        options,
        text: utf8(body)?,
    }))
}

/// Writes what became of a request.
///
/// # Errors
///
/// When nobody reads.
pub fn write_answer(output: &mut dyn Write, answer: Answer) -> io::Result<()> {
    let Answer { made, cpu } = answer;
    let size = made.as_ref().map_or(0, |made| {
        let map = made.source_map.as_ref().map_or(0, String::len);
        made.code.len().saturating_add(map)
    });
    let (made, code) = match made {
        // A map is JSON in JSON: what is escaped takes two bytes.
        Ok(_) if MAX_ANSWER_BYTES / 2 < size => (
            MadeHead::Failed(TypeScriptError::TooLong {
                size,
                limit: MAX_ANSWER_BYTES / 2,
            }),
            String::new(),
        ),
        Ok(JavaScript { code, source_map }) => (MadeHead::Made { source_map }, code),
        Err(error) => (MadeHead::Failed(error), String::new()),
    };
    let cpu_us = crate::micros(cpu);
    let head = AnswerHead { cpu_us, made };
    output.write_all(&message(&serde_json::to_vec(&head)?, code.as_bytes())?)?;
    output.flush()
}

/// The answer to a request; `None` when the stream ends before it.
///
/// # Errors
///
/// When the stream has something else.
pub fn read_answer(input: &mut dyn Read) -> io::Result<Option<Answer>> {
    let Some((header, body)) = read_message(input, (MAX_ANSWER_BYTES, MAX_ANSWER_BYTES))? else {
        return Ok(None);
    };
    let code = utf8(body)?;
    let head: AnswerHead = serde_json::from_slice(&header)?;
    Ok(Some(Answer {
        made: match head.made {
            MadeHead::Made { source_map } => Ok(JavaScript { code, source_map }),
            MadeHead::Failed(error) => Err(error),
        },
        cpu: Duration::from_micros(head.cpu_us),
    }))
}

fn message(header: &[u8], body: &[u8]) -> io::Result<Vec<u8>> {
    let len = |part: &[u8]| u32::try_from(part.len()).map_err(|_| bad("a part is too long"));
    let mut bytes = Vec::new();
    bytes.extend_from_slice(&len(header)?.to_be_bytes());
    bytes.extend_from_slice(&len(body)?.to_be_bytes());
    bytes.extend_from_slice(header);
    bytes.extend_from_slice(body);
    Ok(bytes)
}

/// Header and body, no longer than `most`; `None` at the end of the stream.
fn read_message(
    input: &mut dyn Read,
    most: (usize, usize),
) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let Some(header_len) = read_len(input)? else {
        return Ok(None);
    };
    let body_len = read_len(input)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    if most.0 < header_len || most.1 < body_len {
        return Err(bad("a part is longer than what is read"));
    }
    Ok(Some((
        read_exactly(input, header_len)?,
        read_exactly(input, body_len)?,
    )))
}

fn read_len(input: &mut dyn Read) -> io::Result<Option<usize>> {
    let mut bytes = [0; 4];
    match input.read_exact(&mut bytes) {
        Ok(()) => Ok(usize::try_from(u32::from_be_bytes(bytes)).ok()),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn read_exactly(input: &mut dyn Read, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; len];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| bad("text is not UTF-8"))
}

fn bad(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        for (typescript, jsx) in [
            (TypeScript::Strip, Jsx::Off),
            (TypeScript::Transform, Jsx::automatic()),
            (
                TypeScript::Strip,
                Jsx::Classic {
                    factory: "h".to_owned(),
                    fragment: "F".to_owned(),
                },
            ),
        ] {
            let options = ModuleOptions { typescript, jsx };
            let request = Request {
                language: Language::Tsx,
                format: ModuleFormat::CommonJs,
                path: "/app/\"é.tsx",
                options: &options,
            };
            let bytes = encode_request("let é: 1", &request).unwrap();
            let received = read_request(&mut bytes.as_slice()).unwrap().unwrap();
            assert_eq!(received.text, "let é: 1");
            let seen = received.request();
            assert_eq!(format!("{seen:?}"), format!("{request:?}"));
            for cut in 8..bytes.len() {
                assert!(read_request(&mut bytes.get(..cut).unwrap()).is_err());
            }
        }
        assert!(read_request(&mut [].as_slice()).unwrap().is_none());
    }

    #[test]
    fn an_answer_arrives_as_it_was_sent() {
        for made in [
            Ok(JavaScript {
                code: "1".to_owned(),
                source_map: Some("{}".to_owned()),
            }),
            Err(TypeScriptError::TooManyTokens),
            Err(TypeScriptError::Invalid {
                message: "m".to_owned(),
                place: super::super::Place::at("a\nb", 3),
            }),
        ] {
            let mut bytes = Vec::new();
            let cpu = Duration::from_micros(7);
            let made_too = made.clone();
            write_answer(&mut bytes, Answer { made, cpu }).unwrap();
            let seen = read_answer(&mut bytes.as_slice()).unwrap().unwrap();
            assert_eq!((seen.made, seen.cpu), (made_too, cpu));
        }
    }

    #[test]
    fn nothing_is_made_room_for_that_is_too_long() {
        let long = [0xff_u8; 8];
        assert!(read_request(&mut long.as_slice()).is_err());
        assert!(read_answer(&mut long.as_slice()).is_err());
        let code = "a".repeat(MAX_ANSWER_BYTES / 2 + 1);
        let made = Ok(JavaScript {
            code,
            source_map: None,
        });
        let mut bytes = Vec::new();
        let cpu = Duration::ZERO;
        write_answer(&mut bytes, Answer { made, cpu }).unwrap();
        let seen = read_answer(&mut bytes.as_slice()).unwrap().unwrap();
        assert!(matches!(seen.made, Err(TypeScriptError::TooLong { .. })));
    }
}
