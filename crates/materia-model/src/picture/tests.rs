//! The four renderings of a graph.

use serde_json::json;

use crate::loadout::tests::{graph, with, work};
use crate::picture;

fn shown() -> crate::loadout::Graph {
    let evaluated = json!({"materia": "J", "edges": [{"when": "not_satisfied", "to": "S3", "maxTraversals": 3}, {"to": "S3"}]});
    graph(&with(work(), "/sockets/S4", evaluated))
}

#[test]
fn the_text_is_drawn() {
    let expected = "\
T

  ┌───────────────────────────────────────┐
  │ ▶ S1 · Gen                            │
  │ agent, generator                      │
  └──────────────────┬────────────────────┘
                     │
┏━ loop l: each workItem of state.workItems, from S1
┃ ┌──────────────────▼────────────────────┐
┃ │ S3 · A                                │◀─────────────────────────────┐
┃ │ agent                                 │                              │
┃ └──────────────────┬────────────────────┘                              │
┃                    │                                                   │
┃ ┌──────────────────▼────────────────────┐                              │
┃ │ S4 · J                                │                              │
┃ │ agent, json, next item when satisfied ├─ not_satisfied, at most 3× ──┤
┃ │                                       ├──────────────────────────────┘
┃ │                                       ├═ done, satisfied ════════════┐
┃ └───────────────────────────────────────┘                              │
┗━                                                                       │
  ┌───────────────────────────────────────┐                              │
  │ S5 · A                                │◀─────────────────────────────┘
  │ agent                                 ├──▶ end
  └───────────────────────────────────────┘
";
    assert_eq!(picture::text(&shown()), expected);
}

#[test]
fn a_loop_that_ends_the_cast_says_so() {
    let drawn = picture::text(&graph(&with(work(), "/loops/l/exit/to", json!("end"))));
    assert!(drawn.contains("┗━ done ▶ end"), "{drawn}");
}

#[test]
fn a_picture_nobody_can_read_is_cut() {
    let sockets: serde_json::Map<_, _> = (0..500)
        .map(|at| {
            (
                format!("S{at}"),
                json!({"materia": "A", "edges": [{"to": format!("S{}", (at + 1) % 500)}]}),
            )
        })
        .collect();
    let drawn = picture::text(&graph(&json!({"sockets": sockets})));
    assert!(
        drawn.ends_with("… and 300 more; `--format json` has them all\n"),
        "{}",
        &drawn[drawn.len() - 200..]
    );
}

#[test]
fn other_programs_get_their_notation() {
    let graph = shown();
    let mermaid = picture::mermaid(&graph);
    assert!(
        mermaid.starts_with("flowchart TD\n  subgraph loop0 [\"loop l\"]\n    n1(\"S3<br/>A\")\n"),
        "{mermaid}"
    );
    assert!(
        mermaid.contains("  n2 -->|\"not_satisfied, at most 3×\"| n1\n"),
        "{mermaid}"
    );
    assert!(
        mermaid.contains("  n2 ==>|\"done, satisfied\"| n3\n"),
        "{mermaid}"
    );
    let dot = picture::dot(&graph);
    assert!(dot.starts_with("digraph \"T\" {\n"), "{dot}");
    assert!(
        dot.contains("  n2 -> n3 [label=\"done, satisfied\"] [style=bold];\n"),
        "{dot}"
    );
    let json = picture::json(&graph);
    assert_eq!(
        json["sockets"][2]["edges"][0],
        json!({"when": "not_satisfied", "to": "S3", "maxTraversals": 3})
    );
    assert_eq!(json["loops"][0]["consumes"], "S1");
    assert_eq!(json["sockets"][2]["advance"]["cursor"], "workItemIndex");
}

#[test]
fn names_cannot_break_a_notation() {
    let mut loadout = work();
    loadout["loops"] = json!({});
    let label = "say \"hi\" <b>\n\u{1b}[31m`x`\\";
    let layers = [crate::loadout::tests::layer(
        crate::loadout::ConfigScope::Flag,
        &json!({
            "materia": {"A": {"tools": "none", "prompt": "a", "label": label}},
            "loadouts": {"T\"\n": {"sockets": {"a": {"materia": "A"}}}},
        }),
    )];
    let config = crate::loadout::Config::load(&layers);
    let graph = config.compile("T\"\n").unwrap().graph.unwrap();
    for picture in [
        picture::text(&graph),
        picture::mermaid(&graph),
        picture::dot(&graph),
    ] {
        assert!(!picture.contains('\u{1b}'), "{picture}");
    }
    assert!(picture::mermaid(&graph).contains("say #quot;hi#quot; #lt;b#gt;"));
    assert!(picture::dot(&graph).contains("say \\\"hi\\\" <b>"));
}
