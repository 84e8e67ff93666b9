//! Threads that share one sidecar: one reads for all, and none is forgotten.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use isolate_sidecar_client::{CallMode, Outcome, SessionOptions, script};
use protocol::frame::{HostCall, HostFrame};

use crate::script::{finished, json, opened, start};

#[test]
fn many_threads_get_their_own_answers() {
    let (sidecar, fake) = start(|fake| {
        // Holds each outcome back until the next request comes, so that threads wait for
        // each other's reading.
        let mut held: Option<(u32, u64)> = None;
        while let Some(envelope) = fake.next() {
            let to = (envelope.session.get(), envelope.request.get());
            match envelope.frame {
                HostFrame::OpenSession(_) => fake.send(to, opened()),
                HostFrame::Execute(_) => {
                    if let Some(before) = held.replace(to) {
                        fake.send(before, finished(Outcome::Ok(json("1"))));
                    }
                }
                HostFrame::Ping(ping) => {
                    let payload = ping.payload;
                    fake.send(to, protocol::frame::Pong { payload });
                    if let Some(before) = held.take() {
                        fake.send(before, finished(Outcome::Ok(json("1"))));
                    }
                }
                _ => {}
            }
        }
    });
    let n_done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let session = sidecar.session(SessionOptions::default()).open().unwrap();
                for _ in 0..50 {
                    let finished = session.execute(script("a.js", "1")).unwrap();
                    assert_eq!(finished.outcome, Outcome::Ok(json("1")));
                }
                n_done.fetch_add(1, Ordering::SeqCst);
            });
        }
        // The last one held back is set free by this.
        while n_done.load(Ordering::SeqCst) < 8 {
            sidecar.ping().unwrap();
            std::thread::park_timeout(Duration::from_millis(1));
        }
    });
    drop(sidecar);
    fake.join().unwrap();
}

#[test]
fn while_a_host_function_runs_others_read_on() {
    let (sidecar, fake) = start(|fake| {
        for session in [1, 2] {
            let open = fake.expect();
            fake.send((session, open.request.get()), opened());
        }
        let mut requests = [fake.expect(), fake.expect()];
        requests.sort_by_key(|envelope| envelope.session);
        let method = "waits".to_owned();
        let (mode, args) = (CallMode::Sync, json("[]"));
        fake.send((1, 1), HostCall { method, mode, args });
        // The function waits for the end of session 2, which another thread must read.
        fake.send((2, requests[1].request.get()), finished(Outcome::Cancelled));
        let reply = fake.expect();
        assert!(matches!(reply.frame, HostFrame::HostReply(_)));
        fake.send((1, requests[0].request.get()), finished(Outcome::Cancelled));
        while fake.next().is_some() {}
    });
    let (tell, told) = std::sync::mpsc::sync_channel(1);
    let told = Mutex::new(told);
    let first = sidecar
        .session(SessionOptions::default())
        .function("waits", CallMode::Sync, move |args| {
            let told = told.lock().unwrap();
            told.recv_timeout(Duration::from_secs(5)).unwrap();
            Ok(args)
        })
        .open()
        .unwrap();
    let second = sidecar.session(SessionOptions::default()).open().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| first.execute(script("a.js", "")).unwrap());
        scope.spawn(|| {
            // Also when this thread reads the host call: it is run by the one that waits for
            // its session.
            second.execute(script("b.js", "")).unwrap();
            tell.send(()).unwrap();
        });
    });
    drop((first, second, sidecar));
    fake.join().unwrap();
}

#[test]
fn a_handler_that_panics_costs_its_own_thread_only() {
    let (sidecar, fake) = start(|fake| {
        fake.serve(|fake, to| {
            let output = protocol::frame::Output {
                stream: protocol::frame::Stream::Stdout,
                level: protocol::frame::Level::Log,
                text: "boom".into(),
            };
            fake.send(to, output);
            Outcome::Ok(json("1"))
        });
    });
    let touchy = sidecar
        .session(SessionOptions::default())
        .on_output(|_, _| panic!("on purpose"))
        .open()
        .unwrap();
    let calm = sidecar.session(SessionOptions::default()).open().unwrap();
    let thread = std::thread::scope(|scope| {
        let thread = scope.spawn(|| touchy.execute(script("a.js", "")));
        thread.join().is_err()
    });
    assert!(thread);
    let finished = calm.execute(script("b.js", "")).unwrap();
    assert_eq!(finished.outcome, Outcome::Ok(json("1")));
    drop((touchy, calm, sidecar));
    fake.join().unwrap();
}
