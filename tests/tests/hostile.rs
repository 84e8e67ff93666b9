//! Guests that mean harm, one file each in `fixtures/hostile`, whose header says how it must
//! end. Whatever it does: it ends in time, within its memory, and nobody else notices.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what goes wrong in a shared function fails the test, as it should"
)]

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use e2e_tests::{Ending, Hostile, answers, fixtures, limits, session, sidecar};
use isolate_sidecar_client::{
    CallMode, Code, Execute, HostError, Outcome, Reason, RequestError, Responder, Session, Sidecar,
    Until, Value, ValueFormat, script,
};

/// How much later than its limit a guest may end.
const LATE: Duration = Duration::from_millis(1_500);
/// The peak of the process may grow by this multiple of the guest's heap, and by what a
/// session costs besides.
const MOST_OF_CAP: u64 = 3;
const SESSION_MIB: u64 = 8;

/// A test for each file: the name of the file with `_` for `-`, without its suffix.
macro_rules! hostile {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        #[test]
        fn every_file_has_its_test() {
            let tests = BTreeSet::from([$(stringify!($name).to_owned()),*]);
            let files = fs::read_dir(fixtures().join("hostile")).unwrap();
            let files: BTreeSet<String> = files
                .map(|file| file.unwrap().path())
                .map(|path| path.file_stem().unwrap().to_str().unwrap().replace('-', "_"))
                .collect();
            assert_eq!(tests, files);
        }
    };
}

hostile! {
    error_cause_cycle
    error_deep_json
    error_deep_regexp
    error_deep_source
    error_getters
    error_huge
    error_invalid_length
    error_null
    error_proxy
    error_recursion_json
    error_recursion
    error_symbol
    error_undefined
    error_unencodable
    escape_constructor_chain
    escape_host_function
    escape_import_specifiers
    escape_patched_primordials
    escape_prepare_stack
    escape_process
    flood_host_calls
    flood_output
    flood_rejections
    flood_timers
    memory_array_from
    memory_bigint
    memory_brotli
    memory_buffer_to_text
    memory_buffers
    memory_buffers_after_heap
    memory_buffers_garbage
    memory_catch_and_retry
    memory_clone
    memory_closures
    memory_code
    memory_concat
    memory_dictionary
    memory_error_stacks
    memory_finally
    memory_generator
    memory_goes_on
    memory_gunzip
    memory_hashes
    memory_heap_after_buffers
    memory_heap_after_wasm
    memory_in_then
    memory_in_timer
    memory_in_to_json
    memory_intl_collators
    memory_intl_dates
    memory_intl_garbage
    memory_intl_segmenters
    memory_json
    memory_json_objects
    memory_json_stringify
    memory_json_text
    memory_map
    memory_map_numbers
    memory_match
    memory_microtasks
    memory_module
    memory_objects
    memory_prepare_stack
    memory_promises
    memory_queued_output
    memory_regexp
    memory_resizable_buffer
    memory_resizable_clone
    memory_resizable_many
    memory_resizable_subclass
    memory_resizable_transfer
    memory_result
    memory_rope
    memory_shared_buffers
    memory_shared_growable
    memory_shared_growable_many
    memory_sort
    memory_source
    memory_split
    memory_spread
    memory_strings
    memory_symbols
    memory_text_decoder
    memory_text_encoder
    memory_url
    memory_wasm
    memory_wasm_grow
    memory_wasm_instruction
    memory_wasm_reservations
    memory_wasm_resizable
    memory_wasm_shared
    memory_wasm_table
    memory_wasm_table_grow
    memory_wasm_tables
    memory_weak
    time_array_to_string
    time_atomics_wait_async
    time_atomics_wait
    time_await_loop
    time_await_nothing
    time_bigint
    time_brotli
    time_catch_recursion
    time_cause_getter
    time_console_inspect
    time_cpu
    time_date_loop
    time_error_getters
    time_error_to_string
    time_event_emitter
    time_event_target
    time_executor
    time_exit_handler
    time_finally
    time_generator_return
    time_generator
    time_getter_result
    time_hash
    time_host_call_argument
    time_host_calls
    time_immediate
    time_import
    time_import_storm
    time_in_host_call
    time_intl
    time_jobs
    time_json_parse
    time_json_reviver
    time_loop
    time_microtask_flood
    time_module
    time_next_tick
    time_object_prototype
    time_optimised_sum
    time_optimised_typed_array
    time_optimised
    time_output
    time_patched_then
    time_pbkdf2
    time_prepare_stack
    time_proxy_prototype
    time_proxy_result
    time_proxy
    time_regexp
    time_replace
    time_sort
    time_species
    time_symbol_to_primitive
    time_sync_host_call_retry
    time_sync_host_call
    time_then_getter
    time_thenable_chain
    time_thenable
    time_timers
    time_to_json
    time_unhandled_handler
    time_wasm
}

fn check(name: &str) {
    let file = |suffix| {
        let name = format!("{}.{suffix}", name.replace('_', "-"));
        fixtures().join("hostile").join(name)
    };
    let path = [file("js"), file("mjs")]
        .into_iter()
        .find(|path| path.exists());
    let hostile = Hostile::read(&path.unwrap());
    let sidecar = sidecar();
    let pid = sidecar.pid().unwrap();
    let neighbour = session(&sidecar);
    answers(&neighbour);
    let kept = Arc::default();
    let victim = victim(&sidecar, &hostile, &kept);

    let before = resident_kib(pid, "VmRSS:");
    let begun = Instant::now();
    let result = victim.execute(execute(&hostile));
    let took = begun.elapsed();
    hostile.check(&result.map(|finished| finished.outcome));
    let most = Duration::from_millis(hostile.wall_ms) + LATE;
    assert!(took < most, "{name}: ended after {took:?}");

    answers(&neighbour);
    sidecar.ping().unwrap();
    assert_eq!(sidecar.pid(), Some(pid));
    if hostile.heap_mib != 0 {
        let grown = resident_kib(pid, "VmHWM:").saturating_sub(before);
        let most = match hostile.peak_mib {
            0 => MOST_OF_CAP * hostile.heap_mib + SESSION_MIB,
            known => known,
        } * 1024;
        assert!(
            grown < most,
            "{name}: the process grew by {grown} KiB, at most {most}"
        );
    }
    goes_on(&victim, &hostile);
    let kept = std::mem::take(&mut *kept.lock().unwrap());
    kept.into_iter()
        .for_each(|late| late.reply(Ok(Value::Undefined)));
    drop(victim);
    answers(&session(&sidecar));
}

/// A session with functions of the host: some answer, some do not.
fn victim(sidecar: &Sidecar, hostile: &Hostile, kept: &Arc<Mutex<Vec<Responder>>>) -> Session {
    let mut options = limits(hostile.heap_mib, hostile.wall_ms);
    options.limits.cpu_ms = (hostile.cpu_ms != 0).then_some(hostile.cpu_ms);
    let keep = || {
        let kept = Arc::clone(kept);
        move |_, responder| kept.lock().unwrap().push(responder)
    };
    let fail = |_| {
        Err(HostError {
            name: "Error".to_owned(),
            message: "the host refuses".to_owned(),
            code: None,
        })
    };
    sidecar
        .session(options)
        .function("echo", CallMode::Sync, Ok)
        .function("later", CallMode::Async, Ok)
        .function("fail", CallMode::Sync, fail)
        .deferred("never", CallMode::Sync, ValueFormat::Json, keep())
        .deferred("forgotten", CallMode::Async, ValueFormat::Json, keep())
        .open()
        .unwrap()
}

fn execute(hostile: &Hostile) -> Execute {
    let source = hostile.source.clone().into();
    let code = match hostile.is_module {
        true => Code::Module {
            name: format!("/app/{}", hostile.name),
            source,
        },
        false => Code::Script {
            name: hostile.name.clone(),
            source,
        },
    };
    Execute {
        code,
        until: Until::Settled,
        result: ValueFormat::Json,
        input: Value::Undefined,
    }
}

/// The session takes the next request, unless its memory was beyond repair.
fn goes_on(victim: &Session, hostile: &Hostile) {
    match victim.execute(script("next.js", "1")) {
        Ok(finished) => assert_eq!(finished.outcome, Outcome::Ok(Value::Json("1".into()))),
        Err(
            RequestError::SessionLost { reason, .. }
            | RequestError::Refused {
                reason: reason @ Reason::SessionClosed,
                ..
            },
        ) => {
            let memory = Ending::Limit("memory".to_owned());
            assert!(
                hostile.endings.contains(&memory),
                "{}: lost to {reason}",
                hostile.name
            );
        }
        Err(err) => panic!("{}: {err}", hostile.name),
    }
}

fn resident_kib(pid: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(key))
        .unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}
