// The `diagnostics_channel` module.
(function (native, internal) {
  'use strict';

  const {
    ArrayPrototypeIndexOf, ArrayPrototypePush, Map, MapPrototypeDelete, MapPrototypeForEach, MapPrototypeGet,
    MapPrototypeGetSize, MapPrototypeSet, PromisePrototypeThen, PromiseReject, ReflectApply, copyList, removeAt,
  } = internal.primordials;
  const { argumentType, validateFunction } = internal.errors;
  const channels = new Map();

  // A subscriber that throws must not take the publisher along; its exception surfaces as an uncaught one.
  function report(error) {
    internal.nextTick(() => {
      throw error;
    });
  }

  class Channel {
    #subscribers = [];
    #stores = new Map();
    constructor(name) {
      this.name = name;
    }
    get hasSubscribers() {
      return this.#subscribers.length > 0 || MapPrototypeGetSize(this.#stores) > 0;
    }
    subscribe(subscriber) {
      validateFunction(subscriber, 'subscription');
      this.#subscribers = copyList(this.#subscribers);
      ArrayPrototypePush(this.#subscribers, subscriber);
    }
    unsubscribe(subscriber) {
      const index = ArrayPrototypeIndexOf(this.#subscribers, subscriber);
      if (index === -1) return false;
      this.#subscribers = copyList(this.#subscribers);
      removeAt(this.#subscribers, index);
      return true;
    }
    bindStore(store, transform = undefined) {
      MapPrototypeSet(this.#stores, store, transform);
    }
    unbindStore(store) {
      return MapPrototypeDelete(this.#stores, store);
    }
    publish(data) {
      const subscribers = this.#subscribers;
      for (let i = 0; i < subscribers.length; i++) {
        try {
          const subscriber = subscribers[i];
          subscriber(data, this.name);
        } catch (error) {
          report(error);
        }
      }
    }
    runStores(data, fn, receiver, ...args) {
      let run = () => {
        this.publish(data);
        return ReflectApply(fn, receiver, args);
      };
      MapPrototypeForEach(this.#stores, (transform, store) => {
        const inner = run;
        run = () => store.run(transform === undefined ? data : transform(data), inner);
      });
      return run();
    }
  }

  function channel(name) {
    const known = MapPrototypeGet(channels, name);
    if (known !== undefined) return known;
    if (typeof name !== 'string' && typeof name !== 'symbol') throw argumentType('channel', ['string', 'symbol'], name);
    const made = new Channel(name);
    MapPrototypeSet(channels, name, made);
    return made;
  }

  const events = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'];

  class TracingChannel {
    constructor(names) {
      for (let i = 0; i < events.length; i++) {
        const given = typeof names === 'string' ? channel(`tracing:${names}:${events[i]}`) : names[events[i]];
        if (!(given instanceof Channel)) throw argumentType(`nameOrChannels.${events[i]}`, 'Channel', given);
        internal.define(this, events[i], given, true);
      }
    }
    get hasSubscribers() {
      for (let i = 0; i < events.length; i++) {
        if (this[events[i]].hasSubscribers) return true;
      }
      return false;
    }
    subscribe(handlers) {
      for (let i = 0; i < events.length; i++) {
        if (handlers[events[i]]) this[events[i]].subscribe(handlers[events[i]]);
      }
    }
    unsubscribe(handlers) {
      let done = true;
      for (let i = 0; i < events.length; i++) {
        if (handlers[events[i]] && !this[events[i]].unsubscribe(handlers[events[i]])) done = false;
      }
      return done;
    }
    traceSync(fn, context = {}, receiver = undefined, ...args) {
      return this.start.runStores(context, () => {
        try {
          context.result = ReflectApply(fn, receiver, args);
          return context.result;
        } catch (error) {
          context.error = error;
          this.error.publish(context);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    tracePromise(fn, context = {}, receiver = undefined, ...args) {
      const settle = (key, value) => {
        context[key] = value;
        if (key === 'error') this.error.publish(context);
        this.asyncStart.publish(context);
        this.asyncEnd.publish(context);
      };
      return this.start.runStores(context, () => {
        try {
          return PromisePrototypeThen(ReflectApply(fn, receiver, args), (value) => {
            settle('result', value);
            return value;
          }, (error) => {
            settle('error', error);
            return PromiseReject(error);
          });
        } catch (error) {
          context.error = error;
          this.error.publish(context);
          throw error;
        } finally {
          this.end.publish(context);
        }
      });
    }
    traceCallback(fn, position = -1, context = {}, receiver = undefined, ...args) {
      const index = position < 0 ? args.length + position : position;
      const callback = args[index];
      validateFunction(callback, 'callback');
      const { asyncStart, asyncEnd, error: failed } = this;
      args[index] = function (error, value) {
        if (error) {
          context.error = error;
          failed.publish(context);
        } else context.result = value;
        const given = arguments;
        asyncStart.runStores(context, () => {
          try {
            return ReflectApply(callback, this, given);
          } finally {
            asyncEnd.publish(context);
          }
        });
      };
      return this.traceSync(() => ReflectApply(fn, receiver, args), context);
    }
  }

  internal.builtins.diagnostics_channel = () => ({
    channel, hasSubscribers: (name) => MapPrototypeGet(channels, name)?.hasSubscribers ?? false,
    subscribe: (name, subscriber) => channel(name).subscribe(subscriber),
    unsubscribe: (name, subscriber) => channel(name).unsubscribe(subscriber),
    tracingChannel: (names) => new TracingChannel(names), Channel,
  });
})
