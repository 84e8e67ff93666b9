// The `async_hooks` module: `AsyncLocalStorage`, `AsyncResource`, and hooks that are never called.
//
// A store follows a promise across `await` only where the engine carries a value along with each job
// (`native.getContinuation` and `native.setContinuation`). Without them `run` holds for the synchronous part,
// timers and ticks take their store with them only, and the module is left out rather than wrong.
(function (native, internal) {
  'use strict';

  const {
    Map, MapPrototypeDelete, MapPrototypeForEach, MapPrototypeGet, MapPrototypeHas, MapPrototypeSet,
    ObjectDefineProperty, ReflectApply,
  } = internal.primordials;
  const { validateFunction, validateString } = internal.errors;
  const { getContinuation, setContinuation } = native;
  if (getContinuation === undefined || setContinuation === undefined) return;

  // The frame is a map from storage to store. It is never changed, only replaced.
  function copyFrame() {
    const copy = new Map();
    const current = getContinuation();
    if (current !== undefined) MapPrototypeForEach(current, (store, storage) => MapPrototypeSet(copy, storage, store));
    return copy;
  }

  function inFrame(frame, fn, receiver, args) {
    const before = getContinuation();
    setContinuation(frame);
    try {
      return ReflectApply(fn, receiver, args);
    } finally {
      setContinuation(before);
    }
  }

  function snapshot() {
    const frame = getContinuation();
    return (fn, ...args) => inFrame(frame, fn, undefined, args);
  }

  function bind(fn) {
    validateFunction(fn, 'fn');
    const frame = getContinuation();
    return function bound(...args) {
      return inFrame(frame, fn, this, args);
    };
  }

  class AsyncLocalStorage {
    #default;
    #name;
    constructor(options = undefined) {
      this.#default = options?.defaultValue;
      this.#name = options?.name ?? '';
    }
    static bind(fn) {
      return bind(fn);
    }
    static snapshot() {
      return snapshot();
    }
    get name() {
      return this.#name;
    }
    run(store, fn, ...args) {
      const frame = copyFrame();
      MapPrototypeSet(frame, this, store);
      return inFrame(frame, fn, undefined, args);
    }
    exit(fn, ...args) {
      const frame = copyFrame();
      MapPrototypeDelete(frame, this);
      return inFrame(frame, fn, undefined, args);
    }
    enterWith(store) {
      const frame = copyFrame();
      MapPrototypeSet(frame, this, store);
      setContinuation(frame);
    }
    disable() {
      const frame = copyFrame();
      MapPrototypeDelete(frame, this);
      setContinuation(frame);
    }
    getStore() {
      const frame = getContinuation();
      return frame !== undefined && MapPrototypeHas(frame, this) ? MapPrototypeGet(frame, this) : this.#default;
    }
  }

  let lastId = 1;

  class AsyncResource {
    #frame = getContinuation();
    #id = ++lastId;
    constructor(type, options = undefined) {
      validateString(type, 'type');
      void options;
    }
    runInAsyncScope(fn, receiver, ...args) {
      return inFrame(this.#frame, fn, receiver, args);
    }
    bind(fn, receiver = undefined) {
      validateFunction(fn, 'fn');
      const resource = this;
      const bound = function (...args) {
        return inFrame(resource.#frame, fn, receiver === undefined ? this : receiver, args);
      };
      return ObjectDefineProperty(bound, 'length', { __proto__: null, value: fn.length, configurable: true });
    }
    emitDestroy() {
      return this;
    }
    asyncId() {
      return this.#id;
    }
    triggerAsyncId() {
      return 0;
    }
    static bind(fn, type = undefined, receiver = undefined) {
      return new AsyncResource(type ?? (fn.name || 'bound-anonymous-fn')).bind(fn, receiver);
    }
  }

  class EventEmitterAsyncResource extends internal.EventEmitter {
    #resource;
    constructor(options = undefined) {
      super(options);
      const name = typeof options === 'string' ? options : options?.name ?? new.target.name;
      this.#resource = new AsyncResource(name, options);
    }
    emit(event, ...args) {
      return this.#resource.runInAsyncScope(super.emit, this, event, ...args);
    }
    emitDestroy() {
      this.#resource.emitDestroy();
    }
    get asyncId() {
      return this.#resource.asyncId();
    }
    get triggerAsyncId() {
      return this.#resource.triggerAsyncId();
    }
    get asyncResource() {
      return this.#resource;
    }
  }

  internal.emitterInScope = EventEmitterAsyncResource;
  internal.builtins.async_hooks = () => ({
    AsyncLocalStorage, AsyncResource, asyncWrapProviders: {},
    createHook: () => {
      const hook = { enable: () => hook, disable: () => hook };
      return hook;
    },
    executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}),
  });
})
