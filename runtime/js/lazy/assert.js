// The `assert` module.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePush, Error, ErrorCaptureStackTrace, MathMax, ObjectAssign, ObjectIs,
    ObjectKeys, ObjectPrototypeIsPrototypeOf, ReflectApply, RegExpPrototypeExec, String, StringPrototypeSplit,
    TypeError, pushAll,
  } = internal.primordials;
  const { argumentType, argumentValue, nodeError, validateFunction } = internal.errors;
  const { inspect, isDeepEqual } = internal;

  const operatorTexts = {
    __proto__: null,
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    strictEqual: 'Expected values to be strictly equal:',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  };

  const kindOf = (value) => (typeof value === 'object' && value !== null ? native.isKind(value) : '');

  function shown(value) {
    return inspect(value, { __proto__: null, compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, sorted: true, getters: true });
  }

  function explain({ actual, expected, operator }) {
    const intro = operatorTexts[operator];
    if (intro === undefined) return `${inspect(actual)} ${operator} ${inspect(expected)}`;
    if (operator === 'notStrictEqual' || operator === 'notDeepStrictEqual' || operator === 'notDeepEqual') return `${intro}\n\n${shown(expected)}\n`;
    const left = StringPrototypeSplit(shown(actual), '\n');
    const right = StringPrototypeSplit(shown(expected), '\n');
    if (left.length === 1 && right.length === 1) {
      const primitive = (typeof actual !== 'object' || actual === null) && (typeof expected !== 'object' || expected === null);
      if (primitive) return `${intro}\n\n${left[0]} !== ${right[0]}\n`;
    }
    return `${intro}\n+ actual - expected\n\n${ArrayPrototypeJoin(difference(left, right), '\n')}`;
  }

  // The lines of both, those that only one has marked with + and -. Past a size, whole blocks instead of a fine match.
  function difference(left, right) {
    const lines = [];
    let from = 0;
    while (from < left.length && from < right.length && left[from] === right[from]) ArrayPrototypePush(lines, `  ${left[from++]}`);
    let leftEnd = left.length;
    let rightEnd = right.length;
    while (leftEnd > from && rightEnd > from && left[leftEnd - 1] === right[rightEnd - 1]) {
      leftEnd--;
      rightEnd--;
    }
    const changes = MathMax(leftEnd - from, rightEnd - from);
    for (let i = 0; i < changes; i++) {
      const a = from + i < leftEnd ? left[from + i] : undefined;
      const b = from + i < rightEnd ? right[from + i] : undefined;
      if (a === b) {
        ArrayPrototypePush(lines, `  ${a}`);
        continue;
      }
      if (a !== undefined) ArrayPrototypePush(lines, `+ ${a}`);
      if (b !== undefined) ArrayPrototypePush(lines, `- ${b}`);
    }
    for (let i = leftEnd; i < left.length; i++) ArrayPrototypePush(lines, `  ${left[i]}`);
    return lines;
  }

  class AssertionError extends Error {
    constructor(options) {
      if (typeof options !== 'object' || options === null) throw argumentType('options', 'object', options);
      const { message, operator, actual, expected, stackStartFn } = options;
      super(message === undefined || message === null ? explain(options) : String(message));
      internal.define(this, 'name', 'AssertionError', false);
      ObjectAssign(this, { generatedMessage: message === undefined || message === null, code: 'ERR_ASSERTION', actual, expected, operator });
      internal.define(this, 'name', 'AssertionError [ERR_ASSERTION]', false);
      ErrorCaptureStackTrace(this, stackStartFn ?? AssertionError);
      try {
        void this.stack;
      } catch {
        // The guest formats its stacks itself.
      }
      internal.define(this, 'name', 'AssertionError', false);
    }
    toString() {
      return `${this.name} [${this.code}]: ${this.message}`;
    }
  }

  function fail(options) {
    if (typeof options.message === 'object' && options.message !== null && native.isKind(options.message) === 'Error') throw options.message;
    throw new AssertionError(options);
  }

  function need(count, args) {
    if (args.length < count) {
      throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified', need);
    }
  }

  function assert(value, message) {
    check(assert, arguments.length, value, message);
  }
  function ok(value, message) {
    check(ok, arguments.length, value, message);
  }
  function check(stackStartFn, count, value, message) {
    if (value) return;
    const text = count === 0 ? 'No value argument passed to `assert.ok()`' : message ?? 'The expression evaluated to a falsy value';
    fail({ actual: value, expected: true, message: text, operator: '==', stackStartFn });
  }

  function comparison(operator, holds) {
    const compare = {
      [operator](actual, expected, message) {
        need(2, arguments);
        if (!holds(actual, expected)) fail({ actual, expected, message, operator: symbols[operator] ?? operator, stackStartFn: compare });
      },
    }[operator];
    return compare;
  }
  const symbols = { __proto__: null, equal: '==', notEqual: '!=' };
  // eslint-disable-next-line eqeqeq -- what `assert.equal` means
  const looseEqual = (a, b) => a == b || (a !== a && b !== b);

  // --- Exceptions ---

  function matchesExpected(error, expected, message, fn) {
    if (expected === undefined) return;
    if (typeof expected === 'function') {
      if (expected.prototype !== undefined && error instanceof expected) return;
      if (ObjectPrototypeIsPrototypeOf(Error, expected)) throw error;
      if (ReflectApply(expected, {}, [error]) === true) return;
      fail({ actual: error, expected, message: message ?? 'The validation function is expected to return "true"', operator: fn.name, stackStartFn: fn });
    }
    if (kindOf(expected) === 'RegExp') {
      if (RegExpPrototypeExec(expected, String(error)) !== null) return;
      fail({ actual: error, expected, message: message ?? `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n`, operator: fn.name, stackStartFn: fn });
    }
    const keys = ObjectKeys(expected);
    if (kindOf(expected) === 'Error') pushAll(keys, ['name', 'message']);
    else if (keys.length === 0) throw argumentValue('error', expected, 'may not be an empty object');
    for (let i = 0; i < keys.length; i++) {
      const wanted = expected[keys[i]];
      const actual = error?.[keys[i]];
      if (typeof actual === 'string' && kindOf(wanted) === 'RegExp' && RegExpPrototypeExec(wanted, actual) !== null) continue;
      if (!isDeepEqual(actual, wanted, true)) fail({ actual: error, expected, message, operator: fn.name, stackStartFn: fn });
    }
  }

  // The exception that `fn` throws, as `{ error }`.
  function thrownBy(fn) {
    validateFunction(fn, 'fn');
    try {
      fn();
    } catch (error) {
      return { error };
    }
    return undefined;
  }

  async function rejectionOf(promiseFn) {
    let promise = promiseFn;
    if (typeof promiseFn === 'function') {
      promise = promiseFn();
      if (typeof promise?.then !== 'function') {
        throw nodeError(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected instance of Promise to be returned from the "promiseFn" function');
      }
    } else if (typeof promiseFn?.then !== 'function') throw argumentType('promiseFn', ['function', 'Promise'], promiseFn);
    try {
      await promise;
    } catch (error) {
      return { error };
    }
    return undefined;
  }

  function expectThrown(thrown, expected, message, fn) {
    if (typeof expected === 'string') {
      message = expected;
      expected = undefined;
    }
    if (thrown === undefined) {
      const name = expected?.name ? ` (${expected.name})` : '';
      const kind = fn === rejects ? 'rejection' : 'exception';
      fail({ actual: undefined, expected, operator: fn.name, message: `Missing expected ${kind}${name}${message ? `: ${message}` : '.'}`, stackStartFn: fn });
    }
    matchesExpected(thrown.error, expected, message, fn);
  }

  function expectNone(thrown, expected, message, fn) {
    if (thrown === undefined) return;
    if (typeof expected === 'string') {
      message = expected;
      expected = undefined;
    }
    if (typeof expected === 'function' && !(thrown.error instanceof expected)) throw thrown.error;
    const kind = fn === doesNotReject ? 'rejection' : 'exception';
    fail({ actual: thrown.error, expected, operator: fn.name, message: `Got unwanted ${kind}${message ? `: ${message}` : '.'}\nActual message: "${thrown.error?.message}"`, stackStartFn: fn });
  }

  function throws(fn, expected, message) {
    expectThrown(thrownBy(fn), expected, message, throws);
  }
  async function rejects(promiseFn, expected, message) {
    expectThrown(await rejectionOf(promiseFn), expected, message, rejects);
  }
  function doesNotThrow(fn, expected, message) {
    expectNone(thrownBy(fn), expected, message, doesNotThrow);
  }
  async function doesNotReject(promiseFn, expected, message) {
    expectNone(await rejectionOf(promiseFn), expected, message, doesNotReject);
  }

  function matcher(name, wanted) {
    const compare = {
      [name](text, expression, message) {
        if (kindOf(expression) !== 'RegExp') throw argumentType('regexp', 'RegExp', expression);
        if (typeof text === 'string' && (RegExpPrototypeExec(expression, text) !== null) === wanted) return;
        const reason = wanted ? 'did not match' : 'was expected to not match';
        fail({ actual: text, expected: expression, message: message ?? `The input ${reason} the regular expression ${inspect(expression)}. Input:\n\n${inspect(text)}\n`, operator: name, stackStartFn: compare });
      },
    }[name];
    return compare;
  }

  function ifError(value) {
    if (value === null || value === undefined) return;
    const text = typeof value === 'object' && typeof value.message === 'string' ? value.message || value.constructor?.name : inspect(value);
    fail({ actual: value, expected: null, operator: 'ifError', message: `ifError got unwanted exception: ${text}`, stackStartFn: ifError });
  }

  const deepStrictEqual = comparison('deepStrictEqual', (a, b) => isDeepEqual(a, b, true));
  const notDeepStrictEqual = comparison('notDeepStrictEqual', (a, b) => !isDeepEqual(a, b, true));
  const strictEqual = comparison('strictEqual', ObjectIs);
  const notStrictEqual = comparison('notStrictEqual', (a, b) => !ObjectIs(a, b));
  const methods = {
    AssertionError, ok, throws, rejects, doesNotThrow, doesNotReject, ifError, deepStrictEqual, notDeepStrictEqual,
    strictEqual, notStrictEqual, equal: comparison('equal', looseEqual),
    notEqual: comparison('notEqual', (a, b) => !looseEqual(a, b)),
    deepEqual: comparison('deepEqual', (a, b) => isDeepEqual(a, b, false)),
    notDeepEqual: comparison('notDeepEqual', (a, b) => !isDeepEqual(a, b, false)),
    match: matcher('match', true), doesNotMatch: matcher('doesNotMatch', false),
    fail: function failNow(message = 'Failed') {
      fail({ message, operator: 'fail', actual: undefined, expected: undefined, stackStartFn: failNow });
    },
  };
  function strict(value, message) {
    check(strict, arguments.length, value, message);
  }
  internal.defineAll(internal.defineAll(assert, methods), { __proto__: null, strict });
  internal.defineAll(internal.defineAll(strict, methods), {
    __proto__: null, strict, equal: strictEqual, notEqual: notStrictEqual, deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual,
  });
  internal.builtins.assert = () => assert;
  internal.builtins['assert/strict'] = () => strict;
})
