// `AbortController` and `AbortSignal`.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, Set, SetIteratorPrototypeNext, SetPrototypeAdd, SetPrototypeValues, SymbolFor, SymbolIterator,
    TypeError,
  } = internal.primordials;
  const { DOMException, argumentType, nodeError, validateNumber } = internal.errors;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');
  const { Event } = internal;
  // Only this file may make a signal.
  const key = {};

  let abortSignal;
  let follow;

  class AbortSignal extends internal.EventTarget {
    #aborted = false;
    #reason = undefined;
    // Signals made by `AbortSignal.any` from this one.
    #dependents = undefined;

    static {
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
        const dependents = signal.#dependents;
        signal.#dependents = undefined;
        internal.dispatchTrusted(signal, new Event('abort'));
        if (dependents === undefined) return;
        const values = SetPrototypeValues(dependents);
        for (let next = SetIteratorPrototypeNext(values); !next.done; next = SetIteratorPrototypeNext(values)) {
          abortSignal(next.value, signal.#reason);
        }
      };
      follow = (signal, source) => {
        if (typeof source !== 'object' || source === null || !(#aborted in source)) throw argumentType('signals', 'AbortSignal', source);
        if (signal.#aborted) return;
        if (source.#aborted) {
          signal.#aborted = true;
          signal.#reason = source.#reason;
          return;
        }
        source.#dependents ??= new Set();
        SetPrototypeAdd(source.#dependents, signal);
      };
    }

    constructor() {
      if (arguments[0] !== key) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor', AbortSignal);
      super();
    }
    get aborted() {
      return this.#aborted;
    }
    get reason() {
      return this.#reason;
    }
    throwIfAborted() {
      if (this.#aborted) throw this.#reason;
    }
    [customInspect](depth, options) {
      return `AbortSignal ${internal.inspect({ aborted: this.#aborted }, options)}`;
    }

    static abort(reason = undefined) {
      const signal = new AbortSignal(key);
      abortSignal(signal, reason);
      return signal;
    }
    // The timer does not keep the run alive.
    static timeout(delay) {
      validateNumber(delay, 'delay', 0, 9007199254740991);
      const signal = new AbortSignal(key);
      internal.timers.setTimeout(() => {
        abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
      }, delay).unref();
      return signal;
    }
    static any(signals) {
      if (signals === null || typeof signals !== 'object' || typeof signals[SymbolIterator] !== 'function') {
        throw argumentType('signals', 'Iterable', signals);
      }
      const sources = [];
      for (const source of signals) ArrayPrototypePush(sources, source);
      const signal = new AbortSignal(key);
      for (let i = 0; i < sources.length; i++) follow(signal, sources[i]);
      return signal;
    }
  }
  internal.defineEventHandler(AbortSignal.prototype, 'abort');

  class AbortController {
    #signal = new AbortSignal(key);
    get signal() {
      return this.#signal;
    }
    abort(reason = undefined) {
      abortSignal(this.#signal, reason);
    }
    [customInspect](depth, options) {
      return `AbortController ${internal.inspect({ signal: this.#signal }, options)}`;
    }
  }

  internal.finishClass(AbortSignal, 'AbortSignal');
  internal.finishClass(AbortController, 'AbortController');
  internal.AbortController = AbortController;
  internal.AbortSignal = AbortSignal;
})
