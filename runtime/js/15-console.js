// The `console` of the guest. Everything it prints goes to the session's output with its level, and nothing that is
// passed to it can make it throw.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeJoin, ArrayPrototypePush, Error, ErrorCaptureStackTrace, Map,
    MapIteratorPrototypeNext, MapPrototypeClear, MapPrototypeDelete, MapPrototypeEntries, MapPrototypeGet,
    MapPrototypeGetSize, MapPrototypeHas, MapPrototypeSet, MathMax, NumberPrototypeToFixed, ObjectKeys,
    ReflectGetOwnPropertyDescriptor, SetIteratorPrototypeNext, SetPrototypeGetSize, SetPrototypeValues,
    StringPrototypePadEnd, StringPrototypePadStart, StringPrototypeRepeat, StringPrototypeSlice, SymbolToStringTag,
    regExpReplace,
  } = internal.primordials;
  const { formatSafely, inspect } = internal;
  const { dataOf, isKind, proxyDetails, widthOf } = internal.inspectBase;

  const LOG = 1, INFO = 2, WARN = 3, ERROR = 4, DEBUG = 5, TRACE = 6;
  const counts = new Map();
  const timers = new Map();
  let indent = '';

  function write(stream, level, text) {
    if (indent !== '') text = indent + regExpReplace(/\n/g, text, () => `\n${indent}`);
    native.print(stream, level, `${text}\n`);
  }

  function log(...args) {
    write(1, LOG, formatSafely(args));
  }
  function info(...args) {
    write(1, INFO, formatSafely(args));
  }
  function debug(...args) {
    write(1, DEBUG, formatSafely(args));
  }
  function warn(...args) {
    write(2, WARN, formatSafely(args));
  }
  function error(...args) {
    write(2, ERROR, formatSafely(args));
  }

  function trace(...args) {
    let stack = '';
    try {
      const at = new Error(formatSafely(args));
      internal.define(at, 'name', 'Trace', false);
      ErrorCaptureStackTrace(at, trace);
      stack = `${at.stack}`;
    } catch {
      stack = `Trace: ${formatSafely(args)}`;
    }
    write(2, TRACE, stack);
  }

  function assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args = concat('Assertion failed', args);
    write(2, WARN, formatSafely(args));
  }

  function concat(first, rest) {
    const all = [first];
    for (let i = 0; i < rest.length; i++) ArrayPrototypePush(all, rest[i]);
    return all;
  }

  function dir(value, options) {
    let text;
    try {
      const chosen = { __proto__: null, customInspect: false };
      const names = options === null || typeof options !== 'object' ? [] : ObjectKeys(options);
      for (let i = 0; i < names.length; i++) chosen[names[i]] = options[names[i]];
      text = inspect(value, chosen);
    } catch {
      text = formatSafely([value]);
    }
    write(1, LOG, text);
  }

  function group(...args) {
    if (args.length > 0) write(1, LOG, formatSafely(args));
    if (indent.length < 200) indent += '  ';
  }
  function groupEnd() {
    indent = StringPrototypeSlice(indent, 0, MathMax(0, indent.length - 2));
  }

  function labelText(label) {
    try {
      return `${label}`;
    } catch {
      return 'default';
    }
  }

  function count(label = 'default') {
    const name = labelText(label);
    const next = (MapPrototypeGet(counts, name) ?? 0) + 1;
    MapPrototypeSet(counts, name, next);
    log(`${name}: ${next}`);
  }

  function countReset(label = 'default') {
    const name = labelText(label);
    if (!MapPrototypeDelete(counts, name)) internal.warn(`Count for '${name}' does not exist`);
  }

  function time(label = 'default') {
    const name = labelText(label);
    if (MapPrototypeHas(timers, name)) {
      internal.warn(`Label '${name}' already exists for console.time()`);
      return;
    }
    MapPrototypeSet(timers, name, native.now());
  }
  function timeEnd(label = 'default') {
    if (showTime('timeEnd', labelText(label), [])) MapPrototypeDelete(timers, labelText(label));
  }
  function timeLog(label = 'default', ...args) {
    showTime('timeLog', labelText(label), args);
  }

  function showTime(method, name, args) {
    const start = MapPrototypeGet(timers, name);
    if (start === undefined) {
      internal.warn(`No such label '${name}' for console.${method}()`);
      return false;
    }
    const shown = durationText(native.now() - start);
    write(1, LOG, formatSafely(concat(`${name}: ${shown}`, args)));
    return true;
  }

  function durationText(ms) {
    if (ms < 1000) {
      let text = NumberPrototypeToFixed(ms, 3);
      while (text[text.length - 1] === '0') text = StringPrototypeSlice(text, 0, -1);
      return `${text[text.length - 1] === '.' ? StringPrototypeSlice(text, 0, -1) : text}ms`;
    }
    if (ms < 60000) return `${NumberPrototypeToFixed(ms / 1000, 3)}s`;
    const minutes = (ms - (ms % 60000)) / 60000;
    return `${minutes}:${StringPrototypePadStart(NumberPrototypeToFixed((ms % 60000) / 1000, 3), 6, '0')} (m:ss.mmm)`;
  }

  // --- Tables ---

  function table(data, columns) {
    let text;
    try {
      text = data === null || typeof data !== 'object' ? undefined : tableText(data, columns);
    } catch {
      text = undefined;
    }
    write(1, LOG, text ?? formatSafely([data]));
  }

  function cell(value) {
    const depth = value !== null && typeof value === 'object' && !ArrayIsArray(value) && ObjectKeys(value).length > 2 ? -1 : 0;
    return inspect(value, { __proto__: null, maxArrayLength: 3, breakLength: Infinity, depth });
  }

  // The rows of a collection as pairs: what stands in the index column, and the row's value.
  function rowsOf(data) {
    const rows = [];
    const kind = isKind(data);
    if (kind === 'Map') {
      const iterator = MapPrototypeEntries(data);
      for (let i = 0; i < MapPrototypeGetSize(data); i++) {
        const pair = MapIteratorPrototypeNext(iterator).value;
        ArrayPrototypePush(rows, { __proto__: null, index: `${i}`, key: pair[0], value: pair[1] });
      }
      return { __proto__: null, rows, indexName: '(iteration index)', hasKey: true };
    }
    if (kind === 'Set') {
      const iterator = SetPrototypeValues(data);
      for (let i = 0; i < SetPrototypeGetSize(data); i++) {
        ArrayPrototypePush(rows, { __proto__: null, index: `${i}`, value: SetIteratorPrototypeNext(iterator).value });
      }
      return { __proto__: null, rows, indexName: '(iteration index)', hasKey: false };
    }
    const keys = ObjectKeys(data);
    for (let i = 0; i < keys.length; i++) {
      ArrayPrototypePush(rows, { __proto__: null, index: keys[i], value: dataOf(ReflectGetOwnPropertyDescriptor(data, keys[i])) });
    }
    return { __proto__: null, rows, indexName: '(index)', hasKey: false };
  }

  function tableText(data, wanted) {
    if (proxyDetails(data) !== undefined) return undefined;
    const { rows, indexName, hasKey } = rowsOf(data);
    const head = [indexName];
    if (hasKey) ArrayPrototypePush(head, 'Key');
    const fixed = head.length;
    let hasValues = false;
    const lines = [];
    for (let i = 0; i < rows.length; i++) {
      const { value } = rows[i];
      const line = [rows[i].index];
      if (hasKey) line[1] = cell(rows[i].key);
      if (value !== null && typeof value === 'object' && proxyDetails(value) === undefined && isKind(value) === '') {
        const keys = wanted === undefined ? ObjectKeys(value) : wanted;
        for (let j = 0; j < keys.length; j++) {
          if (!ArrayPrototypeIncludes(head, keys[j], fixed)) ArrayPrototypePush(head, keys[j]);
          const descriptor = ReflectGetOwnPropertyDescriptor(value, keys[j]);
          if (descriptor !== undefined) line[indexFrom(head, keys[j], fixed)] = cell(dataOf(descriptor));
        }
      } else {
        hasValues = true;
        line.value = cell(value);
      }
      ArrayPrototypePush(lines, line);
    }
    if (hasValues) {
      for (let i = 0; i < lines.length; i++) lines[i][head.length] = lines[i].value;
      ArrayPrototypePush(head, 'Values');
    }
    return drawTable(head, lines);
  }

  function indexFrom(list, item, from) {
    for (let i = from; i < list.length; i++) {
      if (list[i] === item) return i;
    }
    return -1;
  }

  function drawTable(head, lines) {
    const widths = [];
    for (let i = 0; i < head.length; i++) {
      widths[i] = widthOf(head[i], false) + 2;
      for (let j = 0; j < lines.length; j++) widths[i] = MathMax(widths[i], widthOf(lines[j][i] ?? '', false) + 2);
    }
    const rule = [];
    for (let i = 0; i < widths.length; i++) rule[i] = StringPrototypeRepeat('\u2500', widths[i]);
    const row = (cells) => {
      const shown = [];
      for (let i = 0; i < widths.length; i++) {
        const text = cells[i] ?? '';
        shown[i] = ` ${StringPrototypePadEnd(text, widths[i] - 1 - widthOf(text, false) + text.length, ' ')}`;
      }
      return `\u2502${ArrayPrototypeJoin(shown, '\u2502')}\u2502\n`;
    };
    let text = `\u250c${ArrayPrototypeJoin(rule, '\u252c')}\u2510\n${row(head)}\u251c${ArrayPrototypeJoin(rule, '\u253c')}\u2524\n`;
    for (let i = 0; i < lines.length; i++) text += row(lines[i]);
    return `${text}\u2514${ArrayPrototypeJoin(rule, '\u2534')}\u2518`;
  }

  // A console that writes to streams of the guest's choice.
  function Console(options, stderr) {
    const out = options?.stdout ?? options;
    const err = options?.stderr ?? stderr ?? out;
    const to = (stream) => (...args) => {
      stream.write(`${formatSafely(args)}\n`);
    };
    const names = ObjectKeys(console);
    for (let i = 0; i < names.length; i++) this[names[i]] = console[names[i]];
    this.log = this.info = this.debug = this.dir = to(out);
    this.error = this.warn = this.trace = to(err);
  }

  function ignore() {}

  const console = Object.create({});
  Object.assign(console, {
    log, warn, dir, time, timeEnd, timeLog, trace, assert, clear: ignore, count, countReset, group, groupEnd, table,
    debug, info, dirxml: log, error, groupCollapsed: group, profile: ignore, profileEnd: ignore, timeStamp: ignore,
  });
  internal.define(console, 'Console', Console, false);
  internal.define(console, SymbolToStringTag, 'console', false);
  internal.defineGlobal('console', console);
  internal.console = console;

  // A warning of the realm itself; `process.emitWarning` takes over once it exists.
  internal.warn = (message) => write(2, WARN, `Warning: ${message}`);

  internal.resetConsole = () => {
    indent = '';
    MapPrototypeClear(counts);
    MapPrototypeClear(timers);
  };
})
