//! The fold over a journal: its law, its order, and that no message is finished twice.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::event::{self, MessageHolder};
use super::super::*;
use crate::record;
use crate::time::Timestamp;

fn holder(pid: i32) -> MessageHolder {
    MessageHolder {
        pid,
        start_time: 1,
        boot_id: "b".to_owned(),
    }
}

fn by(pid: i32) -> Value {
    serde_json::to_value(holder(pid)).unwrap()
}

/// A journal in memory.
#[derive(Default)]
struct Book(Vec<record::Record>);

impl Book {
    fn new() -> Self {
        let mut book = Self::default();
        book.start("g1");
        book
    }

    fn start(&mut self, generation: &str) {
        self.write(
            event::RUN_START,
            json!({"generation": generation, "run": "a", "session": "s"}),
        );
    }

    fn write(&mut self, kind: &str, data: Value) {
        let seq = self.0.len() as u64 + 1;
        let at = Timestamp::from_millis(seq as i64 * 1000);
        self.0.push(record::Record {
            seq,
            at,
            kind: kind.to_owned(),
            data,
        });
    }

    fn send(&mut self, id: &str, to: &str) {
        self.write(
            event::MESSAGE,
            json!({"id": id, "to": to, "type": "task.run", "body": id, "from": "run:a"}),
        );
    }

    fn fold(&self) -> MailState {
        fold(MailState::default(), &self.0)
    }
}

fn fold(from: MailState, records: &[record::Record]) -> MailState {
    records.iter().fold(from, |mut mail, record| {
        mail.apply(record);
        mail
    })
}

fn states(queue: &MessageQueue) -> BTreeMap<String, &'static str> {
    queue
        .entries()
        .map(|entry| (entry.id.clone(), entry.state.as_str()))
        .collect()
}

#[test]
fn a_message_is_queued_claimed_and_finished_once() {
    let mut book = Book::new();
    for id in ["m1", "m2", "m3"] {
        book.send(id, "run:a");
    }
    let mail = book.fold();
    assert_eq!(mail.queue(&QueueId::Run).next(|_| false).unwrap().id, "m1");
    book.write(event::CLAIM, json!({"id": "m1", "by": by(7)}));
    let mail = book.fold();
    let queue = mail.queue(&QueueId::Run);
    assert_eq!(
        queue.next(|_| false).unwrap().id,
        "m2",
        "a claimed one is passed over"
    );
    assert_eq!(
        queue.next(|_| true).unwrap().id,
        "m1",
        "unless its claimer is dead"
    );
    assert_eq!(
        queue.settle("m1", &holder(8), |_| false),
        SettleOutcome::Held(holder(7))
    );
    assert_eq!(
        queue.settle("m1", &holder(7), |_| false),
        SettleOutcome::Open
    );
    book.write(event::HANDLED, json!({"id": "m1"}));
    book.write(event::FAILED, json!({"id": "m1", "error": "too late"}));
    book.write(event::FAILED, json!({"id": "m2", "error": "no"}));
    book.write(event::DELIVERED, json!({"id": "m3", "how": "stdin"}));
    let mail = book.fold();
    let queue = mail.queue(&QueueId::Run);
    let expected = [("m1", "handled"), ("m2", "failed"), ("m3", "delivered")];
    assert_eq!(
        states(queue),
        expected.map(|(id, state)| (id.to_owned(), state)).into()
    );
    assert_eq!(
        queue.settle("m1", &holder(7), |_| false),
        SettleOutcome::Already("handled")
    );
    assert_eq!(
        queue.settle("m9", &holder(7), |_| false),
        SettleOutcome::Unknown
    );
    assert_eq!(
        (
            queue.counts().handled,
            queue.counts().failed,
            queue.counts().queued
        ),
        (1, 1, 0)
    );
}

#[test]
fn a_new_generation_leaves_the_old_messages_behind() {
    let mut book = Book::new();
    book.send("m1", "run:a");
    book.send("m2", "branch:a/w");
    book.write(event::CLAIM, json!({"id": "m1", "by": by(7)}));
    book.write(
        event::RUN_END,
        json!({"generation": "g1", "status": "killed"}),
    );
    assert!(!book.fold().is_on());
    book.start("g2");
    let mail = book.fold();
    assert!(mail.is_on() && mail.left_behind == 2);
    assert_eq!(mail.first_generation.as_deref(), Some("g1"));
    assert_eq!(mail.queue(&QueueId::Run).next(|_| true), None);
    assert_eq!(states(mail.queue(&QueueId::Run))["m1"], "stale");
    assert_eq!(
        mail.queue(&QueueId::Branch("w".parse().unwrap()))
            .counts()
            .stale,
        1
    );
}

#[test]
fn a_room_has_a_timeline_and_a_roster_and_routes_to_branches() {
    let mut book = Book::new();
    let say = |book: &mut Book, id: &str, kind: &str, body: Value, metadata: Value| {
        book.write(
            event::MESSAGE,
            json!({"id": id, "to": "room:a", "type": kind, "from": "branch:a/w", "body": body, "metadata": metadata}),
        );
    };
    say(
        &mut book,
        "m1",
        "actor.join",
        json!({"role": "worker", "caps": ["rust"]}),
        json!({}),
    );
    say(
        &mut book,
        "m2",
        "chat",
        json!("hi"),
        json!({"recipients": ["branch:a/x", "branch:a/x", "branch:a/y"]}),
    );
    let mail = book.fold();
    let worker = mail
        .room()
        .roster()
        .find(|member| member.address.to_string() == "branch:a/w")
        .unwrap();
    assert_eq!(
        (worker.role.as_str(), worker.status.as_str()),
        ("worker", "present")
    );
    assert_eq!(mail.room().timeline().count(), 2);
    for branch in ["x", "y"] {
        let queue = mail.queue(&QueueId::Branch(branch.parse().unwrap()));
        assert_eq!(states(queue), [(format!("m2:{branch}"), "queued")].into());
    }
    assert_eq!(
        mail.room().roster().len(),
        4,
        "the run, the worker and both recipients"
    );
    book.write(event::HANDLED, json!({"id": "m2:y"}));
    say(&mut book, "m3", "actor.leave", json!({}), json!({}));
    let mail = book.fold();
    assert_eq!(
        mail.queue(&QueueId::Branch("x".parse().unwrap()))
            .counts()
            .queued,
        1
    );
    assert_eq!(
        mail.queue(&QueueId::Branch("y".parse().unwrap()))
            .counts()
            .handled,
        1
    );
    let worker = mail
        .room()
        .roster()
        .find(|member| member.address.to_string() == "branch:a/w")
        .unwrap();
    assert_eq!(
        (worker.role.as_str(), worker.status.as_str()),
        ("worker", "left")
    );
    let seen = Communication::of(&mail, None).unwrap();
    assert_eq!(
        (
            seen.root.to_string().as_str(),
            seen.contacts.len(),
            seen.rooms[0].members
        ),
        ("run:a", 3, 4)
    );
}

#[test]
fn presence_is_what_members_do_and_not_what_is_done_to_them() {
    let mut book = Book::new();
    let say = |book: &mut Book, kind: &str, body: Value| {
        book.write(
            event::MESSAGE,
            json!({"id": kind, "to": "room:a", "type": kind, "from": "branch:a/w", "body": body}),
        );
    };
    let worker = |book: &Book| {
        let mail = book.fold();
        let member = mail
            .room()
            .roster()
            .find(|member| member.address.to_string() == "branch:a/w")
            .unwrap();
        (
            member.role.clone(),
            member.status.clone(),
            member.last_seen.as_millis(),
        )
    };
    let stands = |role: &str, status: &str, seen: i64| (role.to_owned(), status.to_owned(), seen);
    say(&mut book, "hello", json!("hi"));
    book.send("m1", "branch:a/w");
    assert_eq!(
        worker(&book),
        stands("actor", "present", 2000),
        "being written to changes nothing"
    );
    say(&mut book, "actor.leave", json!({"status": "off"}));
    assert_eq!(
        worker(&book),
        stands("actor", "left", 4000),
        "whatever it calls it"
    );
    book.send("m2", "branch:a/w");
    assert_eq!(worker(&book), stands("actor", "left", 4000));
    say(
        &mut book,
        "back",
        json!({"status": "busy", "role": "worker"}),
    );
    assert_eq!(worker(&book), stands("worker", "busy", 6000));
    book.write(
        event::RUN_END,
        json!({"generation": "g1", "status": "killed"}),
    );
    assert_eq!(
        (worker(&book).1.as_str(), book.fold().room().present()),
        ("left", 0)
    );
    say(&mut book, "late", json!({"status": "busy"}));
    book.send("m3", "branch:a/x");
    assert_eq!(
        (worker(&book).1.as_str(), book.fold().room().present()),
        ("left", 0),
        "it is over"
    );
    book.start("g2");
    assert_eq!(book.fold().room().present(), 1, "the run itself");
    say(&mut book, "again", json!("hi"));
    assert_eq!(worker(&book).1, "present");
}

#[test]
fn what_a_coordinator_is_told_stands_in_the_outbox() {
    let mut book = Book::new();
    book.send("m1", "coordinator");
    book.write(
        event::MESSAGE,
        json!({"id": "m2", "to": "session:s", "type": "ask", "metadata": {"requires_response": true, "level": "error"}}),
    );
    let mail = book.fold();
    let told: Vec<(DeliveryUrgency, NoticeLevel, bool)> = mail
        .outbox()
        .last()
        .map(|posted| (posted.delivery, posted.level, posted.attention))
        .collect();
    assert_eq!(
        told,
        [
            (DeliveryUrgency::Notify, NoticeLevel::Info, false),
            (DeliveryUrgency::Followup, NoticeLevel::Error, true)
        ]
    );
}

#[test]
fn queues_and_memories_are_bounded() {
    let mut book = Book::new();
    for number in 0..3000 {
        book.send(&format!("m{number}"), "run:a");
        book.write(event::HANDLED, json!({"id": format!("m{number}")}));
        book.send(&format!("c{number}"), "coordinator");
    }
    let mail = book.fold();
    let queue = mail.queue(&QueueId::Run);
    assert_eq!(
        (
            queue.entries().count(),
            queue.counts().forgotten,
            queue.counts().handled
        ),
        (2000, 1000, 3000)
    );
    assert_eq!(
        (mail.outbox().last().count(), mail.outbox().forgotten()),
        (500, 2500)
    );
    let limits = QueueLimits {
        messages: 2,
        bytes: 10_000,
    };
    let mut book = Book::new();
    book.send("m1", "run:a");
    assert!(!book.fold().queue(&QueueId::Run).is_full(100, limits));
    assert!(book.fold().queue(&QueueId::Run).is_full(10_000, limits));
    book.send("m2", "run:a");
    assert!(book.fold().queue(&QueueId::Run).is_full(0, limits));
}

#[test]
fn records_that_are_spelled_wrong_change_nothing() {
    let mut book = Book::new();
    book.send("m1", "run:a");
    let before = book.fold();
    for (kind, data) in [
        (
            event::MESSAGE,
            json!({"id": "m2", "to": "nowhere", "type": "x"}),
        ),
        (event::CLAIM, json!({"id": "m1"})),
        (event::HANDLED, json!(7)),
        ("something.else", json!({"id": "m1"})),
    ] {
        book.write(kind, data);
    }
    let after = book.fold();
    assert_eq!(after.queue(&QueueId::Run), before.queue(&QueueId::Run));
    assert_eq!(after.room(), before.room());
}

/// An arbitrary record, sensible or not.
fn step() -> impl Strategy<Value = (&'static str, Value)> {
    let id = (0u32..12).prop_map(|number| format!("m{number}"));
    let to = prop_oneof![
        Just("run:a"),
        Just("branch:a/w"),
        Just("room:a"),
        Just("coordinator")
    ];
    prop_oneof![
        6 => (id.clone(), to).prop_map(|(id, to)| (event::MESSAGE, json!({
            "id": id, "to": to, "type": "x", "from": "branch:a/v", "metadata": {"recipients": ["branch:a/w"]}
        }))),
        4 => (id.clone(), 1i32..4).prop_map(|(id, pid)| (event::CLAIM, json!({"id": id, "by": by(pid)}))),
        3 => id.clone().prop_map(|id| (event::HANDLED, json!({"id": id}))),
        2 => id.clone().prop_map(|id| (event::FAILED, json!({"id": id, "error": "e"}))),
        1 => id.prop_map(|id| (event::DELIVERED, json!({"id": id, "how": "fifo"}))),
        1 => Just((event::RUN_START, json!({"generation": "g", "run": "a"}))),
        1 => Just((event::RUN_END, json!({"status": "done"}))),
    ]
}

proptest! {
    #[test]
    fn folding_in_two_parts_is_folding_at_once(steps in proptest::collection::vec(step(), 0..60), cut in 0usize..60) {
        let mut book = Book::default();
        steps.into_iter().for_each(|(kind, data)| book.write(kind, data));
        let (before, after) = book.0.split_at(cut.min(book.0.len()));
        prop_assert_eq!(book.fold(), fold(fold(MailState::default(), before), after));
    }

    #[test]
    fn nothing_that_is_finished_is_offered_again_and_the_order_holds(
        steps in proptest::collection::vec(step(), 0..80),
    ) {
        let mut book = Book::default();
        let mut finished: Vec<String> = Vec::new();
        for (kind, data) in steps {
            // Ids are never used twice in a real journal.
            let known = book.0.iter().any(|record| record.kind == event::MESSAGE && record.data["id"] == data["id"]);
            if kind == event::MESSAGE && known {
                continue;
            }
            book.write(kind, data);
            let mail = book.fold();
            let queue = mail.queue(&QueueId::Run);
            let open: Vec<&QueueEntry> = queue.open().collect();
            prop_assert!(open.iter().all(|entry| !finished.contains(&entry.id)));
            prop_assert!(open.is_sorted_by_key(|entry| entry.queued_at));
            prop_assert_eq!(queue.next(|_| true).map(|entry| &entry.id), open.first().map(|entry| &entry.id));
            finished = queue.entries().filter(|entry| entry.envelope.is_none()).map(|entry| entry.id.clone()).collect();
            let counts = queue.counts();
            prop_assert_eq!(counts.queued + counts.claimed, open.len());
        }
    }
}
