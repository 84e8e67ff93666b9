// `format`: printf-style text, as `console.log` and `util.format` write it.
(function (native, internal) {
  'use strict';

  const {
    FunctionPrototypeToString, JSONStringify, Number, NumberParseFloat, NumberParseInt,
    ObjectKeys, RegExpPrototypeExec, String, StringPrototypeCharCodeAt, StringPrototypeSlice,
  } = internal.primordials;
  const { inspect } = internal;
  const { formatBigInt, formatNumber, isKind, ownData, proxyDetails } = internal.inspectBase;

  const plain = (text) => text;

  function withOptions(options, extra) {
    const result = { __proto__: null };
    const names = options === undefined ? [] : ObjectKeys(options);
    for (let i = 0; i < names.length; i++) result[names[i]] = options[names[i]];
    for (const name in extra) result[name] = extra[name];
    return result;
  }

  const shallow = { __proto__: null, depth: 0, colors: false, compact: 3 };
  const thorough = { __proto__: null, showHidden: true, showProxy: true, depth: 4 };

  // `%s` shows an object by `inspect`, never by a `toString` of the guest.
  function asString(value, options) {
    if (typeof value === 'number') return formatNumber(plain, value, options?.numericSeparator);
    if (typeof value === 'bigint') return formatBigInt(plain, value, options?.numericSeparator);
    if (typeof value === 'function' && proxyDetails(value) === undefined) return FunctionPrototypeToString(value);
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return String(value);
    return inspect(value, withOptions(options, shallow));
  }

  function asNumber(value, convert, options) {
    if (typeof value === 'bigint') return formatBigInt(plain, value, options?.numericSeparator);
    if (typeof value === 'symbol' || typeof value === 'function') return 'NaN';
    if (typeof value === 'object' && value !== null) return 'NaN';
    return formatNumber(plain, convert(value), options?.numericSeparator);
  }

  function asJson(value) {
    try {
      return JSONStringify(value);
    } catch (error) {
      const isError = typeof error === 'object' && error !== null && isKind(error) === 'Error';
      const message = isError ? ownData(error, 'message') : undefined;
      if (typeof message === 'string' && RegExpPrototypeExec(/circular structure/, message) !== null) return '[Circular]';
      throw error;
    }
  }

  function convert(code, value, options) {
    switch (code) {
      case 115: return asString(value, options); // s
      case 100: return asNumber(value, Number, options); // d
      case 105: return asNumber(value, NumberParseInt, options); // i
      case 102: return asNumber(value, NumberParseFloat, options); // f
      case 106: return asJson(value); // j
      case 79: return inspect(value, options); // O
      case 111: return inspect(value, withOptions(options, thorough)); // o
      case 99: return ''; // c
      default: return undefined;
    }
  }

  // `first` with its directives filled in, and how many arguments that took.
  function fill(first, args, options) {
    let text = '';
    let last = 0;
    let used = 1;
    for (let i = 0; i < first.length - 1; i++) {
      if (StringPrototypeCharCodeAt(first, i) !== 37) continue;
      const code = StringPrototypeCharCodeAt(first, ++i);
      if (code === 37) {
        text += StringPrototypeSlice(first, last, i);
        last = i + 1;
      } else if (used < args.length) {
        const shown = convert(code, args[used], options);
        if (shown === undefined && code !== 106) continue;
        text += StringPrototypeSlice(first, last, i - 1) + shown;
        last = i + 1;
        used++;
      }
    }
    return { __proto__: null, text: text + StringPrototypeSlice(first, last), used };
  }

  function formatArguments(args, options) {
    if (args.length === 0) return '';
    let text = '';
    let index = 0;
    if (typeof args[0] === 'string') {
      if (args.length === 1) return args[0];
      const filled = fill(args[0], args, options);
      text = filled.text;
      index = filled.used;
    }
    for (let join = index === 0 ? '' : ' '; index < args.length; index++, join = ' ') {
      const value = args[index];
      text += join + (typeof value === 'string' ? value : inspect(value, options));
    }
    return text;
  }

  // What the console prints. A value that defeats `inspect` is named, not thrown.
  function formatSafely(args, options) {
    try {
      return formatArguments(args, options);
    } catch {
      return formatPieces(args);
    }
  }

  function formatPieces(args) {
    const careful = { __proto__: null, customInspect: false };
    let text = '';
    for (let i = 0; i < args.length; i++) {
      if (i !== 0) text += ' ';
      try {
        text += typeof args[i] === 'string' ? args[i] : inspect(args[i], careful);
      } catch {
        text += '[value that cannot be shown]';
      }
    }
    return text;
  }

  internal.format = (...args) => formatArguments(args, undefined);
  internal.formatWithOptions = (options, ...args) => {
    internal.errors.validateObject(options, 'inspectOptions');
    return formatArguments(args, options);
  };
  internal.formatSafely = formatSafely;
})
