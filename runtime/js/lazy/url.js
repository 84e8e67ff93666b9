// `URL` and `URLSearchParams`.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, ArrayPrototypeSort, ReflectApply, ReflectOwnKeys, ReflectGetOwnPropertyDescriptor,
    StringPrototypeIndexOf, StringPrototypeSlice, StringPrototypeSplit, SymbolFor, SymbolIterator, TypeError,
    regExpReplace, removeAt,
  } = internal.primordials;
  const { argumentType, nodeError } = internal.errors;
  const { percentDecode, percentEncode } = internal.urlHost;
  const { isSpecial, parse, serialize, serializePath, states } = internal.urlParser;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');
  const toUsv = (value) => regExpReplace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, `${value}`, () => '\ufffd');

  // --- URLSearchParams ---

  function parseForm(text) {
    const list = [];
    const pieces = StringPrototypeSplit(text, '&');
    const decode = (piece) => percentDecode(regExpReplace(/\+/g, piece, () => ' '));
    for (let i = 0; i < pieces.length; i++) {
      if (pieces[i] === '') continue;
      const equals = StringPrototypeIndexOf(pieces[i], '=');
      const name = equals === -1 ? pieces[i] : StringPrototypeSlice(pieces[i], 0, equals);
      const value = equals === -1 ? '' : StringPrototypeSlice(pieces[i], equals + 1);
      ArrayPrototypePush(list, { __proto__: null, name: decode(name), value: decode(value) });
    }
    return list;
  }

  function formEncode(text) {
    return regExpReplace(/%20/g, percentEncode(text, 'form'), () => '+');
  }

  function missing(names) {
    return nodeError(TypeError, 'ERR_MISSING_ARGS', `The ${names} must be specified`, missing);
  }
  const nameMissing = () => missing('"name" argument');
  const bothMissing = () => missing('"name" and "value" arguments');

  let bind;
  let formText;
  let reload;

  class URLSearchParams {
    #list = [];
    // Told of each change, where the parameters belong to a URL.
    #changed = undefined;

    static {
      bind = (params, changed) => {
        params.#changed = changed;
      };
      formText = (params) => params.#toText();
      reload = (params, text) => {
        params.#list = parseForm(text);
      };
    }

    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (typeof init === 'object' || typeof init === 'function') {
        const iterate = init[SymbolIterator];
        if (iterate === undefined || iterate === null) this.#fillFromRecord(init);
        else this.#fillFromPairs(init, iterate);
        return;
      }
      const text = toUsv(init);
      this.#list = parseForm(text[0] === '?' ? StringPrototypeSlice(text, 1) : text);
    }

    #fillFromPairs(init, iterate) {
      if (typeof iterate !== 'function') throw nodeError(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
      for (const pair of init) {
        const items = [];
        if (typeof pair === 'object' && pair !== null && typeof pair[SymbolIterator] === 'function') {
          for (const item of pair) ArrayPrototypePush(items, toUsv(item));
        }
        if (items.length !== 2) throw nodeError(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
        this.#push(items[0], items[1]);
      }
    }

    #fillFromRecord(init) {
      const keys = ReflectOwnKeys(init);
      for (let i = 0; i < keys.length; i++) {
        const descriptor = ReflectGetOwnPropertyDescriptor(init, keys[i]);
        if (typeof keys[i] === 'string' && descriptor?.enumerable) this.#push(toUsv(keys[i]), toUsv(init[keys[i]]));
      }
    }

    #push(name, value) {
      ArrayPrototypePush(this.#list, { __proto__: null, name, value });
    }

    #drop(matches) {
      for (let i = this.#list.length - 1; i >= 0; i--) {
        if (matches(this.#list[i])) removeAt(this.#list, i);
      }
    }

    get size() {
      return this.#list.length;
    }
    append(name, value) {
      if (arguments.length < 2) throw bothMissing();
      this.#push(toUsv(name), toUsv(value));
      this.#changed?.();
    }
    delete(name, value = undefined) {
      if (arguments.length === 0) throw nameMissing();
      const wanted = toUsv(name);
      const text = value === undefined ? undefined : toUsv(value);
      this.#drop((pair) => pair.name === wanted && (text === undefined || pair.value === text));
      this.#changed?.();
    }
    get(name) {
      if (arguments.length === 0) throw nameMissing();
      const wanted = toUsv(name);
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i].name === wanted) return this.#list[i].value;
      }
      return null;
    }
    getAll(name) {
      if (arguments.length === 0) throw nameMissing();
      const wanted = toUsv(name);
      const values = [];
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i].name === wanted) ArrayPrototypePush(values, this.#list[i].value);
      }
      return values;
    }
    has(name, value = undefined) {
      if (arguments.length === 0) throw nameMissing();
      const wanted = toUsv(name);
      const text = value === undefined ? undefined : toUsv(value);
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i].name === wanted && (text === undefined || this.#list[i].value === text)) return true;
      }
      return false;
    }
    set(name, value) {
      if (arguments.length < 2) throw bothMissing();
      const wanted = toUsv(name);
      const text = toUsv(value);
      let first;
      for (let i = 0; i < this.#list.length && first === undefined; i++) {
        if (this.#list[i].name === wanted) first = this.#list[i];
      }
      if (first === undefined) {
        this.#push(wanted, text);
      } else {
        first.value = text;
        this.#drop((pair) => pair.name === wanted && pair !== first);
      }
      this.#changed?.();
    }
    sort() {
      ArrayPrototypeSort(this.#list, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      this.#changed?.();
    }
    forEach(callback, receiver = undefined) {
      if (typeof callback !== 'function') throw argumentType('callback', 'function', callback);
      for (let i = 0; i < this.#list.length; i++) {
        ReflectApply(callback, receiver, [this.#list[i].value, this.#list[i].name, this]);
      }
    }
    *entries() {
      for (let i = 0; i < this.#list.length; i++) yield [this.#list[i].name, this.#list[i].value];
    }
    *keys() {
      for (let i = 0; i < this.#list.length; i++) yield this.#list[i].name;
    }
    *values() {
      for (let i = 0; i < this.#list.length; i++) yield this.#list[i].value;
    }
    toString() {
      return this.#toText();
    }
    #toText() {
      let text = '';
      for (let i = 0; i < this.#list.length; i++) {
        text += `${i === 0 ? '' : '&'}${formEncode(this.#list[i].name)}=${formEncode(this.#list[i].value)}`;
      }
      return text;
    }
    [customInspect](depth, options, inspect) {
      let text = '';
      for (let i = 0; i < this.#list.length; i++) {
        text += `${i === 0 ? ' ' : ', '}${inspect(this.#list[i].name, options)} => ${inspect(this.#list[i].value, options)}`;
      }
      return `URLSearchParams {${text}${text === '' ? '' : ' '}}`;
    }
  }
  internal.finishClass(URLSearchParams, 'URLSearchParams');
  internal.define(URLSearchParams.prototype, SymbolIterator, URLSearchParams.prototype.entries, false);

  // --- URL ---

  function parseText(text, base) {
    let baseRecord = null;
    if (base !== undefined) {
      baseRecord = parse(toUsv(base));
      if (baseRecord === null) return null;
    }
    return parse(toUsv(text), baseRecord);
  }

  function invalidUrl(input, base) {
    const error = nodeError(TypeError, 'ERR_INVALID_URL', 'Invalid URL', invalidUrl);
    internal.define(error, 'input', `${input}`, true);
    if (base !== undefined) internal.define(error, 'base', `${base}`, true);
    return error;
  }

  const cannotHaveCredentials = (url) => url.host === null || url.host === '' || url.scheme === 'file';

  class URL {
    #url;
    #params = undefined;

    constructor(input, base = undefined) {
      if (arguments.length === 0) throw missing('"url" argument');
      this.#url = parseText(input, base);
      if (this.#url === null) throw invalidUrl(input, base);
    }

    // Parses into the record from one state on. A failure leaves the rest as it was.
    #change(text, state) {
      parse(`${text}`, null, this.#url, state);
    }

    get href() {
      return serialize(this.#url);
    }
    set href(value) {
      const parsed = parse(toUsv(value));
      if (parsed === null) throw invalidUrl(value, undefined);
      this.#url = parsed;
      if (this.#params !== undefined) reload(this.#params, parsed.query ?? '');
    }
    get origin() {
      const { scheme, host, port } = this.#url;
      if (scheme === 'blob') {
        const inner = parse(serializePath(this.#url));
        return inner !== null && (inner.scheme === 'http' || inner.scheme === 'https') ? new URL(serialize(inner)).origin : 'null';
      }
      if (!isSpecial(this.#url) || scheme === 'file') return 'null';
      return `${scheme}://${host}${port === null ? '' : `:${port}`}`;
    }
    get protocol() {
      return `${this.#url.scheme}:`;
    }
    set protocol(value) {
      this.#change(`${toUsv(value)}:`, states.schemeStart);
    }
    get username() {
      return this.#url.username;
    }
    set username(value) {
      if (!cannotHaveCredentials(this.#url)) this.#url.username = percentEncode(toUsv(value), 'userinfo');
    }
    get password() {
      return this.#url.password;
    }
    set password(value) {
      if (!cannotHaveCredentials(this.#url)) this.#url.password = percentEncode(toUsv(value), 'userinfo');
    }
    get host() {
      const { host, port } = this.#url;
      return host === null ? '' : `${host}${port === null ? '' : `:${port}`}`;
    }
    set host(value) {
      if (typeof this.#url.path !== 'string') this.#change(toUsv(value), states.host);
    }
    get hostname() {
      return this.#url.host ?? '';
    }
    set hostname(value) {
      if (typeof this.#url.path !== 'string') this.#change(toUsv(value), states.hostname);
    }
    get port() {
      return this.#url.port === null ? '' : `${this.#url.port}`;
    }
    set port(value) {
      if (cannotHaveCredentials(this.#url)) return;
      const text = toUsv(value);
      if (text === '') this.#url.port = null;
      else this.#change(text, states.port);
    }
    get pathname() {
      return serializePath(this.#url);
    }
    set pathname(value) {
      if (typeof this.#url.path === 'string') return;
      this.#url.path = [];
      this.#change(toUsv(value), states.pathStart);
    }
    get search() {
      const { query } = this.#url;
      return query === null || query === '' ? '' : `?${query}`;
    }
    set search(value) {
      const text = toUsv(value);
      this.#url.query = text === '' ? null : '';
      if (text !== '') this.#change(text[0] === '?' ? StringPrototypeSlice(text, 1) : text, states.query);
      if (this.#params !== undefined) reload(this.#params, this.#url.query ?? '');
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams();
        reload(this.#params, this.#url.query ?? '');
        bind(this.#params, () => {
          const text = formText(this.#params);
          this.#url.query = text === '' ? null : text;
        });
      }
      return this.#params;
    }
    get hash() {
      const { fragment } = this.#url;
      return fragment === null || fragment === '' ? '' : `#${fragment}`;
    }
    set hash(value) {
      const text = toUsv(value);
      this.#url.fragment = text === '' ? null : '';
      if (text !== '') this.#change(text[0] === '#' ? StringPrototypeSlice(text, 1) : text, states.fragment);
    }
    toString() {
      return serialize(this.#url);
    }
    toJSON() {
      return serialize(this.#url);
    }
    [customInspect](depth, options, inspect) {
      if (typeof depth === 'number' && depth < 0) return this.href;
      const { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash } = this;
      const shown = { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams, hash };
      return `${internal.safeConstructorName(this)} ${inspect(shown, options)}`;
    }

    static createObjectURL(obj) {
      if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "obj" argument must be specified');
      return internal.createObjectURL(obj);
    }
    static revokeObjectURL(url) {
      if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
      internal.revokeObjectURL(url);
    }
    static canParse(url, base = undefined) {
      if (arguments.length === 0) throw missing('"url" argument');
      return parseText(url, base) !== null;
    }
    static parse(url, base = undefined) {
      if (arguments.length === 0) throw missing('"url" argument');
      return parseText(url, base) === null ? null : new URL(url, base);
    }
  }
  internal.finishClass(URL, 'URL');
  const statics = ['canParse', 'createObjectURL', 'parse', 'revokeObjectURL'];
  for (let i = 0; i < statics.length; i++) internal.define(URL, statics[i], URL[statics[i]], true);
  internal.URL = URL;
  internal.URLSearchParams = URLSearchParams;
})
