// The two queues of the realm: `queueMicrotask` and `process.nextTick`.
(function (native, internal) {
  'use strict';

  const { PromisePrototypeThen, PromiseReject, PromiseResolve, ReflectApply } = internal.primordials;
  const { define } = internal;
  const { validateFunction } = internal.errors;

  // What an `AsyncLocalStorage` holds travels with a callback into its timer or queue.
  const currentFrame = native.getContinuation ?? (() => undefined);
  const enterFrame = native.setContinuation ?? (() => {});

  function run(frame, callback, receiver, args) {
    const before = currentFrame();
    enterFrame(frame);
    try {
      return ReflectApply(callback, receiver, args);
    } finally {
      enterFrame(before);
    }
  }

  // Without the engine's own queue an exception in `task` counts as a rejected promise.
  const queueTask = native.queueMicrotask ?? ((task) => {
    const promise = PromiseResolve();
    // `then` asks the constructor of a promise for the kind of the next one, which the guest may have changed.
    define(promise, 'constructor', undefined, false);
    PromisePrototypeThen(promise, task);
  });

  function queueMicrotask(callback) {
    validateFunction(callback, 'callback');
    const frame = currentFrame();
    queueTask(() => {
      run(frame, callback, undefined, []);
    });
  }

  let firstTick;
  let lastTick;

  function nextTick(callback, ...args) {
    validateFunction(callback, 'callback');
    const tick = { __proto__: null, callback, args, frame: currentFrame(), next: undefined };
    if (firstTick === undefined) firstTick = tick;
    else lastTick.next = tick;
    lastTick = tick;
  }

  // Runs all ticks, which the runtime asks for before and after promise jobs; says whether there were any. A tick that
  // throws does not take the ticks behind it along: what it throws counts as a rejected promise.
  function drainTicks() {
    const had = firstTick !== undefined;
    while (firstTick !== undefined) {
      const tick = firstTick;
      firstTick = tick.next;
      try {
        run(tick.frame, tick.callback, undefined, tick.args);
      } catch (error) {
        PromiseReject(error);
      }
    }
    return had;
  }

  internal.globals.queueMicrotask = queueMicrotask;
  internal.currentFrame = currentFrame;
  internal.runInFrame = run;
  internal.drainTicks = drainTicks;
  internal.dropTicks = () => {
    firstTick = undefined;
  };
  internal.nextTick = nextTick;
  internal.queueTask = queueTask;
})
