// `Intl` while a snapshot is made: its objects hold what the engine's library keeps outside of the heap, so they are
// stand-ins that are made anew in each session, with its time zone and its locale.
//
// A constructor makes the engine's object at once, so that it reads the options and throws as it always does, and
// remembers what it was given: the list of locales in canonical form, and the values of the options that were read.
(function (native, internal) {
  'use strict';

  const {
    ObjectCreate, ObjectGetPrototypeOf, Proxy, ReflectApply, ReflectConstruct, ReflectDefineProperty, ReflectGet, ReflectOwnKeys, SymbolIterator,
    SymbolToPrimitive, TypeError,
  } = internal.primordials;
  const {
    disguise, isBuilding, newKind, realOf, replace, replaceClass, replaceMembers, slotOf, standIn, uncurryThis,
  } = internal.lazyObjects;
  const { nodeError } = internal.errors;
  const { Intl } = globalThis;
  const { getCanonicalLocales } = Intl;
  const isPrototypeOf = uncurryThis(Object.prototype.isPrototypeOf);

  function isObject(value) {
    return (typeof value === 'object' && value !== null) || typeof value === 'function';
  }

  // --- What a constructor was given ---

  // The engine's locale in the place of a stand-in of one.
  function plainLocale(value) {
    const slot = slotOf(value);
    return slot === undefined ? value : realOf(slot);
  }

  function plainArguments(args) {
    if (args.length > 0) args[0] = plainLocale(args[0]);
    return args;
  }

  // Options as the constructor reads them, and the record of what it read. Values that are objects are converted
  // once, when the engine asks.
  function recording(options) {
    const record = { __proto__: null };
    const reader = new Proxy({ __proto__: null }, {
      __proto__: null,
      get(_, key) {
        const value = ReflectGet(options, key);
        record[key] = isObject(value) ? converted(value, record, key) : value;
        return record[key];
      },
    });
    return { __proto__: null, reader, record };
  }

  function converted(value, record, key) {
    return {
      __proto__: null,
      [SymbolToPrimitive](hint) {
        return record[key] = hint === 'number' ? +value : `${value}`;
      },
    };
  }

  // --- Construction ---

  // Makes a stand-in for what `new Native(locales, options)` gives.
  function construct(kind, Native, first, options, newTarget) {
    const recorded = isObject(options) ? recording(options) : { __proto__: null, reader: options, record: options };
    const real = ReflectConstruct(Native, [first, recorded.reader], newTarget);
    const { record } = recorded;
    return standIn(kind, ObjectGetPrototypeOf(real), real, () => ReflectConstruct(Native, [first, record]));
  }

  // As in old code that calls these constructors on an object of its own: the formatter hides in that object.
  let fallback;
  let isFallbackUsed = false;
  function attach(Native, self, lazy) {
    fallback ??= ReflectOwnKeys(ReflectApply(Native, ObjectCreate(Native.prototype), []))[0];
    isFallbackUsed = true;
    const own = { __proto__: null, value: lazy, writable: false, enumerable: false, configurable: false };
    if (!ReflectDefineProperty(self, fallback, own)) throw new TypeError('Cannot define the formatter of this object');
    return self;
  }
  function slotWithFallback(value) {
    const slot = slotOf(value);
    if (slot !== undefined || !isFallbackUsed) return slot;
    return isObject(value) ? slotOf(value[fallback]) : undefined;
  }

  function replaceFormatter(name, { isCallable = false, hasFallback = false, special = {} } = {}) {
    if (Intl[name] === undefined) return;
    const kind = newKind(`Intl.${name}`);
    const make = (args, newTarget) => construct(kind, Native, getCanonicalLocales(plainLocale(args[0])), args[1], newTarget);
    const apply = isCallable ? (self, args) => {
      const lazy = make(args, Native);
      return hasFallback && isObject(self) && isPrototypeOf(Native.prototype, self) ? attach(Native, self, lazy) : lazy;
    } : undefined;
    const Native = replaceClass(Intl, name, { construct: make, apply, argumentsOf: plainArguments });
    replaceMembers(kind, Native.prototype, special, hasFallback ? slotWithFallback : slotOf);
  }

  // A getter that gives a function tied to its formatter, always the same one.
  function boundBy(find, n) {
    return (engines) => ({
      bound() {
        const slot = find(this);
        if (slot === undefined) return ReflectApply(engines, this, []);
        return slot.bound ??= n === 1 ? formatOf(slot, engines) : compareOf(slot, engines);
      },
    }.bound);
  }
  function formatOf(slot, engines) {
    return (value) => {
      const run = slot.call ??= ReflectApply(engines, realOf(slot), []);
      return run(value);
    };
  }
  function compareOf(slot, engines) {
    return (x, y) => {
      const run = slot.call ??= ReflectApply(engines, realOf(slot), []);
      return run(x, y);
    };
  }

  // --- Segments, and iterators over them ---

  function replaceSegments() {
    const segments = newKind('Segments');
    const iterators = newKind('Segment Iterator');
    const sample = new Intl.Segmenter().segment('');
    const segmentsPrototype = ObjectGetPrototypeOf(sample);
    const iteratorPrototype = ObjectGetPrototypeOf(sample[SymbolIterator]());
    const { next } = iteratorPrototype;
    replaceMembers(segments, segmentsPrototype, {
      [SymbolIterator]: (engines) => ({
        iterator() {
          const slot = slotOf(this);
          if (slot === undefined) return ReflectApply(engines, this, []);
          const begin = () => ReflectApply(engines, realOf(slot), []);
          return isBuilding() ? lazyIterator(begin) : begin();
        },
      }.iterator),
    });
    // Where it stands is told by how often it was asked.
    function lazyIterator(begin) {
      const lazy = standIn(iterators, iteratorPrototype, undefined, () => {
        const real = begin();
        for (let i = 0; i < slot.taken; i++) ReflectApply(next, real, []);
        return real;
      });
      const slot = slotOf(lazy);
      return lazy;
    }
    replaceMembers(iterators, iteratorPrototype, {
      next: (engines) => ({
        next() {
          const slot = slotOf(this);
          if (slot === undefined) return ReflectApply(engines, this, []);
          const result = ReflectApply(engines, slot.real ?? realOf(slot), []);
          if (isBuilding()) slot.taken++;
          return result;
        },
      }.next),
    });
    return (engines) => ({
      segment(input) {
        const slot = slotOf(this);
        if (slot === undefined) return ReflectApply(engines, this, [input]);
        if (!isBuilding()) return ReflectApply(engines, slot.real ?? realOf(slot), [input]);
        const text = `${input}`;
        return standIn(segments, segmentsPrototype, undefined, () => ReflectApply(engines, realOf(slot), [text]));
      },
    }.segment);
  }

  // --- Locales, which other functions take ---

  function replaceLocale() {
    const kind = newKind('Intl.Locale');
    const make = (args, newTarget) => {
      const tag = args[0];
      areTaken();
      const first = isObject(tag) ? `${slotOf(tag) === undefined ? tag : localeText(realOf(slotOf(tag)))}` : tag;
      return construct(kind, Native, first, args[1], newTarget);
    };
    const Native = replaceClass(Intl, 'Locale', { construct: make, argumentsOf: plainArguments });
    const localeText = uncurryThis(Native.prototype.toString);
    // These give another locale.
    const another = (engines) => ({
      another() {
        const real = ReflectApply(engines, plainLocale(this), []);
        return isBuilding() ? construct(kind, Native, localeText(real), undefined, Native) : real;
      },
    }.another);
    replaceMembers(kind, Native.prototype, { maximize: another, minimize: another });

    let taken = false;
    function areTaken() {
      if (taken) return;
      taken = true;
      takeLocales(kind);
    }
  }

  // From the first stand-in for a locale on, the functions that take one know it.
  function takeLocales(kind) {
    const at = (target, keys, place) => {
      for (let i = 0; i < keys.length; i++) {
        const engines = target?.[keys[i]];
        if (typeof engines !== 'function') continue;
        const own = {
          own(...args) {
            if (args.length > place) args[place] = plainLocale(args[place]);
            return ReflectApply(engines, this, args);
          },
        }.own;
        replace(kind, target, keys[i], { value: disguise(own, engines) });
      }
    };
    at(Intl, ['getCanonicalLocales'], 0);
    at(String.prototype, ['localeCompare'], 1);
    at(String.prototype, ['toLocaleLowerCase', 'toLocaleUpperCase'], 0);
    const prototypes = [Array.prototype, BigInt.prototype, Number.prototype, ObjectGetPrototypeOf(Uint8Array.prototype)];
    for (let i = 0; i < prototypes.length; i++) at(prototypes[i], ['toLocaleString'], 0);
    at(Date.prototype, ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString'], 0);
    const names = ReflectOwnKeys(Intl);
    for (let i = 0; i < names.length; i++) at(Intl[names[i]], ['supportedLocalesOf'], 0);
  }

  const segment = replaceSegments();
  replaceFormatter('Collator', { isCallable: true, special: { compare: boundBy(slotOf, 2) } });
  for (const name of ['DateTimeFormat', 'NumberFormat']) {
    replaceFormatter(name, { isCallable: true, hasFallback: true, special: { format: boundBy(slotWithFallback, 1) } });
  }
  for (const name of ['DisplayNames', 'DurationFormat', 'ListFormat', 'PluralRules', 'RelativeTimeFormat']) replaceFormatter(name);
  replaceFormatter('Segmenter', { special: { segment } });
  replaceLocale();
  if (Intl.v8BreakIterator !== undefined) {
    const refuse = () => {
      throw nodeError(TypeError, 'ERR_NOT_IN_SNAPSHOT', 'An Intl.v8BreakIterator cannot be in a snapshot: make it when it is first used, or use Intl.Segmenter', refuse);
    };
    replaceClass(Intl, 'v8BreakIterator', { construct: refuse, apply: refuse });
  }
})
