// What `inspect` says of each kind of value: the text before the brace, the braces, and the entries that are no
// properties (elements of arrays, entries of maps, the value of a promise).
//
// A function here takes the context and a subject, and gives a shape: `{ base, open, close, entries }`, with
// `isArray` and `numbers` for the layout. A string instead of a shape is the whole result.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferPrototypeGetByteLength, ArrayIsArray, ArrayPrototypePush, BigIntPrototypeValueOf,
    BooleanPrototypeValueOf, DataViewPrototypeGetBuffer, DataViewPrototypeGetByteLength,
    DataViewPrototypeGetByteOffset, DatePrototypeGetTime, DatePrototypeToISOString, DatePrototypeToString,
    FunctionPrototypeToString, MapIteratorPrototypeNext, MapPrototypeEntries, MapPrototypeGetSize, MathMax, MathMin,
    NumberIsNaN, NumberPrototypeToString, NumberPrototypeValueOf, ObjectKeys, ObjectPrototypeHasOwnProperty,
    ReflectGetOwnPropertyDescriptor, RegExpPrototypeExec, RegExpPrototypeGetDotAll, RegExpPrototypeGetGlobal,
    RegExpPrototypeGetHasIndices, RegExpPrototypeGetIgnoreCase, RegExpPrototypeGetMultiline, RegExpPrototypeGetSource,
    RegExpPrototypeGetSticky, RegExpPrototypeGetUnicode, RegExpPrototypeGetUnicodeSets, SetIteratorPrototypeNext,
    SetPrototypeGetSize, SetPrototypeValues, SharedArrayBufferPrototypeGetByteLength, StringPrototypeEndsWith,
    StringPrototypeIncludes, StringPrototypeIndexOf, StringPrototypePadStart, StringPrototypeRepeat,
    StringPrototypeSlice, StringPrototypeStartsWith, StringPrototypeToLowerCase, StringPrototypeValueOf,
    SymbolPrototypeValueOf, SymbolToStringTag, TypedArrayPrototypeGetBuffer, TypedArrayPrototypeGetByteLength,
    TypedArrayPrototypeGetByteOffset, TypedArrayPrototypeGetLength, Uint8Array, regExpReplace, removeAt,
  } = internal.primordials;
  const {
    chainOf, constructorIn, formatBigInt, formatNumber, formatPrimitive, functionType, includes, isKind, lookup,
    ownData, stackOf, textOr,
  } = internal.inspectBase;
  const kinds = { __proto__: null };

  // `Name(size) [tag] `, or `[Fallback(size): null prototype] ` for a value without prototype.
  function prefix({ constructor, tag }, fallback, size = '') {
    if (constructor === null) {
      const shown = tag !== '' && fallback !== tag ? `[${tag}] ` : '';
      return `[${fallback}${size}: null prototype] ${shown}`;
    }
    return tag !== '' && constructor !== tag ? `${constructor}${size} [${tag}] ` : `${constructor}${size} `;
  }

  function braces(subject, fallback, entries, size) {
    return { __proto__: null, base: '', open: `${prefix(subject, fallback, size)}{`, close: '}', entries };
  }

  function moreText(count) {
    return `... ${count} more item${count > 1 ? 's' : ''}`;
  }

  function isPlain({ keys }) {
    return keys.length === 0;
  }

  // --- Lists ---

  kinds.Array = (ctx, subject) => {
    const { value, constructor, tag, keys } = subject;
    const lead = constructor === 'Array' && tag === '' ? '' : prefix(subject, 'Array', `(${value.length})`);
    if (value.length === 0 && keys.length === 0) return `${lead}[]`;
    return { __proto__: null, base: '', open: `${lead}[`, close: ']', entries: arrayEntries, isArray: true };
  };

  function holeText(ctx, count) {
    return ctx.stylize(`<${count} empty item${count > 1 ? 's' : ''}>`, 'undefined');
  }

  function arrayEntries(ctx, { value }, depth) {
    const { length } = value;
    const shown = MathMin(MathMax(0, ctx.maxArrayLength), length);
    const output = [];
    for (let i = 0; i < shown; i++) {
      if (!ObjectPrototypeHasOwnProperty(value, i)) return sparseEntries(ctx, value, depth, shown, output, i);
      ArrayPrototypePush(output, ctx.formatProperty(ctx, value, depth, i, true));
    }
    if (length > shown) ArrayPrototypePush(output, moreText(length - shown));
    return output;
  }

  // Goes on from the first hole, at `start`, by the keys that are there: a sparse array may have a huge length.
  function sparseEntries(ctx, value, depth, shown, output, start) {
    const keys = ObjectKeys(value);
    let index = start;
    for (let i = start; i < keys.length && output.length < shown; i++) {
      const key = +keys[i];
      if (`${key}` !== keys[i] || !(key >= index && key < 4294967295)) break;
      if (key !== index) {
        ArrayPrototypePush(output, holeText(ctx, key - index));
        index = key;
        if (output.length === shown) break;
      }
      ArrayPrototypePush(output, ctx.formatProperty(ctx, value, depth, keys[i], true));
      index++;
    }
    const rest = value.length - index;
    if (rest > 0) ArrayPrototypePush(output, output.length === shown ? moreText(rest) : holeText(ctx, rest));
    return output;
  }

  kinds.TypedArray = (ctx, subject) => {
    const { value, constructor, typedName, keys } = subject;
    const size = TypedArrayPrototypeGetLength(value);
    const lead = prefix(subject, constructor === null ? typedName : '', `(${size})`);
    if (size === 0 && keys.length === 0 && !ctx.showHidden) return `${lead}[]`;
    return { __proto__: null, base: '', open: `${lead}[`, close: ']', entries: typedEntries, isArray: true, numbers: true };
  };

  function typedEntries(ctx, { value, typedName }, depth) {
    const length = TypedArrayPrototypeGetLength(value);
    const shown = MathMin(MathMax(0, ctx.maxArrayLength), length);
    const format = StringPrototypeStartsWith(typedName, 'Big') ? formatBigInt : formatNumber;
    const output = [];
    for (let i = 0; i < shown; i++) ArrayPrototypePush(output, format(ctx.stylize, value[i], ctx.numericSeparator));
    if (length > shown) ArrayPrototypePush(output, moreText(length - shown));
    if (ctx.showHidden) {
      ctx.indentation += 2;
      const parts = {
        __proto__: null, BYTES_PER_ELEMENT: TypedArrayPrototypeGetByteLength(value) / (length || 1), length,
        byteLength: TypedArrayPrototypeGetByteLength(value), byteOffset: TypedArrayPrototypeGetByteOffset(value),
        buffer: TypedArrayPrototypeGetBuffer(value),
      };
      for (const name in parts) {
        ArrayPrototypePush(output, `[${name}]: ${ctx.formatValue(ctx, parts[name], depth, true)}`);
      }
      ctx.indentation -= 2;
    }
    return output;
  }

  // --- Collections and iterators ---

  function collection(ctx, subject, name, size, entries) {
    if (size === 0 && isPlain(subject)) return `${prefix(subject, name, '(0)')}{}`;
    return braces(subject, name, entries, `(${size})`);
  }

  kinds.Map = (ctx, subject) => collection(ctx, subject, 'Map', MapPrototypeGetSize(subject.value), mapEntries);
  kinds.Set = (ctx, subject) => collection(ctx, subject, 'Set', SetPrototypeGetSize(subject.value), setEntries);

  function mapEntries(ctx, { value }, depth) {
    const iterator = MapPrototypeEntries(value);
    return walk(ctx, MapPrototypeGetSize(value), () => {
      const pair = MapIteratorPrototypeNext(iterator).value;
      return `${ctx.formatValue(ctx, pair[0], depth)} => ${ctx.formatValue(ctx, pair[1], depth)}`;
    });
  }

  function setEntries(ctx, { value }, depth) {
    const iterator = SetPrototypeValues(value);
    return walk(ctx, SetPrototypeGetSize(value), () => ctx.formatValue(ctx, SetIteratorPrototypeNext(iterator).value, depth));
  }

  function walk(ctx, size, next) {
    const shown = MathMin(MathMax(0, ctx.maxArrayLength), size);
    const output = [];
    ctx.indentation += 2;
    for (let i = 0; i < shown; i++) ArrayPrototypePush(output, next(i));
    if (size > shown) ArrayPrototypePush(output, moreText(size - shown));
    ctx.indentation -= 2;
    return output;
  }

  function iterator(name) {
    return (ctx, subject) => {
      const label = subject.tag === '' || subject.tag === `${name} Iterator` ? '' : `${subject.tag}] [`;
      const open = `[${label}${name} Iterator] {`;
      return { __proto__: null, base: '', open, close: '}', entries: iteratorEntries };
    };
  }

  function iteratorEntries(ctx, { value }, depth) {
    const items = native.previewEntries(value) ?? [];
    return walk(ctx, items.length, (i) => ctx.formatValue(ctx, items[i], depth));
  }

  kinds.MapIterator = iterator('Map');
  kinds.SetIterator = iterator('Set');
  const unknown = (ctx) => [ctx.stylize('<items unknown>', 'special')];
  kinds.WeakMap = (ctx, subject) => braces(subject, 'WeakMap', unknown);
  kinds.WeakSet = (ctx, subject) => braces(subject, 'WeakSet', unknown);

  kinds.Promise = (ctx, subject) => braces(subject, 'Promise', (_, { value }, depth) => {
    const state = native.promiseState(value);
    if (state[0] === 0) return [ctx.stylize('<pending>', 'special')];
    ctx.indentation += 2;
    const shown = ctx.formatValue(ctx, state[1], depth);
    ctx.indentation -= 2;
    return [state[0] === 2 ? `${ctx.stylize('<rejected>', 'special')} ${shown}` : shown];
  });

  // --- Bytes ---

  kinds.ArrayBuffer = (ctx, subject) => bytesShape(ctx, subject, 'ArrayBuffer', ArrayBufferPrototypeGetByteLength);
  kinds.SharedArrayBuffer = (ctx, subject) => bytesShape(ctx, subject, 'SharedArrayBuffer', SharedArrayBufferPrototypeGetByteLength);

  function bytesShape(ctx, subject, name, lengthOf) {
    const length = `byteLength: ${formatNumber(ctx.stylize, lengthOf(subject.value), false)}`;
    if (subject.inTypedArray && isPlain(subject)) return `${prefix(subject, name)}{ ${length} }`;
    return braces(subject, name, () => {
      if (subject.inTypedArray) return [length];
      let bytes;
      try {
        bytes = new Uint8Array(subject.value);
      } catch {
        return [ctx.stylize('(detached)', 'special'), length];
      }
      const size = TypedArrayPrototypeGetLength(bytes);
      const shown = MathMin(MathMax(0, ctx.maxArrayLength), size);
      let hex = '';
      for (let i = 0; i < shown; i++) hex += (i === 0 ? '' : ' ') + StringPrototypePadStart(NumberPrototypeToString(bytes[i], 16), 2, '0');
      if (size > shown) hex += ` ... ${size - shown} more byte${size - shown > 1 ? 's' : ''}`;
      return [`${ctx.stylize('[Uint8Contents]', 'special')}: <${hex}>`, length];
    });
  }

  kinds.DataView = (ctx, subject) => braces(subject, 'DataView', (_, { value }, depth) => {
    ctx.indentation += 2;
    const output = [
      `byteLength: ${ctx.formatValue(ctx, DataViewPrototypeGetByteLength(value), depth)}`,
      `byteOffset: ${ctx.formatValue(ctx, DataViewPrototypeGetByteOffset(value), depth)}`,
      `buffer: ${ctx.formatValue(ctx, DataViewPrototypeGetBuffer(value), depth)}`,
    ];
    ctx.indentation -= 2;
    return output;
  });

  // --- Values with a text of their own ---

  function based(ctx, subject, base, style) {
    if (isPlain(subject)) return style === '' ? base : ctx.stylize(base, style);
    return { __proto__: null, base, open: '{', close: '}', entries: undefined };
  }

  const flagGetters = [
    ['d', RegExpPrototypeGetHasIndices], ['g', RegExpPrototypeGetGlobal], ['i', RegExpPrototypeGetIgnoreCase],
    ['m', RegExpPrototypeGetMultiline], ['s', RegExpPrototypeGetDotAll], ['u', RegExpPrototypeGetUnicode],
    ['v', RegExpPrototypeGetUnicodeSets], ['y', RegExpPrototypeGetSticky],
  ];

  kinds.RegExp = (ctx, subject) => {
    let text = `/${RegExpPrototypeGetSource(subject.value)}/`;
    for (let i = 0; i < flagGetters.length; i++) {
      if (flagGetters[i][1](subject.value)) text += flagGetters[i][0];
    }
    const lead = prefix(subject, 'RegExp');
    return based(ctx, subject, lead === 'RegExp ' ? text : lead + text, 'regexp');
  };

  kinds.Date = (ctx, subject) => {
    const { value } = subject;
    const text = NumberIsNaN(DatePrototypeGetTime(value)) ? DatePrototypeToString(value) : DatePrototypeToISOString(value);
    const lead = prefix(subject, 'Date');
    return based(ctx, subject, lead === 'Date ' ? text : lead + text, 'date');
  };

  const unbox = {
    __proto__: null, Number: NumberPrototypeValueOf, String: StringPrototypeValueOf, Boolean: BooleanPrototypeValueOf,
    BigInt: BigIntPrototypeValueOf, Symbol: SymbolPrototypeValueOf,
  };

  for (const type in unbox) {
    kinds[type] = (ctx, subject) => {
      const { constructor, tag } = subject;
      let base = `[${type}`;
      if (constructor !== type) base += constructor === null ? ' (null prototype)' : ` (${constructor})`;
      const plain = { __proto__: null, stylize: (text) => text, maxStringLength: ctx.maxStringLength, compact: ctx.compact, breakLength: ctx.breakLength, indentation: ctx.indentation };
      base += `: ${formatPrimitive(plain, unbox[type](subject.value))}]`;
      if (tag !== '' && tag !== constructor) base += ` [${tag}]`;
      return based(ctx, subject, base, StringPrototypeToLowerCase(type));
    };
  }

  kinds.Function = (ctx, subject) => based(ctx, subject, isClass(subject.value) ? classText(subject) : functionText(subject), 'special');

  function isClass(fn) {
    const prototype = ReflectGetOwnPropertyDescriptor(fn, 'prototype');
    return prototype !== undefined && prototype.writable === false && StringPrototypeStartsWith(FunctionPrototypeToString(fn), 'class');
  }

  function functionText({ value, constructor, tag, chain }) {
    const type = functionType(chain);
    const name = ownData(value, 'name');
    let base = `[${type === 'Function' ? type : StringPrototypeSlice(type, 0, -8)}${type === 'Function' ? '' : 'Function'}`;
    if (constructor === null) base += ' (null prototype)';
    base += typeof name === 'string' && name !== '' ? `: ${name}]` : ' (anonymous)]';
    if (constructor !== type && constructor !== null) base += ` ${constructor}`;
    if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
    return base;
  }

  function classText({ value, constructor, tag, chain }) {
    const name = ownData(value, 'name');
    let base = `class ${typeof name === 'string' && name !== '' ? name : '(anonymous)'}`;
    if (constructor !== 'Function' && constructor !== null) base += ` [${constructor}]`;
    if (tag !== '' && constructor !== tag) base += ` [${tag}]`;
    if (constructor === null) return `[${base} extends [null prototype]]`;
    const parent = chain.length > 1 ? ownData(chain[1], 'name') : '';
    return typeof parent === 'string' && parent !== '' ? `[${base} extends ${parent}]` : `[${base}]`;
  }

  // --- Errors ---

  kinds.Error = (ctx, subject) => {
    const { value, chain, keys } = subject;
    const name = textOr(lookup(chain, 'name'), 'Error');
    const message = textOr(lookup(chain, 'message'), '');
    let stack = stackOf(value, chain);
    if (!ctx.showHidden) {
      for (let i = keys.length - 1; i >= 0; i--) {
        if (keys[i] !== 'name' && keys[i] !== 'message' && keys[i] !== 'stack') continue;
        const shown = ownData(value, keys[i]);
        if (typeof shown === 'string' && StringPrototypeIncludes(stack, shown)) removeAt(keys, i);
      }
    }
    if (lookup(chain, 'cause') !== undefined && !includes(keys, 'cause')) ArrayPrototypePush(keys, 'cause');
    const errors = lookup(chain, 'errors');
    if (ArrayIsArray(errors) && !includes(keys, 'errors')) ArrayPrototypePush(keys, 'errors');
    stack = nameStack(stack, subject, name);
    const at = message === '' ? -1 : StringPrototypeIndexOf(stack, message);
    const frames = StringPrototypeIndexOf(stack, '\n    at', at === -1 ? 0 : at + message.length);
    if (frames === -1) stack = `[${stack}]`;
    return based(ctx, subject, indent(ctx, stack), '');
  };

  function indent(ctx, text) {
    if (ctx.indentation === 0) return text;
    const newline = `\n${StringPrototypeRepeat(' ', ctx.indentation)}`;
    return regExpReplace(/\n/g, text, () => newline);
  }

  // Puts the class of the error into the first line of its stack where the name alone does not tell it.
  function nameStack(stack, subject, name) {
    const { constructor } = subject;
    let { length } = name;
    const regular = StringPrototypeEndsWith(name, 'Error') && StringPrototypeStartsWith(stack, name) &&
      (stack.length === length || stack[length] === ':' || stack[length] === '\n');
    if (constructor !== null && !regular) return stack;
    let fallback = 'Error';
    if (constructor === null) {
      const start = RegExpPrototypeExec(/^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/, stack) ??
        RegExpPrototypeExec(/^([a-z_A-Z0-9-]*Error)$/, stack);
      fallback = start === null ? '' : start[1];
      length = fallback.length;
      if (fallback === '') fallback = 'Error';
    }
    const label = StringPrototypeSlice(prefix(subject, fallback), 0, -1);
    if (label === name) return stack;
    if (!StringPrototypeIncludes(label, name)) return `${label} [${name}]${StringPrototypeSlice(stack, length)}`;
    return length === 0 ? `${label}: ${stack}` : label + StringPrototypeSlice(stack, length);
  }

  // Which of the functions above a value belongs to, and what they need to know of it.
  function subjectOf(ctx, value, inTypedArray) {
    const kind = isKind(value);
    const chain = chainOf(value);
    const subject = { __proto__: null, value, chain, kind, constructor: null, tag: '', typedName: undefined, inTypedArray };
    if (kind === 'Module') {
      subject.tag = 'Module';
      return subject;
    }
    subject.constructor = constructorText(ctx, subject);
    const tag = lookup(chain, SymbolToStringTag);
    const own = ReflectGetOwnPropertyDescriptor(value, SymbolToStringTag);
    const listed = own !== undefined && (ctx.showHidden || own.enumerable);
    if (typeof tag === 'string' && !listed) subject.tag = tag;
    if (typeof value !== 'function') subject.typedName = internal.primordials.TypedArrayPrototypeGetSymbolToStringTag(value);
    if (subject.typedName !== undefined && subject.tag === '') subject.tag = subject.typedName;
    return subject;
  }

  function constructorText(ctx, { chain, kind }) {
    const { name } = constructorIn(chain);
    if (name !== '') return name;
    if (chain.length === 1 && chain.complete) return null;
    const own = kind === '' ? 'Object' : kind;
    if (!chain.complete) return `${own} <Complex prototype>`;
    const options = { __proto__: null, depth: -1, customInspect: false, showHidden: ctx.showHidden };
    return `${own} <${internal.inspect(chain[1], options)}>`;
  }

  function shapeOf(ctx, subject) {
    const { value, kind, typedName } = subject;
    if (ArrayIsArray(value)) return kinds.Array(ctx, subject);
    if (typedName !== undefined) return kinds.TypedArray(ctx, subject);
    if (typeof value === 'function') return kinds.Function(ctx, subject);
    const describe = kinds[kind];
    if (describe !== undefined) return describe(ctx, subject);
    if (kind === 'Arguments') return { __proto__: null, base: '', open: '[Arguments] {', close: '}', entries: undefined };
    const plain = subject.constructor === 'Object' && subject.tag === '';
    const open = plain ? '{' : `${prefix(subject, kind === 'Module' ? 'Module' : 'Object')}{`;
    return isPlain(subject) ? `${open}}` : { __proto__: null, base: '', open, close: '}', entries: undefined };
  }

  internal.inspectKinds = { __proto__: null, prefix, shapeOf, subjectOf };
})
