// `stream` and `stream/promises`.
'use strict';

const stream = require('readable-stream/lib/stream.js');
const promises = require('readable-stream/lib/stream/promises.js');

internal.finishStream(stream);
internal.builtins.stream = () => stream;
internal.builtins['stream/promises'] = () => promises;
// Names that Node has kept for old packages.
internal.builtins._stream_duplex = () => stream.Duplex;
internal.builtins._stream_passthrough = () => stream.PassThrough;
internal.builtins._stream_readable = () => stream.Readable;
internal.builtins._stream_transform = () => stream.Transform;
internal.builtins._stream_writable = () => stream.Writable;
internal.stream = stream;
