//! Programs that are known not to be stopped in time, each with the reason and what ends it.

const KNOWN: &str = include_str!("../../../fixtures/loops/known.txt");

/// Lines of `name: reason`; a `*` at the end of a name stands for any rest.
#[derive(Debug)]
pub(super) struct Known(Vec<(&'static str, &'static str)>);

impl Known {
    pub(super) fn read() -> Known {
        let lines = KNOWN.lines().filter(|line| !line.starts_with('#'));
        Known(lines.filter_map(|line| line.split_once(": ")).collect())
    }

    /// Why the program of this name is not stopped in time.
    pub(super) fn reason(&self, name: &str) -> Option<&'static str> {
        let is_meant = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        let mut known = self.0.iter();
        let (_, reason) = known.find(|(pattern, _)| is_meant(pattern))?;
        Some(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_or_its_start_is_known() {
        let known = Known(vec![("a b", "1"), ("a c*", "2")]);
        assert_eq!(known.reason("a b"), Some("1"));
        assert_eq!(known.reason("a b c"), None);
        assert_eq!(known.reason("a cd"), Some("2"));
    }
}
