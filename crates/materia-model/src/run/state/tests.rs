//! The fold of a run's journal.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn record(seq: u64, (kind, data): &(&str, Value)) -> Record {
    Record {
        seq,
        at: Timestamp::from_millis(1000),
        kind: (*kind).to_owned(),
        data: data.clone(),
    }
}

fn fold(events: &[(&str, Value)]) -> RunState {
    let records: Vec<Record> = events
        .iter()
        .zip(1..)
        .map(|(event, seq)| record(seq, event))
        .collect();
    RunState::fold(&records)
}

fn start(generation: &str) -> (&'static str, Value) {
    (
        RUN_START,
        json!({"run": "a", "generation": generation, "supervisor": {"pid": 7, "start": 1, "boot": "b"}}),
    )
}

fn end(generation: &str, status: &str) -> (&'static str, Value) {
    (
        RUN_END,
        json!({"generation": generation, "status": status, "code": 0}),
    )
}

#[test]
fn a_life_in_records() {
    let command = (COMMAND_START, json!({"n": 1, "argv": ["true"]}));
    let done = (COMMAND_DONE, json!({"n": 1, "code": 7, "durationMs": 1}));
    assert_eq!(fold(&[]).status, RunStatus::Starting);
    let running = fold(&[start("g1"), command.clone()]);
    assert_eq!(
        (running.status, running.active, running.run()),
        (RunStatus::Running, 1, "a")
    );
    let over = fold(&[start("g1"), command, done, end("g1", "failed")]);
    assert_eq!(
        (over.status, over.active, over.completed, over.failures),
        (RunStatus::Failed, 0, 1, 1)
    );
    assert_eq!(over.ended.unwrap().end.code, Some(0));
}

#[test]
fn a_generation_ends_once_and_only_by_its_own_end() {
    let again = fold(&[start("g1"), end("g1", "killed"), end("g1", "done")]);
    assert_eq!(again.status, RunStatus::Killed);
    let stale = fold(&[
        start("g1"),
        end("g1", "done"),
        start("g2"),
        end("g1", "exited"),
    ]);
    assert_eq!(
        (stale.status, stale.generation(), stale.generations),
        (RunStatus::Running, "g2", 2)
    );
    assert!(stale.ended.is_none());
}

#[test]
fn a_control_message_counts_for_its_run_and_generation_alone() {
    let message = |to: &str, kind: &str, generation: Value| {
        (
            MESSAGE,
            json!({"id": "m", "to": to, "type": kind, "generation": generation}),
        )
    };
    let asked = |message| fold(&[start("g2"), message]).asked;
    assert_eq!(
        asked(message("run:a", "control.kill", Value::Null)),
        Some(RunControl::Kill)
    );
    assert_eq!(
        asked(message("run:a", "control.cancel", json!("g2"))),
        Some(RunControl::Cancel)
    );
    assert_eq!(asked(message("run:a", "control.kill", json!("g1"))), None);
    assert_eq!(asked(message("run:b", "control.kill", Value::Null)), None);
    assert_eq!(
        asked(message("branch:a/x", "control.kill", Value::Null)),
        None
    );
    assert_eq!(asked(message("run:a", "control.stop", Value::Null)), None);
    let earlier = fold(&[message("run:a", "control.kill", Value::Null), start("g2")]);
    assert_eq!(earlier.asked, None);
}

#[test]
fn children_are_over_when_each_of_their_last_generations_is() {
    let child = |generation: &str| (CHILD_START, json!({"run": "c", "generation": generation}));
    let over = |generation: &str| {
        (
            CHILD_END,
            json!({"run": "c", "generation": generation, "status": "done"}),
        )
    };
    assert!(!fold(&[start("g1")]).children_are_terminal());
    assert!(!fold(&[start("g1"), child("c1")]).children_are_terminal());
    assert!(fold(&[start("g1"), child("c1"), over("c1")]).children_are_terminal());
    assert!(!fold(&[start("g1"), child("c1"), child("c2"), over("c1")]).children_are_terminal());
}

fn any_event() -> impl Strategy<Value = (&'static str, Value)> {
    let generation = prop_oneof![Just("g1"), Just("g2")];
    (0usize..9, generation).prop_map(|(which, generation)| match which {
        0 => start(generation),
        1 => end(generation, "done"),
        2 => (COMMAND_START, json!({"n": 1, "argv": ["x"]})),
        3 => (COMMAND_DONE, json!({"n": 1, "code": 1})),
        4 => (
            MESSAGE,
            json!({"id": "m", "to": "run:a", "type": "control.kill", "generation": generation}),
        ),
        5 => (CHILD_START, json!({"run": "c", "generation": generation})),
        6 => (
            CHILD_END,
            json!({"run": "c", "generation": generation, "status": "failed"}),
        ),
        7 => (RUN_START, json!("no object")),
        _ => ("other", json!(null)),
    })
}

proptest! {
    #[test]
    fn folding_goes_on_where_it_stopped(events in proptest::collection::vec(any_event(), 0..24), cut in 0usize..24) {
        let records: Vec<Record> = events.iter().zip(1..).map(|(event, seq)| record(seq, event)).collect();
        let (before, after) = records.split_at(cut.min(records.len()));
        let mut state = RunState::fold(before);
        after.iter().for_each(|record| state.apply(record));
        prop_assert_eq!(state, RunState::fold(&records));
    }
}
