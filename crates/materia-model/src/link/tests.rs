//! Links as tables: names, ends, loops, and that the result is a loadout.

use serde_json::{Value, json};

use super::{LinkPart, LinkTarget, LinkTargetKind, link};
use crate::finding::{Severity, Source};
use crate::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope, Graph};

fn materia() -> Value {
    json!({
        "Text": {"tools": "none", "prompt": "t"},
        "Json": {"tools": "none", "prompt": "j", "parse": "json"},
        "Gen": {"tools": "none", "prompt": "g", "generator": true},
    })
}

fn compile(loadout: &Value) -> Graph {
    let document = json!({"materia": materia(), "loadouts": {"T": loadout}}).to_string();
    let layers = [ConfigLayer {
        scope: ConfigScope::Flag,
        document: ConfigDocument::parse(Source::new("t.json", &document)),
    }];
    let compiled = Config::load(&layers).compile("T").unwrap();
    let errors: Vec<_> = compiled
        .findings
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .collect();
    compiled
        .graph
        .unwrap_or_else(|| panic!("{errors:#?}\n{loadout:#}"))
}

fn part(loadout: &Value) -> LinkPart {
    LinkPart::loadout(compile(loadout), loadout.clone())
}

/// `from when to` for every edge, then `loop from when to` for every exit.
fn ways(graph: &Graph) -> Vec<String> {
    let mut ways = Vec::new();
    for socket in graph.sockets() {
        for edge in &socket.edges {
            ways.push(format!(
                "{} {} {}",
                socket.id,
                edge.guard.as_str(),
                graph.target_name(edge.to)
            ));
        }
    }
    for region in graph.loops() {
        for exit in &region.exits {
            let from = &graph.socket(exit.from).id;
            ways.push(format!(
                "{} {from} {} {}",
                region.id,
                exit.guard.as_str(),
                graph.target_name(exit.to)
            ));
        }
    }
    ways
}

fn work(exits: &Value) -> Value {
    let mut region = json!({"sockets": ["b"], "consumes": {"from": "a", "output": "workItems"}});
    for (name, value) in exits.as_object().unwrap() {
        region[name] = value.clone();
    }
    json!({"entry": "a", "loops": {"work": region}, "sockets": {
        "a": {"materia": "Gen", "edges": [{"to": "b"}]},
        "b": {"materia": "Json", "edges": [{"when": "not_satisfied", "to": "b", "maxTraversals": 2}]}}})
}

#[test]
fn targets_say_what_they_are_or_only_their_name() {
    assert_eq!(
        LinkTarget::read("materia:Build"),
        LinkTarget {
            kind: Some(LinkTargetKind::Materia),
            name: "Build"
        }
    );
    assert_eq!(
        LinkTarget::read("loadout:a:b"),
        LinkTarget {
            kind: Some(LinkTargetKind::Loadout),
            name: "a:b"
        }
    );
    assert_eq!(
        LinkTarget::read("default:full-auto"),
        LinkTarget {
            kind: None,
            name: "default:full-auto"
        }
    );
}

#[test]
fn materia_stand_behind_each_other() {
    let linked = link(&[LinkPart::materia("Text"), LinkPart::materia("Json")]).unwrap();
    assert_eq!(linked.id, "virtual-link-materia-Text-materia-Json");
    assert_eq!(linked.name, "Linked virtual loadout: Text → Json");
    assert_eq!(
        ways(&compile(&linked.loadout)),
        ["Socket-1 always Socket-2"]
    );
    assert!(link(&[]).is_none());
}

#[test]
fn every_end_of_a_part_leads_into_the_next() {
    let ends = json!({"entry": "x", "sockets": {
        "x": {"materia": "Json", "edges": [{"when": "satisfied", "to": "y"}]},
        "y": {"materia": "Json", "edges": [{"when": "satisfied", "to": "end"}, {"to": "x", "maxTraversals": 1}]}}});
    let linked = link(&[part(&ends), LinkPart::materia("Text")]).unwrap();
    assert_eq!(
        ways(&compile(&linked.loadout)),
        [
            "Socket-1 satisfied Socket-2",
            "Socket-1 not_satisfied Socket-3",
            "Socket-2 satisfied Socket-3",
            "Socket-2 always Socket-1"
        ]
    );
    assert_eq!(
        linked.origin["sockets"]["Socket-2"],
        json!({"part": 1, "socket": "y"})
    );
}

#[test]
fn loops_leave_for_the_next_part_however_they_were_left() {
    let exit = json!({"exit": {"from": "b", "when": "satisfied", "to": "end"}});
    let routes = json!({"exits": [{"id": "x", "from": "b", "condition": "satisfied", "targetSocketId": "end"}]});
    for exits in [exit, routes] {
        let linked = link(&[part(&work(&exits)), part(&work(&exits))]).unwrap();
        let graph = compile(&linked.loadout);
        let found = ways(&graph);
        assert!(
            found.contains(&"t1-work Socket-2 always Socket-3".to_owned()),
            "{found:?}"
        );
        assert!(
            found.contains(&"t1-work Socket-2 satisfied Socket-3".to_owned()),
            "{found:?}"
        );
        assert!(
            !found
                .iter()
                .any(|way| way.starts_with("t2-work") && way.contains("Socket-3")),
            "{found:?}"
        );
        let first = graph.socket(graph.find("Socket-2").unwrap());
        assert_eq!(
            first.advance.as_ref().unwrap().when.as_str(),
            "satisfied",
            "the rule of the list is unchanged"
        );
        assert_eq!(graph.cursors().len(), 2);
    }
}
