//! `data:` URLs: a module in its own specifier.
//!
//! RFC 2397 as Node reads it: `type/subtype`, parameters, perhaps `;base64`, a comma and
//! the body. Query and fragment are no part of the body.

use url::Url;

use super::file_url::decode;
use super::{ModuleFormat, ResolveError, Resolved};

/// Bytes that a `data:` URL may have.
pub const MAX_DATA_URL_BYTES: usize = 4 << 20;

const BASE64: &str = ";base64";

/// The module in the `data:` URL `href`.
pub(super) fn resolve(href: String) -> Result<Resolved, ResolveError> {
    let Some((mime, is_base64, body)) = Url::parse(&href).ok().and_then(|url| {
        let (mime, is_base64, body) = split(url.path())?;
        Some((mime.to_owned(), is_base64, decode(body)))
    }) else {
        return Err(ResolveError::InvalidUrl { input: href });
    };
    let Some(body) = body.filter(|body| std::str::from_utf8(body).is_ok()) else {
        return Err(ResolveError::MalformedUri { url: None });
    };
    match format_of(&mime) {
        Some(format) => Ok(Resolved::Data {
            url: href,
            format,
            source: if is_base64 {
                decode_base64(&body)
            } else {
                body
            },
        }),
        None => Err(ResolveError::UnknownFormat { mime, url: href }),
    }
}

/// MIME type without parameters, whether the body is in base64, and the body.
fn split(pathname: &str) -> Option<(&str, bool, &str)> {
    let slash = pathname.find('/').filter(|at| 0 < *at)?;
    let comma = slash.checked_add(pathname.get(slash..)?.find(',')?)?;
    let (header, body) = (pathname.get(..comma)?, pathname.get(comma..)?.get(1..)?);
    let end = header
        .get(slash..)?
        .find(';')
        .map_or(Some(comma), |at| slash.checked_add(at))?;
    let mime = header.get(..end)?;
    let has_subtype = !mime.ends_with('/') || slash.checked_add(1) < Some(mime.len());
    has_subtype.then_some((mime, header.ends_with(BASE64), body))
}

fn format_of(mime: &str) -> Option<ModuleFormat> {
    let script = mime.trim();
    let is_script = ["text/javascript", "application/javascript"]
        .iter()
        .any(|name| script.eq_ignore_ascii_case(name));
    match mime {
        _ if is_script => Some(ModuleFormat::EsModule),
        "application/json" => Some(ModuleFormat::Json),
        "application/wasm" => Some(ModuleFormat::Wasm),
        _ => None,
    }
}

/// As Node's `Buffer` takes it: both alphabets, what belongs to neither is passed over,
/// and the first `=` ends it.
fn decode_base64(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut bits: u32 = 0;
    let mut n_bits: u32 = 0;
    let values = text.iter().take_while(|byte| **byte != b'=');
    for value in values.filter_map(|byte| value_of(*byte)) {
        bits = (bits << 6) | u32::from(value);
        n_bits = n_bits.saturating_add(6);
        if 8 <= n_bits {
            n_bits = n_bits.saturating_sub(8);
            let [.., byte] = (bits >> n_bits).to_be_bytes();
            bytes.push(byte);
        }
    }
    bytes
}

fn value_of(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => byte.checked_sub(b'A'),
        b'a'..=b'z' => byte.checked_sub(b'a')?.checked_add(26),
        b'0'..=b'9' => byte.checked_sub(b'0')?.checked_add(52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_node_takes_it() {
        for (text, wanted) in [
            ("Zg==Zg==", "f"),
            ("Zm9v Zm9v!", "foofoo"),
            ("Z", ""),
            ("Zm", "f"),
            ("=Zm9v", ""),
            ("Zm9vZ", "foo"),
            ("\u{e9}Zm9v", "foo"),
        ] {
            assert_eq!(decode_base64(text.as_bytes()), wanted.as_bytes(), "{text}");
        }
        assert_eq!(decode_base64(b"-_+/"), [0xfb, 0xff, 0xbf]);
    }

    #[test]
    fn parts() {
        for (pathname, wanted) in [
            ("text/javascript,1", Some(("text/javascript", false, "1"))),
            (
                "text/javascript;a=b,1,2",
                Some(("text/javascript", false, "1,2")),
            ),
            ("a/b;x;base64,", Some(("a/b", true, ""))),
            ("a,b/c,d", Some(("a,b/c", false, "d"))),
            ("text/,1", None),
            ("text/;base64,1", None),
            ("/x,1", None),
            (",x", None),
            ("text/javascript", None),
        ] {
            assert_eq!(split(pathname), wanted, "{pathname}");
        }
    }
}
