//! Trees made by chance, a module a class: many small decisions, each of which somebody's package has made.

mod conditions;
mod errors;
mod formats;
mod layouts;
mod loading;
mod names;
mod urls;

use serde_json::Value;

use super::options::Options;
use super::rng::Rng;
use super::tree::Tree;

type Generator = fn(&mut Tree, &mut Rng);

/// Each class, and how many of all trees it is given.
const GENERATORS: [(&str, usize, Generator); 7] = [
    ("conditions", 5, conditions::generate),
    ("layouts", 3, layouts::generate),
    ("formats", 3, formats::generate),
    ("names", 4, names::generate),
    ("loading", 6, loading::generate),
    ("errors", 2, errors::generate),
    ("urls", 2, urls::generate),
];

pub(super) fn generate(options: &Options) -> Vec<Tree> {
    let shares: usize = GENERATORS.iter().map(|(_, share, _)| share).sum();
    let mut trees = Vec::new();
    for (class, share, generator) in GENERATORS {
        if !options.classes.contains(&class) {
            continue;
        }
        let count = (options.trees * share).div_ceil(shares);
        for index in 0..count {
            let mut tree = Tree::new(class, &format!("{}-{index:03}", options.seed));
            generator(&mut tree, &mut Rng::new(options.seed, class, index));
            trees.push(tree);
        }
    }
    trees
}

/// A string as JavaScript and JSON write it.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A list of strings as JavaScript writes it.
fn list(texts: &[String]) -> String {
    Value::from(texts.to_vec()).to_string()
}

/// The program that asks for specifiers in each way that an ES module has. It does not require what it imported: Node gives up
/// when a module is required whose import has failed.
fn esm_probe(specifiers: &[String]) -> String {
    format!(
        "import {{ createRequire }} from 'node:module';
const require = createRequire(import.meta.url);
for (const specifier of {}) {{
  await t.resolve(specifier, {{
    'import.meta.resolve': (s) => import.meta.resolve(s),
    import: (s) => import(s),
    'require.resolve': (s) => require.resolve(s),
  }});
}}
",
        list(specifiers)
    )
}

/// The same of a CommonJS module.
fn cjs_probe(specifiers: &[String]) -> String {
    format!(
        "module.exports = (async () => {{
  for (const specifier of {}) {{
    await t.resolve(specifier, {{
      'require.resolve': (s) => require.resolve(s),
      require: (s) => require(s),
      import: (s) => import(s),
    }});
  }}
}})();
",
        list(specifiers)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(trees: usize) -> Options {
        let args = format!("--trees {trees}");
        Options::parse(args.split_whitespace().map(str::to_owned)).unwrap()
    }

    #[test]
    fn a_seed_is_a_set_of_trees_whatever_their_number() {
        let few = generate(&options(20));
        let many = generate(&options(40));
        assert!(few.len() < many.len());
        for tree in &few {
            let same = many.iter().find(|other| other.name == tree.name).unwrap();
            assert_eq!(tree.to_archive(), same.to_archive());
            assert!(
                tree.entries
                    .iter()
                    .all(|path| tree.nodes.contains_key(path))
            );
        }
    }
}
