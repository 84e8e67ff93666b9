// Digests of whole values, and the authentication codes made of them.
(function (native, internal) {
  'use strict';

  const { Uint8Array } = internal.primordials;

  const blockSizes = { __proto__: null, md5: 64, sha1: 64, sha224: 64, sha256: 64, sha384: 128, sha512: 128, 'sha512-256': 128 };

  function digestOf(kind, ...parts) {
    let state = native.hashStart(kind);
    for (let i = 0; i < parts.length; i++) state = native.hashUpdate(kind, state, parts[i]);
    return native.hashFinish(kind, state);
  }

  // RFC 2104: the key, filled up to a block, goes in front of what is digested, and in front of the digest of that.
  function pads(kind, key) {
    const size = blockSizes[kind];
    const short = key.byteLength > size ? digestOf(kind, key) : key;
    const inner = new Uint8Array(size);
    const outer = new Uint8Array(size);
    for (let i = 0; i < size; i++) {
      const byte = i < short.byteLength ? short[i] : 0;
      inner[i] = byte ^ 0x36;
      outer[i] = byte ^ 0x5c;
    }
    return { inner, outer };
  }

  function hmacOf(kind, key, data) {
    const { inner, outer } = pads(kind, key);
    return digestOf(kind, outer, digestOf(kind, inner, data));
  }

  internal.digests = { __proto__: null, blockSizes, digestOf, hmacOf, pads };
})
