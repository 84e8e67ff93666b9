//! Ranges of addresses outside of V8's heap that are counted against a session's budget, and
//! how much of each is in use.
//!
//! For buffers that grow in place and for WebAssembly memory V8 reserves a range without
//! access, makes the beginning of it accessible as the memory grows, and takes access away
//! again from where it shrinks. A large block of native code is a range that is in use as a
//! whole.

use std::sync::Arc;

use super::Budget;

/// Ranges in one process: the kernel keeps two mappings for each of them, and V8 and its
/// allocator need some of the 65,530 that a process may have.
const MAX_REGIONS: usize = 16_384;

/// All ranges of the process, in the order of their addresses.
///
/// Invariant: nothing in here allocates or frees, since the caller may hold the locks of the
/// allocator, except for `prepare`; budgets are handed out to be dropped elsewhere.
#[derive(Debug)]
pub(super) struct Regions(Vec<Region>);

/// One range.
#[derive(Debug)]
pub(super) struct Region {
    start: usize,
    end: usize,
    /// Up to here it is accessible, and counted.
    used: usize,
    /// A block of native code, which other threads may use as well.
    is_block: bool,
    budget: Arc<Budget>,
}

impl Regions {
    pub(super) const fn new() -> Regions {
        Regions(Vec::new())
    }

    /// Makes room for all that there may ever be.
    pub(super) fn prepare(&mut self) {
        self.0.reserve_exact(MAX_REGIONS);
    }

    /// Adds a range; `budget` comes back where there are too many.
    pub(super) fn add(
        &mut self,
        start: usize,
        len: usize,
        budget: Arc<Budget>,
    ) -> Result<(), Arc<Budget>> {
        if self.0.len() >= self.0.capacity().min(MAX_REGIONS) || !budget.reserve(len) {
            return Err(budget);
        }
        let at = self.0.partition_point(|region| region.start < start);
        let region = Region {
            start,
            end: start.saturating_add(len),
            used: start,
            is_block: false,
            budget,
        };
        self.0.insert(at, region);
        Ok(())
    }

    fn find(&mut self, address: usize) -> Option<(usize, &mut Region)> {
        let after = self.0.partition_point(|region| region.start <= address);
        let at = after.checked_sub(1)?;
        let region = self.0.get_mut(at)?;
        (address < region.end).then_some((at, region))
    }

    /// The budget that a change at `address` is counted against.
    pub(super) fn budget_at(&mut self, address: usize) -> Option<&Budget> {
        self.find(address).map(|(_, region)| &*region.budget)
    }

    /// Adds a block that `budget` has taken; `budget` comes back where there are too many.
    pub(super) fn add_block(
        &mut self,
        start: usize,
        len: usize,
        budget: Arc<Budget>,
    ) -> Result<(), Arc<Budget>> {
        self.add(start, len, budget)?;
        if let Some((_, region)) = self.find(start) {
            region.used = region.end;
            region.is_block = true;
        }
        Ok(())
    }

    /// `len` bytes at `address` are to be accessible: says how many that are more than
    /// before, or `None` where the budget has no room. No range of ours: zero.
    pub(super) fn commit(&mut self, address: usize, len: usize) -> Option<usize> {
        let Some((_, region)) = self.find(address) else {
            return Some(0);
        };
        let end = address.saturating_add(len).min(region.end);
        let more = end.saturating_sub(region.used);
        if more != 0 && !region.budget.take(more) {
            return None;
        }
        region.used = region.used.max(end);
        Some(more)
    }

    /// From `address` on the range is no longer accessible.
    pub(super) fn decommit(&mut self, address: usize) {
        if let Some((_, region)) = self.find(address) {
            let less = region.used.saturating_sub(address);
            region.used = region.used.min(address);
            region.budget.give_back(less);
        }
    }

    /// Whether `len` bytes at `address` hold the beginning of a range.
    pub(super) fn begins_in(&self, address: usize, len: usize) -> bool {
        let at = self.0.partition_point(|region| region.start < address);
        let next = self.0.get(at);
        next.is_some_and(|region| region.start < address.saturating_add(len))
    }

    /// Forgets the range at `address`: what is in it is none of our memories.
    pub(super) fn forget(&mut self, address: usize) -> Option<Arc<Budget>> {
        let (at, _) = self.find(address)?;
        Some(self.remove(at))
    }

    /// The pages of `len` bytes at `address` are given back: all of a range, or its
    /// beginning or end, which V8 cuts off to align it. A range that is gone hands out its
    /// budget; there may be more of them.
    pub(super) fn unmap(&mut self, address: usize, len: usize) -> Option<Arc<Budget>> {
        let end = address.saturating_add(len);
        let at = self.0.partition_point(|region| region.end <= address);
        let region = self.0.get_mut(at).filter(|region| region.start < end)?;
        if address <= region.start && end >= region.end {
            return Some(self.remove(at));
        }
        let before = region.end.saturating_sub(region.start);
        if address <= region.start {
            region.start = end;
            region.used = region.used.max(end);
        } else {
            region.end = address;
            region.used = region.used.min(address);
        }
        let after = region.end.saturating_sub(region.start);
        region.budget.release(0, before.saturating_sub(after));
        None
    }

    fn remove(&mut self, at: usize) -> Arc<Budget> {
        let region = self.0.remove(at);
        region
            .budget
            .give_back(region.used.saturating_sub(region.start));
        region
            .budget
            .release(1, region.end.saturating_sub(region.start));
        region.budget
    }

    /// The parts in use of the memories of `budget`: start and length.
    pub(super) fn in_use<'a>(
        &'a self,
        budget: &'a Budget,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        self.0
            .iter()
            .filter(move |region| !region.is_block && std::ptr::eq(&*region.budget, budget))
            .map(|region| (region.start, region.used.saturating_sub(region.start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use host_bridge::Counters;

    fn budget(limit: usize) -> Arc<Budget> {
        Arc::new(Budget::new(limit, Arc::new(Counters::new(Vec::new()))))
    }

    fn regions() -> Regions {
        let mut regions = Regions::new();
        regions.prepare();
        regions
    }

    #[test]
    fn what_is_accessible_is_counted_once() {
        let (mut regions, budget) = (regions(), budget(100));
        regions.add(1_000, 500, Arc::clone(&budget)).unwrap();
        assert_eq!(regions.commit(1_000, 60), Some(60));
        assert_eq!(regions.commit(1_000, 60), Some(0));
        assert_eq!(regions.commit(1_000, 100), Some(40));
        assert_eq!(regions.commit(1_000, 101), None);
        assert_eq!(budget.external(), 100);
        regions.decommit(1_030);
        assert_eq!(budget.external(), 30);
        assert_eq!(regions.in_use(&budget).collect::<Vec<_>>(), [(1_000, 30)]);
        assert!(regions.unmap(1_000, 500).is_some());
        assert_eq!(budget.external(), 0);
        assert_eq!(regions.commit(1_000, 500), Some(0), "no range of ours");
    }

    #[test]
    fn a_range_is_cut_at_both_ends() {
        let (mut regions, budget) = (regions(), budget(100));
        regions.add(1_000, 500, Arc::clone(&budget)).unwrap();
        assert!(regions.unmap(1_000, 100).is_none());
        assert!(regions.unmap(1_400, 100).is_none());
        assert_eq!(regions.commit(1_100, 10), Some(10));
        assert!(regions.budget_at(1_099).is_none());
        assert!(regions.budget_at(1_399).is_some());
        assert!(regions.budget_at(1_400).is_none());
        assert!(regions.unmap(900, 1_000).is_some());
    }

    #[test]
    fn ranges_of_several_sessions_lie_side_by_side() {
        let (mut regions, one, other) = (regions(), budget(100), budget(100));
        regions.add(2_000, 100, Arc::clone(&other)).unwrap();
        regions.add(1_900, 100, Arc::clone(&one)).unwrap();
        assert_eq!(regions.commit(1_900, 100), Some(100));
        assert_eq!(regions.commit(2_000, 50), Some(50));
        assert_eq!((one.external(), other.external()), (100, 50));
        assert!(regions.forget(1_950).is_some());
        assert_eq!((one.external(), other.external()), (0, 50));
    }

    #[test]
    fn a_block_is_in_use_as_a_whole() {
        let (mut regions, budget) = (regions(), budget(100));
        assert!(budget.take_block(50));
        regions.add_block(1_000, 50, Arc::clone(&budget)).unwrap();
        assert_eq!(budget.external(), 50);
        assert!(regions.begins_in(900, 101));
        assert!(!regions.begins_in(900, 100));
        assert!(!regions.begins_in(1_001, 100));
        assert_eq!(regions.in_use(&budget).count(), 0);
        regions.decommit(1_040);
        assert_eq!(budget.external(), 40);
        assert!(regions.unmap(900, 1_000).is_some());
        assert_eq!(budget.external(), 0);
    }

    #[test]
    fn a_session_has_no_more_than_its_ranges() {
        let (mut regions, budget) = (regions(), budget(100));
        let mut n = 0;
        while regions.add(n * 10, 10, Arc::clone(&budget)).is_ok() {
            n += 1;
        }
        assert_eq!(n, 512);
        assert!(budget.take_refusal());
    }
}
