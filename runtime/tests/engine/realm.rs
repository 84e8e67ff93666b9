//! The realm of a guest: what it has, and that making it on first use cannot be told from
//! having made it before, whatever the guest has done to the built-in objects.

use std::time::Duration;

use crate::support::{Session, json, spec};
use protocol::Outcome;
use protocol::frame::{Code, Until};

fn open() -> Session {
    Session::open(spec(1))
}

#[track_caller]
fn check(session: &mut Session, source: &str) {
    let outcome = session.script(source);
    let Outcome::Ok(_) = &outcome else {
        panic!("{source}: {outcome:?}");
    };
    assert_eq!(json(&outcome), "true", "{source}");
}

/// Each uses one thing of the realm and gives `true`; they call nothing that `PATCH` changes.
const USES: &[&str] = &[
    "new DOMException('m', 'AbortError').code === 20",
    "console.log('plain', 1, true); true",
    "console.log({ a: [1, new Map([[1, 2]])] }, new Error('e')); true",
    "console.log('%s %d %j', 'a', 1, {}); console.table([{ a: 1 }]); console.count(); true",
    "console.time(); console.timeEnd(); console.trace('t'); console.dir({}); true",
    "new Event('x').type === 'x' && new CustomEvent('y', { detail: 1 }).detail === 1",
    "let seen; const target = new EventTarget(); target.addEventListener('x', () => { seen = true }); target.dispatchEvent(new Event('x')); seen",
    "const timer = setTimeout(() => {}, 1); clearTimeout(timer); typeof timer === 'object'",
    "clearInterval(setInterval(() => {}, 1)); clearImmediate(setImmediate(() => {})); true",
    "queueMicrotask(() => {}); true",
    "new TextDecoder('latin1').decode(new TextEncoder().encode('abc')) === 'abc'",
    "atob(btoa('abc')) === 'abc'",
    "const controller = new AbortController(); controller.abort(); controller.signal.aborted && AbortSignal.abort() instanceof AbortSignal",
    "process.env.WHO === 'session 1' && process.argv[0] === 'node' && process.pid === 1",
    "process.nextTick(() => {}); process.on('x', () => {}); process.emit('x')",
    "process.stdout.write('') && process.stderr.fd === 2 && process.stdin.fd === 0",
    "process.emitWarning('w'); process.cwd() === '/app'",
    "Buffer.from('aGk=', 'base64').toString() === 'hi' && Buffer.alloc(4).readInt32LE(0) === 0",
    "Buffer.concat([Buffer.from('a'), Buffer.from('b')]).toString('hex') === '6162'",
    "performance.now() > 0 && performance.mark('m').name === 'm' && performance instanceof Performance",
    "structuredClone({ a: 1 }).a === 1",
    "crypto.randomUUID().length === 36 && crypto instanceof Crypto",
    "new URL('http://u@a.b:81/c?d=e#f').host === 'a.b:81' && new URLSearchParams('a=1').get('a') === '1'",
    "new Blob(['a', new ArrayBuffer(2)]).size === 3 && new File([], 'n').name === 'n' && structuredClone(new Blob(['a'])).size === 1",
    "URL.createObjectURL(new Blob([])).length > 36",
    "const { port1, port2 } = new MessageChannel(); port2.onmessage = () => {}; port1.postMessage({ a: 1 }); port1.close(); true",
    "const channel = new BroadcastChannel('c'); channel.close(); channel.name === 'c' && new MessageEvent('m', { data: 1 }).data === 1",
    "typeof crypto.subtle.digest('SHA-256', new ArrayBuffer(1)) === 'object'",
    "let denied; try { new WebSocket('ws://a') } catch (error) { denied = error.code } denied === 'ERR_ACCESS_DENIED' && WebSocket.OPEN === 1",
    "typeof host === 'object'",
    "const assert = process.getBuiltinModule('assert'); let caught; try { assert.deepStrictEqual({ a: 1 }, { a: 2 }) } catch (error) { caught = error } caught.code === 'ERR_ASSERTION'",
    "process.getBuiltinModule('path').resolve('..', 'a') === '/a'",
    "new (process.getBuiltinModule('events'))().on('a', () => {}).emit('a')",
    "process.getBuiltinModule('util').inspect({ a: 1 }) === '{ a: 1 }'",
    "process.getBuiltinModule('util').format('%s', 1) === '1'",
    "process.getBuiltinModule('util').isDeepStrictEqual({ a: 1 }, { a: 1 })",
    "process.getBuiltinModule('util').parseArgs({ args: ['-a'], options: { a: { type: 'boolean' } } }).values.a",
    "process.getBuiltinModule('util/types').isDate(new Date())",
    "process.getBuiltinModule('url').fileURLToPath('file:///a') === '/a'",
    "process.getBuiltinModule('url').parse('http://a/b?c=d').pathname === '/b'",
    "process.getBuiltinModule('querystring').parse('a=1').a === '1'",
    "process.getBuiltinModule('os').platform() === 'linux'",
    "new (process.getBuiltinModule('string_decoder').StringDecoder)('utf8').write(Buffer.from('a')) === 'a'",
    "process.getBuiltinModule('diagnostics_channel').channel('a').hasSubscribers === false",
    "process.getBuiltinModule('module').isBuiltin('fs')",
    "process.getBuiltinModule('timers/promises').setTimeout(1); true",
    "process.getBuiltinModule('perf_hooks').performance === performance",
    "process.getBuiltinModule('crypto').randomBytes(4).length === 4",
    "process.getBuiltinModule('tty').isatty(1) === false",
    "process.getBuiltinModule('constants').EPERM === 1",
    "process.getBuiltinModule('console') === console",
    "process.getBuiltinModule('fs').constants.O_CREAT === 64 && process.getBuiltinModule('fs').existsSync('/x') === false",
    "(() => { try { process.getBuiltinModule('fs').readFileSync('/x') } catch (error) { return error.code === 'ERR_ACCESS_DENIED' } })()",
    "(() => { try { process.getBuiltinModule('vm').runInNewContext('1') } catch (error) { return error.code === 'ERR_METHOD_NOT_IMPLEMENTED' } })()",
    "process.getBuiltinModule('child_process').spawn.name === 'spawn' && process.getBuiltinModule('worker_threads').isMainThread",
    "process.getBuiltinModule('dns').ADDRCONFIG === 32 && process.getBuiltinModule('v8').getHeapStatistics().used_heap_size > 0",
    "new (process.getBuiltinModule('async_hooks').AsyncLocalStorage)().run(4, () => 4) === 4",
];

/// The same of what comes from packages, which do look up functions at run time.
const PACKAGED_USES: &[&str] = &[
    "new ReadableStream({ start(c) { c.enqueue(1); c.close() } }).locked === false",
    "new WritableStream().getWriter().desiredSize === 1 && new TransformStream().readable.locked === false",
    "new TextDecoderStream().encoding === 'utf-8' && new TextEncoderStream().readable instanceof ReadableStream",
    "new Headers({ a: 'b' }).get('A') === 'b' && new Request('http://a/').headers instanceof Headers",
    "new FormData().has('a') === false && new Response('a').status === 200",
    "process.getBuiltinModule('stream').Readable.name === 'Readable' && typeof process.getBuiltinModule('stream/consumers').text === 'function'",
    "process.getBuiltinModule('zlib').gunzipSync(process.getBuiltinModule('zlib').gzipSync('abc')).length === 3",
    "process.getBuiltinModule('crypto').createHash('md5').update('').digest('hex').length === 32",
    "process.getBuiltinModule('net').isIP('::1') === 6 && process.getBuiltinModule('http').METHODS.length > 30",
    "process.getBuiltinModule('http2').constants.HTTP2_HEADER_PATH === ':path' && typeof process.getBuiltinModule('readline').createInterface === 'function'",
    "process.getBuiltinModule('punycode').toASCII('\\u00fc.de') === 'xn--tda.de'",
    "process.getBuiltinModule('punycode').toASCII('a') === 'a' && process.getBuiltinModule('tls').DEFAULT_MIN_VERSION === 'TLSv1.2'",
    "const denied = fetch('http://a'); denied.catch(() => {}); denied.constructor === Promise",
];

/// Puts traps wherever a file of the realm could fall into them.
const PATCH: &str = "{
    const trap = () => { throw new Error('a trap of the guest') };
    const { defineProperty, ownKeys, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
    const keep = new Set(['constructor', 'prototype', 'length', 'name']);
    const all = [];
    for (const object of [
        Array.prototype, String.prototype, Map, Map.prototype, Set.prototype, Promise, Promise.prototype,
        RegExp.prototype, Number, Number.prototype, Date, Date.prototype, DataView.prototype, getPrototypeOf(Uint8Array).prototype,
        ArrayBuffer.prototype, Symbol.prototype, BigInt.prototype, Error.prototype, Function.prototype, Object, JSON, Math, Reflect, Symbol,
        getPrototypeOf([][Symbol.iterator]()), getPrototypeOf(new Map().entries()), getPrototypeOf(new Set().values()),
    ]) for (const key of ownKeys(object)) if (!keep.has(key)) all.push([object, key]);
    const traps = { __proto__: null, value: trap, get: undefined };
    const names = ['get', 'set', 'value', 'log', '_events', 'version', 'parse', 'isTTY', 'posix', 'custom', 'strict', 'URL',
        'type', 'capture', 'encode', 'ok', 'read', 'inspect', 'AbortError', 'functions', 'id', 'table'];
    for (let i = 0; i < all.length; i++) {
        const found = getOwnPropertyDescriptor(all[i][0], all[i][1]);
        if (!found.configurable) continue;
        if (typeof found.value === 'function') defineProperty(all[i][0], all[i][1], { __proto__: null, value: trap, writable: true, configurable: true });
        else if (found.get !== undefined) defineProperty(all[i][0], all[i][1], { __proto__: null, get: trap, configurable: true });
    }
    for (let i = 0; i < names.length; i++) {
        const name = names[i];
        defineProperty(Object.prototype, name, { __proto__: null, get: () => undefined, set: trap, configurable: true });
    }
    for (let i = 0, given = ['Map', 'Set', 'Promise', 'Symbol', 'Error', 'TypeError', 'JSON', 'Math', 'Reflect', 'Proxy', 'Uint8Array', 'String', 'Number']; i < given.length; i++) {
        defineProperty(globalThis, given[i], { __proto__: null, value: trap, writable: true, configurable: true });
    }
} true";

#[test]
fn everything_works_in_a_fresh_session() {
    for source in USES.iter().chain(PACKAGED_USES) {
        check(&mut open(), source);
    }
}

#[test]
fn everything_works_together() {
    let mut session = open();
    let all = || USES.iter().chain(PACKAGED_USES);
    for source in all().chain(all().rev()) {
        check(&mut session, &format!("{{ {source} }}"));
    }
}

#[test]
fn a_guest_that_patched_the_builtins_gets_working_things() {
    for source in USES {
        // Maps and errors of its own a guest makes with what it left of them.
        if source.contains("new Map") || source.contains("new Date") {
            continue;
        }
        let mut session = open();
        check(&mut session, PATCH);
        check(&mut session, source);
    }
}

#[test]
fn a_load_that_is_cut_is_done_again() {
    for (round, source) in USES
        .iter()
        .chain(PACKAGED_USES)
        .cycle()
        .take(USES.len() * 3)
        .enumerate()
    {
        let mut session = open();
        let code = Code::Script {
            name: "cut.js".into(),
            source: format!("{{ {source} }}").into(),
        };
        let request = session.send(code, Until::Settled);
        std::thread::sleep(Duration::from_micros(
            u64::try_from(round % 23).unwrap() * 60,
        ));
        session.handle.cancel(request);
        let _ = session.finish(request, |_, _| None);
        check(&mut session, source);
    }
}

#[test]
fn a_stack_overflow_in_a_load_does_no_harm() {
    let mut session = open();
    check(
        &mut session,
        "function deep() { try { deep() } catch { try { new URL('http://a'); Buffer.from('a'); console.log({}) } catch {} } } deep(); true",
    );
    check(
        &mut session,
        "new URL('http://a').host === 'a' && Buffer.from('a').toString() === 'a'",
    );
    check(
        &mut session,
        "process.getBuiltinModule('util').inspect([1]) === '[ 1 ]'",
    );
}

#[test]
fn a_lazy_global_is_like_any_other() {
    check(
        &mut open(),
        "typeof URL === 'function' && typeof process === 'object' && 'Buffer' in globalThis",
    );
    check(
        &mut open(),
        "globalThis.URL = 5; URL === 5 && new (process.getBuiltinModule('url').URL)('http://a').host === 'a' && URL === 5",
    );
    check(
        &mut open(),
        "var console = 7; console === 7 && Object.getOwnPropertyDescriptor(globalThis, 'console').value === 7",
    );
    check(
        &mut open(),
        "function Buffer() {} class Event {} Buffer.from === undefined && new Event().type === undefined",
    );
    check(
        &mut open(),
        "delete globalThis.URL && typeof URL === 'undefined' && process.getBuiltinModule('url').URL.canParse('a:b')",
    );
    check(
        &mut open(),
        "const keys = Object.keys(globalThis); keys.includes('setTimeout') && keys.includes('crypto') && !keys.includes('URL') && !keys.includes('process')",
    );
    check(
        &mut open(),
        "URL; setTimeout; const of = (name) => JSON.stringify({ ...Object.getOwnPropertyDescriptor(globalThis, name), value: 0 });
         of('URL') === '{\"value\":0,\"writable\":true,\"enumerable\":false,\"configurable\":true}' &&
         of('setTimeout') === '{\"value\":0,\"writable\":true,\"enumerable\":true,\"configurable\":true}'",
    );
    check(
        &mut open(),
        "globalThis.atob = 1; const { enumerable, writable } = Object.getOwnPropertyDescriptor(globalThis, 'atob'); enumerable && writable",
    );
    check(
        &mut open(),
        "const child = Object.create(globalThis); child.URL = 1; child.URL === 1 && typeof URL === 'function' && Object.keys(child)[0] === 'URL'",
    );
    check(
        &mut open(),
        "Object.freeze(globalThis); typeof URL === 'function' && new URL('http://a').host === 'a' && URL === URL",
    );
    check(
        &mut open(),
        "const { value } = Object.getOwnPropertyDescriptor(globalThis, 'URL'); const before = value === URL; globalThis.URL = 1; before && URL === 1",
    );
    check(
        &mut open(),
        "process.stdout = 3; process.stdout === 3 && Object.keys(process).includes('stderr')",
    );
}

#[test]
fn instances_of_one_class_meet() {
    check(
        &mut open(),
        "process.getBuiltinModule('buffer').Buffer === Buffer && process.getBuiltinModule('util').TextEncoder === TextEncoder &&
         new AbortController().signal instanceof EventTarget && performance instanceof EventTarget &&
         process instanceof process.getBuiltinModule('events') && process.getBuiltinModule('process') === process",
    );
}

#[test]
fn every_module_name_is_there_before_any_is_made() {
    let mut session = open();
    check(
        &mut session,
        "const { builtinModules, isBuiltin } = process.getBuiltinModule('module');
         ['url', 'util/types', 'assert/strict', 'fs', 'zlib'].every((name) => builtinModules.includes(name) && isBuiltin(name))",
    );
    check(
        &mut session,
        "builtinModules.every((name) => { if (name[0] === '_') return true; try { return Object.keys(process.getBuiltinModule(name) ?? { refused: 1 }).length > 0 } catch { return false } })",
    );
}

#[test]
fn named_imports_of_modules_that_nobody_has_used() {
    let mut session = open();
    let code = Code::Module {
        name: "main.mjs".into(),
        source: "import { inspect, types } from 'node:util'; import path, { join } from 'path'; import { setTimeout as wait } from 'node:timers/promises';
                 await wait(1); export default [inspect('a'), types.isMap(new Map()), join('a', 'b'), path.sep, import.meta.main].join()"
            .to_owned()
            .into(),
    };
    let request = session.send(code, Until::Settled);
    let (outcome, _) = session.finish(request, |_, _| None);
    assert_eq!(json(&outcome), "\"'a',true,a/b,/,true\"");
}

#[test]
fn console_formats() {
    let mut session = open();
    session.script(
        "console.log(); console.log('plain'); console.log('a', 1, -0, true, null, undefined);
         console.log('100%', 'x'); console.log('%s is %d', 'a', 1.5, 'rest'); console.log('%'); console.log(1, '%s', 'b');
         console.log({ a: [1, 'b'] }, 'c'); console.error(10n, Symbol('s')); console.group('g'); console.log('in\\nner');
         console.groupEnd(); console.warn('out'); console.assert(false, 'why'); console.assert(false); console.count(); console.count();",
    );
    assert_eq!(
        session.output,
        "\nplain\na 1 -0 true null undefined\n100% x\na is 1.5 rest\n%\n1 %s b\n{ a: [ 1, 'b' ] } c\n10n Symbol(s)\ng\n  in\n  ner\nout\nAssertion failed: why\nAssertion failed\ndefault: 1\ndefault: 2\n",
    );
}
