// What an SDK takes from its surroundings while it is loaded: a snapshot keeps it, and all sessions see the same. Runs
// before the SDK where its author asks for an explanation; the realm is never a session's, so functions are wrapped
// without regard to who can tell.
(function (native, internal) {
  'use strict';

  const {
    Error, JSONStringify, Proxy, ReflectApply, ReflectConstruct, ReflectDefineProperty, ReflectGet, ReflectGetOwnPropertyDescriptor, ReflectHas,
    ReflectOwnKeys, StringPrototypeIndexOf, StringPrototypeSlice, StringPrototypeSplit, StringPrototypeStartsWith,
  } = internal.primordials;
  const { hooks } = internal;
  const MAX_NOTES = 10000;
  const notes = { __proto__: null };
  let n = 0;

  // --- Notes ---

  // The first line of code that is not of the realm.
  function place() {
    const { stack } = new Error();
    if (typeof stack !== 'string') return '';
    const lines = StringPrototypeSplit(stack, '\n');
    for (let i = 1; i < lines.length; i++) {
      let line = StringPrototypeSlice(lines[i], StringPrototypeIndexOf(lines[i], 'at ') + 3);
      const open = StringPrototypeIndexOf(line, '(');
      if (open !== -1) line = StringPrototypeSlice(line, open + 1, -1);
      if (StringPrototypeStartsWith(line, 'async ')) line = StringPrototypeSlice(line, 6);
      if (StringPrototypeStartsWith(line, 'file:') || StringPrototypeStartsWith(line, '/')) return line;
    }
    return '';
  }

  function note(kind, what, where = place()) {
    // Without a place it is the realm's own doing.
    if (where === '') return;
    const key = `${kind}\n${what}\n${where}`;
    if (notes[key] !== undefined) notes[key][3]++;
    else if (n++ < MAX_NOTES) notes[key] = [kind, what, where, 1];
  }
  internal.note = note;

  // --- What is watched ---

  function put(target, key, value) {
    ReflectDefineProperty(target, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }
  function watch(target, key, kind, describe) {
    const plain = target[key];
    if (typeof plain !== 'function') return;
    put(target, key, new Proxy(plain, {
      __proto__: null,
      apply(_, self, args) {
        note(kind, describe(args));
        return ReflectApply(plain, self, args);
      },
    }));
  }
  function watchValue(target, key, kind, what) {
    const { value, get } = ReflectGetOwnPropertyDescriptor(target, key) ?? {};
    let current = value;
    ReflectDefineProperty(target, key, {
      __proto__: null,
      get() {
        note(kind, what);
        return get === undefined ? current : ReflectApply(get, target, []);
      },
      set(given) {
        current = given;
        put(target, key, given);
      },
      enumerable: true,
      configurable: true,
    });
  }

  function watchProcess() {
    const { process } = internal;
    const { env } = process;
    const named = (key) => {
      if (typeof key === 'string') note('env', key);
    };
    put(process, 'env', new Proxy(env, {
      __proto__: null,
      get(target, key) {
        named(key);
        return ReflectGet(target, key);
      },
      has(target, key) {
        named(key);
        return ReflectHas(target, key);
      },
      getOwnPropertyDescriptor(target, key) {
        named(key);
        return ReflectGetOwnPropertyDescriptor(target, key);
      },
      ownKeys(target) {
        note('env', '(all)');
        return ReflectOwnKeys(target);
      },
    }));
    watch(process, 'cwd', 'cwd', () => 'process.cwd()');
    watch(process, 'hrtime', 'clock', () => 'process.hrtime()');
    watch(process, 'uptime', 'clock', () => 'process.uptime()');
    for (const key of ['on', 'once', 'addListener', 'prependListener']) watch(process, key, 'listener', (args) => `${args[0]}`);
    for (const key of ['argv', 'pid', 'ppid', 'execArgv']) watchValue(process, key, 'process', key);
    for (const key of ['stdin', 'stdout', 'stderr']) watchValue(process, key, 'stdio', key);
    const os = internal.builtin('os');
    for (const key of ['homedir', 'hostname', 'tmpdir', 'userInfo', 'cpus', 'networkInterfaces', 'freemem', 'totalmem', 'uptime', 'loadavg']) {
      watch(os, key, 'os', () => `os.${key}()`);
    }
  }

  function watchClocks() {
    const { Date, Math } = globalThis;
    watch(Date, 'now', 'clock', () => 'Date.now()');
    watch(Math, 'random', 'random', () => 'Math.random()');
    const own = new Proxy(Date, {
      __proto__: null,
      construct(target, args, newTarget) {
        if (args.length === 0) note('clock', 'new Date()');
        return ReflectConstruct(target, args, newTarget === own ? target : newTarget);
      },
    });
    put(globalThis, 'Date', own);
    ReflectDefineProperty(Date.prototype, 'constructor', { __proto__: null, value: own });
    watch(globalThis.performance, 'now', 'clock', () => 'performance.now()');
  }

  // Timers that are open, by id.
  const open = { __proto__: null };

  function watchNatives() {
    const { clearTimer, randomFill, setTimer } = native;
    native.randomFill = (view) => {
      note('random', `${view.byteLength} bytes`);
      return randomFill(view);
    };
    internal.load('timers');
    native.setTimer = (id, delay, refed) => {
      setTimer(id, delay, refed);
      open[id] ??= [`${delay} ms`, place()];
    };
    native.clearTimer = (id) => {
      clearTimer(id);
      open[id] = undefined;
    };
    const { runTimer } = hooks;
    hooks.runTimer = (id) => {
      const was = open[id];
      open[id] = undefined;
      runTimer(id);
      // An interval has been set again.
      if (open[id] !== undefined && was !== undefined) open[id] = was;
    };
    const { buildFiles } = internal;
    internal.buildFiles = (name, path, options) => {
      note('file', `${name} ${path}`);
      return buildFiles(name, path, options);
    };
  }

  hooks.record = () => {
    for (const id in open) {
      if (open[id] !== undefined) note('timer', open[id][0], open[id][1]);
    }
    const list = [];
    for (const key in notes) list[list.length] = notes[key];
    return JSONStringify(list);
  };

  watchProcess();
  watchClocks();
  watchNatives();
})
