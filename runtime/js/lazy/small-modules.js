// Small built-in modules: `os`, `string_decoder`, `constants`.
(function (native, internal) {
  'use strict';

  const { ArrayBufferIsView, TypeError, TypedArrayPrototypeGetLength } = internal.primordials;
  const { argumentType, nodeError } = internal.errors;
  const { process } = internal;

  // --- os: a session knows nothing of the machine that it runs on ---

  const signals = {
    SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9, SIGUSR1: 10,
    SIGSEGV: 11, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20,
    SIGTTIN: 21, SIGTTOU: 22, SIGURG: 23, SIGXCPU: 24, SIGXFSZ: 25, SIGVTALRM: 26, SIGPROF: 27, SIGWINCH: 28, SIGIO: 29,
    SIGPWR: 30, SIGSYS: 31,
  };
  const errno = {
    E2BIG: 7, EACCES: 13, EADDRINUSE: 98, EADDRNOTAVAIL: 99, EAFNOSUPPORT: 97, EAGAIN: 11, EALREADY: 114, EBADF: 9,
    EBADMSG: 74, EBUSY: 16, ECANCELED: 125, ECHILD: 10, ECONNABORTED: 103, ECONNREFUSED: 111, ECONNRESET: 104,
    EDEADLK: 35, EDESTADDRREQ: 89, EDOM: 33, EDQUOT: 122, EEXIST: 17, EFAULT: 14, EFBIG: 27, EHOSTUNREACH: 113, EIDRM: 43,
    EILSEQ: 84, EINPROGRESS: 115, EINTR: 4, EINVAL: 22, EIO: 5, EISCONN: 106, EISDIR: 21, ELOOP: 40, EMFILE: 24,
    EMLINK: 31, EMSGSIZE: 90, EMULTIHOP: 72, ENAMETOOLONG: 36, ENETDOWN: 100, ENETRESET: 102, ENETUNREACH: 101, ENFILE: 23,
    ENOBUFS: 105, ENODATA: 61, ENODEV: 19, ENOENT: 2, ENOEXEC: 8, ENOLCK: 37, ENOLINK: 67, ENOMEM: 12, ENOMSG: 42,
    ENOPROTOOPT: 92, ENOSPC: 28, ENOSR: 63, ENOSTR: 60, ENOSYS: 38, ENOTCONN: 107, ENOTDIR: 20, ENOTEMPTY: 39,
    ENOTSOCK: 88, ENOTSUP: 95, ENOTTY: 25, ENXIO: 6, EOPNOTSUPP: 95, EOVERFLOW: 75, EPERM: 1, EPIPE: 32, EPROTO: 71,
    EPROTONOSUPPORT: 93, EPROTOTYPE: 91, ERANGE: 34, EROFS: 30, ESPIPE: 29, ESRCH: 3, ESTALE: 116, ETIME: 62,
    ETIMEDOUT: 110, ETXTBSY: 26, EWOULDBLOCK: 11, EXDEV: 18,
  };
  const priority = { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0, PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 };

  internal.builtins.os = () => ({
    EOL: '\n', devNull: '/dev/null', arch: () => 'x64', availableParallelism: () => 1, cpus: () => [],
    endianness: () => 'LE', freemem: () => native.memoryUsage().heapTotal, getPriority: () => 0,
    homedir: () => process.env.HOME ?? '/', hostname: () => 'localhost', loadavg: () => [0, 0, 0], machine: () => 'x86_64',
    networkInterfaces: () => ({}), platform: () => 'linux', release: () => '6.0.0', setPriority() {},
    tmpdir: () => process.env.TMPDIR ?? '/tmp', totalmem: () => native.memoryUsage().heapTotal, type: () => 'Linux',
    uptime: () => native.now() / 1000,
    userInfo: () => ({ uid: 1000, gid: 1000, username: process.env.USER ?? 'guest', homedir: process.env.HOME ?? '/', shell: null }),
    version: () => '#1', constants: { UV_UDP_REUSEADDR: 4, dlopen: {}, errno, signals, priority },
  });

  const moreSignals = { SIGIOT: 6, SIGPOLL: 29, SIGSTKFLT: 16 };
  const loading = { RTLD_LAZY: 1, RTLD_NOW: 2, RTLD_GLOBAL: 256, RTLD_LOCAL: 0, RTLD_DEEPBIND: 8 };
  internal.builtins.constants = () => ({
    ...loading, ...errno, ...priority, ...signals, ...moreSignals, ...internal.builtin('fs').constants, ...internal.builtin('crypto').constants,
  });

  // --- string_decoder: bytes come in pieces, characters come out whole ---

  const inBytes = { __proto__: null, utf8: 'utf-8', utf16le: 'utf-16le' };

  function StringDecoder(encoding) {
    const known = internal.bufferParts.normalEncoding(encoding);
    if (known === undefined) throw nodeError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    internal.define(this, 'encoding', known, true);
    internal.define(this, 'decoder', inBytes[known] && new internal.TextDecoder(inBytes[known], { ignoreBOM: true }), false);
    internal.define(this, 'kept', undefined, false);
  }

  // How many bytes make whole characters: base64 writes three of them as four.
  function wholeBytes(encoding, size) {
    return encoding === 'base64' || encoding === 'base64url' ? size - (size % 3) : size;
  }

  internal.define(StringDecoder.prototype, 'write', function write(chunk) {
    if (typeof chunk === 'string') return chunk;
    if (!ArrayBufferIsView(chunk)) throw argumentType('buf', ['Buffer', 'TypedArray', 'DataView'], chunk);
    if (this.decoder !== undefined) return this.decoder.decode(chunk, { stream: true });
    let bytes = internal.Buffer.from(internal.bytesOf(chunk));
    if (this.kept !== undefined) bytes = internal.Buffer.concat([this.kept, bytes]);
    const whole = wholeBytes(this.encoding, TypedArrayPrototypeGetLength(bytes));
    this.kept = whole === TypedArrayPrototypeGetLength(bytes) ? undefined : bytes.subarray(whole);
    return bytes.toString(this.encoding, 0, whole);
  }, true);
  internal.define(StringDecoder.prototype, 'end', function end(chunk) {
    let text = chunk === undefined ? '' : this.write(chunk);
    if (this.decoder !== undefined) return text + this.decoder.decode();
    if (this.kept !== undefined) text += this.kept.toString(this.encoding);
    this.kept = undefined;
    return text;
  }, true);
  internal.define(StringDecoder.prototype, 'text', function text(chunk, offset) {
    return this.write(chunk.subarray(offset));
  }, true);
  internal.builtins.string_decoder = () => ({ StringDecoder });
})
