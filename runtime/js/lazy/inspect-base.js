// The ground that `inspect` stands on: looking at a value without running any code of the guest, and writing
// strings, numbers and keys the way Node does.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePush, AsyncFunctionPrototype, AsyncGeneratorFunctionPrototype,
    BigIntPrototypeToString, ErrorPrototypeToString, GeneratorFunctionPrototype, NumberPrototypeToString, ObjectIs,
    ObjectPrototype, ObjectPrototypeHasOwnProperty, RegExpPrototypeExec, ReflectApply,
    ReflectGetOwnPropertyDescriptor, ReflectGetPrototypeOf, ReflectOwnKeys, StringPrototypeCharCodeAt,
    StringPrototypeIncludes, StringPrototypeNormalize, StringPrototypePadStart, StringPrototypeRepeat,
    StringPrototypeSlice, StringPrototypeSplit, StringPrototypeToUpperCase, SymbolPrototypeGetDescription,
    SymbolPrototypeToString, errorStackGetter, regExpReplace,
  } = internal.primordials;
  const { isKind, proxyDetails } = native;

  // --- Looking without touching ---

  // The value and its prototypes, nearest first. The list ends before a proxy: asking a proxy runs its traps.
  function chainOf(value) {
    const chain = [];
    let next = value;
    while (next !== null && chain.length < 1000) {
      if (next !== ObjectPrototype && proxyDetails(next) !== undefined) break;
      ArrayPrototypePush(chain, next);
      next = ReflectGetPrototypeOf(next);
    }
    chain.complete = next === null;
    return chain;
  }

  // The value of a data property found along the chain; an accessor counts as undefined.
  function lookup(chain, key) {
    for (let i = 0; i < chain.length; i++) {
      const descriptor = ReflectGetOwnPropertyDescriptor(chain[i], key);
      if (descriptor !== undefined) return dataOf(descriptor);
    }
    return undefined;
  }

  function dataOf(descriptor) {
    return descriptor !== undefined && ObjectPrototypeHasOwnProperty(descriptor, 'value') ? descriptor.value : undefined;
  }

  function ownData(value, key) {
    return dataOf(ReflectGetOwnPropertyDescriptor(value, key));
  }

  function includes(list, item) {
    for (let i = 0; i < list.length; i++) {
      if (list[i] === item) return true;
    }
    return false;
  }

  // The own name of a function, '' where it has none that is plain data.
  function safeName(fn) {
    if (proxyDetails(fn) !== undefined) return '';
    const name = ownData(fn, 'name');
    return typeof name === 'string' ? name : '';
  }

  // The name of the nearest constructor that the value is truly an instance of, or ''.
  function safeConstructorName(value) {
    return constructorIn(chainOf(value)).name;
  }

  function constructorIn(chain) {
    for (let i = 0; i < chain.length; i++) {
      const fn = ownData(chain[i], 'constructor');
      if (typeof fn !== 'function') continue;
      const name = safeName(fn);
      if (name === '') continue;
      const prototype = ownData(fn, 'prototype');
      for (let j = 1; j < chain.length; j++) {
        if (chain[j] === prototype) return { __proto__: null, name, owner: chain[i] };
      }
    }
    return { __proto__: null, name: '', owner: undefined };
  }

  function functionType(chain) {
    if (includes(chain, AsyncGeneratorFunctionPrototype)) return 'AsyncGeneratorFunction';
    if (includes(chain, GeneratorFunctionPrototype)) return 'GeneratorFunction';
    if (includes(chain, AsyncFunctionPrototype)) return 'AsyncFunction';
    return 'Function';
  }

  const indexExpression = /^(0|[1-9][0-9]*)$/;

  // The own keys of an array, typed array or boxed string that are no indices. Listing a million indices only to drop
  // them would cost more than the guest's array itself.
  function nonIndexKeys(value, length, hidden) {
    if (native.ownNonIndexKeys !== undefined) return native.ownNonIndexKeys(value, !hidden);
    const keys = [];
    const all = length > 10000 ? [] : ReflectOwnKeys(value);
    for (let i = 0; i < all.length; i++) {
      if (typeof all[i] === 'string' && RegExpPrototypeExec(indexExpression, all[i]) !== null) continue;
      if (hidden || ReflectGetOwnPropertyDescriptor(value, all[i]).enumerable) ArrayPrototypePush(keys, all[i]);
    }
    return keys;
  }

  // The stack of an error, or `name: message` where the stack is no plain string.
  function stackOf(error, chain) {
    let found;
    for (let i = 0; i < chain.length && found === undefined; i++) found = ReflectGetOwnPropertyDescriptor(chain[i], 'stack');
    let stack = dataOf(found);
    if (stack === undefined && errorStackGetter !== undefined && found?.get === errorStackGetter) {
      try {
        stack = ReflectApply(errorStackGetter, error, []);
      } catch {
        stack = undefined;
      }
    }
    if (typeof stack === 'string' && stack !== '') return stack;
    const plain = { __proto__: null, name: textOr(lookup(chain, 'name'), 'Error'), message: textOr(lookup(chain, 'message'), '') };
    return ErrorPrototypeToString(plain);
  }

  function textOr(value, fallback) {
    return typeof value === 'string' ? value : fallback;
  }

  // --- Strings, numbers, keys ---

  const toEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const toEscapeNoQuote = /[\x00-\x1f\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const named = { __proto__: null, 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r', 39: "\\'", 92: '\\\\' };

  function escapeCharacter(match) {
    const code = StringPrototypeCharCodeAt(match[0], 0);
    if (code > 0x9f) return `\\u${NumberPrototypeToString(code, 16)}`;
    const hex = StringPrototypeToUpperCase(NumberPrototypeToString(code, 16));
    return named[code] ?? `\\x${StringPrototypePadStart(hex, 2, '0')}`;
  }

  // Quotes with the first of ' " ` that the text does not hold.
  function quote(text) {
    let mark = "'";
    if (StringPrototypeIncludes(text, "'")) {
      if (!StringPrototypeIncludes(text, '"')) mark = '"';
      else if (!StringPrototypeIncludes(text, '`') && !StringPrototypeIncludes(text, '${')) mark = '`';
    }
    return mark + regExpReplace(mark === "'" ? toEscape : toEscapeNoQuote, text, escapeCharacter) + mark;
  }

  function escapeKey(text) {
    return regExpReplace(toEscape, text, escapeCharacter);
  }

  function formatSymbol(symbol) {
    const description = SymbolPrototypeGetDescription(symbol);
    if (description === undefined || RegExpPrototypeExec(/[^a-zA-Z0-9_.@ -]/, description) === null) {
      return SymbolPrototypeToString(symbol);
    }
    return `Symbol(${escapeKey(description)})`;
  }

  function separated(digits) {
    let result = '';
    let end = digits.length;
    const start = digits[0] === '-' ? 1 : 0;
    for (; end >= start + 4; end -= 3) result = `_${StringPrototypeSlice(digits, end - 3, end)}${result}`;
    return end === digits.length ? digits : `${StringPrototypeSlice(digits, 0, end)}${result}`;
  }

  function formatNumber(stylize, number, separator) {
    if (ObjectIs(number, -0)) return stylize('-0', 'number');
    const text = `${number}`;
    if (!separator || RegExpPrototypeExec(/^-?\d+(\.\d+)?$/, text) === null) return stylize(text, 'number');
    const parts = StringPrototypeSplit(text, '.');
    let fraction = '';
    if (parts.length === 2) {
      for (let i = 0; i < parts[1].length; i += 3) {
        fraction += (i === 0 ? '.' : '_') + StringPrototypeSlice(parts[1], i, i + 3);
      }
    }
    return stylize(separated(parts[0]) + fraction, 'number');
  }

  function formatBigInt(stylize, number, separator) {
    const text = BigIntPrototypeToString(number);
    return stylize(`${separator ? separated(text) : text}n`, 'bigint');
  }

  function formatString(ctx, value) {
    let trailer = '';
    let text = value;
    if (text.length > ctx.maxStringLength) {
      const rest = text.length - ctx.maxStringLength;
      text = StringPrototypeSlice(text, 0, ctx.maxStringLength);
      trailer = `... ${rest} more character${rest > 1 ? 's' : ''}`;
    }
    if (ctx.compact === true || text.length <= 16 || text.length <= ctx.breakLength - ctx.indentation - 4) {
      return ctx.stylize(quote(text), 'string') + trailer;
    }
    const lines = StringPrototypeSplit(text, '\n');
    const shown = [];
    for (let i = 0; i < lines.length; i++) {
      const last = i === lines.length - 1;
      if (last && lines[i] === '' && i > 0) break;
      ArrayPrototypePush(shown, ctx.stylize(quote(last ? lines[i] : `${lines[i]}\n`), 'string'));
    }
    return ArrayPrototypeJoin(shown, ` +\n${StringPrototypeRepeat(' ', ctx.indentation + 2)}`) + trailer;
  }

  function formatPrimitive(ctx, value) {
    switch (typeof value) {
      case 'string': return formatString(ctx, value);
      case 'number': return formatNumber(ctx.stylize, value, ctx.numericSeparator);
      case 'bigint': return formatBigInt(ctx.stylize, value, ctx.numericSeparator);
      case 'boolean': return ctx.stylize(value ? 'true' : 'false', 'boolean');
      case 'undefined': return ctx.stylize('undefined', 'undefined');
      default: return ctx.stylize(formatSymbol(value), 'symbol');
    }
  }

  function formatKey(ctx, key, enumerable) {
    if (typeof key === 'symbol') return `[${ctx.stylize(formatSymbol(key), 'symbol')}]`;
    if (key === '__proto__') return "['__proto__']";
    if (enumerable === false) return `[${escapeKey(key)}]`;
    if (RegExpPrototypeExec(identifier, key) !== null) return ctx.stylize(key, 'name');
    return ctx.stylize(quote(key), 'string');
  }

  const ansi = /[\u001b\u009b][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001b\u005c|\u009c))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g;
  const wide = /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4c6\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6b\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
  const zeroWidth = /[\u0300-\u036f\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]/;

  function stripControl(text) {
    return regExpReplace(ansi, text, () => '');
  }

  // How many columns a terminal gives the text.
  function widthOf(text, colors) {
    const plain = colors ? stripControl(text) : text;
    if (RegExpPrototypeExec(/[^\x20-\x7e]/, plain) === null) return plain.length;
    const normal = StringPrototypeNormalize(plain, 'NFC');
    let width = 0;
    for (let i = 0; i < normal.length; i++) {
      const code = StringPrototypeCharCodeAt(normal, i);
      if (code < 32 || (code >= 0x7f && code <= 0x9f)) continue;
      let unit = normal[i];
      if (code >= 0xd800 && code <= 0xdbff && i + 1 < normal.length) unit += normal[++i];
      if (RegExpPrototypeExec(zeroWidth, unit) !== null) continue;
      width += RegExpPrototypeExec(wide, unit) !== null ? 2 : 1;
    }
    return width;
  }

  internal.safeName = safeName;
  internal.safeConstructorName = safeConstructorName;
  internal.safeLookup = (value, key) => lookup(chainOf(value), key);
  internal.inspectBase = {
    __proto__: null, chainOf, constructorIn, dataOf, escapeKey, formatBigInt, formatKey, formatNumber, formatPrimitive,
    formatSymbol, functionType, includes, isKind, lookup, nonIndexKeys, ownData, proxyDetails, quote, safeName,
    stackOf, stripControl, textOr, widthOf,
  };
})
