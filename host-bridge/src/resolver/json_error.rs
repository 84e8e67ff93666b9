//! What `JSON.parse` says of a text that is not JSON.
//!
//! A broken `package.json` is an error whose text a program may show or match, so it reads
//! as in Node. The grammar is ECMA-404; the words are those of V8 in Node 20. Positions
//! count UTF-16 code units.

/// Code units that are shown around a token.
const CONTEXT: usize = 10;

/// Where a text stops being JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fault {
    at: usize,
    /// What was wanted there; nothing where V8 names what it found instead.
    wanted: Option<&'static str>,
}

/// The message of the error for `text`, or `otherwise` where the text is JSON after all.
pub(super) fn explain(text: &str, otherwise: &serde_json::Error) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut scanner = Scanner {
        units: &units,
        at: 0,
    };
    match scanner.run() {
        Ok(()) => otherwise.to_string(),
        Err(Fault { at, wanted: None }) => unexpected(&units, at),
        Err(Fault {
            at,
            wanted: Some(wanted),
        }) => format!("{wanted} at position {at}"),
    }
}

fn unexpected(units: &[u16], at: usize) -> String {
    let Some(unit) = units.get(at) else {
        return "Unexpected end of JSON input".to_owned();
    };
    match char::from_u32(u32::from(*unit)) {
        Some('0'..='9' | '-') => return format!("Unexpected number in JSON at position {at}"),
        Some('"') => return format!("Unexpected string in JSON at position {at}"),
        _ => {}
    }
    let show = |units: Option<&[u16]>| String::from_utf16_lossy(units.unwrap_or_default());
    let text = show(Some(units));
    if ["NaN", "Infinity", "undefined", "[object Object]"].contains(&text.as_str()) {
        return format!("\"{text}\" is not valid JSON");
    }
    let token = show(Some(&[*unit]));
    let (before, after) = (at.saturating_sub(CONTEXT), at.saturating_add(CONTEXT));
    let has_before = CONTEXT <= at;
    let has_after = after < units.len() || (!has_before && CONTEXT.saturating_mul(2) < units.len());
    let shown = if units.len() <= CONTEXT.saturating_mul(2) {
        format!("\"{text}\"")
    } else if !has_before {
        format!("\"{}\"...", show(units.get(..after)))
    } else if has_after {
        format!("...\"{}\"...", show(units.get(before..after)))
    } else {
        format!("...\"{}\"", show(units.get(before..)))
    };
    format!("Unexpected token '{token}', {shown} is not valid JSON")
}

/// What a value stands in.
#[derive(Debug, Clone, Copy)]
enum Open {
    Array,
    Object,
}

struct Scanner<'a> {
    units: &'a [u16],
    at: usize,
}

impl Scanner<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            if !self.value(&mut open)? {
                continue;
            }
            while self.is_closed(&mut open)? {
                if open.is_empty() {
                    break;
                }
            }
            if open.is_empty() {
                return match self.skip_space() {
                    None => Ok(()),
                    Some(_) => self.wanted("Unexpected non-whitespace character after JSON"),
                };
            }
        }
    }

    /// Whether a whole value was read, rather than the beginning of an array or object
    /// whose next value is to be read.
    fn value(&mut self, open: &mut Vec<Open>) -> Result<bool, Fault> {
        match self.skip_space() {
            Some('{') => {
                self.step();
                match self.skip_space() {
                    Some('}') => {
                        self.step();
                        Ok(true)
                    }
                    Some('"') => {
                        self.string()?;
                        if self.skip_space() != Some(':') {
                            return self.wanted("Expected ':' after property name in JSON");
                        }
                        self.step();
                        open.push(Open::Object);
                        Ok(false)
                    }
                    _ => self.wanted("Expected property name or '}' in JSON"),
                }
            }
            Some('[') => {
                self.step();
                if self.skip_space() == Some(']') {
                    self.step();
                    return Ok(true);
                }
                open.push(Open::Array);
                Ok(false)
            }
            Some('"') => self.string().map(|()| true),
            Some('-' | '0'..='9') => self.number().map(|()| true),
            Some('t') => self.literal("true").map(|()| true),
            Some('f') => self.literal("false").map(|()| true),
            Some('n') => self.literal("null").map(|()| true),
            _ => self.unexpected(),
        }
    }

    /// After a value: whether what it stands in ends here, rather than going on with
    /// another value.
    fn is_closed(&mut self, open: &mut Vec<Open>) -> Result<bool, Fault> {
        match (open.last(), self.skip_space()) {
            (None, _) => Ok(true),
            (Some(Open::Array), Some(']')) | (Some(Open::Object), Some('}')) => {
                self.step();
                open.pop();
                Ok(true)
            }
            (Some(Open::Array), Some(',')) => {
                self.step();
                Ok(false)
            }
            (Some(Open::Object), Some(',')) => {
                self.step();
                if self.skip_space() != Some('"') {
                    return self.wanted("Expected double-quoted property name in JSON");
                }
                self.string()?;
                if self.skip_space() != Some(':') {
                    return self.unexpected();
                }
                self.step();
                Ok(false)
            }
            (Some(Open::Array), _) => {
                self.wanted("Expected ',' or ']' after array element in JSON")
            }
            (Some(Open::Object), _) => {
                self.wanted("Expected ',' or '}' after property value in JSON")
            }
        }
    }

    fn string(&mut self) -> Result<(), Fault> {
        self.step();
        loop {
            match self.peek() {
                None => return self.wanted("Unterminated string in JSON"),
                Some('"') => {
                    self.step();
                    return Ok(());
                }
                Some('\\') => {
                    self.step();
                    self.escape()?;
                }
                Some(c) if c < ' ' => {
                    return self.wanted("Bad control character in string literal in JSON");
                }
                Some(_) => self.step(),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.peek() {
            None => self.unexpected(),
            Some('u') => {
                self.step();
                for _ in 0..4 {
                    if !self.peek().is_some_and(|c| c.is_ascii_hexdigit()) {
                        return self.wanted("Bad Unicode escape in JSON");
                    }
                    self.step();
                }
                Ok(())
            }
            Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {
                self.step();
                Ok(())
            }
            Some(_) => self.wanted("Bad escaped character in JSON"),
        }
    }

    fn number(&mut self) -> Result<(), Fault> {
        if self.peek() == Some('-') {
            self.step();
        }
        if self.peek() == Some('0') {
            self.step();
            if self.peek().is_some_and(|c| c.is_ascii_digit()) {
                return self.unexpected();
            }
        } else {
            self.digits("No number after minus sign in JSON")?;
        }
        if self.peek() == Some('.') {
            self.step();
            self.digits("Unterminated fractional number in JSON")?;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.step();
            if matches!(self.peek(), Some('+' | '-')) {
                self.step();
            }
            self.digits("Exponent part is missing a number in JSON")?;
        }
        Ok(())
    }

    fn digits(&mut self, wanted: &'static str) -> Result<(), Fault> {
        if !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            return self.wanted(wanted);
        }
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.step();
        }
        Ok(())
    }

    fn literal(&mut self, text: &str) -> Result<(), Fault> {
        for c in text.chars() {
            if self.peek() != Some(c) {
                return self.unexpected();
            }
            self.step();
        }
        Ok(())
    }

    fn skip_space(&mut self) -> Option<char> {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.step();
        }
        self.peek()
    }

    /// The next code unit; half of a surrogate pair counts as some character.
    fn peek(&self) -> Option<char> {
        let unit = u32::from(*self.units.get(self.at)?);
        Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn wanted<T>(&self, wanted: &'static str) -> Result<T, Fault> {
        Err(Fault {
            at: self.at,
            wanted: Some(wanted),
        })
    }

    fn unexpected<T>(&self) -> Result<T, Fault> {
        Err(Fault {
            at: self.at,
            wanted: None,
        })
    }
}

#[cfg(test)]
mod tests;
