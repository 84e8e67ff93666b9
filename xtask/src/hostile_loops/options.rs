//! The arguments of `hostile-loops`.

use std::path::PathBuf;

pub(super) const USAGE: &str = "usage: cargo xtask hostile-loops --sidecar FILE [options]

  --seed N         which built-ins are tried where not all are (1)
  --count N        how many programs (2000); every written loop is among them
  --sample         as the tests run it: few programs
  --deadline-ms N  time on the CPU after which each is stopped (300)
  --only TEXT      those whose name has this in it
  --jobs N         sidecars at one time (2)
  --out FILE       where the table is written (standard output)";

const COUNT: usize = 2_000;
const SAMPLE: usize = 48;

/// What a run is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) seed: u64,
    pub(super) count: usize,
    pub(super) is_sample: bool,
    pub(super) deadline_ms: u64,
    pub(super) only: Option<String>,
    pub(super) jobs: usize,
    pub(super) out: Option<PathBuf>,
    pub(super) sidecar: PathBuf,
}

impl Options {
    /// `None` where the arguments make no sense.
    pub(super) fn parse(mut args: impl Iterator<Item = String>) -> Option<Options> {
        let mut options = Options {
            seed: 1,
            count: COUNT,
            is_sample: false,
            deadline_ms: 300,
            only: None,
            jobs: 2,
            out: None,
            sidecar: PathBuf::new(),
        };
        let mut sidecar = None;
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--seed" => options.seed = args.next()?.parse().ok()?,
                "--count" => options.count = args.next()?.parse().ok()?,
                "--sample" => (options.is_sample, options.count) = (true, SAMPLE),
                "--deadline-ms" => options.deadline_ms = args.next()?.parse().ok()?,
                "--only" => options.only = Some(args.next()?),
                "--jobs" => options.jobs = args.next()?.parse().ok()?,
                "--out" => options.out = Some(PathBuf::from(args.next()?)),
                "--sidecar" => sidecar = Some(PathBuf::from(args.next()?)),
                _ => return None,
            }
        }
        options.sidecar = sidecar?;
        (options.jobs > 0 && options.deadline_ms > 0).then_some(options)
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
        assert_eq!(parse(""), None);
        assert_eq!(parse("--sidecar a --jobs 0"), None);
        assert_eq!(parse("--sidecar a --count"), None);
        let options = parse("--sidecar a --sample --seed 3").unwrap();
        assert_eq!(
            (options.seed, options.count, options.is_sample),
            (3, SAMPLE, true)
        );
    }
}
