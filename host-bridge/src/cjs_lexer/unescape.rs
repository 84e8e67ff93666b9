//! The value of a string literal.

/// The value of the literal with this text between its quotes; none if an escape is not
/// valid, or if the value is not well-formed Unicode and so cannot be the name of an export.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    // The first half of a surrogate pair that is written as two escapes.
    let mut high: Option<u32> = None;
    while let Some(c) = chars.next() {
        let code = match c {
            '\\' => match escape(&mut chars)? {
                Escape::Code(code) => code,
                Escape::Nothing => continue,
            },
            c => u32::from(c),
        };
        let code = match (high.take(), code) {
            (None, 0xd800..=0xdbff) => {
                high = Some(code);
                continue;
            }
            (Some(high), 0xdc00..=0xdfff) => {
                let pair = [u16::try_from(high).ok()?, u16::try_from(code).ok()?];
                u32::from(char::decode_utf16(pair).next()?.ok()?)
            }
            (None, code) => code,
            (Some(_), _) => return None,
        };
        value.push(char::from_u32(code)?);
    }
    high.is_none().then_some(value)
}

enum Escape {
    /// A UTF-16 code unit or a code point.
    Code(u32),
    /// A line continuation.
    Nothing,
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// ECMA-262, EscapeSequence and LegacyOctalEscapeSequence, behind the `\`.
fn escape(chars: &mut Chars<'_>) -> Option<Escape> {
    Some(Escape::Code(match chars.next()? {
        'n' => 0x0a,
        't' => 0x09,
        'r' => 0x0d,
        'b' => 0x08,
        'v' => 0x0b,
        'f' => 0x0c,
        'x' => digits(chars, 2)?,
        'u' if chars.next_if_eq(&'{').is_some() => braced(chars)?,
        'u' => digits(chars, 4)?,
        c @ '0'..='7' => octal(c, chars),
        '\r' => {
            chars.next_if_eq(&'\n');
            return Some(Escape::Nothing);
        }
        '\n' | '\u{2028}' | '\u{2029}' => return Some(Escape::Nothing),
        c => u32::from(c),
    }))
}

fn digits(chars: &mut Chars<'_>, n_digits: usize) -> Option<u32> {
    (0..n_digits).try_fold(0, |value: u32, _| {
        value
            .checked_mul(16)?
            .checked_add(chars.next()?.to_digit(16)?)
    })
}

fn braced(chars: &mut Chars<'_>) -> Option<u32> {
    let mut value: Option<u32> = None;
    loop {
        match chars.next()? {
            '}' => return value,
            c => {
                let longer = value.unwrap_or(0).checked_mul(16)?;
                value = Some(longer.checked_add(c.to_digit(16)?)?);
            }
        }
    }
}

/// Up to three digits, the value of which fits a byte.
fn octal(first: char, chars: &mut Chars<'_>) -> u32 {
    let mut value = first.to_digit(8).unwrap_or(0);
    let n_more = if value < 4 { 2 } else { 1 };
    for _ in 0..n_more {
        let Some(digit) = chars.next_if(|c| c.is_digit(8)).and_then(|c| c.to_digit(8)) else {
            break;
        };
        value = value.saturating_mul(8).saturating_add(digit);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for (text, value) in [
            ("a b", Some("a b")),
            (r"\u0061\x62\u{63}\144", Some("abcd")),
            (r"\0\8\377\400", Some("\08\u{ff} 0")),
            (r"\n\t\'\q", Some("\n\t'q")),
            ("a\\\r\nb\\\nc", Some("abc")),
            (r"\ud83d\ude00\u{1F600}", Some("😀😀")),
            (r"\ud83d", None),
            (r"\ud83dx", None),
            (r"\ude00", None),
            (r"\u{110000}", None),
            (r"\u{}", None),
            (r"\u12", None),
            (r"\xg0", None),
        ] {
            assert_eq!(unescape(text).as_deref(), value, "{text}");
        }
    }
}
