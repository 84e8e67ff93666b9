// `Event`, `CustomEvent` and `EventTarget`.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, Map, MapPrototypeDelete, MapPrototypeGet, MapPrototypeSet, ObjectDefineProperty, ReflectApply,
    ReflectOwnKeys,    String, SymbolFor, SymbolToStringTag, TypeError, copyList, removeAt,
  } = internal.primordials;
  const { DOMException, argumentType, nodeError } = internal.errors;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');

  function missing(name) {
    return nodeError(TypeError, 'ERR_MISSING_ARGS', `The "${name}" argument must be specified`, missing);
  }

  let state;

  class Event {
    #type;
    #bubbles;
    #cancelable;
    #composed;
    // What a dispatch changes; `state` opens it to `EventTarget`.
    #state = {
      __proto__: null, target: null, currentTarget: null, phase: 0, canceled: false, stopped: false, passive: false,
      propagation: true, dispatching: false, trusted: false,
    };
    #timeStamp = native.now();

    static {
      state = (event) => event.#state;
    }

    constructor(type, options = undefined) {
      if (arguments.length === 0) throw missing('type');
      this.#type = `${type}`;
      this.#bubbles = !!options?.bubbles;
      this.#cancelable = !!options?.cancelable;
      this.#composed = !!options?.composed;
    }
    get type() {
      return this.#type;
    }
    get target() {
      return this.#state.target;
    }
    get srcElement() {
      return this.#state.target;
    }
    get currentTarget() {
      return this.#state.currentTarget;
    }
    get bubbles() {
      return this.#bubbles;
    }
    get cancelable() {
      return this.#cancelable;
    }
    get composed() {
      return this.#composed;
    }
    get defaultPrevented() {
      return this.#cancelable && this.#state.canceled;
    }
    get returnValue() {
      return !this.defaultPrevented;
    }
    get eventPhase() {
      return this.#state.phase;
    }
    get isTrusted() {
      return this.#state.trusted;
    }
    get timeStamp() {
      return this.#timeStamp;
    }
    get cancelBubble() {
      return !this.#state.propagation;
    }
    set cancelBubble(value) {
      if (value) this.#state.propagation = false;
    }
    preventDefault() {
      if (this.#cancelable && !this.#state.passive) this.#state.canceled = true;
    }
    stopPropagation() {
      this.#state.propagation = false;
    }
    stopImmediatePropagation() {
      this.#state.propagation = false;
      this.#state.stopped = true;
    }
    composedPath() {
      return this.#state.dispatching ? [this.#state.currentTarget] : [];
    }
    [customInspect](depth, options) {
      const { type, defaultPrevented, cancelable, timeStamp } = this;
      return `${internal.safeConstructorName(this)} ${internal.inspect({ type, defaultPrevented, cancelable, timeStamp }, options)}`;
    }
  }
  const phases = ['NONE', 'CAPTURING_PHASE', 'AT_TARGET', 'BUBBLING_PHASE'];
  for (let i = 0; i < phases.length; i++) {
    const descriptor = { __proto__: null, value: i, enumerable: true };
    ObjectDefineProperty(Event, phases[i], descriptor);
    ObjectDefineProperty(Event.prototype, phases[i], descriptor);
  }

  class CustomEvent extends Event {
    #detail;
    constructor(type, options = undefined) {
      super(type, options);
      this.#detail = options?.detail ?? null;
    }
    get detail() {
      return this.#detail;
    }
  }

  // --- Targets ---

  function sameListener(entry, callback, capture) {
    return entry.callback === callback && entry.capture === capture;
  }

  function indexOf(list, callback, capture) {
    for (let i = 0; i < list.length; i++) {
      if (sameListener(list[i], callback, capture)) return i;
    }
    return -1;
  }

  function captureOf(options) {
    return typeof options === 'boolean' ? options : !!options?.capture;
  }

  // An exception in a listener is the guest's own and stops no other listener; it surfaces as an uncaught one.
  function report(error) {
    internal.queueTask(() => {
      throw error;
    });
  }

  function callListener(entry, target, event) {
    const { callback } = entry;
    try {
      if (typeof callback === 'function') ReflectApply(callback, target, [event]);
      else if (typeof callback.handleEvent === 'function') callback.handleEvent(event);
    } catch (error) {
      report(error);
    }
  }

  let listenersOf;
  let handlersOf;

  class EventTarget {
    #listeners = new Map();
    // What stands behind properties such as `onabort`, by name of the event.
    #handlers = { __proto__: null };

    static {
      handlersOf = (target) => target.#handlers;
      listenersOf = (target) => (typeof target === 'object' && target !== null && #listeners in target ? target.#listeners : undefined);
    }

    addEventListener(type, callback, options = undefined) {
      if (arguments.length < 2) throw missing(arguments.length === 0 ? 'type' : 'listener');
      if (callback === null || callback === undefined) return;
      if (typeof callback !== 'function' && typeof callback !== 'object') throw argumentType('listener', 'EventListener', callback);
      const signal = typeof options === 'object' && options !== null ? options.signal : undefined;
      if (signal?.aborted) return;
      const capture = captureOf(options);
      const name = String(type);
      let list = MapPrototypeGet(this.#listeners, name);
      if (list === undefined) MapPrototypeSet(this.#listeners, name, (list = []));
      if (indexOf(list, callback, capture) !== -1) return;
      ArrayPrototypePush(list, {
        __proto__: null, callback, capture, once: !!options?.once, passive: !!options?.passive, removed: false,
      });
      signal?.addEventListener('abort', () => this.removeEventListener(type, callback, options), { __proto__: null, once: true });
    }

    removeEventListener(type, callback, options = undefined) {
      const name = String(type);
      const list = MapPrototypeGet(this.#listeners, name);
      const index = list === undefined ? -1 : indexOf(list, callback, captureOf(options));
      if (index === -1) return;
      list[index].removed = true;
      removeAt(list, index);
      if (list.length === 0) MapPrototypeDelete(this.#listeners, name);
    }

    dispatchEvent(event) {
      if (typeof event !== 'object' || event === null || !isEvent(event)) throw argumentType('event', 'Event', event);
      if (state(event).dispatching) throw new DOMException('The event is already being dispatched', 'InvalidStateError');
      dispatch(this, event);
      return !event.defaultPrevented;
    }

    [customInspect]() {
      return `${internal.safeConstructorName(this)} {}`;
    }
  }

  function isEvent(value) {
    try {
      return state(value) !== undefined;
    } catch {
      return false;
    }
  }

  function dispatch(target, event) {
    const inner = state(event);
    inner.target = inner.currentTarget = target;
    inner.phase = 2;
    inner.dispatching = true;
    const list = MapPrototypeGet(listenersOf(target), event.type);
    const entries = list === undefined ? [] : copyList(list);
    for (let i = 0; i < entries.length && !inner.stopped; i++) {
      const entry = entries[i];
      if (entry.removed) continue;
      if (entry.once) target.removeEventListener(event.type, entry.callback, entry.capture);
      inner.passive = entry.passive;
      callListener(entry, target, event);
    }
    inner.passive = inner.dispatching = inner.stopped = false;
    inner.phase = 0;
    inner.currentTarget = null;
    inner.propagation = true;
  }

  // `onname` as a property: assigning replaces the one listener that it stands for.
  function defineEventHandler(prototype, name) {
    ObjectDefineProperty(prototype, `on${name}`, {
      __proto__: null,
      configurable: true,
      enumerable: true,
      get() {
        return handlersOf(this)[name]?.handler ?? null;
      },
      set(value) {
        const handlers = handlersOf(this);
        handlers[name] ??= newHolder();
        const holder = handlers[name];
        const usable = typeof value === 'function' || (typeof value === 'object' && value !== null);
        if (usable && holder.handler === null) this.addEventListener(name, holder.listener);
        if (!usable) this.removeEventListener(name, holder.listener);
        holder.handler = usable ? value : null;
      },
    });
  }

  function newHolder() {
    const holder = { __proto__: null, handler: null, listener: undefined };
    holder.listener = function (event) {
      if (typeof holder.handler === 'function') ReflectApply(holder.handler, this, [event]);
    };
    return holder;
  }

  // Makes the methods and accessors of a class enumerable and tags it, as WebIDL wants.
  function finishClass(Class, name) {
    const keys = ReflectOwnKeys(Class.prototype);
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] !== 'string' || keys[i] === 'constructor') continue;
      ObjectDefineProperty(Class.prototype, keys[i], { __proto__: null, enumerable: true });
    }
    internal.define(Class.prototype, SymbolToStringTag, name, false);
    ObjectDefineProperty(Class.prototype, SymbolToStringTag, { __proto__: null, writable: false });
    internal.globals[name] = Class;
  }

  finishClass(Event, 'Event');
  finishClass(CustomEvent, 'CustomEvent');
  finishClass(EventTarget, 'EventTarget');
  internal.Event = Event;
  internal.EventTarget = EventTarget;
  internal.finishClass = finishClass;
  internal.defineEventHandler = defineEventHandler;
  internal.isEventTarget = (value) => listenersOf(value) !== undefined;
  internal.dispatchTrusted = (target, event) => {
    state(event).trusted = true;
    dispatch(target, event);
  };
  internal.eventListeners = (target, type) => {
    const list = listenersOf(target) === undefined ? undefined : MapPrototypeGet(listenersOf(target), String(type));
    const callbacks = [];
    for (let i = 0; list !== undefined && i < list.length; i++) ArrayPrototypePush(callbacks, list[i].callback);
    return callbacks;
  };
})
