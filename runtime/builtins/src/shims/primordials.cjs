'use strict';

const p = internal.primordials;

// The names that the package asks for. What `internal.primordials` lacks is made of what it has.
module.exports = {
  AggregateError: p.AggregateError,
  ArrayIsArray: p.ArrayIsArray,
  ArrayPrototypeIncludes: p.ArrayPrototypeIncludes,
  ArrayPrototypeIndexOf: p.ArrayPrototypeIndexOf,
  ArrayPrototypeJoin: p.ArrayPrototypeJoin,
  ArrayPrototypeMap(list, map) {
    const mapped = [];
    for (let i = 0; i < list.length; i++) p.ArrayPrototypePush(mapped, map(list[i], i));
    return mapped;
  },
  ArrayPrototypePop: p.ArrayPrototypePop,
  ArrayPrototypePush: p.ArrayPrototypePush,
  ArrayPrototypeSlice: p.copyList,
  Error: p.Error,
  FunctionPrototypeCall: p.FunctionPrototypeCall,
  FunctionPrototypeSymbolHasInstance: p.FunctionPrototypeSymbolHasInstance,
  MathFloor: p.MathFloor,
  Number: p.Number,
  NumberIsInteger: p.NumberIsInteger,
  NumberIsNaN: p.NumberIsNaN,
  NumberMAX_SAFE_INTEGER: 9007199254740991,
  NumberMIN_SAFE_INTEGER: -9007199254740991,
  NumberParseInt: p.NumberParseInt,
  ObjectDefineProperties: p.ObjectDefineProperties,
  ObjectDefineProperty: p.ObjectDefineProperty,
  ObjectGetOwnPropertyDescriptor: p.ObjectGetOwnPropertyDescriptor,
  ObjectKeys: p.ObjectKeys,
  ObjectSetPrototypeOf: p.ObjectSetPrototypeOf,
  Promise: p.Promise,
  PromisePrototypeCatch: p.PromisePrototypeCatch,
  PromisePrototypeThen: p.PromisePrototypeThen,
  PromiseReject: p.PromiseReject,
  PromiseResolve: p.PromiseResolve,
  ReflectApply: p.ReflectApply,
  RegExpPrototypeTest: (expression, text) => p.RegExpPrototypeExec(expression, text) !== null,
  SafeSet: p.Set,
  String: p.String,
  StringPrototypeSlice: p.StringPrototypeSlice,
  StringPrototypeToLowerCase: p.StringPrototypeToLowerCase,
  StringPrototypeToUpperCase: p.StringPrototypeToUpperCase,
  StringPrototypeTrim: p.StringPrototypeTrim,
  Symbol: p.Symbol,
  SymbolFor: p.SymbolFor,
  SymbolAsyncIterator: p.SymbolAsyncIterator,
  SymbolHasInstance: p.SymbolHasInstance,
  SymbolIterator: p.SymbolIterator,
  SymbolDispose: p.Symbol.dispose ?? p.SymbolFor('nodejs.dispose'),
  SymbolAsyncDispose: p.Symbol.asyncDispose ?? p.SymbolFor('nodejs.asyncDispose'),
  TypedArrayPrototypeSet: p.TypedArrayPrototypeSet,
  Boolean: p.Boolean,
  Uint8Array: p.Uint8Array,
};
