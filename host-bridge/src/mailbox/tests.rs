//! The mailbox, driven from one and from two threads.

use super::*;
use crate::CallTable;
use protocol::frame::{Call, CallTarget, Reply, Until};
use protocol::{RequestId, Value, ValueFormat};

type Box_ = Mailbox<u32>;

fn close(id: u64) -> SessionCommand {
    SessionCommand::Close {
        request: RequestId::new(id),
    }
}

fn call(id: u64) -> SessionCommand {
    SessionCommand::Call {
        request: RequestId::new(id),
        call: Call {
            target: CallTarget::Global { name: "f".into() },
            args: Value::Undefined,
            until: Until::Settled,
            result: ValueFormat::Json,
        },
    }
}

#[test]
fn the_command_bound_holds_just_below_at_and_above() {
    let mailbox = Box_::default();
    for id in 0..MAX_COMMANDS {
        mailbox.send(call(id as u64)).unwrap();
    }
    assert_eq!(mailbox.send(call(99)), Err(SendError::QueueFull));
    mailbox.send(close(100)).unwrap();
    assert_eq!(mailbox.send(call(101)), Err(SendError::Gone));
    assert_eq!(mailbox.shut().len(), MAX_COMMANDS + 1);
}

#[test]
fn a_wait_for_one_reply_leaves_the_others() {
    let (mailbox, calls) = (Box_::default(), CallTable::new(8));
    let (first, second) = (calls.open(0, 0).unwrap(), calls.open(0, 0).unwrap());
    for id in [first, second] {
        mailbox.answer(id, calls.take(id).unwrap(), Reply::Ok(Value::Undefined));
    }
    let got = mailbox.wait(Wants::Reply(second), None);
    assert!(matches!(got, Received::Answer(answer) if answer.call == second));
    let got = mailbox.wait(Wants::Progress, None);
    assert!(matches!(got, Received::Answer(answer) if answer.call == first));
}

#[test]
fn an_interrupt_ends_a_wait_for_a_reply_but_not_the_wait_for_commands() {
    let mailbox = Arc::new(Box_::default());
    let far = Instant::now() + Duration::from_secs(60);
    let waiter = {
        let mailbox = Arc::clone(&mailbox);
        std::thread::Builder::new()
            .spawn(move || mailbox.wait(Wants::Reply(CallId::new(1)), Some(far)))
            .unwrap()
    };
    mailbox.interrupt();
    assert!(matches!(waiter.join().unwrap(), Received::Interrupted));
    mailbox.send(close(1)).unwrap();
    let got = mailbox.wait(Wants::Commands, Some(far));
    assert!(matches!(got, Received::Command(_)));
}

#[test]
fn delayed_tasks_come_in_their_time() {
    let mailbox = Box_::default();
    mailbox.post(1, Some(Duration::from_millis(5)));
    mailbox.post(2, None);
    assert!(matches!(
        mailbox.wait(Wants::Progress, None),
        Received::Task(2)
    ));
    assert!(mailbox.has_delayed_tasks());
    assert!(matches!(
        mailbox.wait(Wants::Progress, None),
        Received::Task(1)
    ));
    let soon = Instant::now() + Duration::from_millis(1);
    assert!(matches!(
        mailbox.wait(Wants::Progress, Some(soon)),
        Received::TimedOut
    ));
}

#[test]
fn output_waits_for_room_and_one_large_write_goes_alone() {
    let mailbox = Arc::new(Box_::default());
    let large = mailbox.reserve_output(MAX_OUTPUT_IN_FLIGHT + 1).unwrap();
    let waiter = {
        let mailbox = Arc::clone(&mailbox);
        std::thread::Builder::new()
            .spawn(move || mailbox.reserve_output(1).is_ok())
            .unwrap()
    };
    drop(large);
    assert!(waiter.join().unwrap());
    let _full = mailbox.reserve_output(MAX_OUTPUT_IN_FLIGHT).unwrap();
    mailbox.interrupt();
    assert!(mailbox.reserve_output(1).is_err());
}

#[test]
fn nothing_is_taken_after_the_end() {
    let mailbox = Box_::default();
    mailbox.shut();
    mailbox.post(1, None);
    assert_eq!(mailbox.send(close(1)), Err(SendError::Gone));
    let now = Instant::now();
    assert!(matches!(
        mailbox.wait(Wants::Commands, Some(now)),
        Received::TimedOut
    ));
}

#[test]
fn a_request_is_withdrawn_until_it_is_taken() {
    let mailbox = Box_::default();
    for id in [1, 2, 3] {
        mailbox.send(call(id)).unwrap();
    }
    assert!(mailbox.withdraw(RequestId::new(2)));
    assert!(!mailbox.withdraw(RequestId::new(2)));
    let got = mailbox.wait(Wants::Commands, None);
    assert!(
        matches!(got, Received::Command(SessionCommand::Call { request, .. }) if request.get() == 1)
    );
    assert!(!mailbox.withdraw(RequestId::new(1)), "taken");
    assert_eq!(mailbox.n_waiting(), 1);
    mailbox.send(close(3)).unwrap();
    assert!(mailbox.withdraw(RequestId::new(3)));
    assert_eq!(mailbox.shut().len(), 1, "closing is not withdrawn");
}

#[test]
fn what_is_closed_runs_nothing_between_requests() {
    let (mailbox, calls) = (Box_::default(), CallTable::new(8));
    let id = calls.open(0, 0).unwrap();
    mailbox.answer(id, calls.take(id).unwrap(), Reply::Ok(Value::Undefined));
    mailbox.post(1, None);
    mailbox.send(call(1)).unwrap();
    mailbox.send(close(2)).unwrap();
    for _ in 0..2 {
        let got = mailbox.wait(Wants::Commands, Some(Instant::now()));
        assert!(matches!(got, Received::Command(_)), "{got:?}");
    }
}
