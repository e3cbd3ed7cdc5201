//! How far loadouts fan out (C23).

use serde_json::{Value, json};

use super::{graph, with, work};
use crate::loadout::fanout::{DefaultLimits, visits};
use crate::loadout::settings::LimitSettings;

const NET: DefaultLimits = DefaultLimits {
    visits: 10_000,
    cycles: 10,
};

fn counts(loadout: &Value, items: u64) -> Vec<(u64, u64)> {
    let all = visits(&graph(loadout), &LimitSettings::default(), NET, items);
    all.iter().map(|one| (one.smooth, one.most)).collect()
}

#[test]
fn a_line_is_walked_once_and_a_limited_way_back_as_often_as_it_says() {
    let line = json!({"entry": "S1", "sockets": {
        "S1": {"materia": "A", "edges": [{"to": "S2"}]}, "S2": {"materia": "A"}}});
    assert_eq!(counts(&line, 5), [(1, 1), (1, 1)]);
    let back = json!({"entry": "S1", "sockets": {
        "S1": {"materia": "A", "edges": [{"to": "S2"}]},
        "S2": {"materia": "J", "edges": [
            {"when": "not_satisfied", "to": "S1", "maxTraversals": 3}, {"when": "satisfied", "to": "end"}]}}});
    assert_eq!(counts(&back, 5), [(1, 4), (1, 4)]);
}

#[test]
fn without_a_limit_the_detection_of_stalls_is_the_bound() {
    let circle = json!({"entry": "S1", "sockets": {"S1": {"materia": "J", "edges": [
        {"when": "not_satisfied", "to": "S1"}, {"when": "satisfied", "to": "end"}]}}});
    assert_eq!(counts(&circle, 1), [(1, 11)]);
    let tight = LimitSettings {
        max_no_advance_cycles: Some(2),
        ..LimitSettings::default()
    };
    assert_eq!(visits(&graph(&circle), &tight, NET, 1)[0].most, 3);
    let capped = json!({"entry": "S1", "sockets": {"S1": {"materia": "J", "limits": {"maxVisits": 2}, "edges": [
        {"when": "not_satisfied", "to": "S1"}, {"when": "satisfied", "to": "end"}]}}});
    assert_eq!(counts(&capped, 1), [(1, 2)]);
}

#[test]
fn a_loop_counts_for_every_item_and_an_empty_list_for_none() {
    let smooth = |items| {
        counts(&work(), items)
            .iter()
            .map(|one| one.0)
            .collect::<Vec<_>>()
    };
    let one = smooth(1);
    let many = smooth(7);
    let members: Vec<usize> = (0..one.len())
        .filter(|at| many[*at] == 7 * one[*at] && one[*at] > 0)
        .collect();
    assert!(!members.is_empty() && many[0] == 1, "{one:?} {many:?}");
    assert!(
        smooth(0)
            .iter()
            .enumerate()
            .all(|(at, visits)| !members.contains(&at) || *visits == 0)
    );
    let retried = with(
        work(),
        "/sockets/S4/edges",
        json!([{"when": "not_satisfied", "to": "S3", "maxTraversals": 2}]),
    );
    let most = |items| {
        counts(&retried, items)
            .iter()
            .map(|one| one.1)
            .collect::<Vec<_>>()
    };
    assert!(
        most(4)[1] > most(2)[1] && most(2)[1] >= 2 * 3,
        "{:?} {:?}",
        most(2),
        most(4)
    );
}
