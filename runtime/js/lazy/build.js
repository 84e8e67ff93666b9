// What a realm needs while a snapshot is made of it, and nowhere else: the runtime calls `beginBuild` before it
// evaluates the entries, and `endBuild` when all of them are there and garbage has been collected.
(function (native, internal) {
  'use strict';

  const { ObjectGetPrototypeOf, ObjectIsExtensible, ReflectDefineProperty, ReflectDeleteProperty, ReflectGetOwnPropertyDescriptor } = internal.primordials;
  const { hooks } = internal;
  const { Error } = globalThis;
  const FRAMES = 10;

  // The engine gives `Error` its limit when a realm is restored, and none to one that a snapshot is made of: its errors
  // would have no stack. The property must be gone in the snapshot; what an SDK has set comes back in each session.
  function limitFrames(value) {
    ReflectDefineProperty(Error, 'stackTraceLimit', { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }
  function endFrames() {
    const limit = ReflectGetOwnPropertyDescriptor(Error, 'stackTraceLimit');
    ReflectDeleteProperty(Error, 'stackTraceLimit');
    if (limit === undefined || limit.value === FRAMES) return;
    internal.restorers.stackTraceLimit = () => limitFrames(limit.value);
  }

  // `isExplained` says that the author of the SDK wants to know what it does, and no snapshot.
  hooks.beginBuild = (isExplained) => {
    limitFrames(FRAMES);
    internal.load('build-lazy');
    internal.load('build-intl');
    internal.load('build-weak');
    internal.load('build-files');
    internal.load('build-random');
    internal.load('build-shared');
    if (isExplained) internal.load('build-record');
  };
  // What the engine adds something to in each restored realm. It ends the process where it cannot.
  const extended = [
    ['globalThis', globalThis], ['Atomics', Atomics], ['DataView.prototype', DataView.prototype], ['Error', Error], ['Intl.Locale.prototype', Intl.Locale.prototype],
    ['Iterator', Iterator], ['Iterator.prototype', Iterator.prototype], ['the prototype of asynchronous iterators', ObjectGetPrototypeOf(ObjectGetPrototypeOf((async function* () {}).prototype))], ['Map.prototype', Map.prototype],
    ['Math', Math], ['Promise', Promise], ['RegExp', RegExp], ['Uint8Array', Uint8Array], ['Uint8Array.prototype', Uint8Array.prototype],
    ['WeakMap.prototype', WeakMap.prototype],
  ];
  function refusal() {
    for (let i = 0; i < extended.length; i++) {
      const name = extended[i][0];
      if (!ObjectIsExtensible(extended[i][1])) return `${name} cannot be extended, so no session can be opened from the snapshot: do not freeze ${name} while the SDK is loaded`;
    }
    return undefined;
  }

  // The reason for which there can be no snapshot, if there is one.
  hooks.endBuild = () => {
    const reason = refusal();
    if (reason !== undefined) return reason;
    internal.endLazy();
    internal.endRandom();
    internal.endShared?.();
    endFrames();
    internal.buildFiles = hooks.beginBuild = hooks.endBuild = undefined;
    return undefined;
  };
})
