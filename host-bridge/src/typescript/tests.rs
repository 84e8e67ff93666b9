//! What is blanked, rewritten and refused, and what hostile text comes to.

use protocol::{Jsx, ModuleOptions, TypeScript};

use super::*;

mod hostile;
mod rewritten;

fn ask(
    text: &str,
    path: &str,
    typescript: TypeScript,
    jsx: Jsx,
) -> Result<JavaScript, TypeScriptError> {
    let request = Request {
        language: Language::of(path),
        format: match path.ends_with(".cts") {
            true => ModuleFormat::CommonJs,
            false => ModuleFormat::EsModule,
        },
        path,
        options: &ModuleOptions { typescript, jsx },
    };
    to_javascript(text, &request)
}

fn strip(text: &str) -> Result<JavaScript, TypeScriptError> {
    ask(text, "/app/a.mts", TypeScript::Strip, Jsx::Off)
}

/// `text ## what is left of it`, with `~` for each blank and `\n` for the end of a line. Node's
/// own stripper (amaro 1.2.1) leaves the same but for a `;` at the start of what it blanks.
const BLANKED: &str = include_str!("blanked.txt");

#[test]
fn types_are_blanked_in_place() {
    let mut failed = String::new();
    for row in BLANKED.lines() {
        let (text, expected) = row.split_once(" ## ").unwrap();
        let text = text.trim_end().replace("\\n", "\n");
        let seen = match strip(&text) {
            Ok(JavaScript { code, source_map }) => {
                assert_eq!(source_map, None);
                assert_eq!(code.encode_utf16().count(), text.encode_utf16().count());
                code.replace('\n', "\\n").replace(' ', "~")
            }
            Err(error) => {
                format!("ERR {}", error.to_string().split(" (").next().unwrap()).replace(' ', "~")
            }
        };
        if seen != expected {
            failed += &format!("\n{row}\n  seen {seen}");
        }
    }
    assert_eq!(failed, "");
}

/// `text | line:column | what the message begins with`
const REFUSED: &str = r"
enum A { B }                        | 1:1  | TypeScript enum is not supported
const enum A { B }                  | 1:1  | TypeScript enum is not supported
export enum A { B }                 | 1:8  | TypeScript enum is not supported
namespace N { export const a = 1 }  | 1:1  | TypeScript namespace
class A { constructor(private a: 1) {} } | 1:31 | TypeScript parameter property
class A { constructor(readonly a) {} }   | 1:32 | TypeScript parameter property
import a = require('a');            | 1:1  | TypeScript import equals
import a = N.b;                     | 1:1  | TypeScript import equals
export import a = N.b;              | 1:1  | TypeScript import equals
x();\nexport = 1;                   | 2:1  | TypeScript export assignment
const a = <string>b;                | 1:11 | The angle-bracket syntax
";

#[test]
fn what_needs_code_is_refused() {
    for row in REFUSED.trim().lines() {
        let [text, place, message] = row.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let error = strip(&text.replace("\\n", "\n")).unwrap_err();
        assert_eq!(error.code(), "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "{row}");
        assert_eq!(error.class(), TypeScriptErrorClass::SyntaxError);
        let said = error.to_string();
        assert!(said.starts_with(message), "{row}: {said}");
        assert!(said.contains(&format!("({place})")), "{row}: {said}");
        assert!(said.contains("`typescript: transform`"), "{said}");
    }
}

#[test]
fn what_is_never_supported_says_no_other_way() {
    for (text, place) in [
        ("@f class A {}", "(1:1)"),
        ("class A {\n  @f m() {}\n}", "(2:3)"),
    ] {
        for typescript in [TypeScript::Strip, TypeScript::Transform] {
            let error = ask(text, "/app/a.mts", typescript, Jsx::Off).unwrap_err();
            assert_eq!(error.code(), "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX");
            let said = error.to_string();
            assert!(
                said.starts_with("Decorators") && said.contains(place),
                "{said}"
            );
            assert!(!said.contains("transform"), "{said}");
        }
    }
    let error = strip("module N { export type A = 1 }").unwrap_err();
    assert_eq!(error.code(), "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX");
}

#[test]
fn a_syntax_error_has_place_and_excerpt() {
    let error = strip("const a = 1;\n\tlet é: = 2;\n").unwrap_err();
    assert_eq!(error.code(), "ERR_INVALID_TYPESCRIPT_SYNTAX");
    assert_eq!(error.class(), TypeScriptErrorClass::SyntaxError);
    let TypeScriptError::Invalid { place, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!((place.line, place.column), (2, 9));
    assert_eq!(place.excerpt, "\tlet é: = 2;\n\t       ^");
}

#[test]
fn a_long_line_is_cut_in_the_excerpt() {
    let error = strip(&format!("{}let: = 1{}", "a;".repeat(500), ";b".repeat(500))).unwrap_err();
    let TypeScriptError::Invalid { place, .. } = error else {
        panic!("{error:?}");
    };
    assert!(place.excerpt.len() < 300, "{}", place.excerpt);
    assert_eq!(place.line, 1);
}

#[test]
fn a_mark_of_utf8_and_a_first_line_of_a_shell_are_kept_out() {
    assert_eq!(strip("\u{feff}let a: 1;").unwrap().code, "let a   ;");
    let code = strip("#!/usr/bin/node\nlet a: 1;").unwrap().code;
    assert_eq!(code, "#!/usr/bin/node\nlet a   ;");
}

/// `text | what is left of it`: as tsc, each is two members.
const NAMES_OF_PROPERTIES: &str = r"
class A { public\n x = 1 }              | class A { public\n;x = 1 }
class A { public \n  x = 1 }            | class A { public;\n  x = 1 }
class A { public\r\nx = 1 }             | class A { public;\nx = 1 }
class A { static private // c\nx() {} } | class A { static private;// c\nx() {} }
class A { readonly /*\n*/ x = 1 }       | class A { readonly;/*\n*/ x = 1 }
class A { declare\n static x = 1 }      | class A { declare\n;static x = 1 }
class A { public\n = 1 }                | class A { public\n = 1 }
class A { public x = 1;\n private }     | class A {        x = 1;\n private }
";

#[test]
fn a_modifier_at_the_end_of_a_line_is_a_property() {
    for row in NAMES_OF_PROPERTIES.trim().lines() {
        let (text, expected) = row.split_once(" | ").unwrap();
        let plain = |text: &str| text.trim_end().replace("\\r", "\r").replace("\\n", "\n");
        let code = strip(&plain(text)).unwrap().code;
        assert_eq!(code, plain(expected), "{row}");
    }
    let text = "class A {\n  public\nx = 1 }";
    for typescript in [TypeScript::Strip, TypeScript::Transform] {
        let error = ask(text, "/app/a.mts", typescript, Jsx::Off).unwrap_err();
        let said = error.to_string();
        assert!(
            said.starts_with("A line break") && said.contains("(2:3)"),
            "{said}"
        );
    }
    let made = ask(
        "class A { public\n x = 1 }",
        "/app/a.mts",
        TypeScript::Transform,
        Jsx::Off,
    );
    let code = made.unwrap().code;
    assert!(code.contains("public;") && code.contains("x = 1"), "{code}");
}

#[test]
fn elements_are_off_unless_asked_for() {
    for path in ["/app/a.tsx", "/app/a.jsx"] {
        let error = ask("1", path, TypeScript::Strip, Jsx::Off).unwrap_err();
        assert_eq!(error, TypeScriptError::JsxOff);
        assert_eq!(error.code(), "ERR_UNKNOWN_FILE_EXTENSION");
        assert_eq!(error.class(), TypeScriptErrorClass::TypeError);
    }
}
