//! The programs: each written loop in each way to make it hot, and each built-in function
//! of the realm called in each of several ways.

use super::options::Options;

const SHAPES: &str = include_str!("../../../fixtures/loops/shapes.txt");
pub(super) const PRELUDE: &str = include_str!("../../../fixtures/loops/prelude.js");

/// One program, which runs for long or for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// What it is counted under.
    pub(super) class: String,
    pub(super) name: String,
    pub(super) source: String,
}

/// A loop as it is written.
struct Shape<'a> {
    name: &'a str,
    body: &'a str,
    is_async: bool,
    is_endless: bool,
}

/// How a loop becomes hot. V8 takes it from there: what is called or loops often is compiled
/// by Sparkplug, then Maglev, then Turbofan; wasm by Liftoff, then Turbofan.
#[derive(Clone, Copy)]
enum Tier {
    /// Never: each function is new, and interpreted.
    Cold,
    /// In its one call, through all tiers, replaced on the stack.
    Warm,
    /// Before its long call, by many short ones.
    Hot,
    /// As a short loop within a long one, which takes it in.
    Inner,
}

const TIERS: [(Tier, &str); 4] = [
    (Tier::Cold, "cold"),
    (Tier::Warm, "warm"),
    (Tier::Hot, "hot"),
    (Tier::Inner, "inner"),
];

/// Ways in which `builtin` of the prelude calls a function: for ever with what it knows; on
/// an array-like of 2^53-1 elements; with one as an argument; on something large.
const MODES: [&str; 4] = ["hot", "this", "argument", "large"];

/// The programs of a run, for the built-in functions at `paths`.
pub(super) fn programs(options: &Options, paths: &[String]) -> Vec<Program> {
    let loops = written();
    let room = options.count.saturating_sub(loops.len());
    let built_ins = MODES.iter().flat_map(|mode| {
        paths.iter().map(move |path| Program {
            class: format!("built-in, {mode}"),
            name: format!("{path} {mode}"),
            source: format!("builtin({}, {})", quoted(path), quoted(mode)),
        })
    });
    let mut built_ins: Vec<Program> = built_ins.collect();
    built_ins.sort_by_cached_key(|program| shuffled(options.seed, &program.name));
    let mut all = loops;
    if options.is_sample {
        all.sort_by_cached_key(|program| shuffled(options.seed, &program.name));
        all.truncate(options.count / 2);
        built_ins.truncate(options.count / 2);
    } else if options.only.is_none() {
        built_ins.truncate(room);
    }
    all.append(&mut built_ins);
    let wanted = |program: &Program| match &options.only {
        Some(text) => program.name.contains(text),
        None => true,
    };
    all.retain(wanted);
    all
}

fn written() -> Vec<Program> {
    let mut all = Vec::new();
    for shape in shapes() {
        for (tier, tier_name) in TIERS {
            let Some(source) = shape.source(tier) else {
                continue;
            };
            let group = match shape.name.split_once('-') {
                Some(("wasm", _)) => "wasm",
                _ if shape.is_async => "jobs",
                _ => "loop",
            };
            all.push(Program {
                class: format!("{group}, {tier_name}"),
                name: format!("{} {tier_name}", shape.name),
                source,
            });
        }
    }
    all
}

fn shapes() -> Vec<Shape<'static>> {
    let sections = SHAPES.split("\n== ").skip(1);
    let read = |section: &'static str| {
        let (head, body) = section.split_once('\n')?;
        let words: Vec<&str> = head.split(' ').collect();
        Some(Shape {
            name: words.last()?,
            body: body.trim_end(),
            is_async: words.contains(&"async"),
            is_endless: words.contains(&"once"),
        })
    };
    sections.filter_map(read).collect()
}

impl Shape<'_> {
    /// `None` where the loop cannot be made hot in this way.
    fn source(&self, tier: Tier) -> Option<String> {
        let body = self.body;
        let (function, wait) = match self.is_async {
            true => ("async function", "await "),
            false => ("function", ""),
        };
        let source = match tier {
            Tier::Warm => format!("await ({function} (n) {{ {body} }})(Infinity)"),
            _ if self.is_endless => return None,
            Tier::Cold => format!(
                "for (let i = 0; ; i++) {wait}(0, eval)({} + i)(3)",
                quoted(&format!("({function} (n) {{ {body} }}) // "))
            ),
            Tier::Hot => format!(
                "const f = {function} (n) {{ {body} }};\n\
                 for (let i = 0; i < 2000; i++) {wait}f(10);\nawait f(Infinity)"
            ),
            Tier::Inner => format!("const f = {function} (n) {{ {body} }};\nfor (;;) {wait}f(7)"),
        };
        Some(format!("(async () => {{ {source} }})()"))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Chance that is the same everywhere: FNV-1a over seed and name, mixed.
fn shuffled(seed: u64, name: &str) -> u64 {
    let hash = format!("{seed} {name}")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_loop_has_a_name_of_its_own() {
        let all = written();
        assert!(all.len() > 600, "{}", all.len());
        let names: BTreeSet<&str> = all.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn a_loop_is_made_hot_in_four_ways() {
        let shape = Shape {
            name: "x",
            body: "for (;;);",
            is_async: false,
            is_endless: false,
        };
        let sources: BTreeSet<String> = TIERS
            .iter()
            .filter_map(|(tier, _)| shape.source(*tier))
            .collect();
        assert_eq!(sources.len(), 4);
        assert!(sources.iter().all(|source| source.contains("for (;;);")));
    }
}
