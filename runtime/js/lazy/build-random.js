// Random bytes that were drawn while a snapshot is made. Libraries that make identifiers fill a pool and take from it
// later, so all sessions would make the same ones: pools are filled anew in each session. A few bytes are more likely
// a seed or a key that something was derived from, so those stay as they are.
(function (native, internal) {
  'use strict';

  const POOL = 64;
  const MAX_POOLS = 4096;
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const deref = uncurryThis(WeakRef.prototype.deref);
  const Weak = WeakRef;
  const seen = new WeakSet();
  const has = uncurryThis(WeakSet.prototype.has);
  const add = uncurryThis(WeakSet.prototype.add);
  let pools = [];

  internal.drawn = (buffer) => {
    if (pools.length >= MAX_POOLS || has(seen, buffer) || internal.bytesOf(buffer, 'buffer').byteLength < POOL) return;
    add(seen, buffer);
    pools[pools.length] = new Weak(buffer);
  };

  internal.endRandom = () => {
    const alive = [];
    for (let i = 0; i < pools.length; i++) {
      if (deref(pools[i]) !== undefined) alive[alive.length] = pools[i];
    }
    pools = alive;
    internal.drawn = undefined;
    if (alive.length > 0) internal.restorers.random = refill;
  };

  function refill() {
    for (let i = 0; i < pools.length; i++) {
      const buffer = deref(pools[i]);
      if (buffer === undefined) continue;
      try {
        native.randomFill(internal.bytesOf(buffer, 'buffer'));
      } catch {
        // One that was given away has no bytes.
      }
    }
    pools = [];
  }
})
