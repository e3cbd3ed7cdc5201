//! Tests of posting, claiming and watching, with real journals and real processes.

use std::path::PathBuf;
use std::time::Duration;

use materia_model::message::event::{MessageHolder, RUN_END, RUN_START};
use materia_model::message::{Envelope, MessageDraft, QueueId, QueueLimits};
use serde_json::json;

use super::*;
use crate::clock::Clock;
use crate::process::{Command, ProcessIdentity, ProcessSet, Signal};
use crate::store::journal::{From, Options, Reader, SharedJournal};

/// A directory with the journal of one run in it.
struct Desk {
    temp: tempfile::TempDir,
    clock: Clock,
}

impl Desk {
    fn new() -> Self {
        let desk = Self {
            temp: tempfile::tempdir().unwrap(),
            clock: Clock::system(),
        };
        let made = SharedJournal::open(&desk.path(), &desk.clock, &Options::default());
        drop(made.unwrap());
        desk.start("g1");
        desk
    }

    fn path(&self) -> PathBuf {
        self.temp.path().join("journal.jsonl")
    }

    fn open(&self) -> MessageLog {
        MessageLog::open(&self.path(), &self.clock).unwrap()
    }

    fn start(&self, generation: &str) {
        let start =
            json!({"generation": generation, "run": "a", "mailbox": {"accepts": ["task.run"]}});
        self.open()
            .journal
            .append_durable(RUN_START, &start)
            .unwrap();
    }
}

fn to(address: &str, body: u64) -> Envelope {
    let draft = MessageDraft {
        to: address.to_owned(),
        kind: "task.run".to_owned(),
        body: Some(json!(body)),
        ..MessageDraft::default()
    };
    draft.check().unwrap()
}

fn send(post: &MessageLog, address: &str, body: u64) -> MessageReceipt {
    post.deliver(MessagePosting::new(to(address, body)))
        .unwrap()
}

fn holder(identity: &ProcessIdentity) -> MessageHolder {
    MessageHolder {
        pid: identity.pid,
        start_time: identity.start_time,
        boot_id: identity.boot_id.clone(),
    }
}

fn me() -> MessageHolder {
    holder(&ProcessIdentity::of_self().unwrap())
}

fn ended_holder() -> MessageHolder {
    MessageHolder {
        boot_id: "another".to_owned(),
        ..me()
    }
}

#[test]
fn one_message_has_one_claimer_and_one_end() {
    let desk = Desk::new();
    let (post, other) = (desk.open(), desk.open());
    let first = send(&post, "run:a", 1);
    send(&post, "run:a", 2);
    let claimed = other.claim(&QueueId::Run, &me()).unwrap().unwrap();
    assert_eq!(
        (&claimed.id, claimed.attempt, &claimed.envelope.body),
        (&first.id, 1, &Some(json!(1)))
    );
    assert_eq!(
        post.claim(&QueueId::Run, &me())
            .unwrap()
            .unwrap()
            .envelope
            .body,
        Some(json!(2))
    );
    assert_eq!(post.claim(&QueueId::Run, &me()).unwrap(), None);
    let stranger = MessageHolder {
        start_time: 0,
        ..me()
    };
    let error = post
        .settle(
            &QueueId::Run,
            &first.id,
            &stranger,
            &MessageSettlement::Handled,
        )
        .unwrap_err();
    assert!(matches!(error, Error::Held { .. }), "{error}");
    let done = |post: &MessageLog| {
        post.settle(&QueueId::Run, &first.id, &me(), &MessageSettlement::Handled)
            .unwrap()
    };
    assert!(!done(&post).already);
    assert!(done(&other).already, "a repeat is told");
    let error = post
        .settle(
            &QueueId::Run,
            &first.id,
            &me(),
            &MessageSettlement::Failed("no".to_owned()),
        )
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::Finished {
                status: "handled",
                ..
            }
        ),
        "{error}"
    );
    let error = post
        .settle(&QueueId::Run, "nothing", &me(), &MessageSettlement::Handled)
        .unwrap_err();
    assert!(matches!(error, Error::Unknown(_)), "{error}");
}

#[test]
fn a_message_of_a_dead_claimer_is_given_to_the_next_but_not_for_ever() {
    let desk = Desk::new();
    let post = desk.open();
    let sent = send(&post, "run:a", 1);
    for attempt in 1..=5 {
        let claimed = post.claim(&QueueId::Run, &ended_holder()).unwrap().unwrap();
        assert_eq!((&claimed.id, claimed.attempt), (&sent.id, attempt));
    }
    assert_eq!(post.claim(&QueueId::Run, &me()).unwrap(), None);
    let status = post
        .look(|mail| {
            mail.queue(&QueueId::Run)
                .entries()
                .last()
                .unwrap()
                .state
                .as_str()
        })
        .unwrap();
    assert_eq!(status, "failed");
}

#[test]
fn a_claim_can_be_handed_on_by_whoever_made_it() {
    let desk = Desk::new();
    let post = desk.open();
    let sent = send(&post, "run:a", 1);
    post.claim(&QueueId::Run, &ended_holder()).unwrap().unwrap();
    assert!(post.hand(&sent.id, &ended_holder(), &me()).unwrap());
    assert_eq!(
        post.claim(&QueueId::Run, &ended_holder()).unwrap(),
        None,
        "it has a living holder now"
    );
    assert!(
        !post.hand(&sent.id, &ended_holder(), &me()).unwrap(),
        "it is not his any more"
    );
    assert!(
        !post
            .settle(&QueueId::Run, &sent.id, &me(), &MessageSettlement::Handled)
            .unwrap()
            .already
    );
}

#[test]
fn a_waiting_receiver_is_woken_by_a_message_and_by_the_end_of_a_claimer() {
    let desk = Desk::new();
    let mut processes = ProcessSet::new();
    let leaf = processes.spawn(Command::new(["sleep", "600"]));
    let sleeper = processes.identity(leaf).unwrap();
    let post = desk.open();
    std::thread::scope(|scope| {
        let waits = || {
            scope.spawn(|| {
                desk.open().receive(
                    &QueueId::Run,
                    &me(),
                    MessageWait::For(Duration::from_secs(60)),
                )
            })
        };
        let waiting = waits();
        send(&post, "run:a", 1);
        assert_eq!(
            waiting.join().unwrap().unwrap().envelope.body,
            Some(json!(1))
        );
        send(&post, "run:a", 2);
        post.claim(&QueueId::Run, &holder(&sleeper))
            .unwrap()
            .unwrap();
        let waiting = waits();
        sleeper.signal(Signal::KILL).unwrap();
        let claimed = waiting.join().unwrap().unwrap();
        assert_eq!(
            (claimed.envelope.body, claimed.attempt),
            (Some(json!(2)), 2)
        );
        let waiting = waits();
        post.journal
            .append(RUN_END, &json!({"generation": "g1", "status": "done"}))
            .unwrap();
        crate::wake::wake_all(&post.ears());
        assert!(matches!(waiting.join().unwrap(), Err(Error::Over { .. })));
    });
    processes.sweep(Duration::ZERO);
    let none = post.receive(
        &QueueId::Branch("b".parse().unwrap()),
        &me(),
        MessageWait::For(Duration::ZERO),
    );
    assert!(matches!(none, Err(Error::Over { .. } | Error::TimedOut)));
}

#[test]
fn a_full_mailbox_a_run_that_is_over_and_an_old_generation_are_refused_before_anything_is_written()
{
    let desk = Desk::new();
    let post = desk.open();
    let limits = QueueLimits {
        messages: 2,
        bytes: 1 << 20,
    };
    let posting = |address: &str| MessagePosting {
        limits,
        ..MessagePosting::new(to(address, 0))
    };
    post.deliver(posting("run:a")).unwrap();
    post.deliver(posting("run:a")).unwrap();
    let error = post.deliver(posting("run:a")).unwrap_err();
    assert!(matches!(error, Error::Full { queued: 2, .. }), "{error}");
    post.deliver(posting("branch:a/w")).unwrap();
    let old = MessagePosting {
        generation: Some("g0".to_owned()),
        ..MessagePosting::new(to("run:a", 0))
    };
    assert!(matches!(post.deliver(old), Err(Error::Stale { .. })));
    desk.start("g2");
    assert_eq!(post.look(|mail| mail.left_behind).unwrap(), 3);
    post.deliver(posting("run:a")).unwrap();
    post.journal
        .append(RUN_END, &json!({"generation": "g2", "status": "killed"}))
        .unwrap();
    let late = || MessagePosting {
        only_when_on: true,
        ..MessagePosting::new(to("run:a", 0))
    };
    let error = post.deliver(late()).unwrap_err();
    assert_eq!(error.to_string(), "run:a is not running: it is killed");
    let written = Reader::open(&desk.path(), From::Beginning).unwrap().count();
    assert!(post.deliver(late()).is_err());
    assert_eq!(
        Reader::open(&desk.path(), From::Beginning).unwrap().count(),
        written
    );
}

#[test]
fn a_contract_only_warns() {
    let desk = Desk::new();
    let draft = MessageDraft {
        to: "run:a".to_owned(),
        kind: "other".to_owned(),
        ..MessageDraft::default()
    };
    let receipt = desk
        .open()
        .deliver(MessagePosting::new(draft.check().unwrap()))
        .unwrap();
    assert_eq!(
        receipt.warnings,
        ["message type other is not declared in mailbox.accepts of run:a"]
    );
    assert_eq!(receipt.generation.as_deref(), Some("g1"));
}

#[test]
fn many_senders_and_receivers_lose_nothing_and_share_nothing() {
    const SENDERS: u64 = 4;
    const EACH: u64 = 25;
    let desk = Desk::new();
    let mut taken: Vec<u64> = std::thread::scope(|scope| {
        let receivers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let post = desk.open();
                    let mut mine = Vec::new();
                    while let Ok(claimed) = post.receive(
                        &QueueId::Run,
                        &me(),
                        MessageWait::For(Duration::from_millis(1500)),
                    ) {
                        assert!(
                            !post
                                .settle(
                                    &QueueId::Run,
                                    &claimed.id,
                                    &me(),
                                    &MessageSettlement::Handled
                                )
                                .unwrap()
                                .already
                        );
                        mine.push(claimed.envelope.body.unwrap().as_u64().unwrap());
                    }
                    mine
                })
            })
            .collect();
        for sender in 0..SENDERS {
            let desk = &desk;
            scope.spawn(move || {
                let post = desk.open();
                (0..EACH).for_each(|count| drop(send(&post, "run:a", sender * EACH + count)));
            });
        }
        let each = receivers
            .into_iter()
            .map(|receiver| receiver.join().unwrap());
        each.inspect(|mine| {
            for sender in 0..SENDERS {
                let order = mine.iter().filter(|number| **number / EACH == sender);
                assert!(
                    order.is_sorted(),
                    "a receiver sees a sender's messages in their order"
                );
            }
        })
        .flatten()
        .collect()
    });
    taken.sort_unstable();
    assert_eq!(taken, (0..SENDERS * EACH).collect::<Vec<_>>());
}
