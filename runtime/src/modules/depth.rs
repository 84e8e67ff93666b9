//! How deep a module graph is. V8 follows `export *` through linked modules by recursion
//! without looking at its stack, so a chain that was linked piece by piece could end the
//! process: measured, between 10,000 and 12,000 modules with a stack of
//! 4 MiB. Linked in one go, V8 itself refuses a chain of about 2,900.

/// Modules that may stand in a chain. With as many in the snapshot below, and most of what
/// V8 grants to JavaScript in use, the stack of a session's thread has room for it.
pub(crate) const MAX_DEPTH: usize = 3_000;

/// What a module of a graph imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Import {
    /// The module at this position of the same graph.
    Inside(usize),
    /// One that has been linked before, with its depth.
    Linked(usize),
}

/// Number of modules in the longest chain that begins at each module of a graph. A cycle
/// counts with all its modules, which no path through it can exceed.
pub(crate) fn depths(graph: &[Vec<Import>]) -> Vec<usize> {
    let mut search = Search {
        graph,
        nodes: vec![Node::default(); graph.len()],
        open: Vec::new(),
        n_seen: 0,
    };
    for start in 0..graph.len() {
        search.visit(start);
    }
    search.nodes.iter().map(|node| node.depth).collect()
}

#[derive(Debug, Clone, Default)]
struct Node {
    /// Order of discovery, from 1; 0 for none.
    order: usize,
    /// Earliest open node that this one leads to.
    low: usize,
    is_open: bool,
    depth: usize,
}

/// Tarjan's search for cycles, without recursion.
struct Search<'a> {
    graph: &'a [Vec<Import>],
    nodes: Vec<Node>,
    open: Vec<usize>,
    n_seen: usize,
}

impl Search<'_> {
    fn visit(&mut self, start: usize) {
        let mut path = Vec::new();
        self.enter(start, &mut path);
        while let Some((at, next)) = path.last_mut() {
            let at = *at;
            let import = self.graph.get(at).and_then(|imports| imports.get(*next));
            *next = next.saturating_add(1);
            match import {
                Some(Import::Inside(to)) => {
                    if !self.enter(*to, &mut path) {
                        self.meet(at, *to);
                    }
                }
                Some(Import::Linked(_)) => {}
                None => {
                    path.pop();
                    self.leave(at);
                    if let Some((parent, _)) = path.last() {
                        self.meet(*parent, at);
                    }
                }
            }
        }
    }

    /// Whether the node is new.
    fn enter(&mut self, at: usize, path: &mut Vec<(usize, usize)>) -> bool {
        let Some(node) = self.nodes.get_mut(at).filter(|node| node.order == 0) else {
            return false;
        };
        self.n_seen = self.n_seen.saturating_add(1);
        (node.order, node.low, node.is_open) = (self.n_seen, self.n_seen, true);
        self.open.push(at);
        path.push((at, 0));
        true
    }

    fn meet(&mut self, from: usize, to: usize) {
        let Some(low) = self.nodes.get(to).filter(|to| to.is_open).map(|to| to.low) else {
            return;
        };
        if let Some(from) = self.nodes.get_mut(from) {
            from.low = from.low.min(low);
        }
    }

    /// All that a node leads to has been seen: closes the cycle that it is the first of.
    fn leave(&mut self, at: usize) {
        if self.nodes.get(at).is_none_or(|node| node.low != node.order) {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == at);
        let members = self.open.split_off(start.unwrap_or_default());
        let below = members
            .iter()
            .filter_map(|member| self.graph.get(*member))
            .flatten()
            .map(|import| match import {
                // Of the cycle itself nothing is known yet, which counts as 0.
                Import::Inside(to) => self.nodes.get(*to).map_or(0, |node| node.depth),
                Import::Linked(depth) => *depth,
            })
            .max()
            .unwrap_or_default();
        for member in &members {
            if let Some(node) = self.nodes.get_mut(*member) {
                node.is_open = false;
                node.depth = below.saturating_add(members.len());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Import::{Inside, Linked};
    use super::*;

    #[test]
    fn a_chain_and_a_diamond() {
        let chain = [vec![Inside(1)], vec![Inside(2)], vec![]];
        assert_eq!(depths(&chain), [3, 2, 1]);
        let diamond = [
            vec![Inside(3), Inside(1)],
            vec![Inside(2)],
            vec![Inside(3)],
            vec![Linked(10)],
        ];
        assert_eq!(depths(&diamond), [14, 13, 12, 11]);
    }

    #[test]
    fn a_cycle_counts_with_all_its_modules() {
        let graph = [
            vec![Inside(1)],
            vec![Inside(2), Inside(3)],
            vec![Inside(1)],
            vec![Linked(5)],
            vec![Inside(4)],
        ];
        assert_eq!(depths(&graph), [9, 8, 8, 6, 1]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 100_000;
        let chain: Vec<Vec<Import>> = (0..n)
            .map(|at| {
                if at + 1 < n {
                    vec![Inside(at + 1)]
                } else {
                    vec![]
                }
            })
            .collect();
        assert_eq!(depths(&chain).first(), Some(&n));
    }
}
