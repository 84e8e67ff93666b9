//! Chance that is the same everywhere: splitmix64, seeded by words.

/// A stream of numbers.
#[derive(Debug)]
pub(super) struct Rng(u64);

impl Rng {
    /// The stream of a run's seed for one tree, so that a tree does not change with what is generated beside it.
    pub(super) fn new(seed: u64, class: &str, index: usize) -> Rng {
        let words = format!("{seed} {class} {index}");
        // FNV-1a
        let hash = words
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Rng(hash)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX);
        let number = self.next().checked_rem(end).unwrap_or(0);
        usize::try_from(number).unwrap_or(0)
    }

    /// A number from `from` to `to`, both included.
    pub(super) fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to.saturating_sub(from) + 1)
    }

    /// True in this many cases of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that has some.
    #[expect(
        clippy::indexing_slicing,
        reason = "below its length; the lists are written in here"
    )]
    pub(super) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    /// One of a list of weights, by its place.
    pub(super) fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (place, weight) in weights.iter().enumerate() {
            if left < *weight {
                return place;
            }
            left -= weight;
        }
        0
    }

    /// Some of a list, in its order.
    pub(super) fn some<T: Clone>(&mut self, list: &[T], percent: usize) -> Vec<T> {
        let mut chosen = list.to_vec();
        chosen.retain(|_| self.chance(percent));
        chosen
    }

    /// A list in another order.
    pub(super) fn shuffled<T: Clone>(&mut self, list: &[T]) -> Vec<T> {
        let mut list = list.to_vec();
        for end in (1..list.len()).rev() {
            let other = self.below(end + 1);
            list.swap(end, other);
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_stream() {
        let draw = |seed, class, index| {
            let mut rng = Rng::new(seed, class, index);
            [rng.below(1000), rng.below(1000), rng.between(5, 6)]
        };
        assert_eq!(draw(1, "a", 0), draw(1, "a", 0));
        assert_ne!(draw(1, "a", 0), draw(1, "a", 1));
        assert_ne!(draw(1, "a", 0), draw(2, "a", 0));
        let mut rng = Rng::new(1, "b", 0);
        let mut order = rng.shuffled(&[1, 2, 3, 4]);
        order.sort_unstable();
        assert_eq!(order, [1, 2, 3, 4]);
        assert_eq!(rng.weighted(&[0, 5, 0]), 1);
    }
}
