// `MessageChannel`, `MessagePort`, `MessageEvent` and `BroadcastChannel`, within one session.
//
// A message is cloned when it is sent and arrives in a turn of its own. Messages on their way keep a run going; a port
// that merely listens does not, since nobody outside of the session can send to it.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypePush, ArrayPrototypeShift, ObjectFreeze, ReflectApply, ReflectConstruct, Set,
    SetIteratorPrototypeNext, SetPrototypeAdd, SetPrototypeDelete, SetPrototypeValues, SymbolFor, TypeError, listOf, removeAt,
  } = internal.primordials;
  const { argumentType, nodeError, DOMException } = internal.errors;
  const { Event, EventTarget, define } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');
  const key = {};

  let isPort;

  class MessageEvent extends Event {
    #data;
    #origin;
    #lastEventId;
    #source;
    #ports;
    constructor(type, init = undefined) {
      super(`${type}`, init);
      const { data = null, origin = '', lastEventId = '', source = null, ports = [] } = init ?? {};
      if (source !== null && !isPort(source)) throw argumentType('init.source', 'MessagePort', source);
      const list = listOf(ports);
      for (let i = 0; i < list.length; i++) if (!isPort(list[i])) throw argumentType(`init.ports[${i}]`, 'MessagePort', list[i]);
      this.#data = data;
      this.#origin = `${origin}`;
      this.#lastEventId = `${lastEventId}`;
      this.#source = source;
      this.#ports = ObjectFreeze(list);
    }
    get data() {
      return this.#data;
    }
    get origin() {
      return this.#origin;
    }
    get lastEventId() {
      return this.#lastEventId;
    }
    get source() {
      return this.#source;
    }
    get ports() {
      return this.#ports;
    }
  }

  // --- Delivery ---

  // What a port is besides its object, so that it can move to another one: its messages, its other end, and whether it
  // has been started.
  function newEnd() {
    return { __proto__: null, queue: [], peer: undefined, port: undefined, started: false, scheduled: false, closed: false };
  }

  function schedule(end) {
    if (end.scheduled || !end.started || end.queue.length === 0) return;
    end.scheduled = true;
    internal.timers.setImmediate(() => {
      end.scheduled = false;
      if (end.closed || end.queue.length === 0) return;
      const message = ArrayPrototypeShift(end.queue);
      schedule(end);
      if (end.port !== undefined) deliver(end.port, message);
    });
  }

  function deliver(target, { data, ports }) {
    const event = new MessageEvent('message', { __proto__: null, data, ports });
    internal.dispatchTrusted(target, event);
  }

  function closeEnd(end) {
    if (end === undefined || end.closed) return;
    end.closed = true;
    end.queue = [];
    const { port } = end;
    if (port !== undefined) internal.timers.setImmediate(() => internal.dispatchTrusted(port, new Event('close')));
  }

  function transferOf(options) {
    const given = options === undefined || options === null || ArrayIsArray(options) ? options : options.transfer;
    return given === undefined || given === null ? [] : listOf(given);
  }

  let moveEnd;

  class MessagePort extends EventTarget {
    #end;
    #wrapped = [];

    static {
      isPort = (value) => typeof value === 'object' && value !== null && #end in value;
      moveEnd = (port) => {
        const end = port.#end;
        if (end === undefined) throw new DOMException('MessagePort in transfer list is already detached', 'DataCloneError');
        port.#end = undefined;
        end.started = false;
        return newPort(end);
      };
    }

    constructor(secret, end) {
      if (secret !== key) throw nodeError(TypeError, 'ERR_CONSTRUCT_CALL_INVALID', 'Constructor cannot be called', MessagePort);
      super();
      this.#end = end;
      end.port = this;
    }
    postMessage(message, options = undefined) {
      if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'Not enough arguments to MessagePort.postMessage');
      const transfer = transferOf(options);
      for (let i = 0; i < transfer.length; i++) {
        if (transfer[i] === this) throw new DOMException('Transfer list contains source port', 'DataCloneError');
      }
      const moved = internal.cloneMessage(message, transfer);
      const peer = this.#end?.peer;
      if (peer === undefined || peer.closed || this.#end.closed) return;
      ArrayPrototypePush(peer.queue, moved);
      schedule(peer);
    }
    start() {
      const end = this.#end;
      if (end === undefined || end.closed) return;
      end.started = true;
      schedule(end);
    }
    close() {
      const end = this.#end;
      if (end === undefined) return;
      const { peer } = end;
      closeEnd(end);
      // The other end still gets what was sent before.
      if (peer !== undefined) internal.timers.setImmediate(() => closeEnd(peer));
    }
    ref() {}
    unref() {}
    hasRef() {
      return false;
    }
    addEventListener(type, callback, options = undefined) {
      super.addEventListener(type, callback, options);
      if (type === 'message') this.start();
    }
    // A listener of these gets the data, and not the event.
    on(type, listener, once = false) {
      const wrapped = type === 'message' ? (event) => ReflectApply(listener, this, [event.data]) : listener;
      ArrayPrototypePush(this.#wrapped, { __proto__: null, type, listener, wrapped });
      this.addEventListener(type, wrapped, { __proto__: null, once });
      return this;
    }
    off(type, listener) {
      for (let i = 0; i < this.#wrapped.length; i++) {
        const entry = this.#wrapped[i];
        if (entry.type !== type || entry.listener !== listener) continue;
        this.removeEventListener(type, entry.wrapped);
        removeAt(this.#wrapped, i);
        return this;
      }
      this.removeEventListener(type, listener);
      return this;
    }
    [customInspect]() {
      return `MessagePort { active: ${this.#end !== undefined && !this.#end.closed} }`;
    }
  }

  define(MessagePort.prototype, 'addListener', MessagePort.prototype.on, false);
  define(MessagePort.prototype, 'removeListener', MessagePort.prototype.off, false);
  define(MessagePort.prototype, 'once', function once(type, listener) {
    return ReflectApply(MessagePort.prototype.on, this, [type, listener, true]);
  }, false);

  function newPort(end) {
    return ReflectConstruct(MessagePort, [key, end]);
  }

  class MessageChannel {
    constructor() {
      const first = newEnd();
      const second = newEnd();
      first.peer = second;
      second.peer = first;
      define(this, 'port1', newPort(first), true);
      define(this, 'port2', newPort(second), true);
    }
  }

  // --- Channels by name ---

  const channels = new Set();

  class BroadcastChannel extends EventTarget {
    #name;
    #end = newEnd();

    constructor(name) {
      if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "name" argument must be specified', BroadcastChannel);
      super();
      this.#name = `${name}`;
      this.#end.port = this;
      this.#end.started = true;
      SetPrototypeAdd(channels, this);
    }
    get name() {
      return this.#name;
    }
    close() {
      this.#end.closed = true;
      SetPrototypeDelete(channels, this);
    }
    postMessage(message) {
      if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "message" argument must be specified', BroadcastChannel);
      if (this.#end.closed) throw new DOMException('BroadcastChannel is closed.', 'InvalidStateError');
      internal.cloneMessage(message, []);
      const all = SetPrototypeValues(channels);
      for (let next = SetIteratorPrototypeNext(all); !next.done; next = SetIteratorPrototypeNext(all)) {
        const other = next.value;
        if (other === this || other.#name !== this.#name) continue;
        ArrayPrototypePush(other.#end.queue, internal.cloneMessage(message, []));
        schedule(other.#end);
      }
    }
    ref() {
      return this;
    }
    unref() {
      return this;
    }
    [customInspect](depth, options) {
      return `BroadcastChannel ${internal.inspect({ name: this.#name, active: !this.#end.closed }, options)}`;
    }
  }

  const handlers = [MessagePort, BroadcastChannel];
  for (let i = 0; i < handlers.length; i++) {
    internal.defineEventHandler(handlers[i].prototype, 'message');
    internal.defineEventHandler(handlers[i].prototype, 'messageerror');
    internal.finishClass(handlers[i], handlers[i] === MessagePort ? 'MessagePort' : 'BroadcastChannel');
  }
  internal.finishClass(MessageEvent, 'MessageEvent');
  internal.finishClass(MessageChannel, 'MessageChannel');
  internal.cloners.port = { __proto__: null, is: isPort, move: moveEnd };
  internal.MessageEvent = MessageEvent;
})
