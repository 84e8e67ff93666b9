//! What one side has seen of an entry, in a form in which two sides can be compared.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};

/// The name of the check of how an entry ended.
const UNCAUGHT: &str = "uncaught";
/// The one check of an entry that Node did not survive.
const CRASHED: &str = "crashed";
/// The code of what Node holds to be impossible.
const FAULT: &str = "ERR_INTERNAL_ASSERTION";

/// The checks of an entry, in the order in which they were told.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) checks: Vec<(String, Value)>,
}

impl Seen {
    /// From the lines that an entry told, and what it did not catch. Paths become relative to the tree's root.
    pub(super) fn new(root: &Path, lines: &[Value], uncaught: Option<&Value>) -> Seen {
        let mut times: HashMap<String, usize> = HashMap::new();
        let mut seen = Seen::default();
        for line in lines.iter().map(|line| relative(root, line)) {
            let Value::Object(mut line) = line else {
                continue;
            };
            let name = match line.remove("check") {
                Some(Value::String(name)) => name,
                _ => continue,
            };
            let time = times.entry(name.clone()).or_default();
            *time += 1;
            let name = match *time {
                1 => name,
                again => format!("{name} #{again}"),
            };
            seen.checks.push((name, Value::Object(line)));
        }
        if let Some(error) = uncaught {
            let error = relative(root, error);
            seen.checks.push((UNCAUGHT.to_owned(), error));
        }
        seen
    }

    /// Of a process that died of it.
    pub(super) fn crashed() -> Seen {
        Seen {
            checks: vec![(CRASHED.to_owned(), Value::Null)],
        }
    }

    pub(super) fn check(&self, name: &str) -> Option<&Value> {
        let mut found = self.checks.iter().filter(|(own, _)| own == name);
        found.next().map(|(_, value)| value)
    }
}

fn relative(root: &Path, value: &Value) -> Value {
    let root = root.display().to_string();
    match value {
        Value::String(text) => Value::String(text.replace(&root, "/tree")),
        Value::Array(list) => list
            .iter()
            .map(|one| relative(Path::new(&root), one))
            .collect(),
        Value::Object(map) => {
            let member = |(key, value): (&String, &Value)| {
                let key = key.replace(&root, "/tree");
                (key, relative(Path::new(&root), value))
            };
            Value::Object(map.iter().map(member).collect())
        }
        other => other.clone(),
    }
}

/// How much two answers have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// Nothing that counts.
    Different,
    /// Node says that it is at fault itself, so that there is nothing to be like.
    NodeAtFault,
    /// All but what errors say in words.
    Equal,
    /// The words too.
    Verbatim,
}

/// One question and both answers to it; none where a side did not come to it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compared {
    pub(super) check: String,
    pub(super) node: Option<Value>,
    pub(super) ours: Option<Value>,
    pub(super) likeness: Likeness,
}

/// All checks of an entry, in Node's order and then ours.
pub(super) fn compare(node: &Seen, ours: &Seen) -> Vec<Compared> {
    if node.check(CRASHED).is_some() {
        return vec![Compared {
            check: CRASHED.to_owned(),
            node: None,
            ours: None,
            likeness: Likeness::NodeAtFault,
        }];
    }
    let is_fault = node.checks.iter().any(|(_, answer)| is_fault(answer));
    let only_ours = ours
        .checks
        .iter()
        .filter(|(name, _)| node.check(name).is_none());
    let names = node.checks.iter().chain(only_ours).map(|(name, _)| name);
    names
        .map(|name| {
            let (node, ours) = (node.check(name), ours.check(name));
            Compared {
                check: name.clone(),
                node: node.cloned(),
                ours: ours.cloned(),
                likeness: match likeness(node, ours) {
                    Likeness::Different if is_fault => Likeness::NodeAtFault,
                    other => other,
                },
            }
        })
        .collect()
}

fn likeness(node: Option<&Value>, ours: Option<&Value>) -> Likeness {
    match (node, ours) {
        (Some(node), Some(ours)) if node == ours => Likeness::Verbatim,
        (Some(node), Some(ours)) if wordless(node) == wordless(ours) => Likeness::Equal,
        _ => Likeness::Different,
    }
}

/// Whether Node says of itself that it has a fault. What an entry sees afterwards follows from that.
fn is_fault(answer: &Value) -> bool {
    match answer {
        Value::String(text) => text.contains(FAULT),
        Value::Array(list) => list.iter().any(is_fault),
        Value::Object(map) => map.values().any(is_fault),
        _ => false,
    }
}

/// Without the messages of errors.
fn wordless(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(wordless).collect(),
        Value::Object(map) => {
            let is_error = map.contains_key("name") && map.contains_key("message");
            let kept = map.iter().filter(|(key, _)| !is_error || *key != "message");
            let kept: Map<String, Value> = kept
                .map(|(key, value)| (key.clone(), wordless(value)))
                .collect();
            Value::Object(kept)
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seen(lines: &[Value]) -> Seen {
        Seen::new(Path::new("/x/y"), lines, None)
    }

    #[test]
    fn words_are_told_apart_from_the_rest() {
        let error = |code: &str, message: &str| json!({"check": "a", "error": {"name": "E", "code": code, "message": message}});
        let compared = |one, other| compare(&seen(&[one]), &seen(&[other]))[0].likeness;
        assert_eq!(
            compared(error("C", "m"), error("C", "m")),
            Likeness::Verbatim
        );
        assert_eq!(compared(error("C", "m"), error("C", "n")), Likeness::Equal);
        assert_eq!(
            compared(error("C", "m"), error("D", "m")),
            Likeness::Different
        );
    }

    #[test]
    fn paths_are_relative_and_names_unique() {
        let line = json!({"check": "a", "value": {"file:///x/y/b": ["/x/y/c"]}});
        let seen = Seen::new(
            Path::new("/x/y"),
            &[line.clone(), line],
            Some(&json!({"code": "C"})),
        );
        let value = json!({"value": {"file:///tree/b": ["/tree/c"]}});
        assert_eq!(seen.check("a"), Some(&value));
        assert_eq!(seen.check("a #2"), Some(&value));
        assert_eq!(seen.check("uncaught"), Some(&json!({"code": "C"})));
    }

    #[test]
    fn what_one_side_lacks_is_different() {
        let node = seen(&[json!({"check": "a", "value": 1})]);
        let ours = seen(&[json!({"check": "b", "value": 1})]);
        let all = compare(&node, &ours);
        let names: Vec<&str> = all.iter().map(|one| one.check.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(all.iter().all(|one| one.likeness == Likeness::Different));
    }
}
