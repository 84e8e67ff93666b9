// `performance`, and the `perf_hooks` module.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, ArrayPrototypeSort, SymbolFor, TypeError, filterList,
  } = internal.primordials;
  const { DOMException, nodeError } = internal.errors;
  const { finishClass } = internal;
  const customInspect = SymbolFor('nodejs.util.inspect.custom');
  // A guest that measures without end keeps the latest entries only.
  const MAX_ENTRIES = 10000;
  let entries = [];
  const key = {};

  class PerformanceEntry {
    #fields;
    constructor(secret, name, entryType, startTime, duration, detail) {
      if (secret !== key) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor', PerformanceEntry);
      this.#fields = { name, entryType, startTime, duration, detail };
    }
    get name() {
      return this.#fields.name;
    }
    get entryType() {
      return this.#fields.entryType;
    }
    get startTime() {
      return this.#fields.startTime;
    }
    get duration() {
      return this.#fields.duration;
    }
    get detail() {
      return this.#fields.detail;
    }
    toJSON() {
      return { ...this.#fields };
    }
    [customInspect](depth, options, inspect) {
      return `${internal.safeConstructorName(this)} ${inspect(this.#fields, options)}`;
    }
  }
  class PerformanceMark extends PerformanceEntry {
    constructor(name, options = undefined) {
      super(key, `${name}`, 'mark', options?.startTime ?? native.now(), 0, options?.detail ?? null);
    }
  }
  class PerformanceMeasure extends PerformanceEntry {
    constructor(secret, name, startTime, duration, detail) {
      super(secret, name, 'measure', startTime, duration, detail);
    }
  }

  function record(entry) {
    if (entries.length >= MAX_ENTRIES) entries = filterList(entries, (_, index) => index >= MAX_ENTRIES / 2);
    ArrayPrototypePush(entries, entry);
    return entry;
  }

  // A point in time given as a number or by the name of a mark.
  function timeOf(point) {
    if (typeof point === 'number') return point;
    const name = `${point}`;
    for (let i = entries.length - 1; i >= 0; i--) {
      if (entries[i].entryType === 'mark' && entries[i].name === name) return entries[i].startTime;
    }
    throw new DOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
  }

  function select(matches) {
    const found = filterList(entries, matches);
    return ArrayPrototypeSort(found, (a, b) => a.startTime - b.startTime);
  }

  function clear(entryType, name) {
    entries = filterList(entries, (entry) => entry.entryType !== entryType || (name !== undefined && entry.name !== `${name}`));
  }

  let made;
  class Performance extends internal.EventTarget {
    constructor() {
      super();
      if (made !== undefined) throw nodeError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor', Performance);
      made = this;
    }
    get timeOrigin() {
      return native.timeOrigin();
    }
    now() {
      return native.now();
    }
    mark(name, options = undefined) {
      return record(new PerformanceMark(name, options));
    }
    measure(name, startOrOptions = undefined, endMark = undefined) {
      const isOptions = typeof startOrOptions === 'object' && startOrOptions !== null;
      const { start, end, duration, detail } = isOptions ? startOrOptions : { start: startOrOptions, end: endMark };
      let to = end === undefined ? undefined : timeOf(end);
      let from = start === undefined ? undefined : timeOf(start);
      if (to === undefined) to = from !== undefined && duration !== undefined ? from + duration : native.now();
      if (from === undefined) from = duration === undefined ? 0 : to - duration;
      return record(new PerformanceMeasure(key, `${name}`, from, to - from, detail ?? null));
    }
    getEntries() {
      return select(() => true);
    }
    getEntriesByName(name, type = undefined) {
      return select((entry) => entry.name === `${name}` && (type === undefined || entry.entryType === type));
    }
    getEntriesByType(type) {
      return select((entry) => entry.entryType === `${type}`);
    }
    clearMarks(name = undefined) {
      clear('mark', name);
    }
    clearMeasures(name = undefined) {
      clear('measure', name);
    }
    clearResourceTimings() {}
    setResourceTimingBufferSize() {}
    eventLoopUtilization() {
      return { idle: 0, active: 0, utilization: 0 };
    }
    timerify(fn) {
      return fn;
    }
    toJSON() {
      return { timeOrigin: native.timeOrigin() };
    }
    [customInspect](depth, options, inspect) {
      return `Performance ${inspect({ timeOrigin: native.timeOrigin() }, options)}`;
    }
  }

  // Nothing is ever delivered to an observer; it can be made, so that code which tries goes on.
  class PerformanceObserver {
    static supportedEntryTypes = [];
    observe() {}
    disconnect() {}
    takeRecords() {
      return [];
    }
  }

  const classes = { PerformanceEntry, PerformanceMark, PerformanceMeasure, Performance, PerformanceObserver };
  finishClass(PerformanceEntry, 'PerformanceEntry');
  finishClass(PerformanceMark, 'PerformanceMark');
  finishClass(PerformanceMeasure, 'PerformanceMeasure');
  finishClass(Performance, 'Performance');
  finishClass(PerformanceObserver, 'PerformanceObserver');
  const performance = new Performance();
  internal.globals.performance = performance;
  internal.builtins.perf_hooks = () => ({
    performance, ...classes, constants: {},
    monitorEventLoopDelay: () => ({ enable: () => false, disable: () => false, reset() {}, min: 0, max: 0, mean: 0, stddev: 0, percentile: () => 0 }),
  });
  internal.restorers.performance = () => {
    entries = [];
  };
})
