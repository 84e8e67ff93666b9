//! `file:` URLs: the part of the URL Standard that module resolution needs.
//!
//! Drive letters of Windows are not known here: guest paths are POSIX paths.

use std::fmt;

/// A `file:` URL without a host, parsed and normal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileUrl {
    /// Percent-encoded, absolute, without dot segments.
    pub(super) pathname: String,
    /// `?query`, or nothing.
    search: String,
    /// `#fragment`, or nothing.
    hash: String,
}

/// The URL names a host other than `localhost`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ForeignHost;

/// Why a URL has no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPath {
    /// An encoded `/`.
    EncodedSlash,
    /// A `%` that encodes nothing, or not UTF-8.
    Malformed,
}

impl FileUrl {
    /// `url.pathToFileURL` of an absolute path.
    pub(super) fn from_path(path: &str) -> FileUrl {
        FileUrl {
            pathname: encode(path, |byte| {
                in_path_set(byte) || b"%\\[]^|~".contains(&byte)
            }),
            search: String::new(),
            hash: String::new(),
        }
    }

    /// `new URL(text)`, if `text` has the scheme `file:`.
    pub(super) fn parse(text: &str) -> Option<Result<FileUrl, ForeignHost>> {
        let text = trim(text);
        let scheme = scheme(&text).filter(|scheme| scheme.eq_ignore_ascii_case("file"))?;
        let rest = text.get(scheme.len()..)?.strip_prefix(':')?;
        let root = FileUrl::from_path("/");
        Some(root.join(rest))
    }

    /// `new URL(reference, self)` for a reference without a scheme.
    pub(super) fn join(&self, reference: &str) -> Result<FileUrl, ForeignHost> {
        let reference = trim(reference);
        let (rest, hash) = split_before(&reference, '#');
        let (path, search) = split_before(rest, '?');
        // URL Standard, special schemes: `\` is `/`.
        let path = path.replace('\\', "/");
        let (base, path) = if let Some(authority) = path.strip_prefix("//") {
            let (host, path) = split_before(authority, '/');
            if !matches!(host, "" | "localhost") {
                return Err(ForeignHost);
            }
            ("", path)
        } else if path.starts_with('/') {
            ("", path.as_str())
        } else {
            let base = self.pathname.rsplit_once('/').map_or("", |(base, _)| base);
            (base, path.as_str())
        };
        Ok(FileUrl {
            pathname: normalize(base, path),
            search: encode(search, |byte| {
                byte <= b' ' || 0x7e < byte || b"\"<>'".contains(&byte)
            }),
            hash: encode(hash, |byte| {
                byte <= b' ' || 0x7e < byte || b"\"<>`".contains(&byte)
            }),
        })
    }

    /// `url.fileURLToPath`.
    pub(super) fn to_path(&self) -> Result<String, NoPath> {
        if has_code(&self.pathname, "2f") {
            return Err(NoPath::EncodedSlash);
        }
        let bytes = decode(&self.pathname).ok_or(NoPath::Malformed)?;
        String::from_utf8(bytes).map_err(|_| NoPath::Malformed)
    }

    /// Whether the path has an encoded `/` or `\`, which no module may have.
    pub(super) fn has_encoded_separator(&self) -> bool {
        has_code(&self.pathname, "2f") || has_code(&self.pathname, "5c")
    }

    /// The URL of another path with the query and fragment of this one, if they say
    /// anything.
    pub(super) fn with_path(&self, path: &str) -> FileUrl {
        let said = |part: &String, mark: &str| match part.as_str() {
            part if part == mark => String::new(),
            part => part.to_owned(),
        };
        FileUrl {
            pathname: FileUrl::from_path(path).pathname,
            search: said(&self.search, "?"),
            hash: said(&self.hash, "#"),
        }
    }
}

impl fmt::Display for FileUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileUrl {
            pathname,
            search,
            hash,
        } = self;
        write!(f, "file://{pathname}{search}{hash}")
    }
}

/// The scheme of an absolute URL.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let mut bytes = scheme.bytes();
    let is_scheme = bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some(scheme)
}

/// Bytes of `text`, with each `%xx` decoded; none if a `%` encodes nothing.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let value = digit()?.checked_mul(16)?.checked_add(digit()?)?;
        bytes.push(u8::try_from(value).ok()?);
    }
    Some(bytes)
}

fn has_code(pathname: &str, code: &str) -> bool {
    let is_code = |part: &str| {
        part.get(..2)
            .is_some_and(|two| two.eq_ignore_ascii_case(code))
    };
    pathname.split('%').skip(1).any(is_code)
}

/// URL Standard, basic URL parser, steps 1 to 3.
fn trim(text: &str) -> String {
    text.trim_matches(|c| c <= ' ')
        .replace(['\t', '\n', '\r'], "")
}

/// Splits before the first `separator`.
fn split_before(text: &str, separator: char) -> (&str, &str) {
    text.split_at(text.find(separator).unwrap_or(text.len()))
}

/// Joins an encoded, normal `base` and a `path` that is neither.
fn normalize(base: &str, path: &str) -> String {
    let mut segments: Vec<&str> = base.split('/').skip(1).collect();
    let mut ends_in_slash = false;
    let path = path.strip_prefix('/').unwrap_or(path);
    for segment in path.split('/') {
        let dots = segment.to_ascii_lowercase().replace("%2e", ".");
        ends_in_slash = matches!(dots.as_str(), "." | "..");
        match dots.as_str() {
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let mut pathname = String::new();
    for segment in segments {
        pathname.push('/');
        pathname.push_str(&encode(segment, in_path_set));
    }
    if ends_in_slash || pathname.is_empty() {
        pathname.push('/');
    }
    pathname
}

/// URL Standard, path percent-encode set.
fn in_path_set(byte: u8) -> bool {
    byte <= b' ' || 0x7e < byte || b"\"#<>?`{}".contains(&byte)
}

fn encode(text: &str, in_set: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        let mut buffer = [0; 4];
        for byte in c.encode_utf8(&mut buffer).bytes() {
            if in_set(byte) {
                encoded.push_str(&format!("%{byte:02X}"));
            } else {
                encoded.push(char::from(byte));
            }
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_as_the_url_standard_says() {
        for (text, wanted) in [
            ("file:", Some("file:///")),
            ("file:a", Some("file:///a")),
            ("file:?x", Some("file:///?x")),
            ("file:///a/./b/../c/%2E/", Some("file:///a/c/")),
            ("file:///../..", Some("file:///")),
            ("file:///a/b/..", Some("file:///a/")),
            ("file:///a//..//b", Some("file:///a//b")),
            ("file:////x", Some("file:////x")),
            ("file://localhost/x", Some("file:///x")),
            ("FILE:///a/.%2e/b", Some("file:///b")),
            ("file:/a%", Some("file:///a%")),
            (
                " file:///\ta\\b?\\'# `é",
                Some("file:///a/b?\\%27#%20%60%C3%A9"),
            ),
            ("file://host/x", None),
        ] {
            let got = FileUrl::parse(text)
                .unwrap()
                .ok()
                .map(|url| url.to_string());
            assert_eq!(got.as_deref(), wanted, "{text}");
        }
        assert!(FileUrl::parse("./file:").is_none());
        assert!(FileUrl::parse("http://x").is_none());
    }

    #[test]
    fn joins_references() {
        let base = FileUrl::from_path("/x/y.js");
        for (reference, wanted) in [
            ("./a|b", "file:///x/a|b"),
            ("..", "file:///"),
            (".", "file:///x/"),
            ("//", "file:///"),
            ("///z", "file:///z"),
            ("./?q", "file:///x/?q"),
            ("/..//a", "file:////a"),
            ("./a?b/../c#d/../e", "file:///x/a?b/../c#d/../e"),
        ] {
            assert_eq!(base.join(reference).unwrap().to_string(), wanted);
        }
    }

    #[test]
    fn paths_survive() {
        for path in ["/a b/[id].js", "/100%/é?#.js", "/~user/a^b|c\\d"] {
            let url = FileUrl::from_path(path);
            let parsed = FileUrl::parse(&url.to_string()).unwrap().unwrap();
            assert_eq!(parsed.to_path().as_deref(), Ok(path));
            assert_eq!(parsed.has_encoded_separator(), path.contains('\\'));
        }
        let url = FileUrl::parse("file:///a%2Fb").unwrap().unwrap();
        assert_eq!(url.to_path(), Err(NoPath::EncodedSlash));
        for text in ["file:///%", "file:///%zz", "file:///%ff", "file:///%+1"] {
            let url = FileUrl::parse(text).unwrap().unwrap();
            assert_eq!(url.to_path(), Err(NoPath::Malformed), "{text}");
        }
    }
}
