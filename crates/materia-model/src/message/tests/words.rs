//! Addresses, envelopes and contracts.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::*;

#[test]
fn every_kind_of_address_is_read_and_spelled() {
    for (given, spelled) in [
        ("coordinator", "coordinator"),
        (" run:build-1 ", "run:build-1"),
        ("session:S.1", "session:S.1"),
        ("tool:review_pr", "tool:review_pr"),
        ("branch:build/worker-2", "branch:build/worker-2"),
        ("room:build", "room:build"),
        ("room:build/main", "room:build"),
    ] {
        assert_eq!(given.parse::<Address>().unwrap().to_string(), spelled);
    }
}

#[test]
fn a_wrong_address_says_what_to_write() {
    for (given, said, hint) in [
        (
            "build",
            "the address `build` does not say what kind of actor it is",
            "write `run:build` for a run",
        ),
        ("run:", "the address `run:` has no run id", "write `run:ID`"),
        (
            "branch:a",
            "the address `branch:a` has no branch name",
            "write `branch:RUN/NAME`",
        ),
        (
            "branch:/b",
            "the address `branch:/b` has no run id",
            "write `branch:RUN/NAME`",
        ),
        (
            "branch:a/b/c",
            "the address `branch:a/b/c` has too many parts",
            "write `branch:RUN/NAME`",
        ),
        (
            "run:a/b",
            "the address `run:a/b` has too many parts",
            "write `run:ID`",
        ),
        (
            "room:a/b/c",
            "the address `room:a/b/c` has too many parts",
            "write `room:RUN`",
        ),
        (
            "room:a/side",
            "the address `room:a/side` names a room inside a room",
            "a run has one room: write `room:a`",
        ),
        (
            "rum:a",
            "the address `rum:a` has the unknown kind `rum`",
            "did you mean `run`?",
        ),
        (
            "coordinator:a",
            "the address `coordinator:a` has too many parts",
            "write `coordinator`",
        ),
    ] {
        let error = given.parse::<Address>().unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.hint().as_str()),
            (said, hint)
        );
    }
    for hostile in [
        "run:..",
        "run:.",
        "branch:a/..",
        "run:a b",
        "session:",
        "",
        ":",
        "run:\u{1b}[31m",
    ] {
        let error = hostile.parse::<Address>().unwrap_err();
        assert!(
            !error.hint().is_empty() && !error.to_string().contains('\u{1b}'),
            "{error}"
        );
    }
}

fn draft(to: &str, kind: &str) -> MessageDraft {
    MessageDraft {
        to: to.to_owned(),
        kind: kind.to_owned(),
        ..MessageDraft::default()
    }
}

#[test]
fn an_envelope_survives_its_spelling() {
    let full = MessageDraft {
        body: Some(json!({"files": 40})),
        from: Some("branch:a/b".to_owned()),
        summary: Some("forty".to_owned()),
        reply_to: Some("m1".to_owned()),
        correlation_id: Some("c1".to_owned()),
        metadata: Some(json!({"requires_response": true})),
        ..draft("room:a/main", " progress.update ")
    };
    let envelope = full.check().unwrap();
    let spelled = serde_json::to_value(&envelope).unwrap();
    assert_eq!(spelled["to"], "room:a");
    assert_eq!(
        serde_json::from_value::<Envelope>(spelled).unwrap(),
        envelope
    );
    let null = MessageDraft {
        body: Some(Value::Null),
        ..draft("run:a", "x")
    }
    .check()
    .unwrap();
    let text = serde_json::to_string(&null).unwrap();
    assert_eq!(text, r#"{"to":"run:a","type":"x","body":null}"#);
    assert_eq!(
        serde_json::from_str::<Envelope>(&text).unwrap().body,
        Some(Value::Null)
    );
    assert_eq!(
        serde_json::from_str::<Envelope>(r#"{"to":"run:a","type":"x"}"#)
            .unwrap()
            .body,
        None
    );
}

#[test]
fn what_cannot_be_sent_says_why() {
    let large = Value::String("x".repeat(LONGEST_BODY));
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    for (wrong, said) in [
        (draft("", "x"), "the message has no `to`"),
        (draft("run:a", "  "), "the message has no `type`"),
        (
            draft("run:a", "a b"),
            "the message type `a b` contains unsupported characters",
        ),
        (
            draft("run:a", "1a"),
            "the message type `1a` contains unsupported characters",
        ),
        (
            MessageDraft {
                from: Some("me".to_owned()),
                ..draft("run:a", "x")
            },
            "the message's `from` cannot be used",
        ),
        (
            MessageDraft {
                metadata: Some(json!([])),
                ..draft("run:a", "x")
            },
            "the message's metadata must be a JSON object",
        ),
        (
            MessageDraft {
                body: Some(large),
                ..draft("run:a", "x")
            },
            "the message's `body` has 262146 bytes",
        ),
        (
            MessageDraft {
                body: Some(deep),
                ..draft("run:a", "x")
            },
            "the message's `body` nests deeper",
        ),
    ] {
        let error = wrong.check().unwrap_err();
        assert!(error.to_string().starts_with(said), "{error}");
        assert!(!error.hint().is_empty());
    }
}

#[test]
fn a_contract_warns_and_never_refuses() {
    let contract = json!({"accepts": ["task.run", {"type": "lock.*", "ack": true}], "emits": ["done"], "deliver": "stdin"});
    let mailbox = Mailbox::read(&contract).unwrap();
    assert_eq!(mailbox.deliver, DeliveryMethod::Stdin);
    let to = "run:a".parse().unwrap();
    let kind = |text: &str| text.parse::<MessageType>().unwrap();
    assert_eq!(mailbox.warning_about(&kind("task.run"), &to), None);
    assert_eq!(mailbox.warning_about(&kind("lock.claim"), &to), None);
    let said = "message type other is not declared in mailbox.accepts of run:a";
    assert_eq!(
        mailbox.warning_about(&kind("other"), &to).as_deref(),
        Some(said)
    );
    assert!(mailbox.warning_from(&kind("started"), &to).is_some());
    assert_eq!(Mailbox::default().warning_about(&kind("other"), &to), None);
    let written: Mailbox = serde_json::from_value(serde_json::to_value(&mailbox).unwrap()).unwrap();
    assert_eq!(written, mailbox);
    for wrong in [
        json!([]),
        json!({"accepts": "x"}),
        json!({"accepts": [1]}),
        json!({"emits": ["a b"]}),
        json!({"deliver": "pigeon"}),
        json!({"acepts": []}),
    ] {
        assert!(Mailbox::read(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn urgency_is_said_or_follows_from_the_address() {
    let delivery = |to: &str, metadata: Value| {
        DeliveryUrgency::of(
            &MessageDraft {
                metadata: Some(metadata),
                ..draft(to, "x")
            }
            .check()
            .unwrap(),
        )
    };
    assert_eq!(delivery("coordinator", json!({})), DeliveryUrgency::Notify);
    assert_eq!(
        delivery(
            "coordinator",
            json!({"delivery": "log", "requires_response": true})
        ),
        DeliveryUrgency::Log
    );
    assert_eq!(
        delivery("coordinator", json!({"requires_response": true})),
        DeliveryUrgency::Followup
    );
    assert_eq!(delivery("session:s", json!({})), DeliveryUrgency::Followup);
}

#[test]
fn the_schema_has_the_fields_of_an_envelope() {
    // A new field of an envelope does not compile here until it is listed.
    let envelope = Envelope {
        to: Address::Coordinator,
        kind: "task.run".parse().unwrap(),
        body: Some(json!(1)),
        from: Some(Address::Coordinator),
        summary: Some(String::new()),
        reply_to: Some(String::new()),
        correlation_id: Some(String::new()),
        metadata: Some(Map::new()),
    };
    let written = serde_json::to_value(envelope).unwrap();
    let fields = written.as_object().unwrap().keys();
    let schema = schema();
    assert!(fields.eq(schema["properties"].as_object().unwrap().keys()));
}

proptest! {
    #[test]
    fn an_accepted_address_spells_itself(given in "(run|room|branch|session|tool|coordinator|x):?[-A-Za-z0-9_./ ]{0,12}") {
        if let Ok(address) = given.parse::<Address>() {
            let spelled = address.to_string();
            prop_assert_eq!(spelled.parse::<Address>(), Ok(address));
            prop_assert!(!spelled.contains("..") || spelled.contains(char::is_alphanumeric));
        }
    }

    #[test]
    fn arbitrary_text_never_panics(given in ".{0,40}") {
        if let Err(error) = given.parse::<Address>() {
            prop_assert!(!error.hint().is_empty());
        }
    }
}
