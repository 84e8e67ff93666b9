// The URL parser: one function for each state of the state machine in the URL Standard, section 4.4.
//
// A state gets the machine and the current character ('' at the end), and may move the pointer. It gives back
// nothing to go on, `STOP` to end with what there is, or `FAIL`.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePop, ArrayPrototypePush, NumberParseInt, RegExpPrototypeExec, StringPrototypeIndexOf,
    StringPrototypeSlice, StringPrototypeToLowerCase, regExpReplace, copyList,
  } = internal.primordials;
  const { parseHost, percentEncode } = internal.urlHost;
  const STOP = 1;
  const FAIL = 2;

  const defaultPorts = { __proto__: null, 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443, 'ftp:': 21, 'file:': null };
  const isSpecial = (url) => defaultPorts[`${url.scheme}:`] !== undefined;
  const matches = (expression, text) => RegExpPrototypeExec(expression, text) !== null;

  // `path` is a list of segments, or a string for URLs such as `data:`.
  function newRecord() {
    return {
      __proto__: null, scheme: '', username: '', password: '', host: null, port: null, path: [], query: null, fragment: null,
    };
  }

  function copyFrom(url, base, names) {
    for (let i = 0; i < names.length; i++) {
      const value = base[names[i]];
      url[names[i]] = typeof value === 'object' && value !== null ? copyList(value) : value;
    }
  }

  function shorten(url) {
    if (url.scheme === 'file' && url.path.length === 1 && matches(/^[a-zA-Z]:$/, url.path[0])) return;
    ArrayPrototypePop(url.path);
  }

  const isDriveLetter = (text) => matches(/^[a-zA-Z][:|]$/, text);
  const startsWithDriveLetter = (text) => matches(/^[a-zA-Z][:|](?:$|[/\\?#])/, text);
  const isSingleDot = (text) => matches(/^(?:\.|%2e)$/i, text);
  const isDoubleDot = (text) => matches(/^(?:\.|%2e){2}$/i, text);
  const isSlash = (m, c) => c === '/' || (c === '\\' && isSpecial(m.url));
  const endsAuthority = (m, c) => c === '' || c === '?' || c === '#' || isSlash(m, c);
  const rest = (m) => StringPrototypeSlice(m.input, m.at);

  function again(m, state) {
    m.state = state;
    m.at--;
  }
  function startQuery(m) {
    m.url.query = '';
    m.state = query;
  }

  function startFragment(m) {
    m.url.fragment = '';
    m.state = fragment;
  }

  function schemeStart(m, c) {
    if (matches(/^[a-zA-Z]$/, c)) {
      m.buffer += StringPrototypeToLowerCase(c);
      m.state = scheme;
    } else if (m.override === undefined) again(m, noScheme);
    else return FAIL;
    return undefined;
  }

  function scheme(m, c) {
    const { url } = m;
    if (c !== '' && matches(/^[a-zA-Z0-9+\-.]$/, c)) {
      m.buffer += StringPrototypeToLowerCase(c);
      return undefined;
    }
    if (c !== ':') {
      if (m.override !== undefined) return FAIL;
      m.buffer = '';
      m.state = noScheme;
      m.at = -1;
      return undefined;
    }
    if (m.override !== undefined) return overrideScheme(m);
    url.scheme = m.buffer;
    m.buffer = '';
    if (url.scheme === 'file') m.state = file;
    else if (isSpecial(url)) m.state = m.base?.scheme === url.scheme ? specialRelativeOrAuthority : specialAuthoritySlashes;
    else if (m.input[m.at + 1] === '/') {
      m.state = pathOrAuthority;
      m.at++;
    } else {
      url.path = '';
      m.state = opaquePath;
    }
    return undefined;
  }

  function overrideScheme({ url, buffer }) {
    if (isSpecial(url) !== isSpecial({ scheme: buffer })) return STOP;
    if (buffer === 'file' && (url.username !== '' || url.password !== '' || url.port !== null)) return STOP;
    if (url.scheme === 'file' && url.host === '') return STOP;
    url.scheme = buffer;
    if (url.port === defaultPorts[`${buffer}:`]) url.port = null;
    return STOP;
  }

  function noScheme(m, c) {
    const { base, url } = m;
    if (base === null || (typeof base.path === 'string' && c !== '#')) return FAIL;
    if (typeof base.path === 'string') {
      copyFrom(url, base, ['scheme', 'path', 'query']);
      startFragment(m);
    } else again(m, base.scheme === 'file' ? file : relative);
    return undefined;
  }

  function specialRelativeOrAuthority(m, c) {
    if (c === '/' && m.input[m.at + 1] === '/') {
      m.state = specialAuthorityIgnoreSlashes;
      m.at++;
    } else again(m, relative);
  }

  function pathOrAuthority(m, c) {
    if (c === '/') m.state = authority;
    else again(m, path);
  }

  function relative(m, c) {
    const { base, url } = m;
    url.scheme = base.scheme;
    if (isSlash(m, c)) {
      m.state = relativeSlash;
      return;
    }
    copyFrom(url, base, ['username', 'password', 'host', 'port', 'path', 'query']);
    if (c === '?') startQuery(m);
    else if (c === '#') startFragment(m);
    else if (c !== '') {
      url.query = null;
      shorten(url);
      again(m, path);
    }
  }

  function relativeSlash(m, c) {
    if (isSpecial(m.url) && (c === '/' || c === '\\')) m.state = specialAuthorityIgnoreSlashes;
    else if (c === '/') m.state = authority;
    else {
      copyFrom(m.url, m.base, ['username', 'password', 'host', 'port']);
      again(m, path);
    }
  }

  function specialAuthoritySlashes(m, c) {
    if (c === '/' && m.input[m.at + 1] === '/') {
      m.state = specialAuthorityIgnoreSlashes;
      m.at++;
    } else again(m, specialAuthorityIgnoreSlashes);
  }

  function specialAuthorityIgnoreSlashes(m, c) {
    if (c !== '/' && c !== '\\') again(m, authority);
  }

  function authority(m, c) {
    if (c === '@') {
      const text = m.atSeen ? `%40${m.buffer}` : m.buffer;
      m.atSeen = true;
      addCredentials(m, text);
      m.buffer = '';
    } else if (endsAuthority(m, c)) {
      if (m.atSeen && m.buffer === '') return FAIL;
      m.at -= m.buffer.length + 1;
      m.buffer = '';
      m.state = host;
    } else m.buffer += c;
    return undefined;
  }

  function addCredentials(m, text) {
    const colon = m.passwordSeen ? -1 : StringPrototypeIndexOf(text, ':');
    if (m.passwordSeen) {
      m.url.password += percentEncode(text, 'userinfo');
    } else if (colon === -1) {
      m.url.username += percentEncode(text, 'userinfo');
    } else {
      m.passwordSeen = true;
      m.url.username += percentEncode(StringPrototypeSlice(text, 0, colon), 'userinfo');
      m.url.password += percentEncode(StringPrototypeSlice(text, colon + 1), 'userinfo');
    }
  }

  function host(m, c) {
    const { url } = m;
    if (m.override !== undefined && url.scheme === 'file') {
      again(m, fileHost);
    } else if (c === ':' && !m.inBrackets) {
      if (m.buffer === '' || m.override === hostname) return FAIL;
      if (!takeHost(m)) return FAIL;
      m.state = port;
    } else if (endsAuthority(m, c)) {
      m.at--;
      if (isSpecial(url) && m.buffer === '') return FAIL;
      if (m.override !== undefined && m.buffer === '' && (url.username !== '' || url.password !== '' || url.port !== null)) return FAIL;
      if (!takeHost(m)) return FAIL;
      m.state = pathStart;
      if (m.override !== undefined) return STOP;
    } else {
      if (c === '[') m.inBrackets = true;
      if (c === ']') m.inBrackets = false;
      m.buffer += c;
    }
    return undefined;
  }

  // Like `host`, but as an override it leaves the port alone.
  const hostname = (m, c) => host(m, c);

  function takeHost(m) {
    const parsed = m.buffer === '' ? '' : parseHost(m.buffer, !isSpecial(m.url));
    if (parsed === null) return false;
    m.url.host = parsed;
    m.buffer = '';
    return true;
  }

  function port(m, c) {
    if (c !== '' && matches(/^[0-9]$/, c)) {
      m.buffer += c;
      return undefined;
    }
    if (!endsAuthority(m, c) && m.override === undefined) return FAIL;
    if (m.buffer !== '') {
      const number = NumberParseInt(m.buffer, 10);
      if (number > 65535) return FAIL;
      m.url.port = number === defaultPorts[`${m.url.scheme}:`] ? null : number;
      m.buffer = '';
      if (m.override !== undefined) return STOP;
    }
    if (m.override !== undefined) return FAIL;
    return again(m, pathStart);
  }

  function file(m, c) {
    const { base, url } = m;
    url.scheme = 'file';
    url.host = '';
    if (c === '/' || c === '\\') {
      m.state = fileSlash;
    } else if (base?.scheme === 'file') {
      copyFrom(url, base, ['host', 'path', 'query']);
      if (c === '?') startQuery(m);
      else if (c === '#') startFragment(m);
      else if (c !== '') {
        url.query = null;
        if (startsWithDriveLetter(rest(m))) url.path = [];
        else shorten(url);
        again(m, path);
      }
    } else again(m, path);
  }

  function fileSlash(m, c) {
    if (c === '/' || c === '\\') {
      m.state = fileHost;
      return;
    }
    if (m.base?.scheme === 'file') {
      m.url.host = m.base.host;
      const first = m.base.path[0];
      if (!startsWithDriveLetter(rest(m)) && first !== undefined && matches(/^[a-zA-Z]:$/, first)) ArrayPrototypePush(m.url.path, first);
    }
    again(m, path);
  }

  function fileHost(m, c) {
    if (c !== '' && c !== '/' && c !== '\\' && c !== '?' && c !== '#') {
      m.buffer += c;
      return undefined;
    }
    m.at--;
    if (m.override === undefined && isDriveLetter(m.buffer)) {
      m.state = path;
      return undefined;
    }
    if (m.buffer === '') m.url.host = '';
    else if (!takeHost(m)) return FAIL;
    if (m.url.host === 'localhost') m.url.host = '';
    if (m.override !== undefined) return STOP;
    m.state = pathStart;
    return undefined;
  }

  function pathStart(m, c) {
    if (isSpecial(m.url)) {
      m.state = path;
      if (c !== '/' && c !== '\\') m.at--;
    } else if (m.override === undefined && c === '?') startQuery(m);
    else if (m.override === undefined && c === '#') startFragment(m);
    else if (c !== '') {
      m.state = path;
      if (c !== '/') m.at--;
    } else if (m.override !== undefined && m.url.host === null) ArrayPrototypePush(m.url.path, '');
  }

  function path(m, c) {
    const { url } = m;
    const slash = isSlash(m, c);
    const ends = m.override === undefined && (c === '?' || c === '#');
    if (c !== '' && !slash && !ends) {
      m.buffer += c;
      return;
    }
    if (isDoubleDot(m.buffer)) {
      shorten(url);
      if (!slash) ArrayPrototypePush(url.path, '');
    } else if (isSingleDot(m.buffer)) {
      if (!slash) ArrayPrototypePush(url.path, '');
    } else {
      let segment = percentEncode(m.buffer, 'path');
      if (url.scheme === 'file' && url.path.length === 0 && isDriveLetter(segment)) segment = `${segment[0]}:`;
      ArrayPrototypePush(url.path, segment);
    }
    m.buffer = '';
    if (c === '?') startQuery(m);
    if (c === '#') startFragment(m);
  }

  function opaquePath(m, c) {
    if (c !== '' && c !== '?' && c !== '#') {
      m.buffer += c;
      return;
    }
    m.url.path = percentEncode(m.buffer, 'c0');
    m.buffer = '';
    if (c === '?') startQuery(m);
    if (c === '#') startFragment(m);
  }

  function query(m, c) {
    if (c !== '' && (c !== '#' || m.override !== undefined)) {
      m.buffer += c;
      return;
    }
    m.url.query += percentEncode(m.buffer, isSpecial(m.url) ? 'specialQuery' : 'query');
    m.buffer = '';
    if (c === '#') startFragment(m);
  }

  // Takes all that is left.
  function fragment(m) {
    m.url.fragment += percentEncode(rest(m), 'fragment');
    return STOP;
  }

  // Parses into a new record, or with `override` into `url` from that state on. Gives the record, or null on failure.
  function parse(text, base = null, url = undefined, override = undefined) {
    let input = text;
    if (url === undefined) input = regExpReplace(/^[\x00-\x20]+|[\x00-\x20]+$/g, input, () => '');
    input = regExpReplace(/[\t\n\r]+/g, input, () => '');
    const m = {
      __proto__: null, input, at: 0, buffer: '', state: override ?? schemeStart, override, base,
      url: url ?? newRecord(), atSeen: false, passwordSeen: false, inBrackets: false,
    };
    for (; m.at <= input.length; m.at++) {
      const verdict = m.state(m, m.at < input.length && m.at >= 0 ? input[m.at] : '');
      if (verdict === FAIL) return null;
      if (verdict === STOP) break;
    }
    return m.url;
  }

  function serializePath({ path: segments }) {
    if (typeof segments === 'string') return segments;
    let text = '';
    for (let i = 0; i < segments.length; i++) text += `/${segments[i]}`;
    return text;
  }

  function serialize(url, withoutFragment = false) {
    let text = `${url.scheme}:`;
    if (url.host !== null) {
      text += '//';
      if (url.username !== '' || url.password !== '') text += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
      text += url.host;
      if (url.port !== null) text += `:${url.port}`;
    } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') text += '/.';
    text += serializePath(url);
    if (url.query !== null) text += `?${url.query}`;
    if (!withoutFragment && url.fragment !== null) text += `#${url.fragment}`;
    return text;
  }

  internal.urlParser = {
    __proto__: null, isSpecial, parse, serialize, serializePath,
    states: { __proto__: null, schemeStart, host, hostname, port, pathStart, query, fragment },
  };
})
