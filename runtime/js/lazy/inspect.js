// `inspect`: turns any value into text the way Node's `util.inspect` does, without running code of the guest other
// than the methods that the guest has put under `Symbol.for('nodejs.util.inspect.custom')`.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypePop, ArrayPrototypePush, ArrayPrototypeSort, Map, MapPrototypeGet,
    MapPrototypeGetSize, MapPrototypeSet, ObjectDefineProperty, ObjectGetOwnPropertySymbols, ObjectKeys,
    ObjectPrototype, ObjectPrototypeHasOwnProperty, ReflectApply, ReflectGetOwnPropertyDescriptor,
    ReflectOwnKeys, StringPrototypeEndsWith, StringPrototypeRepeat, StringPrototypeSlice, StringPrototypeValueOf, SymbolFor,
    TypedArrayPrototypeGetLength, regExpReplace,
  } = internal.primordials;
  const {
    chainOf, dataOf, formatKey, formatPrimitive, includes, lookup, nonIndexKeys, ownData, proxyDetails, widthOf,
  } = internal.inspectBase;
  const { layOut } = internal.inspectLayout;
  const { prefix, shapeOf, subjectOf } = internal.inspectKinds;
  const custom = SymbolFor('nodejs.util.inspect.custom');

  const defaults = {
    __proto__: null, showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100,
    maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
  };

  const stylizeNoColor = (text) => text;
  function stylizeWithColor(text, type) {
    const style = inspect.styles[type];
    const color = style === undefined ? undefined : inspect.colors[style];
    return color === undefined ? text : `\u001b[${color[0]}m${text}\u001b[${color[1]}m`;
  }

  function inspect(value, options) {
    const ctx = {
      __proto__: null, budget: { __proto__: null }, indentation: 0, seen: [], currentDepth: 0, stylize: stylizeNoColor,
      circular: undefined, userOptions: undefined, formatValue, formatProperty,
    };
    for (const name in defaults) ctx[name] = defaults[name];
    if (typeof options === 'boolean') {
      ctx.showHidden = options;
      if (arguments.length > 2 && arguments[2] !== undefined) ctx.depth = arguments[2];
      if (arguments.length > 3 && arguments[3] !== undefined) ctx.colors = arguments[3];
    } else if (options !== undefined && options !== null) {
      const names = ObjectKeys(options);
      for (let i = 0; i < names.length; i++) {
        const name = names[i];
        if (name === 'stylize' || ObjectPrototypeHasOwnProperty(defaults, name)) ctx[name] = options[name];
        else ctx.userOptions = options;
      }
    }
    if (ctx.colors) ctx.stylize = stylizeWithColor;
    if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
    if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
    return formatValue(ctx, value, 0);
  }

  function beyondDepth(ctx, depth) {
    return ctx.depth !== null && depth > ctx.depth;
  }

  function formatValue(ctx, value, depth, inTypedArray = false) {
    if (value === null) return ctx.stylize('null', 'null');
    if (typeof value !== 'object' && typeof value !== 'function') return formatPrimitive(ctx, value);
    let target = value;
    for (let proxy = proxyDetails(target); proxy !== undefined; proxy = proxyDetails(target)) {
      if (proxy === null || proxy[0] === null || proxy[0] === undefined) return ctx.stylize('<Revoked Proxy>', 'special');
      if (ctx.showProxy) return formatProxy(ctx, proxy, depth);
      target = proxy[0];
    }
    if (ctx.customInspect) {
      const text = formatCustom(ctx, value, target, depth);
      if (text !== undefined) return text;
    }
    if (includes(ctx.seen, target)) {
      ctx.circular ??= new Map();
      let index = MapPrototypeGet(ctx.circular, target);
      if (index === undefined) {
        index = MapPrototypeGetSize(ctx.circular) + 1;
        MapPrototypeSet(ctx.circular, target, index);
      }
      return ctx.stylize(`[Circular *${index}]`, 'special');
    }
    return formatObject(ctx, target, depth, inTypedArray);
  }

  function formatProxy(ctx, proxy, depth) {
    if (beyondDepth(ctx, depth)) return ctx.stylize('Proxy [Array]', 'special');
    ctx.indentation += 2;
    const entries = [formatValue(ctx, proxy[0], depth + 1), formatValue(ctx, proxy[1], depth + 1)];
    ctx.indentation -= 2;
    return layOut(ctx, entries, { __proto__: null, base: '', open: 'Proxy [', close: ']', isArray: true }, depth + 1);
  }

  // The text of the value's own inspect method, or undefined where it has none or gives itself back.
  function formatCustom(ctx, value, target, depth) {
    const chain = chainOf(target);
    const method = lookup(chain, custom);
    if (typeof method !== 'function' || method === inspect) return undefined;
    const own = ownData(target, 'constructor');
    if (typeof own === 'function' && proxyDetails(own) === undefined && ownData(own, 'prototype') === target) return undefined;
    const left = ctx.depth === null ? null : ctx.depth - depth;
    const result = ReflectApply(method, value, [left, userOptions(ctx), inspect]);
    if (result === value) return undefined;
    if (typeof result !== 'string') return formatValue(ctx, result, depth);
    const newline = `\n${StringPrototypeRepeat(' ', ctx.indentation)}`;
    return regExpReplace(/\n/g, result, () => newline);
  }

  function userOptions(ctx) {
    const options = { stylize: ctx.stylize };
    for (const name in defaults) options[name] = ctx[name];
    if (ctx.userOptions !== undefined) {
      const names = ObjectKeys(ctx.userOptions);
      for (let i = 0; i < names.length; i++) options[names[i]] = ctx.userOptions[names[i]];
    }
    return options;
  }

  // The keys that `inspect` lists: enumerable ones, and hidden ones where asked for.
  function keysOf(ctx, subject) {
    const { value, kind, typedName } = subject;
    if (ArrayIsArray(value)) return nonIndexKeys(value, value.length, ctx.showHidden);
    if (typedName !== undefined) return nonIndexKeys(value, TypedArrayPrototypeGetLength(value), ctx.showHidden);
    if (kind === 'String') return nonIndexKeys(value, StringPrototypeValueOf(value).length, ctx.showHidden);
    if (ctx.showHidden || kind === 'Module') {
      const keys = ReflectOwnKeys(value);
      if (kind === 'Module' && !ctx.showHidden) ArrayPrototypePop(keys);
      return keys;
    }
    const keys = ObjectKeys(value);
    const symbols = ObjectGetOwnPropertySymbols(value);
    for (let i = 0; i < symbols.length; i++) {
      if (ReflectGetOwnPropertyDescriptor(value, symbols[i]).enumerable) ArrayPrototypePush(keys, symbols[i]);
    }
    return keys;
  }

  function formatObject(ctx, value, depth, inTypedArray) {
    const subject = subjectOf(ctx, value, inTypedArray);
    subject.keys = keysOf(ctx, subject);
    const shape = shapeOf(ctx, subject);
    if (typeof shape === 'string') return shape;
    if (beyondDepth(ctx, depth)) {
      if (subject.kind === 'RegExp') return ctx.stylize(shape.base, 'regexp');
      return ctx.stylize(`[${nameBeyondDepth(subject)}]`, 'special');
    }
    const { indentation } = ctx;
    ArrayPrototypePush(ctx.seen, value);
    ctx.currentDepth = depth + 1;
    let output;
    try {
      output = formatEntries(ctx, subject, shape, depth + 1);
    } catch (error) {
      if (!isStackOverflow(error)) throw error;
      ArrayPrototypePop(ctx.seen);
      ctx.indentation = indentation;
      const name = nameBeyondDepth(subject);
      return ctx.stylize(`[${name}: Inspection interrupted prematurely. Maximum call stack size exceeded.]`, 'special');
    }
    ArrayPrototypePop(ctx.seen);
    markCircular(ctx, value, shape);
    if (shape.isArray && shape.numbers === undefined) shape.numbers = allNumbers(value, output.length);
    const result = layOut(ctx, output, shape, depth + 1);
    // A tree too large for its text keeps its outline only.
    const spent = (ctx.budget[ctx.indentation] ?? 0) + result.length;
    ctx.budget[ctx.indentation] = spent;
    if (spent > 2 ** 27) ctx.depth = -1;
    return result;
  }

  function formatEntries(ctx, subject, shape, depth) {
    const output = shape.entries === undefined ? [] : shape.entries(ctx, subject, depth);
    const properties = [];
    for (let i = 0; i < subject.keys.length; i++) {
      ArrayPrototypePush(properties, formatProperty(ctx, subject.value, depth, subject.keys[i], false));
    }
    const order = typeof ctx.sorted === 'function' ? ctx.sorted : undefined;
    if (ctx.sorted && shape.isArray) ArrayPrototypeSort(properties, order);
    for (let i = 0; i < properties.length; i++) ArrayPrototypePush(output, properties[i]);
    if (ctx.sorted && !shape.isArray) ArrayPrototypeSort(output, order);
    return output;
  }

  function nameBeyondDepth(subject) {
    const fallback = ArrayIsArray(subject.value) ? 'Array' : subject.typedName ?? (subject.kind === '' ? 'Object' : subject.kind);
    return StringPrototypeSlice(prefix(subject, fallback), 0, -1);
  }

  function isStackOverflow(error) {
    if (typeof error !== 'object' || error === null || native.isKind(error) !== 'Error') return false;
    const message = ownData(error, 'message');
    if (message === 'Maximum call stack size exceeded') return true;
    // A pattern that is compiled near the end of the stack.
    return typeof message === 'string' && StringPrototypeEndsWith(message, ': Stack overflow');
  }

  function markCircular(ctx, value, shape) {
    if (ctx.circular === undefined) return;
    const index = MapPrototypeGet(ctx.circular, value);
    if (index === undefined) return;
    const mark = ctx.stylize(`<ref *${index}>`, 'special');
    if (ctx.compact === true) shape.open = `${mark} ${shape.open}`;
    else shape.base = shape.base === '' ? mark : `${mark} ${shape.base}`;
  }

  function allNumbers(value, length) {
    for (let i = 0; i < length; i++) {
      const item = dataOf(ReflectGetOwnPropertyDescriptor(value, i));
      if (typeof item !== 'number' && typeof item !== 'bigint') return false;
    }
    return true;
  }

  // One property, `key: value`; for an element of an array the value alone.
  function formatProperty(ctx, value, depth, key, isElement) {
    let descriptor;
    try {
      descriptor = ReflectGetOwnPropertyDescriptor(value, key);
    } catch {
      // An export of a module that has not been evaluated so far.
      return `${formatKey(ctx, key, true)}: ${ctx.stylize('<uninitialized>', 'special')}`;
    }
    if (descriptor === undefined) {
      const text = formatValue(ctx, lookup(chainOf(value), key), depth);
      return isElement ? text : `${formatKey(ctx, key, false)}: ${text}`;
    }
    let text;
    let gap = ' ';
    if (ObjectPrototypeHasOwnProperty(descriptor, 'value')) {
      const step = ctx.compact !== true || isElement ? 2 : 3;
      ctx.indentation += step;
      text = formatValue(ctx, descriptor.value, depth);
      if (step === 3 && ctx.breakLength < widthOf(text, ctx.colors)) gap = `\n${StringPrototypeRepeat(' ', ctx.indentation)}`;
      ctx.indentation -= step;
    } else {
      text = formatAccessor(ctx, value, descriptor, depth);
    }
    return isElement ? text : `${formatKey(ctx, key, descriptor.enumerable)}:${gap}${text}`;
  }

  function formatAccessor(ctx, value, { get, set }, depth) {
    if (get === undefined) return ctx.stylize(set === undefined ? 'undefined' : '[Setter]', set === undefined ? 'undefined' : 'special');
    const label = set === undefined ? 'Getter' : 'Getter/Setter';
    const wanted = ctx.getters === true || (ctx.getters === 'get' && set === undefined) || (ctx.getters === 'set' && set !== undefined);
    if (!wanted) return ctx.stylize(`[${label}]`, 'special');
    try {
      const result = ReflectApply(get, value, []);
      ctx.indentation += 2;
      const text = formatValue(ctx, result, depth);
      ctx.indentation -= 2;
      if (typeof result === 'object' && result !== null) return `${ctx.stylize(`[${label}]`, 'special')} ${text}`;
      return `${ctx.stylize(`[${label}:`, 'special')} ${text}${ctx.stylize(']', 'special')}`;
    } catch (error) {
      return `${ctx.stylize(`[${label}: <Inspection threw`, 'special')}${ctx.stylize('>]', 'special')}`;
    }
  }

  internal.define(inspect, 'custom', custom, true);
  internal.define(inspect, 'colors', {
    __proto__: null, reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27],
    hidden: [8, 28], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39],
    blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39],
  }, true);
  internal.define(inspect, 'styles', {
    __proto__: null, special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey', null: 'bold',
    string: 'green', symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline',
  }, true);
  ObjectDefineProperty(inspect, 'defaultOptions', {
    __proto__: null,
    get: () => ({ __proto__: ObjectPrototype, ...defaults }),
    set(options) {
      internal.errors.validateObject(options, 'options');
      const names = ObjectKeys(options);
      for (let i = 0; i < names.length; i++) {
        if (ObjectPrototypeHasOwnProperty(defaults, names[i])) defaults[names[i]] = options[names[i]];
      }
    },
  });
  internal.inspect = inspect;
})
