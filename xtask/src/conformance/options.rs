//! The arguments of `conformance-modules`.

use std::path::PathBuf;

use super::tree::CLASSES;

pub(crate) const USAGE: &str = "usage: cargo xtask conformance-modules [options]

  --seed N          what the generated trees are made from (1)
  --trees N         how many trees are generated, besides those that are written (350)
  --sample          as the tests run it: the default seed, few trees
  --only CLASS      one class: conditions, layouts, formats, names, loading, errors, urls; may be repeated
  --tree CLASS/NAME one tree
  --out DIR         where differences are written (target/conformance)
  --keep            keep the trees, under DIR/trees
  --sidecar FILE    the sidecar to ask; built when not given
  --node FILE       the Node to ask (node)";

const TREES: usize = 350;
const SAMPLE_TREES: usize = 70;

/// What a run is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) seed: u64,
    pub(crate) trees: usize,
    pub(crate) classes: Vec<&'static str>,
    pub(crate) tree: Option<String>,
    pub(crate) out: PathBuf,
    pub(crate) keep: bool,
    pub(crate) sidecar: Option<PathBuf>,
    pub(crate) node: PathBuf,
}

impl Options {
    /// Every known difference shows in a run of all classes with the default seed.
    pub(crate) fn is_whole(&self) -> bool {
        self.seed == 1
            && self.tree.is_none()
            && self.classes.len() == CLASSES.len()
            && SAMPLE_TREES <= self.trees
    }

    /// `None` where the arguments make no sense.
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
        let mut options = Options {
            seed: 1,
            trees: TREES,
            classes: Vec::new(),
            tree: None,
            out: PathBuf::from("target/conformance"),
            keep: false,
            sidecar: None,
            node: PathBuf::from("node"),
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seed" => options.seed = args.next()?.parse().ok()?,
                "--trees" => options.trees = args.next()?.parse().ok()?,
                "--sample" => options.trees = SAMPLE_TREES,
                "--only" => {
                    let name = args.next()?;
                    let class = CLASSES.iter().find(|class| **class == name)?;
                    options.classes.push(class);
                }
                "--tree" => options.tree = Some(args.next()?),
                "--out" => options.out = PathBuf::from(args.next()?),
                "--keep" => options.keep = true,
                "--sidecar" => options.sidecar = Some(PathBuf::from(args.next()?)),
                "--node" => options.node = PathBuf::from(args.next()?),
                _ => return None,
            }
        }
        if options.classes.is_empty() {
            options.classes = CLASSES.to_vec();
        }
        Some(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &str) -> Option<Options> {
        Options::parse(args.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read() {
        assert!(parse("").unwrap().is_whole());
        assert!(parse("--sample").unwrap().is_whole());
        assert!(!parse("--seed 2").unwrap().is_whole());
        assert_eq!(
            parse("--only urls --only errors").unwrap().classes,
            ["urls", "errors"]
        );
        assert_eq!(parse("--only nothing"), None);
        assert_eq!(parse("--seed"), None);
        assert_eq!(parse("--seed x"), None);
    }
}
