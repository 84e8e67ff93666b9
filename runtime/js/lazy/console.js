// The `console` of the guest. Everything it prints goes to the session's output with its level, and nothing that is
// passed to it can make it throw. What is used less often is in `console-parts.js`.
(function (native, internal) {
  'use strict';

  const { primordials } = internal;
  const { ObjectCreate, ObjectDefineProperty, ReflectApply, StringPrototypeIncludes, StringPrototypeSlice } = primordials;

  const LOG = 1, INFO = 2, WARN = 3, ERROR = 4, DEBUG = 5;
  let indent = '';

  function write(stream, level, text) {
    if (indent !== '') text = indent + primordials.regExpReplace(/\n/g, text, () => `\n${indent}`);
    native.print(stream, level, `${text}\n`);
  }

  // Texts, numbers and the like are written without the help of `inspect`.
  function simple(value) {
    switch (typeof value) {
      case 'string': return value;
      case 'number': return value === 0 && 1 / value < 0 ? '-0' : `${value}`;
      case 'boolean': case 'undefined': return `${value}`;
      default: return value === null ? 'null' : undefined;
    }
  }

  function format(args) {
    if (args.length > 1 && typeof args[0] === 'string' && StringPrototypeIncludes(args[0], '%')) return internal.formatSafely(args);
    let text = '';
    for (let i = 0; i < args.length; i++) {
      const piece = simple(args[i]);
      if (piece === undefined) return internal.formatSafely(args);
      text += i === 0 ? piece : ` ${piece}`;
    }
    return text;
  }

  function log(...args) {
    write(1, LOG, format(args));
  }
  function info(...args) {
    write(1, INFO, format(args));
  }
  function debug(...args) {
    write(1, DEBUG, format(args));
  }
  function warn(...args) {
    write(2, WARN, format(args));
  }
  function error(...args) {
    write(2, ERROR, format(args));
  }

  function assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args = internal.consoleParts.concat('Assertion failed', args);
    write(2, WARN, format(args));
  }

  function group(...args) {
    if (args.length > 0) write(1, LOG, format(args));
    if (indent.length < 200) indent += '  ';
  }
  function groupEnd() {
    indent = indent.length < 2 ? '' : StringPrototypeSlice(indent, 2);
  }

  function ignore() {}

  // A method that is in the other file.
  function later(name) {
    return {
      [name](...args) {
        return ReflectApply(internal.consoleParts[name], console, args);
      },
    }[name];
  }

  const console = ObjectCreate(ObjectCreate(primordials.ObjectPrototype));
  function put(key, value, enumerable) {
    ObjectDefineProperty(console, key, { __proto__: null, value, enumerable, writable: true, configurable: true });
  }
  put('log', log, true);
  put('warn', warn, true);
  put('dir', later('dir'), true);
  put('time', later('time'), true);
  put('timeEnd', later('timeEnd'), true);
  put('timeLog', later('timeLog'), true);
  put('trace', later('trace'), true);
  put('assert', assert, true);
  put('clear', ignore, true);
  put('count', later('count'), true);
  put('countReset', later('countReset'), true);
  put('group', group, true);
  put('groupEnd', groupEnd, true);
  put('table', later('table'), true);
  put('debug', debug, true);
  put('info', info, true);
  put('dirxml', log, true);
  put('error', error, true);
  put('groupCollapsed', group, true);
  put('profile', ignore, true);
  put('profileEnd', ignore, true);
  put('timeStamp', ignore, true);
  put('Console', function Console(options, stderr) {
    ReflectApply(internal.consoleParts.Console, this, [options, stderr]);
  }, false);
  put(primordials.SymbolToStringTag, 'console', false);

  internal.restorers.console = () => {
    indent = '';
  };
  internal.builtins.console = () => console;
  internal.globals.console = console;
  internal.consoleWrite = write;
  internal.console = console;
})
