//! The fold of turns.

use serde_json::{Value, json};

use super::*;
use crate::record::Record;
use crate::time::Timestamp;

fn records(all: &[(&str, Value)]) -> Vec<Record> {
    let made = |(n, (kind, data)): (usize, &(&str, Value))| Record {
        seq: n as u64 + 1,
        at: Timestamp::from_millis(n as i64),
        kind: (*kind).to_owned(),
        data: data.clone(),
    };
    all.iter().enumerate().map(made).collect()
}

fn fold(records: &[Record]) -> ActorState {
    let mut state = ActorState::default();
    records.iter().for_each(|record| state.apply(record));
    state
}

fn life() -> Vec<Record> {
    let used = |total: u64| json!({"input": total, "total": total});
    records(&[
        ("run.start", json!({"generation": "g1"})),
        (
            TURN_START,
            json!({"turn": 1, "message": "m1", "prompt": "hello"}),
        ),
        (TURN_USAGE, json!({"turn": 1, "usage": used(5)})),
        (
            TURN_HEARD,
            json!({"turn": 1, "message": "m2", "text": "and quickly", "from": "run:a"}),
        ),
        (
            TURN_END,
            json!({"turn": 1, "messages": ["m1", "m2"], "agent": "x", "outcome": "ok", "text": "hi",
                "usage": used(9), "models": {"big": used(9)}, "session": "s1"}),
        ),
        (
            TURN_START,
            json!({"turn": 2, "message": "m3", "prompt": "more"}),
        ),
        (TURN_USAGE, json!({"turn": 2, "usage": used(4)})),
        ("run.start", json!({"generation": "g2"})),
        (
            TURN_START,
            json!({"turn": 3, "message": "m3", "prompt": "more"}),
        ),
        (
            TURN_END,
            json!({"turn": 3, "messages": ["m3"], "agent": "x", "outcome": "crash", "usage": used(1),
                "error": {"kind": "crash", "message": "it died"}}),
        ),
        ("something.else", json!({})),
    ])
}

#[test]
fn turns_add_up_and_what_was_lost_was_paid_for() {
    let state = fold(&life());
    assert_eq!(
        (state.turns, state.usage.total, state.is_busy()),
        (3, 14, false)
    );
    assert_eq!(state.models["big"].total, 9);
    // After a failed turn, the conversation continues from the session before it.
    assert_eq!(
        state.session,
        Some(ActorSession {
            agent: "x".to_owned(),
            handle: "s1".to_owned()
        })
    );
    let roles: Vec<(TranscriptRole, &str)> = state
        .lines
        .iter()
        .map(|line| (line.role, line.text.as_str()))
        .collect();
    assert_eq!(
        roles,
        [
            (TranscriptRole::Prompt, "hello"),
            (TranscriptRole::Steer, "and quickly"),
            (TranscriptRole::Answer, "hi"),
            (TranscriptRole::Prompt, "more"),
            (TranscriptRole::Prompt, "more"),
            (TranscriptRole::Error, "it died"),
        ]
    );
}

#[test]
fn folding_in_two_parts_is_folding_at_once() {
    let all = life();
    for cut in 0..=all.len() {
        let mut state = fold(&all[..cut]);
        all[cut..].iter().for_each(|record| state.apply(record));
        assert_eq!(state, fold(&all), "cut at {cut}");
    }
}

#[test]
fn what_is_remembered_is_bounded() {
    let turn = |n: usize| {
        (
            TURN_START,
            json!({"turn": n, "message": "m", "prompt": "x".repeat(20_000)}),
        )
    };
    let all: Vec<(&str, Value)> = (1..=MOST_LINES + 7).map(turn).collect();
    let state = fold(&records(&all));
    assert_eq!((state.lines.len(), state.forgotten), (MOST_LINES, 7));
    assert!(state.lines.iter().all(|line| line.text.len() <= 17_000));
}
