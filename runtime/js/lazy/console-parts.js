// The methods of `console` that count, measure, and draw tables.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypeIncludes, ArrayPrototypeJoin, ArrayPrototypePush, Error, ErrorCaptureStackTrace, Map,
    MapIteratorPrototypeNext, MapPrototypeClear, MapPrototypeDelete, MapPrototypeEntries, MapPrototypeGet,
    MapPrototypeGetSize, MapPrototypeHas, MapPrototypeSet, MathMax, NumberPrototypeToFixed, ObjectKeys,
    ReflectGetOwnPropertyDescriptor, SetIteratorPrototypeNext, SetPrototypeGetSize, SetPrototypeValues,
    StringPrototypePadEnd, StringPrototypePadStart, StringPrototypeRepeat, StringPrototypeSlice,
  } = internal.primordials;
  const { formatSafely, inspect } = internal;
  const { dataOf, isKind, proxyDetails, widthOf } = internal.inspectBase;

  const write = internal.consoleWrite;

  const LOG = 1, TRACE = 6;
  const counts = new Map();
  const timers = new Map();

  function trace(...args) {
    const traced = internal.console.trace;
    let stack = '';
    try {
      const at = new Error(formatSafely(args));
      internal.define(at, 'name', 'Trace', false);
      ErrorCaptureStackTrace(at, traced);
      stack = `${at.stack}`;
    } catch {
      stack = `Trace: ${formatSafely(args)}`;
    }
    write(2, TRACE, stack);
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
    write(1, LOG, `${name}: ${next}`);
  }

  function countReset(label = 'default') {
    const name = labelText(label);
    if (!MapPrototypeDelete(counts, name)) internal.emitWarning(`Count for '${name}' does not exist`);
  }

  function time(label = 'default') {
    const name = labelText(label);
    if (MapPrototypeHas(timers, name)) {
      internal.emitWarning(`Label '${name}' already exists for console.time()`);
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
      internal.emitWarning(`No such label '${name}' for console.${method}()`);
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
    const names = ObjectKeys(internal.console);
    for (let i = 0; i < names.length; i++) this[names[i]] = internal.console[names[i]];
    this.log = this.info = this.debug = this.dir = to(out);
    this.error = this.warn = this.trace = to(err);
  }

  internal.restorers.consoleParts = () => {
    MapPrototypeClear(counts);
    MapPrototypeClear(timers);
  };
  internal.consoleParts = {
    __proto__: null, Console, concat, count, countReset, dir, table, time, timeEnd, timeLog, trace,
  };
})
