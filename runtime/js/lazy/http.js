// `http` and `https`: names of methods and states, and messages with headers, bodies apart. Nothing is sent and
// nothing is received: whoever asks for a connection is told that the host has not permitted the network.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypePush, ObjectDefineProperty, ObjectKeys, ReflectApply, RegExpPrototypeExec, StringPrototypeSplit,
    StringPrototypeToLowerCase, TypeError,
  } = internal.primordials;
  const { nodeError, validateInteger, validateString } = internal.errors;
  const { define } = internal;
  const { members } = internal.denied;
  const { Readable, Stream } = internal.stream;
  const { Server: NetServer, connectionDenied, server, subclass } = internal.net;

  const METHODS = StringPrototypeSplit('ACL BIND CHECKOUT CONNECT COPY DELETE GET HEAD LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY OPTIONS '
    + 'PATCH POST PROPFIND PROPPATCH PURGE PUT QUERY REBIND REPORT SEARCH SOURCE SUBSCRIBE TRACE UNBIND UNLINK UNLOCK UNSUBSCRIBE', ' ');
  // RFC 9110 and the registry that it names.
  const STATUS_CODES = {
    100: 'Continue', 101: 'Switching Protocols', 102: 'Processing', 103: 'Early Hints', 200: 'OK', 201: 'Created', 202: 'Accepted',
    203: 'Non-Authoritative Information', 204: 'No Content', 205: 'Reset Content', 206: 'Partial Content', 207: 'Multi-Status', 208: 'Already Reported',
    226: 'IM Used', 300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified', 305: 'Use Proxy',
    307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden',
    404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable', 407: 'Proxy Authentication Required', 408: 'Request Timeout', 409: 'Conflict',
    410: 'Gone', 411: 'Length Required', 412: 'Precondition Failed', 413: 'Payload Too Large', 414: 'URI Too Long', 415: 'Unsupported Media Type',
    416: 'Range Not Satisfiable', 417: 'Expectation Failed', 418: "I'm a Teapot", 421: 'Misdirected Request', 422: 'Unprocessable Entity', 423: 'Locked',
    424: 'Failed Dependency', 425: 'Too Early', 426: 'Upgrade Required', 428: 'Precondition Required', 429: 'Too Many Requests',
    431: 'Request Header Fields Too Large', 451: 'Unavailable For Legal Reasons', 500: 'Internal Server Error', 501: 'Not Implemented', 502: 'Bad Gateway',
    503: 'Service Unavailable', 504: 'Gateway Timeout', 505: 'HTTP Version Not Supported', 506: 'Variant Also Negotiates', 507: 'Insufficient Storage',
    508: 'Loop Detected', 509: 'Bandwidth Limit Exceeded', 510: 'Not Extended', 511: 'Network Authentication Required',
  };

  // --- Headers ---

  function validateHeaderName(name, label = 'Header name') {
    if (typeof name === 'string' && RegExpPrototypeExec(/^[!#$%&'*+\-.^_`|~0-9a-zA-Z]+$/, name) !== null) return;
    throw nodeError(TypeError, 'ERR_INVALID_HTTP_TOKEN', `${label} must be a valid HTTP token ["${name}"]`);
  }
  function validateHeaderValue(name, value) {
    if (value === undefined) throw nodeError(TypeError, 'ERR_HTTP_INVALID_HEADER_VALUE', `Invalid value "${value}" for header "${name}"`);
    if (RegExpPrototypeExec(/[^\t\x20-\x7e\x80-\xff]/, `${value}`) !== null) {
      throw nodeError(TypeError, 'ERR_INVALID_CHAR', `Invalid character in header content ["${name}"]`);
    }
  }

  const lower = (name) => StringPrototypeToLowerCase(`${name}`);
  function initMessage() {
    ReflectApply(Stream, this, []);
    // By lower-case name: the name as it was given, and the value.
    define(this, 'fields', { __proto__: null }, false);
    internal.defineAll(this, { destroyed: false, writable: true, finished: false, headersSent: false, sendDate: false, shouldKeepAlive: true, req: undefined, socket: null, connection: null, chunkedEncoding: false });
  }
  const sending = members('http.OutgoingMessage', 'Net', { functions: 'write end flushHeaders addTrailers _send pipe' });
  const headerMethods = {
    setHeader(name, value) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      this.fields[lower(name)] = { name, value };
      return this;
    },
    setHeaders(headers) {
      headers.forEach((value, name) => this.setHeader(name, value));
      return this;
    },
    appendHeader(name, value) {
      const before = this.getHeader(name);
      if (before === undefined) return this.setHeader(name, value);
      const all = [];
      internal.primordials.pushAll(all, ArrayIsArray(before) ? before : [before]);
      internal.primordials.pushAll(all, ArrayIsArray(value) ? value : [value]);
      return this.setHeader(name, all);
    },
    getHeader(name) {
      validateString(name, 'name');
      return this.fields[lower(name)]?.value;
    },
    getHeaderNames() {
      return ObjectKeys(this.fields);
    },
    getRawHeaderNames() {
      const names = [];
      for (const key in this.fields) ArrayPrototypePush(names, this.fields[key].name);
      return names;
    },
    getHeaders() {
      const headers = { __proto__: null };
      for (const key in this.fields) headers[key] = this.fields[key].value;
      return headers;
    },
    hasHeader(name) {
      validateString(name, 'name');
      return this.fields[lower(name)] !== undefined;
    },
    removeHeader(name) {
      validateString(name, 'name');
      delete this.fields[lower(name)];
    },
    cork() {},
    uncork() {},
    setTimeout() {
      return this;
    },
    destroy(error) {
      if (this.destroyed) return this;
      this.destroyed = true;
      internal.nextTick(() => {
        if (error) this.emit('error', error);
        this.emit('close');
      });
      return this;
    },
    ...sending,
  };
  const OutgoingMessage = subclass('OutgoingMessage', Stream, initMessage, headerMethods);
  const facts = { __proto__: null, writableFinished: false, writableEnded: false, writableObjectMode: false, writableLength: 0, writableHighWaterMark: 16384, writableCorked: 0, writableNeedDrain: false, errored: null, closed: false };
  for (const name in facts) ObjectDefineProperty(OutgoingMessage.prototype, name, { __proto__: null, get: () => facts[name], configurable: true });

  const ServerResponse = subclass('ServerResponse', OutgoingMessage, function construct(request) {
    ReflectApply(OutgoingMessage, this, []);
    internal.defineAll(this, { req: request, statusCode: 200, statusMessage: undefined, sendDate: true });
  }, {
    assignSocket(socket) {
      this.socket = socket;
    },
    detachSocket() {
      this.socket = null;
    },
    ...members('http.ServerResponse', 'Net', { functions: 'writeHead writeHeader writeContinue writeProcessing writeEarlyHints' }),
  });

  const IncomingMessage = subclass('IncomingMessage', Readable, function construct(socket) {
    ReflectApply(Readable, this, [{ highWaterMark: socket?.readableHighWaterMark }]);
    internal.defineAll(this, {
      httpVersionMajor: null, httpVersionMinor: null, httpVersion: null, complete: false, rawHeaders: [], rawTrailers: [], headers: {}, trailers: {},
      joinDuplicateHeaders: false, aborted: false, upgrade: null, url: '', method: null, statusCode: null, statusMessage: null, client: socket, socket,
    });
  }, {
    _read() {},
    setTimeout() {
      return this;
    },
  });
  ObjectDefineProperty(IncomingMessage.prototype, 'connection', {
    __proto__: null,
    get() {
      return this.socket;
    },
    set(value) {
      this.socket = value;
    },
    configurable: true,
  });

  // --- Connections ---

  function where(args) {
    const first = args[0];
    const second = args[1];
    if (typeof first === 'string' || typeof first?.href === 'string') return `${first.href ?? first}`;
    return first === undefined || first === null ? 'a server' : `${first.protocol ?? second?.protocol ?? 'http:'}//${first.hostname ?? first.host ?? 'localhost'}${first.path ?? '/'}`;
  }
  function requestDenied(what, args) {
    const resource = where(args);
    return internal.denied.denial(`${resource} (${what})`, 'Net', resource);
  }

  const ClientRequest = subclass('ClientRequest', OutgoingMessage, function construct(...args) {
    const refuses = requestDenied('http.ClientRequest', args);
    throw refuses;
  }, {
    abort() {
      this.destroy();
    },
    onSocket() {},
    setNoDelay() {},
    setSocketKeepAlive() {},
    clearTimeout() {},
  });

  const Agent = subclass('Agent', internal.EventEmitter, function construct(options = {}) {
    ReflectApply(internal.initEmitter, this, []);
    const { keepAlive = false, maxSockets = Infinity, maxFreeSockets = 256, maxTotalSockets = Infinity, scheduling = 'lifo' } = options;
    internal.defineAll(this, {
      defaultPort: 80, protocol: 'http:', options: { __proto__: null, path: null, noDelay: true, ...options }, requests: { __proto__: null }, sockets: { __proto__: null },
      freeSockets: { __proto__: null }, keepAliveMsecs: options.keepAliveMsecs ?? 1000, keepAlive, maxSockets, maxFreeSockets, scheduling, maxTotalSockets, totalSocketCount: 0,
    });
  }, {
    getName: (options = {}) => `${options.host || 'localhost'}:${options.port || ''}:${options.localAddress || ''}${options.family === 4 || options.family === 6 ? `:${options.family}` : ''}${options.socketPath ? `:${options.socketPath}` : ''}`,
    createConnection: (...args) => internal.builtin('net').createConnection(...args),
    addRequest(request, options) {
      const refuses = connectionDenied('http.Agent', [options]);
      request.destroy(refuses);
    },
    createSocket(request, options, callback) {
      callback(connectionDenied('http.Agent', [options]));
    },
    keepSocketAlive: () => true,
    reuseSocket() {},
    removeSocket() {},
    destroy() {},
  });
  define(Agent, 'defaultMaxSockets', Infinity, true);

  function requests(module) {
    const refuse = (name) => (...args) => {
      const refuses = requestDenied(`${module}.${name}`, args);
      throw refuses;
    };
    return { get: refuse('get'), request: refuse('request') };
  }

  const serverMethods = {
    setTimeout() {
      return this;
    },
    closeAllConnections() {},
    closeIdleConnections() {},
  };

  function makeHttp() {
    const Server = server('Server', 'request', serverMethods);
    internal.primordials.ObjectSetPrototypeOf(Server.prototype, NetServer.prototype);
    let agent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5000 });
    const exports = {
      METHODS, STATUS_CODES, Agent, ClientRequest, IncomingMessage, OutgoingMessage, Server, ServerResponse, createServer: (options, listener) => new Server(options, listener),
      validateHeaderName, validateHeaderValue, ...requests('http'),
      setMaxIdleHTTPParsers(max) {
        validateInteger(max, 'max', 1);
      },
      maxHeaderSize: 16384, _connectionListener: members('http', 'Net', { functions: '_connectionListener' })._connectionListener,
    };
    return ObjectDefineProperty(exports, 'globalAgent', {
      __proto__: null,
      get: () => agent,
      set: (value) => {
        agent = value;
      },
      enumerable: true,
      configurable: true,
    });
  }

  internal.builtins.http = makeHttp;
  internal.builtins.https = () => {
    const Secure = subclass('Agent', Agent, function construct(options) {
      ReflectApply(Agent, this, [options]);
      internal.defineAll(this, { defaultPort: 443, protocol: 'https:', maxCachedSessions: options?.maxCachedSessions ?? 100 });
    }, { createConnection: (...args) => internal.builtin('tls').connect(...args) });
    const Server = server('Server', 'request', serverMethods);
    return { Agent: Secure, globalAgent: new Secure({ keepAlive: true, scheduling: 'lifo', timeout: 5000 }), Server, createServer: (options, listener) => new Server(options, listener), ...requests('https') };
  };
})
