//! The patterns, each from behind the word that it begins with.
//!
//! Names in capitals are those of the grammar in the documentation of `cjs-module-lexer`.

use super::cursor::Cursor;

/// What stands behind `exports` or `module.exports`.
#[derive(Debug)]
pub(super) enum OnExports<'a> {
    /// `EXPORTS_DOT_ASSIGN`
    Word(&'a str),
    /// `EXPORTS_LITERAL_COMPUTED_ASSIGN`, as it is written.
    Text(&'a str),
    /// `=`, of interest behind `module.exports` only.
    Assign(Cursor<'a>),
    Nothing,
}

/// `.name =`, `['name'] =` or `=`.
pub(super) fn on_exports(mut cursor: Cursor<'_>) -> OnExports<'_> {
    if cursor.eat(".") {
        match cursor.word() {
            Some(name) if cursor.eat("=") => OnExports::Word(name),
            _ => OnExports::Nothing,
        }
    } else if cursor.eat("[") {
        match cursor.string() {
            Some(name) if cursor.eat("]") && cursor.eat("=") => OnExports::Text(name),
            _ => OnExports::Nothing,
        }
    } else if cursor.eat("=") {
        OnExports::Assign(cursor)
    } else {
        OnExports::Nothing
    }
}

/// `.exports` behind `module`.
pub(super) fn module_exports(mut cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    cursor.punct(".")?;
    cursor.keyword("exports")?;
    Some(cursor)
}

/// `REQUIRE`: the specifier, as it is written.
pub(super) fn require<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut after = *cursor;
    after.keyword("require")?;
    after.punct("(")?;
    let specifier = after.string()?;
    after.punct(")")?;
    *cursor = after;
    Some(specifier)
}

/// One entry of `EXPORTS_LITERAL`.
#[derive(Debug)]
pub(super) enum Entry<'a> {
    Word(&'a str),
    Text(&'a str),
    Spread(&'a str),
}

/// `EXPORTS_LITERAL` behind its `{`, up to the first entry that is not of the grammar.
pub(super) fn literal<'a>(mut cursor: Cursor<'a>, mut found: impl FnMut(Entry<'a>)) {
    loop {
        if cursor.eat("...") {
            match require(&mut cursor) {
                Some(specifier) => found(Entry::Spread(specifier)),
                None if cursor.word().is_some() => {}
                None => return,
            }
        } else if let Some(name) = cursor.word() {
            if cursor.eat(":") && cursor.word().is_none() {
                return;
            }
            found(Entry::Word(name));
        } else if let Some(name) = cursor.string() {
            if cursor.eat(":") {
                if cursor.word().is_none() {
                    return;
                }
                found(Entry::Text(name));
            }
        } else {
            return;
        }
        if !cursor.eat(",") {
            return;
        }
    }
}

/// `EXPORTS_ASSIGN` behind `var`, `let` or `const`: the name and the specifier.
pub(super) fn binding(mut cursor: Cursor<'_>) -> Option<(&str, &str)> {
    let name = cursor.word()?;
    cursor.punct("=")?;
    if cursor.eat_word("_interopRequireWildcard") {
        cursor.punct("(")?;
    }
    Some((name, require(&mut cursor)?))
}

/// `EXPORT_STAR` behind `__export` or `__exportStar`: the specifier.
pub(super) fn export_star(mut cursor: Cursor<'_>) -> Option<&str> {
    cursor.punct("(")?;
    require(&mut cursor)
}

/// `EXPORTS_DEFINE`.
#[derive(Debug)]
pub(super) struct Define<'a> {
    /// As it is written.
    pub(super) name: &'a str,
    /// Whether it is `EXPORTS_DEFINE_VALUE`: reading the property runs no other code.
    pub(super) is_plain: bool,
}

/// `EXPORTS_DEFINE` behind `Object`.
pub(super) fn define(mut cursor: Cursor<'_>) -> Option<Define<'_>> {
    cursor.punct(".")?;
    cursor.keyword("defineProperty")?;
    cursor.punct("(")?;
    exports_identifier(&mut cursor)?;
    cursor.punct(",")?;
    let name = cursor.string()?;
    let is_plain = plain_property(cursor).is_some();
    Some(Define { name, is_plain })
}

fn plain_property(mut cursor: Cursor<'_>) -> Option<()> {
    cursor.punct(",")?;
    cursor.punct("{")?;
    enumerable(&mut cursor)?;
    if cursor.eat_word("value") {
        return cursor.punct(":");
    }
    getter_head(&mut cursor)?;
    cursor.word()?;
    if cursor.eat(".") {
        cursor.word()?;
    } else if cursor.eat("[") {
        cursor.string()?;
        cursor.punct("]")?;
    }
    getter_tail(&mut cursor)
}

/// `enumerable: true,`, or nothing; none if it is begun and is something else.
fn enumerable(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.eat_word("enumerable") {
        cursor.punct(":")?;
        cursor.keyword("true")?;
        cursor.punct(",")?;
    }
    Some(())
}

/// `get: function name() { return` or `get() { return`.
fn getter_head(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.keyword("get")?;
    if cursor.eat(":") {
        cursor.keyword("function")?;
        let _name = cursor.word();
    }
    cursor.punct("(")?;
    cursor.punct(")")?;
    cursor.punct("{")?;
    cursor.keyword("return")
}

/// `;? } ,? })`
fn getter_tail(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.eat(";");
    cursor.punct("}")?;
    cursor.eat(",");
    cursor.punct("}")?;
    cursor.punct(")")
}

/// `EXPORTS_IDENTIFIER`
fn exports_identifier(cursor: &mut Cursor<'_>) -> Option<()> {
    if cursor.eat_word("exports") {
        return Some(());
    }
    cursor.keyword("module")?;
    *cursor = module_exports(*cursor)?;
    Some(())
}

/// `EXPORT_STAR_LIB` behind `Object`: the name of what is exported.
pub(super) fn export_star_loop(mut cursor: Cursor<'_>) -> Option<&str> {
    let cursor = &mut cursor;
    cursor.punct(".")?;
    cursor.keyword("keys")?;
    cursor.punct("(")?;
    let source = cursor.word()?;
    cursor.punct(")")?;
    cursor.punct(".")?;
    cursor.keyword("forEach")?;
    cursor.punct("(")?;
    cursor.keyword("function")?;
    cursor.punct("(")?;
    let key = cursor.word()?;
    cursor.punct(")")?;
    cursor.punct("{")?;
    cursor.keyword("if")?;
    cursor.punct("(")?;
    cursor.keyword(key)?;
    let names = Names { source, key };
    if cursor.eat("===") {
        names.skip_by_return(cursor)?;
    } else {
        names.skip_by_condition(cursor)?;
    }
    names.copy(cursor)?;
    cursor.punct("}")?;
    cursor.punct(")")?;
    Some(source)
}

/// The two identifiers of a loop that copies exports.
struct Names<'a> {
    source: &'a str,
    key: &'a str,
}

impl Names<'_> {
    /// `'default' || key === '__esModule') return;` and the checks that may follow.
    fn skip_by_return(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        text(cursor, "default")?;
        cursor.punct("||")?;
        cursor.keyword(self.key)?;
        cursor.punct("===")?;
        text(cursor, "__esModule")?;
        close_return(cursor)?;
        let mut after = *cursor;
        if self.skip_own_names(&mut after).is_some() {
            *cursor = after;
        }
        let mut after = *cursor;
        if self.skip_same(&mut after).is_some() {
            *cursor = after;
        }
        Some(())
    }

    /// `if (Object.prototype.hasOwnProperty.call(names, key)) return;`
    fn skip_own_names(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.keyword("if")?;
        cursor.punct("(")?;
        cursor.keyword("Object")?;
        self.has_own_call(cursor)?;
        close_return(cursor)
    }

    /// `if (key in exports && exports[key] === source[key]) return;`
    fn skip_same(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.keyword("if")?;
        cursor.punct("(")?;
        cursor.keyword(self.key)?;
        cursor.keyword("in")?;
        exports_identifier(cursor)?;
        cursor.punct("&&")?;
        exports_identifier(cursor)?;
        self.indexed(cursor)?;
        cursor.punct("===")?;
        self.source_indexed(cursor)?;
        close_return(cursor)
    }

    /// `!== 'default' && !exports.hasOwnProperty(key))`
    fn skip_by_condition(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.punct("!==")?;
        text(cursor, "default")?;
        if cursor.eat("&&") {
            cursor.punct("!")?;
            let object = cursor.word()?;
            let mut after = *cursor;
            if object == "Object" && self.has_own_call(&mut after).is_some() {
                *cursor = after;
            } else {
                cursor.punct(".")?;
                cursor.keyword("hasOwnProperty")?;
                cursor.punct("(")?;
                cursor.keyword(self.key)?;
                cursor.punct(")")?;
            }
        }
        cursor.punct(")")
    }

    /// `.prototype.hasOwnProperty.call(names, key)` behind `Object`.
    fn has_own_call(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.punct(".")?;
        if cursor.eat_word("prototype") {
            cursor.punct(".")?;
        }
        cursor.keyword("hasOwnProperty")?;
        cursor.punct(".")?;
        cursor.keyword("call")?;
        cursor.punct("(")?;
        cursor.word()?;
        cursor.punct(",")?;
        cursor.keyword(self.key)?;
        cursor.punct(")")
    }

    /// `exports[key] = source[key];`, or the property defined with a getter.
    fn copy(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        if cursor.eat_word("Object") {
            self.copy_by_getter(cursor)?;
        } else {
            exports_identifier(cursor)?;
            self.indexed(cursor)?;
            cursor.punct("=")?;
            self.source_indexed(cursor)?;
        }
        cursor.eat(";");
        Some(())
    }

    fn copy_by_getter(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.punct(".")?;
        cursor.keyword("defineProperty")?;
        cursor.punct("(")?;
        exports_identifier(cursor)?;
        cursor.punct(",")?;
        cursor.keyword(self.key)?;
        cursor.punct(",")?;
        cursor.punct("{")?;
        enumerable(cursor)?;
        getter_head(cursor)?;
        self.source_indexed(cursor)?;
        getter_tail(cursor)
    }

    /// `source[key]`
    fn source_indexed(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.keyword(self.source)?;
        self.indexed(cursor)
    }

    /// `[key]`
    fn indexed(&self, cursor: &mut Cursor<'_>) -> Option<()> {
        cursor.punct("[")?;
        cursor.keyword(self.key)?;
        cursor.punct("]")
    }
}

/// `) return;`
fn close_return(cursor: &mut Cursor<'_>) -> Option<()> {
    cursor.punct(")")?;
    cursor.keyword("return")?;
    cursor.eat(";");
    Some(())
}

/// The string literal `wanted`.
fn text(cursor: &mut Cursor<'_>, wanted: &str) -> Option<()> {
    (cursor.string()? == wanted).then_some(())
}
