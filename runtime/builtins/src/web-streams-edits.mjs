// What is changed in the text of `web-streams-polyfill` when it is bundled. Its state, which it keeps in properties
// with names such as `_reader`, moves to properties named by symbols that no guest sees among the keys of a stream. What it
// would look up on prototypes at run time comes from the primordials.
const calls = [
  ['return a.call(e,t,r)', 'return PromisePrototypeThen(e,t,r)'],
  ['Function.prototype.apply.call(e,t,r)', 'ReflectApply(e,t,r)'],
  ['Object.prototype.hasOwnProperty.call', 'ObjectPrototypeHasOwnProperty'],
  ['a=Promise.prototype.then', 'a=undefined'],
  ['Promise.resolve.bind(n)', 'PromiseResolve'],
  ['Promise.reject.bind(n)', 'PromiseReject'],
  ['Promise.resolve(', 'PromiseResolve('],
  ['Promise.all(', 'PromiseAll('],
  ['ArrayBuffer.isView(', 'ArrayBufferIsView('],
  ['"function"==typeof e.transfer?e=>e.transfer():"function"==typeof structuredClone?e=>structuredClone(e,{transfer:[e]}):e=>e', 'ArrayBufferPrototypeTransfer'],
  ['"boolean"==typeof e.detached?e=>e.detached:e=>0===e.byteLength', 'ArrayBufferPrototypeGetDetached'],
  ['if(e.slice)return e.slice(t,r)', 'return ArrayBufferPrototypeSlice(e,t,r)'],
  ['function le(e){return e.slice()}', 'function le(e){return copyList(e)}'],
  ['new Uint8Array(e).set(new Uint8Array(r,o,n),t)', 'TypedArrayPrototypeSet(new Uint8Array(e),new Uint8Array(r,o,n),t)'],
  ['"function"==typeof queueMicrotask', 'true'],
  ['_elements.push(e)', '_elements[t._elements.length]=e'],
  ['const t=[];for(;t.length<lt(r);)t.push(He(e))', 'const t=[];for(;t.length<lt(r);)t[t.length]=He(e)'],
];

/** What stands for the built-in objects whose functions a guest can replace. */
export const facades = `const Object = {
  __proto__: null, create: ObjectCreate,
  defineProperty: (object, key, descriptor) => ObjectDefineProperty(object, key, { __proto__: null, ...descriptor }),
  defineProperties(object, descriptors) {
    const keys = ReflectOwnKeys(descriptors);
    for (let i = 0; i < keys.length; i++) Object.defineProperty(object, keys[i], descriptors[keys[i]]);
  },
};
const Number = internal.primordials.ObjectAssign((value) => +value, { isFinite: NumberIsFinite, isNaN: NumberIsNaN, MAX_SAFE_INTEGER: 9007199254740991 });
const Math = { __proto__: null, ceil: MathCeil, floor: MathFloor, min: MathMin, trunc: MathTrunc };
const ArrayBuffer = internal.primordials.ArrayBuffer;`;

/** The text with all of the changes. Fails when one of them finds nothing: the package is not what it was. */
export function editWebStreams(text) {
  let edited = text;
  for (const [from, to] of calls) {
    if (!edited.includes(from)) throw new Error(`web-streams-polyfill does not contain ${from}`);
    edited = edited.replaceAll(from, to);
  }
  const slots = new Set();
  const slot = (name) => `[$${slots.add(name) && name}]`;
  edited = edited
    .replace(/\.(_[A-Za-z]\w{2,})/g, (_, name) => slot(name))
    .replace(/"(_[A-Za-z]\w{2,})"/g, (_, name) => slot(name).slice(1, -1))
    .replace(/([{,])(_[A-Za-z]\w{2,}):/g, (_, before, name) => `${before}${slot(name)}:`)
    .replace(/\}(_[A-Za-z]\w{2,})\(/g, (_, name) => `}${slot(name)}(`);
  const left = /(?<![\w$])_[A-Za-z]\w{2,}/.exec(edited);
  if (left !== null) throw new Error(`web-streams-polyfill keeps ${left[0]} in a way that is not known`);
  const names = [...slots];
  const declared = names.map((name) => `const $${name}=Symbol("${name.slice(1)}");`).join('');
  return `${declared}${edited};export const slots={__proto__:null,${names.map((name) => `${name.slice(1)}:$${name}`).join(',')}};`;
}
