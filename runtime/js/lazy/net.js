// `net` and `tls`: which texts are addresses, lists of addresses, and sockets that are streams as in Node but connect to
// nothing, since a session has no network.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, Error, BigInt, NumberParseInt, NumberPrototypeToString, ObjectDefineProperty, ReflectApply, ReflectConstruct, RegExpPrototypeExec,
    StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypeLastIndexOf, StringPrototypeSlice, StringPrototypeSplit, StringPrototypeToLowerCase,
  } = internal.primordials;
  const { argumentType, argumentValue, nodeError, validateInteger, validateString } = internal.errors;
  const { define } = internal;
  const { denial, members, named } = internal.denied;
  const { Duplex } = internal.stream;

  // --- Addresses ---

  const hex = (number) => NumberPrototypeToString(number, 16);

  function isIPv4(text) {
    return RegExpPrototypeExec(/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/, `${text}`) !== null;
  }

  // The eight groups of an IPv6 address, or undefined. RFC 4291, 2.2, with a zone as of RFC 4007, 11.
  function groupsOf(given) {
    const zone = StringPrototypeIndexOf(given, '%');
    if (zone !== -1 && RegExpPrototypeExec(/^[0-9a-zA-Z\-.:]+$/, StringPrototypeSlice(given, zone + 1)) === null) return undefined;
    let text = zone === -1 ? given : StringPrototypeSlice(given, 0, zone);
    const dot = StringPrototypeLastIndexOf(text, ':');
    if (StringPrototypeIncludes(text, '.')) {
      const tail = StringPrototypeSlice(text, dot + 1);
      if (!isIPv4(tail)) return undefined;
      const parts = StringPrototypeSplit(tail, '.');
      text = `${StringPrototypeSlice(text, 0, dot + 1)}${hex(+parts[0] * 256 + +parts[1])}:${hex(+parts[2] * 256 + +parts[3])}`;
    }
    const halves = StringPrototypeSplit(text, '::');
    if (halves.length > 2) return undefined;
    const groups = [];
    for (let half = 0; half < halves.length; half++) {
      const parts = halves[half] === '' ? [] : StringPrototypeSplit(halves[half], ':');
      const rest = halves.length === 2 && half === 1 ? 8 - groups.length - parts.length : 0;
      if (rest < 0 || (halves.length === 2 && half === 1 && rest === 0)) return undefined;
      for (let i = 0; i < rest; i++) ArrayPrototypePush(groups, 0);
      for (let i = 0; i < parts.length; i++) {
        if (RegExpPrototypeExec(/^[0-9a-fA-F]{1,4}$/, parts[i]) === null) return undefined;
        ArrayPrototypePush(groups, NumberParseInt(parts[i], 16));
      }
    }
    return groups.length === 8 ? groups : undefined;
  }

  function isIPv6(text) {
    return groupsOf(`${text}`) !== undefined;
  }

  function isIP(text) {
    if (isIPv4(text)) return 4;
    return isIPv6(text) ? 6 : 0;
  }

  // An address as a number, IPv4 as the IPv4-mapped address that it is in IPv6.
  function numberOf(address) {
    if (isIPv4(address)) return numberOf(`::ffff:${address}`);
    const groups = groupsOf(address);
    let number = 0n;
    for (let i = 0; i < 8; i++) number = number * 65536n + BigInt(groups[i]);
    return number;
  }

  class SocketAddress {
    constructor(options = {}) {
      const { family = 'ipv4', port = 0, flowlabel = 0 } = options;
      const { address = family === 'ipv4' ? '127.0.0.1' : '::' } = options;
      checkAddress(address, family);
      validateInteger(port, 'options.port', 0, 65535);
      internal.defineAll(this, { address, port, family, flowlabel });
    }
  }

  function checkAddress(address, family) {
    validateString(address, 'address');
    validateString(family, 'family');
    const lower = StringPrototypeToLowerCase(family);
    if (lower !== 'ipv4' && lower !== 'ipv6') throw argumentValue('family', family);
    if (isIP(address) !== (lower === 'ipv4' ? 4 : 6)) throw nodeError(Error, 'ERR_INVALID_ADDRESS', 'Invalid address');
  }

  class BlockList {
    #ranges = [];
    #rules = [];
    #add(first, last, rule) {
      ArrayPrototypePush(this.#ranges, { first, last });
      ArrayPrototypePush(this.#rules, rule);
    }
    addAddress(address, family = 'ipv4') {
      const { text, kind } = this.#read(address, family);
      this.#add(numberOf(text), numberOf(text), `Address: ${kind} ${text}`);
    }
    addRange(start, end, family = 'ipv4') {
      const from = this.#read(start, family);
      const to = this.#read(end, family);
      if (numberOf(from.text) > numberOf(to.text)) throw argumentValue('start', start, `must come before ${to.text}`);
      this.#add(numberOf(from.text), numberOf(to.text), `Range: ${from.kind} ${from.text}-${to.text}`);
    }
    addSubnet(network, prefix, family = 'ipv4') {
      const { text, kind } = this.#read(network, family);
      const bits = kind === 'IPv4' ? 32 : 128;
      validateInteger(prefix, 'prefix', 0, bits);
      const size = 1n << BigInt(bits - prefix);
      const first = (numberOf(text) / size) * size;
      this.#add(first, first + size - 1n, `Subnet: ${kind} ${text}/${prefix}`);
    }
    #read(address, family) {
      const text = address instanceof SocketAddress ? address.address : address;
      checkAddress(text, address instanceof SocketAddress ? address.family : family);
      return { text, kind: isIPv4(text) ? 'IPv4' : 'IPv6' };
    }
    check(address, family = 'ipv4') {
      const number = numberOf(this.#read(address, family).text);
      for (let i = 0; i < this.#ranges.length; i++) if (number >= this.#ranges[i].first && number <= this.#ranges[i].last) return true;
      return false;
    }
    get rules() {
      return internal.primordials.copyList(this.#rules);
    }
    static isBlockList(value) {
      return typeof value === 'object' && value !== null && #ranges in value;
    }
  }

  // --- Sockets: functions, since packages call them without `new` from functions of their own ---

  function subclass(name, Base, construct, methods) {
    function Class(...args) {
      if (!(this instanceof Class)) return ReflectConstruct(Class, args);
      ReflectApply(construct, this, args);
      return undefined;
    }
    named(Class, name);
    Class.prototype = { __proto__: Base.prototype };
    define(Class.prototype, 'constructor', Class, false);
    for (const method in methods) define(Class.prototype, method, methods[method], true);
    return internal.primordials.ObjectSetPrototypeOf(Class, Base);
  }

  function target(args) {
    const first = args[0];
    if (typeof first === 'object' && first !== null) return first.path ?? `${first.host ?? 'localhost'}:${first.port}`;
    return typeof first === 'number' ? `${typeof args[1] === 'string' ? args[1] : 'localhost'}:${first}` : `${first}`;
  }
  function connectionDenied(what, args) {
    return denial(`${target(args)} (${what})`, 'Net', target(args));
  }

  function self() {
    return this;
  }

  const Socket = subclass('Socket', Duplex, function construct(options = {}) {
    ReflectApply(Duplex, this, [{ ...options, decodeStrings: false, emitClose: true, autoDestroy: true }]);
    internal.defineAll(this, { connecting: false, allowHalfOpen: options.allowHalfOpen === true, bytesRead: 0, bytesWritten: 0, timeout: 0 });
  }, {
    _read() {},
    _write(chunk, encoding, callback) {
      callback(nodeError(Error, 'ERR_SOCKET_CLOSED', 'Socket is closed'));
    },
    connect(...args) {
      const refuses = connectionDenied('net.Socket.connect', args);
      internal.nextTick(() => this.destroy(refuses));
      return this;
    },
    destroySoon() {
      if (this.writable) this.end();
      this.destroy();
    },
    address: () => ({}),
    setTimeout: self, setNoDelay: self, setKeepAlive: self, ref: self, unref: self,
    resetAndDestroy: self,
  });
  const states = { __proto__: null, pending: true, readyState: 'closed', _connecting: false };
  for (const name in states) ObjectDefineProperty(Socket.prototype, name, { __proto__: null, get: () => states[name], configurable: true });

  function server(name, construct, methods) {
    return subclass(name, internal.EventEmitter, function construction(options, listener) {
      ReflectApply(internal.initEmitter, this, []);
      const onConnection = typeof options === 'function' ? options : listener;
      if (typeof onConnection === 'function') this.on(construct, onConnection);
      internal.defineAll(this, { _connections: 0, allowHalfOpen: false, pauseOnConnect: false });
    }, {
      listen(...args) {
        const refuses = connectionDenied(`${name}.listen`, args);
        throw refuses;
      },
      address: () => null,
      getConnections(callback) {
        internal.nextTick(() => callback(null, 0));
        return this;
      },
      close(callback) {
        const error = nodeError(Error, 'ERR_SERVER_NOT_RUNNING', 'Server is not running.');
        if (typeof callback === 'function') internal.nextTick(() => callback(error));
        return this;
      },
      ref: self, unref: self, ...methods,
    });
  }
  const Server = server('Server', 'connection', {});
  ObjectDefineProperty(Server.prototype, 'listening', { __proto__: null, get: () => false, configurable: true });

  function connect(...args) {
    const socket = new Socket(typeof args[0] === 'object' && args[0] !== null ? args[0] : {});
    const callback = args[args.length - 1];
    if (typeof callback === 'function') socket.once('connect', callback);
    return socket.connect(...args);
  }

  let attemptTimeout = 250;
  let autoSelect = true;
  internal.builtins.net = () => ({
    BlockList, SocketAddress, connect, createConnection: connect, createServer: (options, listener) => new Server(options, listener), isIP, isIPv4, isIPv6,
    Server, Socket, Stream: Socket,
    getDefaultAutoSelectFamily: () => autoSelect,
    setDefaultAutoSelectFamily(value) {
      if (typeof value !== 'boolean') throw argumentType('value', 'boolean', value);
      autoSelect = value;
    },
    getDefaultAutoSelectFamilyAttemptTimeout: () => attemptTimeout,
    setDefaultAutoSelectFamilyAttemptTimeout(value) {
      validateInteger(value, 'value', 1);
      attemptTimeout = value < 10 ? 10 : value;
    },
    ...members('net', undefined, { functions: '_createServerHandle _normalizeArgs _setSimultaneousAccepts' }),
  });

  const TLSSocket = subclass('TLSSocket', Socket, function construct(socket, options) {
    ReflectApply(Socket, this, [options]);
    internal.defineAll(this, { encrypted: true, authorized: false, authorizationError: null });
  }, members('tls.TLSSocket', 'Net', { functions: 'getCipher getPeerCertificate getProtocol getSession renegotiate exportKeyingMaterial' }));

  internal.builtins.tls = () => ({
    CLIENT_RENEG_LIMIT: 3, CLIENT_RENEG_WINDOW: 600, DEFAULT_CIPHERS: 'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256',
    DEFAULT_ECDH_CURVE: 'auto', DEFAULT_MIN_VERSION: 'TLSv1.2', DEFAULT_MAX_VERSION: 'TLSv1.3', rootCertificates: [], getCiphers: () => [],
    TLSSocket, Server: server('Server', 'secureConnection', members('tls.Server', 'Net', { functions: 'addContext setSecureContext getTicketKeys setTicketKeys' })),
    connect(...args) {
      const refuses = connectionDenied('tls.connect', args);
      const socket = new TLSSocket(undefined, {});
      internal.nextTick(() => socket.destroy(refuses));
      return socket;
    },
    ...members('tls', 'Net', { functions: 'createServer createSecurePair' }),
    ...members('tls', undefined, { functions: 'convertALPNProtocols checkServerIdentity createSecureContext', classes: 'SecureContext' }),
  });
  internal.net = { __proto__: null, Socket, Server, server, subclass, connectionDenied };
})
