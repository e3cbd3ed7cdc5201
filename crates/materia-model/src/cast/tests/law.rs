//! Laws: a state is a fold, decisions are functions, and a step costs the same late as early.

use proptest::prelude::*;
use serde_json::json;

use super::world::{Question, Reply, World, config, items, no, software, text, yes};
use crate::agent::AgentFailureKind;
use crate::cast::{CastEventBody, CastState};

/// A cast with everything in it: items, rework, a repair, a crash; `luck` decides where.
fn eventful(luck: &[u8]) -> World {
    let mut world = World::new(&software(Some(4)));
    let mut asked = 0usize;
    world.play(&mut |q: &Question<'_>| {
        asked += 1;
        match (
            q.socket,
            luck.get(asked % luck.len().max(1)).copied().unwrap_or(0) % 8,
        ) {
            (_, 7) => Reply::Fail(AgentFailureKind::Overload),
            ("Plan", _) => items(&["A", "B", "C"]),
            ("Build" | "Tell", _) => text("x"),
            (_, 6) => text("not json"),
            (_, 5) => no("again"),
            _ => yes(),
        }
    });
    world
}

#[test]
fn every_type_of_event_is_known_by_its_name() {
    let world = eventful(&[1, 5, 6, 7, 1]);
    for event in &world.events {
        let tagged = serde_json::to_value(&event.body).unwrap();
        assert_eq!(tagged["type"], event.body.kind());
        assert_eq!(
            tagged["data"],
            serde_json::to_value(event.body.data()).unwrap()
        );
        assert!(crate::cast::event::TYPES.contains(&event.body.kind()));
    }
    assert_eq!(
        CastEventBody::read("tool_scope_warning", json!({"any": 1})).unwrap(),
        None
    );
    assert!(CastEventBody::read("socket_start", json!({"any": 1})).is_err());
}

#[test]
fn the_size_of_the_state_does_not_grow_with_the_length_of_a_cast() {
    let sockets = json!({
        "Gen": {"materia": "UG", "edges": [{"to": "Do"}]},
        "Do": {"materia": "A", "parse": "json", "edges": [{"when": "not_satisfied", "to": "Do", "maxTraversals": 3}, {"to": "Do"}]}
    });
    let loops = json!({"l": {"sockets": ["Do"], "consumes": {"from": "Gen", "output": "workItems"},
                             "exit": {"from": "Do", "when": "satisfied", "to": "end"}}});
    let size = |count: usize| {
        let titles: Vec<String> = (0..count).map(|n| format!("Item {n}")).collect();
        let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
        let mut world = World::new(&config(&sockets, &loops));
        world.play(&mut |q| match (q.socket, q.nth % 2) {
            ("Gen", _) => items(&titles),
            (_, 1) => no("a reason that is long enough to be seen in the sum"),
            _ => Reply::Json(
                json!({"satisfied": true, "context": "a note that is long enough to be seen"}),
            ),
        });
        assert_eq!(world.end(), "complete");
        let mut state = world.state.clone();
        state.data.clear();
        let largest = world
            .events
            .iter()
            .skip(20)
            .map(|event| serde_json::to_string(&event.body).unwrap().len())
            .max();
        (
            serde_json::to_string(&state).unwrap().len(),
            largest.unwrap(),
        )
    };
    let ((short, event), (long, late_event)) = (size(100), size(1000));
    assert!(
        long < short + 200,
        "{short} bytes after 100 items, {long} after 1000"
    );
    assert!(
        late_event < event + 50,
        "an event has {event} bytes early, {late_event} late"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn fold_of_a_and_b_is_fold_of_b_from_fold_of_a(luck in proptest::collection::vec(any::<u8>(), 1..24), cut in 0usize..200) {
        let world = eventful(&luck);
        let (first, rest) = world.events.split_at(cut % world.events.len());
        // The state is serialized and read back on the way.
        let snapshot = serde_json::to_string(&CastState::fold(first)).unwrap();
        let mut state: CastState = serde_json::from_str(&snapshot).unwrap();
        for event in rest {
            state.apply(event);
        }
        prop_assert_eq!(&state, &world.state);
        prop_assert_eq!(&CastState::fold(&world.events), &world.state);
    }

    #[test]
    fn decisions_are_functions_of_the_state(luck in proptest::collection::vec(any::<u8>(), 1..24)) {
        let world = eventful(&luck);
        let mut state = CastState::default();
        for event in &world.events {
            state.apply(event);
            prop_assert_eq!(world.kernel.decide(&state), world.kernel.decide(&state.clone()));
        }
        prop_assert_eq!(world.count("cast_end"), 1);
    }

    #[test]
    fn a_cast_that_is_cut_anywhere_and_goes_on_ends_alike(luck in proptest::collection::vec(0u8..6, 1..16), cut in 1usize..300) {
        let whole = eventful(&luck);
        let cut = 1 + cut % (whole.events.len() - 1);
        let dispatched = |event: &crate::cast::CastEvent| matches!(event.body, CastEventBody::AgentTurnStart(_) | CastEventBody::UtilityInput(_));
        let mut again = World::new(&software(Some(4)));
        for event in whole.events.iter().take(cut).skip(1) {
            again.record(&event.body);
        }
        let mut asked = whole.events.iter().take(cut).filter(|event| dispatched(event)).count();
        let in_doubt = matches!(again.state.step, crate::cast::CastPhase::Running(_));
        asked -= usize::from(in_doubt);
        again.play(&mut |q| {
            asked += 1;
            match (q.socket, luck.get(asked % luck.len()).copied().unwrap_or(0) % 8) {
                ("Plan", _) => items(&["A", "B", "C"]),
                ("Build" | "Tell", _) => text("x"),
                (_, 5) => no("again"),
                _ => yes(),
            }
        });
        prop_assert_eq!(&again.state.data, &whole.state.data);
        prop_assert_eq!(&again.state.visits, &whole.state.visits);
        prop_assert_eq!(again.trace(), whole.trace());
        prop_assert_eq!((again.end(), again.count("cast_end")), (whole.end(), 1));
    }
}
