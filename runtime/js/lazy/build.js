// What a realm needs while a snapshot is made of it, and nowhere else: the runtime calls `beginBuild` before it
// evaluates the entries, and `endBuild` when all of them are there and garbage has been collected.
(function (native, internal) {
  'use strict';

  const { ReflectDefineProperty, ReflectDeleteProperty, ReflectGetOwnPropertyDescriptor } = internal.primordials;
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
  hooks.endBuild = () => {
    internal.endLazy();
    internal.endRandom();
    internal.endShared?.();
    endFrames();
    internal.buildFiles = hooks.beginBuild = hooks.endBuild = undefined;
  };
})
