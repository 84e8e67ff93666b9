// `EventEmitter` and the `events` module.
(function (native, internal) {
  'use strict';

  const {
    AsyncIteratorPrototype, ArrayPrototypePush, ArrayPrototypeShift, ArrayPrototypeUnshift, Error, ObjectCreate,
    ObjectDefineProperty, ObjectGetPrototypeOf, ObjectSetPrototypeOf, Promise, PromiseReject, PromiseResolve,
    ReflectApply, ReflectOwnKeys, String, Symbol, SymbolAsyncIterator, SymbolFor, copyList, removeAt,
  } = internal.primordials;
  const { AbortError, argumentType, nodeError, outOfRange, validateFunction, validateNumber } = internal.errors;

  const errorMonitor = Symbol('events.errorMonitor');
  let defaultMaxListeners = 10;

  function EventEmitter(options) {
    ReflectApply(init, this, [options]);
  }
  internal.define(EventEmitter.prototype, '_events', undefined, true);
  internal.define(EventEmitter.prototype, '_eventsCount', 0, true);
  internal.define(EventEmitter.prototype, '_maxListeners', undefined, true);

  function init() {
    const proto = ObjectGetPrototypeOf(this);
    if (this._events === undefined || (proto !== null && this._events === proto._events)) {
      this._events = ObjectCreate(null);
      this._eventsCount = 0;
    }
    this._maxListeners = this._maxListeners || undefined;
  }
  internal.define(EventEmitter, 'init', init, true);

  function limitOf(emitter) {
    return emitter._maxListeners === undefined ? defaultMaxListeners : emitter._maxListeners;
  }

  function emitErrorWithoutListener(args) {
    const error = args.length > 0 ? args[0] : undefined;
    if (typeof error === 'object' && error !== null && native.isKind(error) === 'Error') throw error;
    let shown;
    try {
      shown = internal.inspect(error);
    } catch {
      shown = 'a value that cannot be shown';
    }
    const wrapped = nodeError(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${shown})`, emitErrorWithoutListener);
    wrapped.context = error;
    throw wrapped;
  }

  function emit(type, ...args) {
    const events = this._events;
    if (type === 'error') {
      if (events?.[errorMonitor] !== undefined) this.emit(errorMonitor, args[0]);
      if (events?.error === undefined) emitErrorWithoutListener(args);
    }
    const handler = events?.[type];
    if (handler === undefined) return false;
    if (typeof handler === 'function') {
      ReflectApply(handler, this, args);
    } else {
      const listeners = copyList(handler);
      for (let i = 0; i < listeners.length; i++) ReflectApply(listeners[i], this, args);
    }
    return true;
  }

  function addListener(emitter, type, listener, prepend) {
    validateFunction(listener, 'listener');
    let events = emitter._events;
    if (events === undefined) {
      events = emitter._events = ObjectCreate(null);
      emitter._eventsCount = 0;
    } else if (events.newListener !== undefined) {
      emitter.emit('newListener', type, listener.listener ?? listener);
      events = emitter._events;
    }
    const existing = events[type];
    if (existing === undefined) {
      events[type] = listener;
      emitter._eventsCount++;
      return emitter;
    }
    const list = typeof existing === 'function' ? (events[type] = [existing]) : existing;
    if (prepend) ArrayPrototypeUnshift(list, listener);
    else ArrayPrototypePush(list, listener);
    const limit = limitOf(emitter);
    if (limit > 0 && list.length > limit && !list.warned) {
      list.warned = true;
      warnOfLeak(emitter, type, list.length, limit);
    }
    return emitter;
  }

  function warnOfLeak(emitter, type, count, limit) {
    const name = internal.safeConstructorName(emitter) || 'EventEmitter';
    const warning = new Error(`Possible EventEmitter memory leak detected. ${count} ${String(type)} listeners added to ` +
      `[${name}]. MaxListeners is ${limit}. Use emitter.setMaxListeners() to increase limit`);
    internal.define(warning, 'name', 'MaxListenersExceededWarning', false);
    warning.emitter = emitter;
    warning.type = type;
    warning.count = count;
    internal.emitWarning(warning);
  }

  function onceWrapper(emitter, type, listener) {
    let fired = false;
    function wrapper(...args) {
      if (fired) return undefined;
      fired = true;
      emitter.removeListener(type, wrapper);
      return ReflectApply(listener, emitter, args);
    }
    wrapper.listener = listener;
    return wrapper;
  }

  function removeListener(type, listener) {
    validateFunction(listener, 'listener');
    const events = this._events;
    const list = events?.[type];
    if (list === undefined) return this;
    if (list === listener || list.listener === listener) {
      dropType(this, type);
      if (events.removeListener !== undefined) this.emit('removeListener', type, list.listener ?? listener);
    } else if (typeof list !== 'function') {
      let position = list.length - 1;
      while (position >= 0 && list[position] !== listener && list[position].listener !== listener) position--;
      if (position < 0) return this;
      if (position === 0) ArrayPrototypeShift(list);
      else removeAt(list, position);
      if (list.length === 1) events[type] = list[0];
      if (events.removeListener !== undefined) this.emit('removeListener', type, listener);
    }
    return this;
  }

  function dropType(emitter, type) {
    emitter._eventsCount--;
    if (emitter._eventsCount === 0) emitter._events = ObjectCreate(null);
    else delete emitter._events[type];
  }

  function removeAllListeners(type) {
    const events = this._events;
    if (events === undefined) return this;
    if (events.removeListener === undefined) {
      if (arguments.length === 0) {
        this._events = ObjectCreate(null);
        this._eventsCount = 0;
      } else if (events[type] !== undefined) {
        dropType(this, type);
      }
      return this;
    }
    if (arguments.length === 0) {
      const types = ReflectOwnKeys(events);
      for (let i = 0; i < types.length; i++) {
        if (types[i] !== 'removeListener') this.removeAllListeners(types[i]);
      }
      this.removeAllListeners('removeListener');
      this._events = ObjectCreate(null);
      this._eventsCount = 0;
      return this;
    }
    const list = events[type];
    if (typeof list === 'function') this.removeListener(type, list);
    else if (list !== undefined) {
      for (let i = list.length - 1; i >= 0; i--) this.removeListener(type, list[i]);
    }
    return this;
  }

  function listenersOf(emitter, type, unwrap) {
    const handler = emitter._events?.[type];
    if (handler === undefined) return [];
    const list = typeof handler === 'function' ? [handler] : copyList(handler);
    for (let i = 0; unwrap && i < list.length; i++) list[i] = list[i].listener ?? list[i];
    return list;
  }

  function listenerCount(type, listener) {
    const handler = this._events?.[type];
    if (handler === undefined) return 0;
    const list = typeof handler === 'function' ? [handler] : handler;
    if (typeof listener !== 'function') return list.length;
    let count = 0;
    for (let i = 0; i < list.length; i++) {
      if (list[i] === listener || list[i].listener === listener) count++;
    }
    return count;
  }

  const on = function on(type, listener) {
    return addListener(this, type, listener, false);
  };
  internal.defineAll(EventEmitter.prototype, {
    setMaxListeners: function setMaxListeners(n) {
      validateNumber(n, 'setMaxListeners', 0);
      this._maxListeners = n;
      return this;
    },
    getMaxListeners: function getMaxListeners() {
      return limitOf(this);
    },
    emit,
    addListener: on,
    on,
    prependListener: function prependListener(type, listener) {
      return addListener(this, type, listener, true);
    },
    once: function once(type, listener) {
      validateFunction(listener, 'listener');
      return this.on(type, onceWrapper(this, type, listener));
    },
    prependOnceListener: function prependOnceListener(type, listener) {
      validateFunction(listener, 'listener');
      return this.prependListener(type, onceWrapper(this, type, listener));
    },
    removeListener,
    off: removeListener,
    removeAllListeners,
    listeners: function listeners(type) {
      return listenersOf(this, type, true);
    },
    rawListeners: function rawListeners(type) {
      return listenersOf(this, type, false);
    },
    listenerCount,
    eventNames: function eventNames() {
      return this._eventsCount > 0 ? ReflectOwnKeys(this._events) : [];
    },
  });

  // --- Functions of the module ---

  function attach(target, type, listener, options) {
    if (typeof target?.on === 'function') {
      if (options?.once) target.once(type, listener);
      else target.on(type, listener);
    } else if (typeof target?.addEventListener === 'function') {
      target.addEventListener(type, listener, options);
    } else {
      throw argumentType('emitter', 'EventEmitter', target);
    }
  }

  function detach(target, type, listener) {
    if (typeof target?.removeListener === 'function') target.removeListener(type, listener);
    else target.removeEventListener(type, listener);
  }

  function onceEvent(emitter, name, options = undefined) {
    const signal = options?.signal;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(new AbortError(undefined, { cause: signal.reason }));
        return;
      }
      const finish = () => {
        detach(emitter, name, resolver);
        if (typeof emitter.removeListener === 'function') emitter.removeListener('error', rejecter);
        signal?.removeEventListener('abort', aborted);
      };
      const resolver = (...args) => {
        finish();
        resolve(args);
      };
      const rejecter = (error) => {
        finish();
        reject(error);
      };
      const aborted = () => {
        finish();
        reject(new AbortError(undefined, { cause: signal.reason }));
      };
      attach(emitter, name, resolver, { once: true });
      if (name !== 'error' && typeof emitter.once === 'function') emitter.once('error', rejecter);
      signal?.addEventListener('abort', aborted, { once: true });
    });
  }

  // An asynchronous iterator over the events of one name.
  function onEvents(emitter, name, options = undefined) {
    const signal = options?.signal;
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    const queued = [];
    const waiting = [];
    let failure;
    let done = false;
    const give = (...args) => {
      if (waiting.length > 0) ArrayPrototypeShift(waiting).resolve({ value: args, done: false });
      else ArrayPrototypePush(queued, args);
    };
    const fail = (error) => {
      if (waiting.length > 0) ArrayPrototypeShift(waiting).reject(error);
      else failure = { error };
      iterator.return();
    };
    const aborted = () => fail(new AbortError(undefined, { cause: signal.reason }));
    const iterator = ObjectSetPrototypeOf({
      next() {
        if (queued.length > 0) return PromiseResolve({ value: ArrayPrototypeShift(queued), done: false });
        if (failure !== undefined) {
          const { error } = failure;
          failure = undefined;
          return PromiseReject(error);
        }
        if (done) return PromiseResolve({ value: undefined, done: true });
        return new Promise((resolve, reject) => ArrayPrototypePush(waiting, { resolve, reject }));
      },
      return() {
        if (!done) {
          done = true;
          detach(emitter, name, give);
          if (name !== 'error' && typeof emitter.removeListener === 'function') emitter.removeListener('error', fail);
          signal?.removeEventListener('abort', aborted);
          while (waiting.length > 0) ArrayPrototypeShift(waiting).resolve({ value: undefined, done: true });
        }
        return PromiseResolve({ value: undefined, done: true });
      },
      throw(error) {
        fail(error);
        return PromiseResolve({ value: undefined, done: true });
      },
      [SymbolAsyncIterator]() {
        return this;
      },
    }, AsyncIteratorPrototype);
    attach(emitter, name, give);
    if (name !== 'error' && typeof emitter.on === 'function') emitter.on('error', fail);
    signal?.addEventListener('abort', aborted, { once: true });
    return iterator;
  }

  ObjectDefineProperty(EventEmitter, 'defaultMaxListeners', {
    __proto__: null,
    enumerable: true,
    get: () => defaultMaxListeners,
    set(n) {
      if (typeof n !== 'number' || !(n >= 0)) throw outOfRange('defaultMaxListeners', 'a non-negative number', n);
      defaultMaxListeners = n;
    },
  });

  internal.defineAll(EventEmitter, {
    EventEmitter, errorMonitor, captureRejections: false, captureRejectionSymbol: SymbolFor('nodejs.rejection'),
    once: onceEvent, on: onEvents, usingDomains: false,
    listenerCount: (emitter, type) => ReflectApply(listenerCount, emitter, [type]),
    getEventListeners: (emitter, type) => (typeof emitter.listeners === 'function' ? emitter.listeners(type) : internal.eventListeners(emitter, type)),
    getMaxListeners: (emitter) => (typeof emitter.getMaxListeners === 'function' ? emitter.getMaxListeners() : defaultMaxListeners),
    setMaxListeners(n = defaultMaxListeners, ...targets) {
      validateNumber(n, 'setMaxListeners', 0);
      if (targets.length === 0) defaultMaxListeners = n;
      for (let i = 0; i < targets.length; i++) targets[i].setMaxListeners?.(n);
    },
    addAbortListener(signal, listener) {
      if (signal?.aborted) internal.queueTask(() => listener());
      else signal.addEventListener('abort', listener, { once: true });
      return { __proto__: null, [Symbol.dispose ?? SymbolFor('nodejs.dispose')]: () => signal.removeEventListener('abort', listener) };
    },
  });

  // An emitter whose listeners run in what it was made in.
  ObjectDefineProperty(EventEmitter, 'EventEmitterAsyncResource', {
    __proto__: null, get: () => internal.emitterInScope, enumerable: true, configurable: true,
  });

  internal.builtins.events = () => EventEmitter;
  internal.initEmitter = init;
  internal.EventEmitter = EventEmitter;
})
