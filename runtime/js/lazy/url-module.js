// The `url` and `querystring` modules.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypeJoin, ArrayPrototypePush, ObjectAssign, ObjectCreate, ObjectKeys, RegExpPrototypeExec,
    StringPrototypeCharCodeAt, StringPrototypeEndsWith, StringPrototypeIncludes, StringPrototypeIndexOf,
    StringPrototypeLastIndexOf, StringPrototypeSlice, StringPrototypeSplit, StringPrototypeStartsWith,
    StringPrototypeToLowerCase, StringPrototypePadStart, StringPrototypeToUpperCase, NumberPrototypeToString,
    StringPrototypeTrim, TypeError, decodeURIComponent, encodeURIComponent, regExpReplace,
  } = internal.primordials;
  const { argumentType, nodeError, validateString } = internal.errors;
  const { URL, URLSearchParams } = internal;
  const { domainToAscii, percentDecode } = internal.urlHost;

  // --- Paths ---

  function fileURLToPath(given) {
    const isUrl = typeof given === 'object' && given !== null && typeof given.href === 'string' && typeof given.protocol === 'string';
    if (typeof given !== 'string' && !isUrl) throw argumentType('path', ['string', 'URL'], given);
    const url = isUrl ? given : new URL(given);
    if (url.protocol !== 'file:') throw nodeError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file', fileURLToPath);
    if (url.hostname !== '') throw nodeError(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux', fileURLToPath);
    if (RegExpPrototypeExec(/%2f/i, url.pathname) !== null) {
      throw nodeError(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters', fileURLToPath);
    }
    return percentDecode(url.pathname);
  }

  const pathEscapes = { __proto__: null, '%': '%25', '\\': '%5C', '\n': '%0A', '\r': '%0D', '\t': '%09', '?': '%3F', '#': '%23', ' ': '%20' };

  function pathToFileURL(path) {
    validateString(path, 'path');
    let resolved = internal.path.resolve(path);
    if (StringPrototypeEndsWith(path, '/') && !StringPrototypeEndsWith(resolved, '/')) resolved += '/';
    return new URL(`file://${regExpReplace(/[%\\\n\r\t?# ]/g, resolved, (match) => pathEscapes[match[0]])}`);
  }

  function urlToHttpOptions(url) {
    const options = {
      __proto__: null, protocol: url.protocol, hostname: regExpReplace(/^\[|\]$/g, url.hostname, () => ''), hash: url.hash,
      search: url.search, pathname: url.pathname, path: `${url.pathname || ''}${url.search || ''}`, href: url.href,
    };
    if (url.port !== '') options.port = +url.port;
    if (url.username || url.password) options.auth = `${percentDecode(url.username)}:${percentDecode(url.password)}`;
    return options;
  }

  // --- Query strings ---

  function unescapeText(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return percentDecode(text);
    }
  }

  function parseQuery(text, separator = '&', equals = '=', options = undefined) {
    const result = ObjectCreate(null);
    if (typeof text !== 'string' || text === '') return result;
    const decode = typeof options?.decodeURIComponent === 'function' ? options.decodeURIComponent : querystring.unescape;
    const limit = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
    const pieces = StringPrototypeSplit(text, separator || '&');
    const clean = (piece) => decode(regExpReplace(/\+/g, piece, () => ' '));
    for (let i = 0; i < pieces.length && (limit <= 0 || i < limit); i++) {
      if (pieces[i] === '') continue;
      const at = StringPrototypeIndexOf(pieces[i], equals || '=');
      const key = clean(at === -1 ? pieces[i] : StringPrototypeSlice(pieces[i], 0, at));
      const value = at === -1 ? '' : clean(StringPrototypeSlice(pieces[i], at + (equals || '=').length));
      if (!(key in result)) result[key] = value;
      else if (ArrayIsArray(result[key])) ArrayPrototypePush(result[key], value);
      else result[key] = [result[key], value];
    }
    return result;
  }

  function primitiveText(value) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' && value - value === 0) return `${value}`;
    return typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : '';
  }

  function stringifyQuery(object, separator = '&', equals = '=', options = undefined) {
    if (object === null || typeof object !== 'object') return '';
    const encode = typeof options?.encodeURIComponent === 'function' ? options.encodeURIComponent : querystring.escape;
    const pairs = [];
    const keys = ObjectKeys(object);
    for (let i = 0; i < keys.length; i++) {
      const value = object[keys[i]];
      const values = ArrayIsArray(value) ? value : [value];
      for (let j = 0; j < values.length; j++) {
        ArrayPrototypePush(pairs, `${encode(keys[i])}${equals || '='}${encode(primitiveText(values[j]))}`);
      }
    }
    return ArrayPrototypeJoin(pairs, separator || '&');
  }

  const querystring = {
    parse: parseQuery, stringify: stringifyQuery, decode: parseQuery, encode: stringifyQuery, unescape: unescapeText,
    escape: (text) => encodeURIComponent(typeof text === 'string' ? text : `${text}`),
    unescapeBuffer: (text) => internal.Buffer.from(percentDecode(text)),
  };
  internal.builtins.querystring = () => querystring;

  // --- The interface from before `URL` ---

  function Url() {
    ObjectAssign(this, {
      protocol: null, slashes: null, auth: null, host: null, port: null, hostname: null, hash: null, search: null,
      query: null, pathname: null, path: null, href: null,
    });
  }

  const withSlashes = /^(?:https?|ftp|gopher|file|wss?):?$/;

  function parseLegacy(text, parseQueryString = false, slashesDenoteHost = false) {
    if (text instanceof Url) return text;
    validateString(text, 'url');
    const url = new Url();
    let rest = regExpReplace(/\\/g, StringPrototypeTrim(text), () => '/');
    const hash = StringPrototypeIndexOf(rest, '#');
    if (hash !== -1) {
      url.hash = StringPrototypeSlice(rest, hash);
      rest = StringPrototypeSlice(rest, 0, hash);
    }
    const protocol = RegExpPrototypeExec(/^[a-z0-9.+-]+:/i, rest);
    if (protocol !== null) {
      url.protocol = StringPrototypeToLowerCase(protocol[0]);
      rest = StringPrototypeSlice(rest, protocol[0].length);
    }
    const question = StringPrototypeIndexOf(rest, '?');
    url.search = question === -1 ? (parseQueryString ? '' : null) : StringPrototypeSlice(rest, question);
    if (question !== -1) rest = StringPrototypeSlice(rest, 0, question);
    const slashes = StringPrototypeStartsWith(rest, '//') && (protocol !== null || slashesDenoteHost);
    const bareHost = url.protocol !== null && RegExpPrototypeExec(withSlashes, url.protocol) === null;
    if (url.protocol !== 'javascript:' && (slashes || bareHost)) {
      if (slashes) url.slashes = true;
      rest = takeAuthority(url, slashes ? StringPrototypeSlice(rest, 2) : rest);
    }
    url.query = url.search === null ? null : StringPrototypeSlice(url.search, 1);
    if (parseQueryString) url.query = parseQuery(url.query);
    url.pathname = rest === '' ? null : escapePath(rest);
    if (url.slashes && url.hostname && url.pathname === null && RegExpPrototypeExec(withSlashes, url.protocol ?? '') !== null) url.pathname = '/';
    if (url.pathname !== null || url.search) url.path = `${url.pathname ?? ''}${url.search ?? ''}`;
    url.href = formatLegacy(url);
    return url;
  }

  function escapePath(path) {
    return regExpReplace(/[\t\n\r "'<>\\^`{|}]/g, path, (match) => {
      const code = StringPrototypeCharCodeAt(match[0], 0);
      return `%${StringPrototypeToUpperCase(StringPrototypePadStart(NumberPrototypeToString(code, 16), 2, '0'))}`;
    });
  }

  function takeAuthority(url, text) {
    const slash = StringPrototypeIndexOf(text, '/');
    let authority = slash === -1 ? text : StringPrototypeSlice(text, 0, slash);
    const at = StringPrototypeLastIndexOf(authority, '@');
    if (at !== -1) {
      url.auth = unescapeText(StringPrototypeSlice(authority, 0, at));
      authority = StringPrototypeSlice(authority, at + 1);
    }
    const port = RegExpPrototypeExec(/:([0-9]*)$/, authority);
    if (port !== null) {
      if (port[1] !== '') url.port = port[1];
      authority = StringPrototypeSlice(authority, 0, -port[0].length);
    }
    const ipv6 = StringPrototypeStartsWith(authority, '[') && StringPrototypeEndsWith(authority, ']');
    url.hostname = ipv6 ? StringPrototypeSlice(authority, 1, -1) : domainToAscii(authority);
    url.host = `${ipv6 ? authority : url.hostname}${url.port === null ? '' : `:${url.port}`}`;
    return slash === -1 ? '' : StringPrototypeSlice(text, slash);
  }

  function formatLegacy(given, options = undefined) {
    const url = typeof given === 'string' ? parseLegacy(given) : given;
    if (url === null || typeof url !== 'object') throw argumentType('urlObject', ['Object', 'string'], given);
    if (url instanceof URL) return formatUrl(url, options);
    let protocol = url.protocol || '';
    if (protocol !== '' && !StringPrototypeEndsWith(protocol, ':')) protocol += ':';
    const auth = url.auth ? `${regExpReplace(/%3A/gi, encodeURIComponent(url.auth), () => ':')}@` : '';
    let host = '';
    if (url.host) host = auth + url.host;
    else if (url.hostname) {
      const isIpv6 = StringPrototypeIncludes(url.hostname, ':') && url.hostname[0] !== '[';
      host = `${auth}${isIpv6 ? `[${url.hostname}]` : url.hostname}${url.port ? `:${url.port}` : ''}`;
    }
    let pathname = url.pathname || '';
    const query = url.query !== null && typeof url.query === 'object' ? stringifyQuery(url.query) : '';
    let search = url.search || (query === '' ? '' : `?${query}`);
    if (url.slashes || (RegExpPrototypeExec(withSlashes, protocol) !== null && host !== '')) {
      host = `//${host}`;
      if (pathname !== '' && pathname[0] !== '/') pathname = `/${pathname}`;
    }
    let hash = url.hash || '';
    if (hash !== '' && hash[0] !== '#') hash = `#${hash}`;
    if (search !== '' && search[0] !== '?') search = `?${search}`;
    pathname = regExpReplace(/[?#]/g, pathname, (match) => (match[0] === '?' ? '%3F' : '%23'));
    return `${protocol}${host}${pathname}${regExpReplace(/#/g, search, () => '%23')}${hash}`;
  }

  function formatUrl(url, options) {
    const copy = new URL(url.href);
    if (options?.fragment === false) copy.hash = '';
    if (options?.search === false) copy.search = '';
    if (options?.auth === false) copy.username = copy.password = '';
    return copy.href;
  }

  function resolveLegacy(from, to) {
    const marker = 'resolve://';
    const resolved = new URL(to, new URL(from, marker));
    if (resolved.protocol !== 'resolve:') return resolved.href;
    return `${StringPrototypeStartsWith(to, '/') || StringPrototypeStartsWith(from, '/') ? resolved.pathname : StringPrototypeSlice(resolved.pathname, 1)}${resolved.search}${resolved.hash}`;
  }

  internal.define(Url.prototype, 'parse', function (text, parseQueryString, slashesDenoteHost) {
    ObjectAssign(this, parseLegacy(text, parseQueryString, slashesDenoteHost));
  }, true);
  internal.define(Url.prototype, 'format', function () {
    return formatLegacy(this);
  }, true);
  internal.define(Url.prototype, 'resolve', function (relative) {
    return resolveLegacy(this.href, relative);
  }, true);

  internal.builtins.url = () => ({
    Url, parse: parseLegacy, resolve: resolveLegacy, resolveObject: (from, to) => parseLegacy(resolveLegacy(from, to)),
    format: formatLegacy, URL, URLSearchParams, domainToASCII: (domain) => domainToAscii(`${domain}`),
    domainToUnicode: (domain) => `${domain}`, pathToFileURL, fileURLToPath, urlToHttpOptions,
  });
})
