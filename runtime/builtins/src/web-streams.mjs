// The stream classes of the Web. What the session adds to them is in `js/lazy/web-streams-parts.js`.
import {
  ByteLengthQueuingStrategy, CountQueuingStrategy, ReadableByteStreamController, ReadableStream, ReadableStreamBYOBReader,
  ReadableStreamBYOBRequest, ReadableStreamDefaultController, ReadableStreamDefaultReader, TransformStream,
  TransformStreamDefaultController, WritableStream, WritableStreamDefaultController, WritableStreamDefaultWriter, slots,
} from 'web-streams-polyfill';

internal.finishWebStreams({
  __proto__: null, ByteLengthQueuingStrategy, CountQueuingStrategy, ReadableByteStreamController, ReadableStream,
  ReadableStreamBYOBReader, ReadableStreamBYOBRequest, ReadableStreamDefaultController, ReadableStreamDefaultReader, TransformStream,
  TransformStreamDefaultController, WritableStream, WritableStreamDefaultController, WritableStreamDefaultWriter,
}, slots);
