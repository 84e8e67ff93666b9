//! Rust source with everything blanked that is not code, so that a word in a comment or in a string is no hit.

/// `text` with comments and the contents of string and character literals replaced by spaces. Lines stay where they are.
pub(crate) fn code_only(text: &str) -> String {
    let mut rest = text;
    let mut code = String::with_capacity(text.len());
    while let Some(first) = rest.chars().next() {
        let length = prose_length(rest, code.chars().next_back());
        if length == 0 {
            code.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        } else {
            let (prose, after) = rest.split_at(length);
            code.extend(prose.chars().map(|c| if c == '\n' { c } else { ' ' }));
            rest = after;
        }
    }
    code
}

/// Whether `word` stands in `line` as a whole word.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line
            .get(start..)
            .and_then(|text| text.get(word.len()..))
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_word_char) && !after.is_some_and(is_word_char)
    })
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How many bytes at the start of `rest` are a comment or a literal; 0 where code begins.
fn prose_length(rest: &str, before: Option<char>) -> usize {
    let starts_word = !before.is_some_and(is_word_char);
    if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        block_comment_length(rest)
    } else if rest.starts_with('"') {
        quoted_length(rest)
    } else if starts_word && let Some(prefix) = raw_string_prefix(rest) {
        raw_string_length(rest, prefix)
    } else if rest.starts_with('\'') {
        char_length(rest)
    } else {
        0
    }
}

fn block_comment_length(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, c) in rest.char_indices() {
        match (previous, c) {
            ('/', '*') => {
                depth = depth.saturating_add(1);
                previous = ' ';
            }
            ('*', '/') => {
                depth = depth.saturating_sub(1);
                previous = ' ';
                if depth == 0 {
                    return at.saturating_add(1);
                }
            }
            _ => previous = c,
        }
    }
    rest.len()
}

fn quoted_length(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at.saturating_add(1),
            _ => {}
        }
    }
    rest.len()
}

/// The `r##"` (or `br##"`, `cr##"`) that opens a raw string.
fn raw_string_prefix(rest: &str) -> Option<&str> {
    let after_r = ["r", "br", "cr"]
        .iter()
        .find_map(|prefix| rest.strip_prefix(prefix))?;
    let after_hashes = after_r.trim_start_matches('#');
    let after_quote = after_hashes.strip_prefix('"')?;
    rest.strip_suffix(after_quote)
}

fn raw_string_length(rest: &str, prefix: &str) -> usize {
    let closing: String = std::iter::once('"')
        .chain(prefix.chars().filter(|c| *c == '#'))
        .collect();
    let body = rest.get(prefix.len()..).unwrap_or_default();
    match body.find(&closing) {
        Some(at) => prefix
            .len()
            .saturating_add(at)
            .saturating_add(closing.len()),
        None => rest.len(),
    }
}

/// A character literal; a lifetime or a label has length 0.
fn char_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            // What follows the backslash may itself be a quote.
            chars.next();
            chars
                .find(|(_, c)| *c == '\'')
                .map_or(rest.len(), |(at, _)| at.saturating_add(1))
        }
        Some(_) => match chars.next() {
            Some((at, '\'')) => at.saturating_add(1),
            _ => 0,
        },
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, code: &str) {
        assert_eq!(code_only(text).trim_end(), code, "{text}");
    }

    #[test]
    fn comments_are_blanked() {
        check("a(); // unsafe", "a();");
        check(
            "a(/* un /* nested */ safe */);",
            &format!("a({});", " ".repeat(26)),
        );
        check("/// unsafe\nfn a() {}", "          \nfn a() {}");
    }

    #[test]
    fn literals_are_blanked() {
        check(r#"a("uns\"afe", b);"#, "a(          , b);");
        check(r##"a(r#"x"y"#, b);"##, "a(        , b);");
        check(r"a('\'', '\u{41}', 'x');", "a(    ,         ,    );");
    }

    #[test]
    fn lifetimes_and_raw_identifiers_are_code() {
        check("fn a<'s>(r: &'s str) {}", "fn a<'s>(r: &'s str) {}");
        check("r#type();", "r#type();");
    }

    #[test]
    fn an_open_literal_ends_with_the_file() {
        check("a(\"never closed", "a(");
        check("a(r#\"never closed\"", "a(");
        check("a /* never closed", "a");
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("unsafe {", "unsafe"));
        assert!(has_word("#[unsafe(no_mangle)]", "unsafe"));
        assert!(!has_word("deny(unsafe_code)", "unsafe"));
        assert!(has_word("unsafe_code unsafe", "unsafe"));
    }
}
