// Timers: `setTimeout` and its kin, and the `timers` module.
//
// Each timer of the guest is one timer of the session; the runtime calls `runTimer(id)` when it is due.
(function (native, internal) {
  'use strict';

  const {
    Map, MapIteratorPrototypeNext, MapPrototypeDelete, MapPrototypeGet, MapPrototypeSet, MapPrototypeValues, MathTrunc, Promise, PromiseReject, Symbol, SymbolFor,
    SymbolToPrimitive,
  } = internal.primordials;
  const { AbortError, validateFunction } = internal.errors;
  const { currentFrame, drainTicks, runInFrame } = internal;
  const MAX_DELAY = 2147483647;
  const customPromisify = SymbolFor('nodejs.util.promisify.custom');
  const customInspect = SymbolFor('nodejs.util.inspect.custom');

  // --- Timers ---

  // Entries of the timers that the session knows of, by id.
  const active = new Map();
  let lastId = 0;

  function start(entry) {
    const id = entry.id === 0 ? lastId + 1 : entry.id;
    // Over the limit this throws; an interval that cannot be set again is over.
    let set = false;
    try {
      native.setTimer(id, entry.delay, entry.refed);
      set = true;
    } finally {
      if (!set) MapPrototypeDelete(active, id);
    }
    if (entry.id === 0) lastId = entry.id = id;
    MapPrototypeSet(active, id, entry);
  }

  function stop(entry) {
    if (MapPrototypeDelete(active, entry.id)) native.clearTimer(entry.id);
  }

  function isActive(entry) {
    return MapPrototypeGet(active, entry.id) === entry;
  }

  function setRef(entry, refed) {
    entry.refed = refed;
    if (isActive(entry)) native.refTimer(entry.id, refed);
  }

  // An interval stays in the table while its callback runs, so that clearing it there ends it.
  function runTimer(id) {
    const entry = MapPrototypeGet(active, id);
    if (entry === undefined) return;
    if (!entry.repeat) MapPrototypeDelete(active, id);
    entry.fired = true;
    try {
      runInFrame(entry.frame, entry.callback, entry.owner, entry.args);
    } finally {
      if (entry.repeat && isActive(entry)) start(entry);
    }
    drainTicks();
  }

  function newEntry(owner, callback, args, delay, repeat) {
    return {
      __proto__: null, id: 0, owner, callback, args, delay, repeat, refed: true, fired: false, frame: currentFrame(),
    };
  }

  function delayOf(given) {
    const delay = +given;
    if (delay > MAX_DELAY) {
      internal.emitWarning(`${delay} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
        'TimeoutOverflowWarning');
      return 1;
    }
    return delay >= 1 ? MathTrunc(delay) : 1;
  }

  let entryOf;

  class Timeout {
    #entry;
    constructor(callback, delay, args, repeat) {
      this.#entry = newEntry(this, callback, args, delay, repeat);
      start(this.#entry);
    }
    static {
      entryOf = (value) => {
        if (typeof value === 'object' && value !== null) return #entry in value ? value.#entry : immediateEntryOf(value);
        if (typeof value === 'number' || typeof value === 'string') return MapPrototypeGet(active, +value);
        return undefined;
      };
    }
    ref() {
      setRef(this.#entry, true);
      return this;
    }
    unref() {
      setRef(this.#entry, false);
      return this;
    }
    hasRef() {
      return this.#entry.refed;
    }
    refresh() {
      start(this.#entry);
      return this;
    }
    close() {
      stop(this.#entry);
      return this;
    }
    [SymbolToPrimitive]() {
      return this.#entry.id;
    }
    [customInspect](depth, options, inspect) {
      const { delay, repeat, refed } = this.#entry;
      return `Timeout ${inspect({ delay, repeat, hasRef: refed, active: isActive(this.#entry) }, options)}`;
    }
  }

  let immediateEntryOf;

  class Immediate {
    #entry;
    constructor(callback, args) {
      this.#entry = newEntry(this, callback, args, 0, false);
      start(this.#entry);
    }
    static {
      immediateEntryOf = (value) => (#entry in value ? value.#entry : undefined);
    }
    ref() {
      setRef(this.#entry, true);
      return this;
    }
    unref() {
      setRef(this.#entry, false);
      return this;
    }
    hasRef() {
      return this.#entry.refed;
    }
    [customInspect](depth, options, inspect) {
      return `Immediate ${inspect({ hasRef: this.#entry.refed, active: isActive(this.#entry) }, options)}`;
    }
  }
  if (Symbol.dispose !== undefined) {
    internal.define(Timeout.prototype, Symbol.dispose, Timeout.prototype.close, false);
    internal.define(Immediate.prototype, Symbol.dispose, function dispose() {
      clear(this);
    }, false);
  }

  function setTimeout(callback, delay = undefined, ...args) {
    validateFunction(callback, 'callback');
    return new Timeout(callback, delayOf(delay), args, false);
  }
  function setInterval(callback, delay = undefined, ...args) {
    validateFunction(callback, 'callback');
    return new Timeout(callback, delayOf(delay), args, true);
  }
  function setImmediate(callback, ...args) {
    validateFunction(callback, 'callback');
    return new Immediate(callback, args);
  }
  function clear(timer) {
    const entry = entryOf(timer);
    if (entry !== undefined) stop(entry);
  }
  function clearTimeout(timer) {
    clear(timer);
  }
  function clearInterval(timer) {
    clear(timer);
  }
  function clearImmediate(immediate) {
    clear(immediate);
  }

  // --- timers/promises ---

  function settleLater(arm, disarm, value, options) {
    const signal = options?.signal;
    if (signal?.aborted) return PromiseReject(new AbortError(undefined, { cause: signal.reason }));
    return new Promise((resolve, reject) => {
      const aborted = () => {
        disarm(timer);
        reject(new AbortError(undefined, { cause: signal.reason }));
      };
      const timer = arm(() => {
        signal?.removeEventListener('abort', aborted);
        resolve(value);
      });
      if (options?.ref === false) timer.unref();
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  const promises = {
    setTimeout(delay, value, options) {
      return settleLater((done) => setTimeout(done, delay), clearTimeout, value, options);
    },
    setImmediate(value, options) {
      return settleLater(setImmediate, clearImmediate, value, options);
    },
    async *setInterval(delay, value, options) {
      let waiting = 0;
      let wake;
      let failure;
      const aborted = () => {
        failure = { error: new AbortError(undefined, { cause: options.signal.reason }) };
        wake?.();
      };
      if (options?.signal?.aborted) throw new AbortError(undefined, { cause: options.signal.reason });
      options?.signal?.addEventListener('abort', aborted, { once: true });
      const timer = setInterval(() => {
        waiting++;
        wake?.();
      }, delay);
      if (options?.ref === false) timer.unref();
      try {
        for (;;) {
          if (failure !== undefined) throw failure.error;
          for (; waiting > 0; waiting--) yield value;
          await new Promise((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        clearInterval(timer);
        options?.signal?.removeEventListener('abort', aborted);
      }
    },
    scheduler: {
      wait: (delay, options) => promises.setTimeout(delay, undefined, options),
      yield: () => promises.setImmediate(),
    },
  };
  internal.define(setTimeout, customPromisify, promises.setTimeout, false);
  internal.define(setImmediate, customPromisify, promises.setImmediate, false);

  const timers = { setTimeout, clearTimeout, setImmediate, clearImmediate, setInterval, clearInterval };
  internal.defineAll(internal.globals, timers);
  internal.hooks.runTimer = runTimer;
  // Those that were open when a snapshot was made start again with the session. Over the limit there are fewer.
  internal.restorers.timers = () => {
    const iterator = MapPrototypeValues(active);
    for (let step = MapIteratorPrototypeNext(iterator); step.done !== true; step = MapIteratorPrototypeNext(iterator)) {
      try {
        native.setTimer(step.value.id, step.value.delay, step.value.refed);
      } catch {
        MapPrototypeDelete(active, step.value.id);
      }
    }
  };
  internal.builtins.timers = () => ({ ...timers, promises });
  internal.builtins['timers/promises'] = () => promises;
  internal.timers = timers;
})
