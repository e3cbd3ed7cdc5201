//! Arbitrary file contents: nothing panics, everything is bounded, nothing grows faster than its
//! text (S5).

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{layer, shelf};
use crate::loadout::{Config, ConfigScope};
use crate::picture;

/// Words with a meaning somewhere in a config.
fn word() -> impl Strategy<Value = String> {
    const WORDS: &str = "materia|loadouts|T|A|Gen|sockets|edges|to|when|always|satisfied|end|entry|loops|consumes|from|\
        exit|exits|id|condition|targetSocketId|foreach|items|advance|cursor|iterator|parse|json|text|\
        assign|limits|budget|tools|prompt|command|script|template|type|utility|generator|S1|S2|\
        not a name|";
    prop::sample::select(WORDS.split('|').map(str::to_owned).collect::<Vec<_>>())
}

fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..1000).prop_map(Value::from),
        word().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 120, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn places_everywhere(config: &Config<'_>) {
    for finding in config.check() {
        assert!(
            finding.place.is_some() && finding.path.is_some() && finding.hint.is_some(),
            "{finding:?}"
        );
        assert!(finding.message.len() < 2000 && finding.hint.unwrap().len() < 2000);
    }
}

proptest! {
    #[test]
    fn arbitrary_json_never_panics_and_every_finding_has_a_place(value in anything(), over in anything()) {
        let layers = [layer(ConfigScope::Default, &value), layer(ConfigScope::Flag, &over)];
        let config = Config::load(&layers);
        places_everywhere(&config);
        let _ = config.active();
    }

    #[test]
    fn arbitrary_loadouts_never_panic(loadout in anything(), sockets in anything(), loops in anything()) {
        let mut loadout = if loadout.is_object() { loadout } else { json!({}) };
        loadout["sockets"] = json!({"S1": sockets.clone(), "S2": {"materia": "A", "edges": sockets}});
        loadout["loops"] = json!({"l": loops});
        let layers = [layer(ConfigScope::Flag, &json!({"materia": shelf(), "loadouts": {"T": loadout}}))];
        let config = Config::load(&layers);
        places_everywhere(&config);
        if let Some(graph) = config.compile("T").and_then(|compiled| compiled.graph) {
            let _ = (picture::text(&graph), picture::mermaid(&graph), picture::dot(&graph), picture::json(&graph));
        }
    }

    #[test]
    fn a_valid_graph_compiles_with_everything_in_it(
        ways in prop::collection::vec(prop::collection::vec((0_usize..13, 0_usize..2), 0..4), 1..12),
        members in prop::collection::vec(0_usize..12, 1..5),
    ) {
        let count = ways.len();
        let id = |at: usize| if at >= count { "end".to_owned() } else { format!("S{at}") };
        let sockets: Map<_, _> = ways.iter().enumerate().map(|(at, ways)| {
            let guards = ["satisfied", "not_satisfied"];
            let edges: Vec<_> = ways.iter().map(|(to, guard)| json!({"when": guards[*guard], "to": id(*to)})).collect();
            (id(at), json!({"materia": "J", "edges": edges}))
        }).collect();
        let mut members: Vec<String> = members.into_iter().map(|at| id(at % count)).collect();
        members.sort();
        members.dedup();
        let loops = json!({"l": {"sockets": members.clone(), "iterator": {"items": "state.x"}, "exit": {"from": members[0], "when": "satisfied"}}});
        let layers = [layer(ConfigScope::Flag, &json!({"materia": shelf(), "loadouts": {"T": {"sockets": sockets, "loops": loops}}}))];
        let compiled = Config::load(&layers).compile("T").unwrap();
        let graph = compiled.graph.unwrap();
        prop_assert_eq!(graph.sockets().len(), count);
        for (at, ways) in ways.iter().enumerate() {
            let slot = graph.find(&id(at)).unwrap();
            prop_assert_eq!(slot.position(), at);
            let to: Vec<_> = graph.socket(slot).edges.iter().map(|edge| graph.target_name(edge.to).to_owned()).collect();
            prop_assert_eq!(to, ways.iter().map(|(to, _)| id(*to)).collect::<Vec<_>>());
        }
        let drawn = picture::text(&graph);
        let missing = (0..count).find(|at| !drawn.contains(&format!("S{at} · ")));
        prop_assert_eq!(missing, None);
        prop_assert!(graph.loops()[0].each.is_some() && graph.loops()[0].exit_source.is_some());
    }
}
