// Digests, HMACs and derived keys of `crypto`.
(function (native, internal) {
  'use strict';

  const {
    ArrayBufferIsView, Error, ReflectApply, RegExpPrototypeExec, StringPrototypeSlice, StringPrototypeToLowerCase, TypeError, Uint8Array,
  } = internal.primordials;
  const { argumentType, nodeError, validateFunction, validateInteger, validateString } = internal.errors;
  const { Transform } = internal.stream;
  const { blockSizes, digestOf, hmacOf, pads } = internal.digests;

  const names = ['RSA-MD5', 'RSA-SHA1', 'RSA-SHA224', 'RSA-SHA256', 'RSA-SHA384', 'RSA-SHA512', 'RSA-SHA512/256', 'md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-256'];

  // The name as the runtime has it, or undefined.
  function kindOf(algorithm) {
    const name = StringPrototypeToLowerCase(algorithm);
    const plain = StringPrototypeSlice(name, 0, 4) === 'rsa-' ? StringPrototypeSlice(name, 4) : name;
    const match = RegExpPrototypeExec(/^sha-(1|224|256|384|512)$/, plain);
    if (match !== null) return `sha${match[1]}`;
    const kind = plain === 'sha512/256' ? 'sha512-256' : plain;
    return blockSizes[kind] === undefined ? undefined : kind;
  }

  function knownKind(algorithm) {
    const kind = kindOf(algorithm);
    if (kind === undefined) throw nodeError(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`, knownKind);
    return kind;
  }

  function bytesOf(data, name, encoding = undefined) {
    if (typeof data === 'string') return internal.Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding);
    if (ArrayBufferIsView(data) || native.isKind(data) === 'ArrayBuffer') return internal.bytesOf(data, name);
    const kinds = name === 'key' ? ['string', 'ArrayBuffer', 'Buffer', 'TypedArray', 'DataView', 'KeyObject', 'CryptoKey'] : ['string', 'Buffer', 'TypedArray', 'DataView'];
    throw argumentType(name, kinds, data);
  }

  function result(bytes, encoding) {
    const buffer = internal.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return encoding === undefined || encoding === null || encoding === 'buffer' ? buffer : buffer.toString(encoding);
  }

  // A digest is a stream too: what is written goes into it, and reading gives the result.
  class Hash extends Transform {
    #kind;
    #state;
    #done = false;
    constructor(algorithm, options, from = undefined) {
      super(options);
      this.#kind = from === undefined ? kindOf(algorithm) : from.#kind;
      if (this.#kind === undefined) throw new Error('Digest method not supported');
      this.#state = from === undefined ? native.hashStart(this.#kind) : from.#state;
    }
    #check() {
      if (this.#done) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    }
    copy(options) {
      this.#check();
      return new Hash('', options, this);
    }
    update(data, encoding) {
      this.#check();
      this.#state = native.hashUpdate(this.#kind, this.#state, bytesOf(data, 'data', encoding));
      return this;
    }
    digest(encoding) {
      this.#check();
      this.#done = true;
      return result(native.hashFinish(this.#kind, this.#state), encoding);
    }
    _transform(chunk, encoding, callback) {
      this.update(chunk, encoding);
      callback();
    }
    _flush(callback) {
      this.push(this.digest());
      callback();
    }
  }

  class Hmac extends Transform {
    #kind;
    #state;
    #outer;
    #done = false;
    constructor(algorithm, key, options) {
      super(options);
      validateString(algorithm, 'hmac');
      this.#kind = knownKind(algorithm);
      const { inner, outer } = pads(this.#kind, bytesOf(key, 'key', options?.encoding));
      this.#outer = outer;
      this.#state = native.hashUpdate(this.#kind, native.hashStart(this.#kind), inner);
    }
    update(data, encoding) {
      if (this.#done) throw nodeError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
      this.#state = native.hashUpdate(this.#kind, this.#state, bytesOf(data, 'data', encoding));
      return this;
    }
    // Asked again it is empty, as in Node.
    digest(encoding) {
      if (this.#done) return result(new Uint8Array(0), encoding);
      this.#done = true;
      return result(digestOf(this.#kind, this.#outer, native.hashFinish(this.#kind, this.#state)), encoding);
    }
    _transform(chunk, encoding, callback) {
      this.update(chunk, encoding);
      callback();
    }
    _flush(callback) {
      this.push(this.digest());
      callback();
    }
  }

  // --- Derived keys ---

  function pbkdf2Sync(password, salt, iterations, length, digest) {
    validateString(digest, 'digest');
    const secret = bytesOf(password, 'password');
    const grain = bytesOf(salt, 'salt');
    validateInteger(iterations, 'iterations', 1, 2147483647);
    validateInteger(length, 'keylen', 0, 2147483647);
    return result(native.pbkdf2(knownKind(digest), secret, grain, iterations, length));
  }

  // RFC 5869.
  function hkdfSync(digest, key, salt, info, length) {
    validateString(digest, 'digest');
    const kind = knownKind(digest);
    validateInteger(length, 'length', 0, 2147483647);
    const secret = hmacOf(kind, bytesOf(salt, 'salt'), bytesOf(key, 'ikm'));
    const context = bytesOf(info, 'info');
    const out = new Uint8Array(length);
    let last = new Uint8Array(0);
    for (let at = 0, counter = 1; at < length; counter++) {
      if (counter > 255) throw nodeError(Error, 'ERR_CRYPTO_INVALID_KEYLEN', 'Invalid key length');
      last = hmacOf(kind, secret, internal.Buffer.concat([last, context, new Uint8Array([counter])]));
      for (let i = 0; i < last.byteLength && at < length; i++, at++) out[at] = last[i];
    }
    return out.buffer;
  }

  function later(sync, count) {
    return (...args) => {
      const callback = args[count];
      validateFunction(callback, 'callback');
      args.length = count;
      const value = ReflectApply(sync, undefined, args);
      internal.nextTick(() => callback(null, value));
    };
  }

  function hash(algorithm, data, encoding = 'hex') {
    return new Hash(algorithm).update(data).digest(encoding);
  }

  function callable(Class, name) {
    return internal.denied.named(function (...args) {
      return new Class(...args);
    }, name);
  }

  internal.cryptoHash = {
    __proto__: null, Hash, Hmac, hash, pbkdf2Sync, hkdfSync, pbkdf2: later(pbkdf2Sync, 5), hkdf: later(hkdfSync, 5),
    getHashes: () => internal.primordials.copyList(names), createHmac: callable(Hmac, 'createHmac'),
    createHash(algorithm, options) {
      validateString(algorithm, 'algorithm');
      return new Hash(algorithm, options);
    },
  };
})
