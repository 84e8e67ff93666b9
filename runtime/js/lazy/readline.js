// `readline` and `readline/promises`: lines out of a stream. A session has no terminal, so nothing is edited and the
// functions that move a cursor write its sequences and no more.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypePush, ArrayPrototypeShift, Error, Promise, ReflectApply, ReflectConstruct, RegExpPrototypeExec, StringPrototypeSlice, SymbolAsyncIterator, SymbolFor,
  } = internal.primordials;
  const { AbortError, argumentType, nodeError, validateFunction } = internal.errors;
  const { EventEmitter, define } = internal;
  const customPromisify = SymbolFor('nodejs.util.promisify.custom');

  function Interface(input, output, completer, terminal) {
    if (!(this instanceof Interface)) return ReflectConstruct(Interface, [input, output, completer, terminal]);
    ReflectApply(internal.initEmitter, this, []);
    const options = typeof input?.input === 'object' && input.input !== null ? input : { input, output, completer, terminal };
    if (typeof options.input?.on !== 'function') throw argumentType('input', 'Stream', options.input);
    internal.defineAll(this, { input: options.input, output: options.output, terminal: false, closed: false, line: '', cursor: 0, history: [] });
    const decoder = new (internal.builtin('string_decoder').StringDecoder)('utf8');
    const state = { __proto__: null, prompt: `${options.prompt ?? '> '}`, rest: '', question: undefined, decoder };
    define(this, 'state', state, false);
    const onData = (chunk) => feed(this, typeof chunk === 'string' ? chunk : decoder.write(chunk));
    const onEnd = () => {
      feed(this, decoder.end());
      if (state.rest !== '') takeLine(this, state.rest);
      state.rest = '';
      this.close();
    };
    options.input.on('data', onData);
    options.input.on('end', onEnd);
    options.input.on('error', (error) => this.emit('error', error));
    state.detach = () => {
      options.input.removeListener('data', onData);
      options.input.removeListener('end', onEnd);
    };
    options.signal?.addEventListener('abort', () => this.close(), { once: true });
    options.input.resume();
    return undefined;
  }

  function feed(reader, text) {
    const { state } = reader;
    let rest = state.rest + text;
    for (;;) {
      const end = RegExpPrototypeExec(/\r\n|\n|\r(?!$)|\u2028|\u2029/, rest);
      if (end === null || reader.closed) break;
      const line = StringPrototypeSlice(rest, 0, end.index);
      rest = StringPrototypeSlice(rest, end.index + end[0].length);
      state.rest = rest;
      takeLine(reader, line);
    }
    state.rest = rest;
  }

  function takeLine(reader, line) {
    const { question } = reader.state;
    reader.state.question = undefined;
    if (question !== undefined) question(line);
    else reader.emit('line', line);
  }

  function checkOpen(reader) {
    if (reader.closed) throw nodeError(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
  }

  const methods = {
    close() {
      if (this.closed) return;
      this.closed = true;
      this.state.detach();
      this.input.pause?.();
      this.emit('close');
    },
    pause() {
      checkOpen(this);
      this.input.pause?.();
      this.emit('pause');
      return this;
    },
    resume() {
      checkOpen(this);
      this.input.resume?.();
      this.emit('resume');
      return this;
    },
    write(text) {
      checkOpen(this);
      if (typeof text === 'string') feed(this, text);
    },
    setPrompt(text) {
      this.state.prompt = `${text}`;
    },
    getPrompt() {
      return this.state.prompt;
    },
    prompt() {
      checkOpen(this);
      this.output?.write(this.state.prompt);
    },
    question(query, options, callback) {
      const done = typeof options === 'function' ? options : callback;
      validateFunction(done, 'cb');
      checkOpen(this);
      this.output?.write(query);
      this.state.question = done;
    },
    getCursorPos: () => ({ rows: 0, cols: 0 }),
    [SymbolAsyncIterator]() {
      return lines(this);
    },
  };

  // Lines that come while nobody asks wait.
  function lines(reader) {
    const ready = [];
    const asking = [];
    let failure;
    const settle = () => {
      while (asking.length !== 0 && (ready.length !== 0 || reader.closed || failure !== undefined)) {
        const { resolve, reject } = ArrayPrototypeShift(asking);
        if (ready.length !== 0) resolve({ value: ArrayPrototypeShift(ready), done: false });
        else if (failure !== undefined) reject(failure);
        else resolve({ value: undefined, done: true });
      }
    };
    reader.on('line', (line) => {
      ArrayPrototypePush(ready, line);
      settle();
    });
    reader.on('error', (error) => {
      failure = error;
      settle();
    });
    reader.on('close', settle);
    return {
      next: () => new Promise((resolve, reject) => {
        ArrayPrototypePush(asking, { resolve, reject });
        settle();
      }),
      return() {
        reader.close();
        return internal.primordials.PromiseResolve({ value: undefined, done: true });
      },
      [SymbolAsyncIterator]() {
        return this;
      },
    };
  }

  function ask(reader, query, options) {
    return new Promise((resolve, reject) => {
      if (options?.signal?.aborted) {
        reject(new AbortError(undefined, { cause: options.signal.reason }));
        return;
      }
      ReflectApply(methods.question, reader, [query, resolve]);
      options?.signal?.addEventListener('abort', () => {
        reader.state.question = undefined;
        reject(new AbortError(undefined, { cause: options.signal.reason }));
      }, { once: true });
    });
  }

  function equip(Class, Base, own) {
    Class.prototype = { __proto__: Base.prototype };
    define(Class.prototype, 'constructor', Class, false);
    for (const name in own) define(Class.prototype, name, own[name], true);
    internal.primordials.ObjectSetPrototypeOf(Class, Base);
  }
  equip(Interface, EventEmitter, methods);
  define(Interface.prototype, SymbolAsyncIterator, methods[SymbolAsyncIterator], true);
  define(methods.question, customPromisify, function question(query, options) {
    return ask(this, query, options);
  }, false);

  function PromisesInterface(...args) {
    ReflectApply(Interface, this, args);
  }
  internal.denied.named(PromisesInterface, 'Interface');
  equip(PromisesInterface, Interface, {
    question(query, options) {
      return ask(this, query, options);
    },
  });

  // --- Sequences of a terminal; ECMA-48, 8.3 ---

  function send(text) {
    return (stream, ...args) => {
      const callback = args[args.length - 1];
      const sequence = text(...args);
      if (stream === null || stream === undefined || sequence === '') {
        if (typeof callback === 'function') internal.nextTick(() => callback(null));
        return true;
      }
      return stream.write(sequence, typeof callback === 'function' ? callback : undefined);
    };
  }
  const moved = (by, more, less) => (by > 0 ? `\x1b[${by}${more}` : by < 0 ? `\x1b[${-by}${less}` : '');
  const clear = (direction) => (direction < 0 ? '\x1b[1K' : direction > 0 ? '\x1b[0K' : '\x1b[2K');
  const to = (x, y) => (typeof y === 'number' ? `\x1b[${y + 1};${x + 1}H` : `\x1b[${x + 1}G`);

  class Readline {
    #stream;
    #text = '';
    constructor(stream) {
      this.#stream = stream;
    }
    #add(text) {
      this.#text += text;
      return this;
    }
    clearLine(direction) {
      return this.#add(clear(direction));
    }
    clearScreenDown() {
      return this.#add('\x1b[0J');
    }
    cursorTo(x, y) {
      return this.#add(to(x, y));
    }
    moveCursor(dx, dy) {
      return this.#add(moved(dx, 'C', 'D') + moved(dy, 'B', 'A'));
    }
    rollback() {
      this.#text = '';
      return this;
    }
    commit() {
      const text = this.#text;
      this.#text = '';
      return new Promise((resolve) => {
        this.#stream.write(text, () => resolve());
      });
    }
  }

  internal.builtins['readline/promises'] = () => ({
    Interface: PromisesInterface, Readline, createInterface: (...args) => ReflectConstruct(PromisesInterface, args),
  });
  internal.builtins.readline = () => ({
    Interface, clearLine: send(clear), clearScreenDown: send(() => '\x1b[0J'), createInterface: (...args) => ReflectConstruct(Interface, args), cursorTo: send(to),
    // Keys come from a terminal.
    emitKeypressEvents() {},
    moveCursor: send((dx, dy) => moved(dx, 'C', 'D') + moved(dy, 'B', 'A')), promises: internal.builtin('readline/promises'),
  });
})
