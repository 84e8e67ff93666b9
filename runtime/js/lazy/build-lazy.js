// Objects of the engine that no snapshot can hold, as stand-ins: each knows how the object it stands for is made, and
// makes it when it is first used. `build-intl.js` and `build-weak.js` say of which classes.
//
// A stand-in has the prototype that the object has, and a slot that nobody sees, a private field. The methods of the
// prototype are replaced by ones that look for the slot, and take the object behind it for the stand-in. What the
// methods are given else reaches the engine's own ones, so that errors are the engine's.
//
// All of this is there only where a snapshot is made, and of that only what stand-ins in it need. It runs before all
// code of the guest. Objects that were made while the snapshot is made are forgotten before it is written.
(function (native, internal) {
  'use strict';

  const { ObjectCreate, ReflectApply, ReflectConstruct, ReflectDefineProperty, ReflectGetOwnPropertyDescriptor, ReflectOwnKeys } = internal.primordials;
  const { bind, call } = Function.prototype;
  const uncurryThis = bind.bind(call);
  const deref = uncurryThis(WeakRef.prototype.deref);
  const Weak = WeakRef;

  // --- Slots ---

  let slotOf;
  class Stamp extends (function give(object) {
    return object;
  }) {
    #slot;
    constructor(object, slot) {
      super(object);
      this.#slot = slot;
    }
    static {
      slotOf = (value) => (((typeof value === 'object' && value !== null) || typeof value === 'function') && #slot in value
        ? value.#slot : undefined);
    }
  }

  // The object that a slot stands for.
  function realOf(slot) {
    slot.real ??= slot.make();
    return slot.real;
  }

  // --- Classes ---

  let isBuilding = true;
  const kinds = [];

  // Something that has stand-ins, with the means to take back what was replaced for it.
  function newKind(name) {
    const kind = { __proto__: null, name, slots: [], limit: 512, undo: [] };
    kinds[kinds.length] = kind;
    return kind;
  }

  // A stand-in of `kind` with this prototype. `make` is run on the first use unless `real` is there already.
  function standIn(kind, prototype, real, make) {
    const slot = { __proto__: null, real, make, bound: undefined, call: undefined, taken: 0 };
    const object = ObjectCreate(prototype);
    new Stamp(object, slot);
    note(kind, slot);
    if (internal.note !== undefined) internal.note('stand-in', kind.name);
    return object;
  }

  // Slots are known only as long as their stand-ins live.
  function note(kind, slot) {
    if (kind.slots.length >= kind.limit) {
      const alive = living(kind);
      kind.slots = [];
      for (let i = 0; i < alive.length; i++) kind.slots[i] = new Weak(alive[i]);
      kind.limit = alive.length * 2 + 512;
    }
    kind.slots[kind.slots.length] = new Weak(slot);
  }

  function living(kind) {
    const alive = [];
    for (let i = 0; i < kind.slots.length; i++) {
      const slot = deref(kind.slots[i]);
      if (slot !== undefined) alive[alive.length] = slot;
    }
    return alive;
  }

  // Puts `value` in the place of a property, and what was there back when nothing needs it.
  function replace(kind, target, key, fields) {
    const old = ReflectGetOwnPropertyDescriptor(target, key);
    ReflectDefineProperty(target, key, { ...old, ...fields, __proto__: null });
    kind.undo[kind.undo.length] = () => {
      const now = ReflectGetOwnPropertyDescriptor(target, key);
      if (now === undefined) return;
      for (const field in fields) {
        if (now[field] !== fields[field]) return;
      }
      ReflectDefineProperty(target, key, { ...now, ...old, enumerable: now.enumerable, configurable: now.configurable, __proto__: null });
    };
  }

  // `own` looks like `model`, an engine's function.
  function disguise(own, model) {
    ReflectDefineProperty(own, 'length', { __proto__: null, value: model.length, configurable: true });
    ReflectDefineProperty(own, 'name', { __proto__: null, value: model.name, configurable: true });
    return own;
  }

  // Lets the methods and getters of a prototype take stand-ins. `special` has those that do more, by key: given the
  // engine's function, the one in its place.
  function replaceMembers(kind, prototype, special = {}, find = slotOf) {
    const keys = ReflectOwnKeys(prototype);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      const { value, get } = ReflectGetOwnPropertyDescriptor(prototype, key);
      if (key === 'constructor') continue;
      const own = ReflectGetOwnPropertyDescriptor(special, key)?.value(value ?? get) ?? plainMember(value ?? get, find);
      if (typeof value === 'function') replace(kind, prototype, key, { value: disguise(own, value) });
      else if (typeof get === 'function') replace(kind, prototype, key, { get: disguise(own, get) });
    }
  }

  function plainMember(engines, find) {
    return {
      member(...args) {
        const slot = find(this);
        return ReflectApply(engines, slot === undefined ? this : slot.real ?? realOf(slot), args);
      },
    }.member;
  }

  // The constructor in the place of an engine's class: `construct(args, newTarget)` and `apply(self, args)` are asked
  // while the snapshot is made, and the engine afterwards. It is the same function for good, since an SDK may keep it.
  function replaceClass(holder, name, { construct, apply, argumentsOf = (args) => args }) {
    const Native = holder[name];
    const own = new Proxy(Native, {
      __proto__: null,
      construct(_, args, newTarget) {
        const target = newTarget === own ? Native : newTarget;
        return isBuilding ? construct(args, target) : ReflectConstruct(Native, argumentsOf(args), target);
      },
      apply(_, self, args) {
        return isBuilding && apply !== undefined ? apply(self, args) : ReflectApply(Native, self, argumentsOf(args));
      },
    });
    const property = ReflectGetOwnPropertyDescriptor(holder, name);
    ReflectDefineProperty(holder, name, { ...property, value: own, __proto__: null });
    const constructor = ReflectGetOwnPropertyDescriptor(Native.prototype, 'constructor');
    ReflectDefineProperty(Native.prototype, 'constructor', { ...constructor, value: own, __proto__: null });
    return Native;
  }

  // --- The end of the making ---

  // Forgets the objects behind all stand-ins. Where a kind has none, the engine's methods come back.
  function endLazy() {
    isBuilding = false;
    for (let i = 0; i < kinds.length; i++) {
      const kind = kinds[i];
      const alive = living(kind);
      for (let j = 0; j < alive.length; j++) {
        const slot = alive[j];
        slot.real = slot.call = undefined;
      }
      if (alive.length === 0) {
        for (let j = kind.undo.length - 1; j >= 0; j--) kind.undo[j]();
      }
      kind.slots = kind.undo = undefined;
    }
    kinds.length = 0;
  }

  internal.lazyObjects = {
    __proto__: null, disguise, isBuilding: () => isBuilding, newKind, realOf, replace, replaceClass, replaceMembers, slotOf, standIn, uncurryThis,
  };
  internal.endLazy = endLazy;
})
