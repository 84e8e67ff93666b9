'use strict';

const { AggregateError, ArrayIsArray, ArrayPrototypeJoin, ArrayPrototypePush, Error, TypeError, RangeError } = internal.primordials;
const { AbortError, argumentType, argumentValue, nodeError, outOfRange } = internal.errors;

// The classes that the package throws, each a function that makes the session's own kind of error.
function code(name, message, Base = Error) {
  return function CodedError(...args) {
    return nodeError(Base, name, message(...args), CodedError);
  };
}

function typeList(expected) {
  const all = ArrayIsArray(expected) ? expected : [expected];
  const named = [];
  for (let i = 0; i < all.length; i++) {
    const isType = all[i] === 'Function' || all[i] === 'Object' || all[i] === 'Object ' || all[i] === 'Boolean' || all[i] === 'Number';
    ArrayPrototypePush(named, isType ? all[i].toLowerCase() : all[i]);
  }
  return named;
}

function missingArguments(...names) {
  const quoted = [];
  for (let i = 0; i < names.length; i++) ArrayPrototypePush(quoted, `"${names[i]}"`);
  return `The ${ArrayPrototypeJoin(quoted, ' and ')} argument${names.length > 1 ? 's' : ''} must be specified`;
}

function returned(value) {
  const name = typeof value === 'object' && value !== null ? internal.safeConstructorName(value) : undefined;
  return name ? `an instance of ${name}` : `type ${typeof value}`;
}

const codes = {
  ERR_INVALID_ARG_TYPE: function ERR_INVALID_ARG_TYPE(name, expected, actual) {
    return argumentType(name, typeList(expected), actual);
  },
  ERR_INVALID_ARG_VALUE: function ERR_INVALID_ARG_VALUE(name, value, reason) {
    return argumentValue(name, value, reason);
  },
  ERR_OUT_OF_RANGE: function ERR_OUT_OF_RANGE(name, range, value) {
    return outOfRange(name, range, value);
  },
  ERR_ILLEGAL_CONSTRUCTOR: code('ERR_ILLEGAL_CONSTRUCTOR', () => 'Illegal constructor', TypeError),
  ERR_INVALID_RETURN_VALUE: code('ERR_INVALID_RETURN_VALUE',
    (input, name, value) => `Expected ${input} to be returned from the "${name}" function but got ${returned(value)}.`, TypeError),
  ERR_MISSING_ARGS: code('ERR_MISSING_ARGS', missingArguments, TypeError),
  ERR_MULTIPLE_CALLBACK: code('ERR_MULTIPLE_CALLBACK', () => 'Callback called multiple times'),
  ERR_METHOD_NOT_IMPLEMENTED: code('ERR_METHOD_NOT_IMPLEMENTED', (name) => `The ${name} method is not implemented`),
  ERR_SOCKET_BAD_PORT: code('ERR_SOCKET_BAD_PORT', (name, port) => `${name} should be >= 0 and < 65536. Received ${port}.`, RangeError),
  ERR_STREAM_ALREADY_FINISHED: code('ERR_STREAM_ALREADY_FINISHED', (name) => `Cannot call ${name} after a stream was finished`),
  ERR_STREAM_CANNOT_PIPE: code('ERR_STREAM_CANNOT_PIPE', () => 'Cannot pipe, not readable'),
  ERR_STREAM_DESTROYED: code('ERR_STREAM_DESTROYED', (name) => `Cannot call ${name} after a stream was destroyed`),
  ERR_STREAM_NULL_VALUES: code('ERR_STREAM_NULL_VALUES', () => 'May not write null values to stream', TypeError),
  ERR_STREAM_PREMATURE_CLOSE: code('ERR_STREAM_PREMATURE_CLOSE', () => 'Premature close'),
  ERR_STREAM_PUSH_AFTER_EOF: code('ERR_STREAM_PUSH_AFTER_EOF', () => 'stream.push() after EOF'),
  ERR_STREAM_UNSHIFT_AFTER_END_EVENT: code('ERR_STREAM_UNSHIFT_AFTER_END_EVENT', () => 'stream.unshift() after end event'),
  ERR_STREAM_WRITE_AFTER_END: code('ERR_STREAM_WRITE_AFTER_END', () => 'write after end'),
  ERR_UNKNOWN_ENCODING: code('ERR_UNKNOWN_ENCODING', (name) => `Unknown encoding: ${name}`, TypeError),
  ERR_UNKNOWN_SIGNAL: code('ERR_UNKNOWN_SIGNAL', (name) => `Unknown signal: ${name}`, TypeError),
};

function aggregateTwoErrors(inner, outer) {
  if (!inner || !outer || inner === outer) return inner || outer;
  if (ArrayIsArray(outer.errors)) {
    ArrayPrototypePush(outer.errors, inner);
    return outer;
  }
  const error = new AggregateError([outer, inner], outer.message);
  error.code = outer.code;
  return error;
}

module.exports = { AbortError, aggregateTwoErrors, codes, hideStackFrames: (fn) => fn };
