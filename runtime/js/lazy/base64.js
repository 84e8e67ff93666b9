// `atob` and `btoa`.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeJoin, ArrayPrototypePush, RegExpPrototypeExec, StringFromCharCode, StringPrototypeCharCodeAt,
    TypeError, regExpReplace,
  } = internal.primordials;
  const { DOMException, nodeError } = internal.errors;

  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const digits = { __proto__: null };
  for (let i = 0; i < 64; i++) digits[alphabet[i]] = i;

  function btoa(input) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified', btoa);
    const text = `${input}`;
    const parts = [];
    let chunk = '';
    for (let i = 0; i < text.length; i += 3) {
      const rest = text.length - i;
      const a = StringPrototypeCharCodeAt(text, i);
      const b = rest > 1 ? StringPrototypeCharCodeAt(text, i + 1) : 0;
      const c = rest > 2 ? StringPrototypeCharCodeAt(text, i + 2) : 0;
      if (a > 255 || b > 255 || c > 255) throw new DOMException('Invalid character', 'InvalidCharacterError');
      chunk += alphabet[a >> 2] + alphabet[((a & 3) << 4) | (b >> 4)];
      chunk += rest > 1 ? alphabet[((b & 15) << 2) | (c >> 6)] : '=';
      chunk += rest > 2 ? alphabet[c & 63] : '=';
      if (chunk.length > 8192) {
        ArrayPrototypePush(parts, chunk);
        chunk = '';
      }
    }
    return ArrayPrototypeJoin(parts, '') + chunk;
  }

  function atob(input) {
    if (arguments.length === 0) throw nodeError(TypeError, 'ERR_MISSING_ARGS', 'The "input" argument must be specified', atob);
    let text = regExpReplace(/[\t\n\f\r ]+/g, `${input}`, () => '');
    if (text.length % 4 === 0) text = regExpReplace(/={1,2}$/g, text, () => '');
    if (text.length % 4 === 1 || RegExpPrototypeExec(/[^A-Za-z0-9+/]/, text) !== null) {
      throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
    }
    const parts = [];
    let chunk = '';
    let bits = 0;
    let count = 0;
    for (let i = 0; i < text.length; i++) {
      bits = ((bits << 6) | digits[text[i]]) & 0xffffff;
      count += 6;
      if (count >= 8) {
        count -= 8;
        chunk += StringFromCharCode((bits >> count) & 0xff);
      }
      if (chunk.length > 8192) {
        ArrayPrototypePush(parts, chunk);
        chunk = '';
      }
    }
    return ArrayPrototypeJoin(parts, '') + chunk;
  }

  internal.globals.atob = atob;
  internal.globals.btoa = btoa;
  internal.atob = atob;
  internal.btoa = btoa;
})
