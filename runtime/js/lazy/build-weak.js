// `FinalizationRegistry` while a snapshot is made: no snapshot can hold one, so it is a stand-in, and each session has
// a registry of its own for what is alive in it.
(function (native, internal) {
  'use strict';

  const { ReflectApply, ReflectConstruct, ReflectGetPrototypeOf } = internal.primordials;
  const {
    isBuilding, newKind, realOf, replaceClass, replaceMembers, slotOf, standIn, uncurryThis,
  } = internal.lazyObjects;
  const kind = newKind('FinalizationRegistry');
  const deref = uncurryThis(WeakRef.prototype.deref);
  const Weak = WeakRef;
  const { register } = FinalizationRegistry.prototype;
  // The registries of the snapshot, for sessions to make.
  const registries = [];

  // What a registry was told while the snapshot was made. Nothing in it keeps its target alive.
  function construct(args, newTarget) {
    const cleanup = args[0];
    const real = ReflectConstruct(Native, [cleanup], newTarget);
    const cells = [];
    const lazy = standIn(kind, ReflectGetPrototypeOf(real), undefined, () => begin(cleanup, cells));
    const slot = slotOf(lazy);
    slot.cells = cells;
    slot.real = real;
    registries[registries.length] = new Weak(slot);
    return lazy;
  }

  function begin(cleanup, cells) {
    const real = new Native(cleanup);
    for (let i = 0; i < cells.length; i++) {
      const target = deref(cells[i].target);
      const token = cells[i].token === undefined ? undefined : deref(cells[i].token);
      if (target !== undefined) ReflectApply(register, real, [target, cells[i].held, token]);
    }
    return real;
  }

  const Native = replaceClass(globalThis, 'FinalizationRegistry', { construct });
  replaceMembers(kind, Native.prototype, {
    register: (engines) => ({
      register(target, held, token) {
        const slot = slotOf(this);
        if (slot === undefined) return ReflectApply(engines, this, [target, held, token]);
        // The engine checks what it is given.
        ReflectApply(engines, realOf(slot), [target, held, token]);
        if (isBuilding()) {
          const { cells } = slot;
          cells[cells.length] = { __proto__: null, target: new Weak(target), held, token: token === undefined ? undefined : new Weak(token) };
        }
        return undefined;
      },
    }.register),
    unregister: (engines) => ({
      unregister(token) {
        const slot = slotOf(this);
        if (slot === undefined) return ReflectApply(engines, this, [token]);
        const removed = ReflectApply(engines, realOf(slot), [token]);
        if (isBuilding()) prune(slot.cells, token);
        return removed;
      },
    }.unregister),
  });

  // Takes out the cells with this token, or, without one, those whose target is gone.
  function prune(cells, token) {
    let kept = 0;
    for (let i = 0; i < cells.length; i++) {
      const cell = cells[i];
      if (deref(cell.target) === undefined || (token !== undefined && cell.token !== undefined && deref(cell.token) === token)) continue;
      cells[kept++] = cell;
    }
    cells.length = kept;
  }

  // Targets may die in a session from its first moment on, so registries do not wait for their first use.
  internal.restorers.finalizationRegistries = () => {
    for (let i = 0; i < registries.length; i++) {
      const slot = deref(registries[i]);
      if (slot === undefined) continue;
      realOf(slot);
      slot.cells.length = 0;
    }
    registries.length = 0;
  };
})
