//! Texts, and what Node 20 says of each.

use super::*;

const MESSAGES: [(&str, &str); 126] = [
    ("", "Unexpected end of JSON input"),
    ("  ", "Unexpected end of JSON input"),
    ("{", "Expected property name or '}' in JSON at position 1"),
    (
        "{\"a\":1,}",
        "Expected double-quoted property name in JSON at position 7",
    ),
    (
        "{\"a\":1,",
        "Expected double-quoted property name in JSON at position 7",
    ),
    ("[1,", "Unexpected end of JSON input"),
    (
        "[1",
        "Expected ',' or ']' after array element in JSON at position 2",
    ),
    ("[1,]", "Unexpected token ']', \"[1,]\" is not valid JSON"),
    ("[", "Unexpected end of JSON input"),
    ("[,]", "Unexpected token ',', \"[,]\" is not valid JSON"),
    ("nul", "Unexpected end of JSON input"),
    ("nulx", "Unexpected token 'x', \"nulx\" is not valid JSON"),
    (
        "truex",
        "Unexpected non-whitespace character after JSON at position 4",
    ),
    ("tru", "Unexpected end of JSON input"),
    (
        "true x",
        "Unexpected non-whitespace character after JSON at position 5",
    ),
    (
        "{\"name\":\"x\"} y",
        "Unexpected non-whitespace character after JSON at position 13",
    ),
    (
        "{\"a\" 1}",
        "Expected ':' after property name in JSON at position 5",
    ),
    (
        "{\"a\" \"b\"}",
        "Expected ':' after property name in JSON at position 5",
    ),
    (
        "{\"a\" x}",
        "Expected ':' after property name in JSON at position 5",
    ),
    (
        "{\"a\"",
        "Expected ':' after property name in JSON at position 4",
    ),
    ("{\"a\":", "Unexpected end of JSON input"),
    (
        "{a:1}",
        "Expected property name or '}' in JSON at position 1",
    ),
    (
        "{1:1}",
        "Expected property name or '}' in JSON at position 1",
    ),
    (
        "{\"a\":\"\u{a}\"}",
        "Bad control character in string literal in JSON at position 6",
    ),
    (
        "{\"a\":\"\u{1}\"}",
        "Bad control character in string literal in JSON at position 6",
    ),
    ("\"abc", "Unterminated string in JSON at position 4"),
    ("{\"a\":01}", "Unexpected number in JSON at position 6"),
    (
        "{\"a\":-}",
        "No number after minus sign in JSON at position 6",
    ),
    (
        "{\"a\":-x}",
        "No number after minus sign in JSON at position 6",
    ),
    ("-", "No number after minus sign in JSON at position 1"),
    (
        "{\"a\":1.}",
        "Unterminated fractional number in JSON at position 7",
    ),
    ("1.", "Unterminated fractional number in JSON at position 2"),
    (
        "1.x",
        "Unterminated fractional number in JSON at position 2",
    ),
    (
        "{\"a\":1e}",
        "Exponent part is missing a number in JSON at position 7",
    ),
    (
        "1e",
        "Exponent part is missing a number in JSON at position 2",
    ),
    (
        "1e+",
        "Exponent part is missing a number in JSON at position 3",
    ),
    (
        "{\"a\":\"\\x\"}",
        "Bad escaped character in JSON at position 7",
    ),
    (
        "{\"a\":\"\\u12\"}",
        "Bad Unicode escape in JSON at position 10",
    ),
    (
        "{\"a\":\"\\u12",
        "Bad Unicode escape in JSON at position 10",
    ),
    ("\"\\", "Unexpected end of JSON input"),
    ("\"\\u", "Bad Unicode escape in JSON at position 3"),
    (
        "{\"a\":1 \"b\":2}",
        "Expected ',' or '}' after property value in JSON at position 7",
    ),
    (
        "{\"a\":1 2}",
        "Expected ',' or '}' after property value in JSON at position 7",
    ),
    (
        "{\"a\":1 x}",
        "Expected ',' or '}' after property value in JSON at position 7",
    ),
    (
        "{\"a\":1]",
        "Expected ',' or '}' after property value in JSON at position 6",
    ),
    (
        "[1}",
        "Expected ',' or ']' after array element in JSON at position 2",
    ),
    (
        "[1 2]",
        "Expected ',' or ']' after array element in JSON at position 3",
    ),
    (
        "[1 \"x\"]",
        "Expected ',' or ']' after array element in JSON at position 3",
    ),
    (
        "[1 x]",
        "Expected ',' or ']' after array element in JSON at position 3",
    ),
    (
        "{\"k\":1,\"l\" 2}",
        "Unexpected number in JSON at position 11",
    ),
    (
        "{\"k\":1,l:2}",
        "Expected double-quoted property name in JSON at position 7",
    ),
    (
        "{\"k\":1,2:2}",
        "Expected double-quoted property name in JSON at position 7",
    ),
    (
        "{\"k\":1,\"l\" x}",
        "Unexpected token 'x', \"{\"k\":1,\"l\" x}\" is not valid JSON",
    ),
    ("{\"k\":1,\"l\"", "Unexpected end of JSON input"),
    (
        "{\"k\":1 ",
        "Expected ',' or '}' after property value in JSON at position 7",
    ),
    ("- 1", "No number after minus sign in JSON at position 1"),
    ("01", "Unexpected number in JSON at position 1"),
    ("00", "Unexpected number in JSON at position 1"),
    ("-01", "Unexpected number in JSON at position 2"),
    ("+1", "Unexpected token '+', \"+1\" is not valid JSON"),
    (".5", "Unexpected token '.', \".5\" is not valid JSON"),
    ("x", "Unexpected token 'x', \"x\" is not valid JSON"),
    ("xyz", "Unexpected token 'x', \"xyz\" is not valid JSON"),
    ("NaN", "\"NaN\" is not valid JSON"),
    ("undefined", "\"undefined\" is not valid JSON"),
    ("Infinity", "\"Infinity\" is not valid JSON"),
    ("[object Object]", "\"[object Object]\" is not valid JSON"),
    (
        "1 2",
        "Unexpected non-whitespace character after JSON at position 2",
    ),
    (
        "1 \"x\"",
        "Unexpected non-whitespace character after JSON at position 2",
    ),
    (
        "{} {}",
        "Unexpected non-whitespace character after JSON at position 3",
    ),
    (
        "{}]",
        "Unexpected non-whitespace character after JSON at position 2",
    ),
    (
        "[] x",
        "Unexpected non-whitespace character after JSON at position 3",
    ),
    (
        "\"a\" \"b\"",
        "Unexpected non-whitespace character after JSON at position 4",
    ),
    (
        "\u{0}",
        "Unexpected token '\u{0}', \"\u{0}\" is not valid JSON",
    ),
    (
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "Unexpected token 'a', \"aaaaaaaaaa\"... is not valid JSON",
    ),
    (
        "{\"a\":xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}",
        "Unexpected token 'x', \"{\"a\":xaaaaaaaaa\"... is not valid JSON",
    ),
    (
        "{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":x}",
        "Unexpected token 'x', ...\"aaaaaaaa\":x}\" is not valid JSON",
    ),
    (
        "{\"aaaaaaaaaaaaaaaaaaaaaaaaaa\":x,\"bbbbbbbbbbbbbbbbbbbb\":1}",
        "Unexpected token 'x', ...\"aaaaaaaa\":x,\"bbbbbbb\"... is not valid JSON",
    ),
    (
        "[1,2,é]",
        "Unexpected token 'é', \"[1,2,é]\" is not valid JSON",
    ),
    ("[tru]", "Unexpected token ']', \"[tru]\" is not valid JSON"),
    (
        "[trux,1]",
        "Unexpected token 'x', \"[trux,1]\" is not valid JSON",
    ),
    ("[fals", "Unexpected end of JSON input"),
    (
        "[nul,1]",
        "Unexpected token ',', \"[nul,1]\" is not valid JSON",
    ),
    (
        "{\"a\":tru}",
        "Unexpected token '}', \"{\"a\":tru}\" is not valid JSON",
    ),
    ("{\"a\":t", "Unexpected end of JSON input"),
    ("t", "Unexpected end of JSON input"),
    ("tr", "Unexpected end of JSON input"),
    ("[t", "Unexpected end of JSON input"),
    (
        "{\"é\":\"😀\",}",
        "Expected double-quoted property name in JSON at position 10",
    ),
    (
        "{\"é\":\"😀\":}",
        "Expected ',' or '}' after property value in JSON at position 9",
    ),
    (
        "1e5x",
        "Unexpected non-whitespace character after JSON at position 3",
    ),
    (
        "1.5.5",
        "Unexpected non-whitespace character after JSON at position 3",
    ),
    (
        "[1.]",
        "Unterminated fractional number in JSON at position 3",
    ),
    ("[-]", "No number after minus sign in JSON at position 2"),
    ("\"\\u00g0\"", "Bad Unicode escape in JSON at position 5"),
    (
        "\"\u{9}\"",
        "Bad control character in string literal in JSON at position 1",
    ),
    (
        "\u{a0}1",
        "Unexpected token '\u{a0}', \"\u{a0}1\" is not valid JSON",
    ),
    (
        "{\"a\":1}}",
        "Unexpected non-whitespace character after JSON at position 7",
    ),
    (
        "{\"a\":1},",
        "Unexpected non-whitespace character after JSON at position 7",
    ),
    ("/", "Unexpected token '/', \"/\" is not valid JSON"),
    ("// c", "Unexpected token '/', \"// c\" is not valid JSON"),
    (
        "{\"a\":/}",
        "Unexpected token '/', \"{\"a\":/}\" is not valid JSON",
    ),
    (":", "Unexpected token ':', \":\" is not valid JSON"),
    (",", "Unexpected token ',', \",\" is not valid JSON"),
    ("}", "Unexpected token '}', \"}\" is not valid JSON"),
    ("]", "Unexpected token ']', \"]\" is not valid JSON"),
    ("{]", "Expected property name or '}' in JSON at position 1"),
    ("[}", "Unexpected token '}', \"[}\" is not valid JSON"),
    ("{:", "Expected property name or '}' in JSON at position 1"),
    ("{,}", "Expected property name or '}' in JSON at position 1"),
    (
        "[\"a\":1]",
        "Expected ',' or ']' after array element in JSON at position 4",
    ),
    (
        "{\"a\",\"b\"}",
        "Expected ':' after property name in JSON at position 4",
    ),
    (
        "{\"a\":,}",
        "Unexpected token ',', \"{\"a\":,}\" is not valid JSON",
    ),
    (
        "{\"a\":}",
        "Unexpected token '}', \"{\"a\":}\" is not valid JSON",
    ),
    (
        "{\"a\":1,,}",
        "Expected double-quoted property name in JSON at position 7",
    ),
    (
        "[1,,2]",
        "Unexpected token ',', \"[1,,2]\" is not valid JSON",
    ),
    (
        "{\"a\":1;}",
        "Expected ',' or '}' after property value in JSON at position 6",
    ),
    ("\"\\u{1}\"", "Bad Unicode escape in JSON at position 3"),
    ("\"\\u12 x\"", "Bad Unicode escape in JSON at position 5"),
    (
        "0x1",
        "Unexpected non-whitespace character after JSON at position 1",
    ),
    (
        "1_0",
        "Unexpected non-whitespace character after JSON at position 1",
    ),
    (
        "{\"a\":0x1}",
        "Expected ',' or '}' after property value in JSON at position 6",
    ),
    ("--1", "No number after minus sign in JSON at position 1"),
    ("-a", "No number after minus sign in JSON at position 1"),
    ("-\"", "No number after minus sign in JSON at position 1"),
    (
        "1e-x",
        "Exponent part is missing a number in JSON at position 3",
    ),
];

#[test]
fn messages_are_those_of_node() {
    for (text, message) in MESSAGES {
        let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err();
        assert_eq!(explain(text, &error), message, "{text:?}");
    }
}

#[test]
fn what_is_json_and_too_deep_for_us_is_said_in_other_words() {
    let text = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let error = serde_json::from_str::<serde_json::Value>(&text).unwrap_err();
    assert_eq!(explain(&text, &error), error.to_string());
}
