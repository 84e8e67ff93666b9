// Helpers of the other files that stand beside the primordials: `internal.primordials.copyList` is one of these.
(function (native, internal) {
  'use strict';

  const {
    ArrayIsArray, ArrayPrototypePush, DataView, DataViewPrototypeGetByteLength, RegExpPrototypeExec, StringPrototypeSlice,
  } = internal.primordials;

  // Replaces each match of a global expression. Matching and replacing both stay out of reach of the guest.
  function regExpReplace(expression, text, replace) {
    let result = '';
    let last = 0;
    expression.lastIndex = 0;
    for (let match = RegExpPrototypeExec(expression, text); match !== null; match = RegExpPrototypeExec(expression, text)) {
      result += StringPrototypeSlice(text, last, match.index) + replace(match);
      last = match.index + match[0].length;
      if (match[0] === '') expression.lastIndex++;
    }
    return last === 0 && result === '' ? text : result + StringPrototypeSlice(text, last);
  }

  // `slice`, `splice` and `filter` ask the constructor of a list what to make; these three do not.
  function copyList(list, start = 0, end = list.length) {
    const copy = [];
    for (let i = start; i < end; i++) ArrayPrototypePush(copy, list[i]);
    return copy;
  }
  function removeAt(list, index) {
    for (let i = index + 1; i < list.length; i++) list[i - 1] = list[i];
    list.length--;
  }
  function filterList(list, keep) {
    const kept = [];
    for (let i = 0; i < list.length; i++) if (keep(list[i], i)) ArrayPrototypePush(kept, list[i]);
    return kept;
  }

  function pushAll(list, items) {
    for (let i = 0; i < items.length; i++) ArrayPrototypePush(list, items[i]);
  }

  // What an iterable gives; an array is walked by index.
  function listOf(iterable) {
    if (ArrayIsArray(iterable)) return copyList(iterable);
    const list = [];
    for (const item of iterable) ArrayPrototypePush(list, item);
    return list;
  }

  internal.helpers = {
    __proto__: null, regExpReplace, copyList, listOf, removeAt, filterList, pushAll,
    // V8 adds SharedArrayBuffer to a realm only after its snapshot was restored.
    SharedArrayBufferPrototypeGetByteLength: (buffer) => DataViewPrototypeGetByteLength(new DataView(buffer)),
  };
})
