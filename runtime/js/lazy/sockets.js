// `WebSocket` and `EventSource`, which a session has by name only until its host permits the network, and `CloseEvent`.
(function (native, internal) {
  'use strict';

  const { ObjectDefineProperty, TypeError } = internal.primordials;
  const { DOMException, nodeError } = internal.errors;
  const { Event, EventTarget } = internal;

  class CloseEvent extends Event {
    #wasClean;
    #code;
    #reason;
    constructor(type, init = undefined) {
      super(type, init);
      this.#wasClean = !!init?.wasClean;
      this.#code = (init?.code ?? 0) & 0xffff;
      this.#reason = `${init?.reason ?? ''}`;
    }
    get wasClean() {
      return this.#wasClean;
    }
    get code() {
      return this.#code;
    }
    get reason() {
      return this.#reason;
    }
  }

  function parsed(url, protocols) {
    const address = internal.URL.parse(`${url}`);
    if (address === null) throw new DOMException(`Invalid URL: ${url}`, 'SyntaxError');
    for (let i = 0; i < protocols.length; i++) if (address.protocol === protocols[i]) return address;
    throw new DOMException(`Expected a ${protocols[0]} or ${protocols[1]} protocol, got ${address.protocol}`, 'SyntaxError');
  }

  function missingUrl(Class) {
    return nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified', Class);
  }

  // The constructors check what they are given and refuse. An instance with an error event would leave a guest waiting
  // that listens for nothing.
  class WebSocket extends EventTarget {
    constructor(url, protocols = undefined) {
      super();
      if (arguments.length === 0) throw missingUrl(WebSocket);
      throw internal.networkDenied(parsed(url, ['ws:', 'wss:', 'http:', 'https:']).origin);
    }
  }

  class EventSource extends EventTarget {
    constructor(url, init = undefined) {
      super();
      if (arguments.length === 0) throw missingUrl(EventSource);
      throw internal.networkDenied(parsed(url, ['https:', 'http:']).origin);
    }
  }

  function constants(Class, names) {
    for (let i = 0; i < names.length; i++) {
      const descriptor = { __proto__: null, value: i, enumerable: true };
      ObjectDefineProperty(Class, names[i], descriptor);
      ObjectDefineProperty(Class.prototype, names[i], descriptor);
    }
  }
  constants(WebSocket, ['CONNECTING', 'OPEN', 'CLOSING', 'CLOSED']);
  constants(EventSource, ['CONNECTING', 'OPEN', 'CLOSED']);

  internal.finishClass(CloseEvent, 'CloseEvent');
  internal.finishClass(WebSocket, 'WebSocket');
  internal.finishClass(EventSource, 'EventSource');
})
