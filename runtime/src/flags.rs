//! The flags that V8 runs with. They are part of every snapshot's key.

/// Set before `V8::initialize`, the same in every process of ours.
pub(crate) const FLAGS: &[&str] = &[
    // Removing the stack check of a small counted loop takes the outer loop's check with
    // it, and then nothing can terminate that loop.
    "--no-turboshaft-loop-unrolling",
    "--no-wasm-loop-unrolling",
    // Code that is not optimised looks for a termination only when its budget is used up,
    // after thousands of turns of a loop; with a slow built-in in it that takes seconds.
    // Optimised code looks in every turn, so loops are optimised early: measured, 14 ms
    // instead of 2.3 s for a loop around a `JSON.parse` of 1 ms, at a cost of a few percent
    // in compilation.
    "--invocation-count-for-maglev=20",
    "--invocation-count-for-maglev-osr=10",
    "--minimum-invocations-after-ic-update=10",
    // All isolates of a process share one read-only heap. A snapshot must not add to it,
    // or snapshots that were made apart could not be restored side by side.
    "--no-extensible-ro-snapshot",
    // Its delayed tasks would wake sessions that are idle.
    "--no-memory-reducer",
    // One wasm table may have 1,000,000 entries: 20 MB, made in one step.
    "--wasm-max-table-size=1000000",
];

/// The flags as V8 takes them.
pub(crate) fn text() -> String {
    FLAGS.join(" ")
}
