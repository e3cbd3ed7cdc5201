//! Loadouts far beyond realistic size: time and memory grow with the text, not with its square
//! (S5).

use super::shelf;
use crate::finding::Source;
use crate::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};
use crate::picture;

/// Reads and checks a text; a quadratic step would take minutes here.
fn survive(loadout: &str) -> usize {
    let text = format!(
        "{{\"materia\": {}, \"loadouts\": {{\"T\": {loadout}}}}}",
        shelf()
    );
    let layers = [ConfigLayer {
        scope: ConfigScope::Flag,
        document: ConfigDocument::parse(Source::new("big.json", &text)),
    }];
    let config = Config::load(&layers);
    let compiled = config.compile("T").unwrap();
    if let Some(graph) = compiled.graph {
        let _ = picture::text(&graph);
        return graph.sockets().len();
    }
    assert!(!compiled.findings.is_empty() && compiled.findings.len() <= 200);
    0
}

fn sockets(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count)
        .map(|at| format!("\"S{at}\":{}", one(at)))
        .collect::<Vec<_>>()
        .join(",")
}

#[test]
fn a_hundred_thousand_sockets_are_read_in_proportion() {
    const MANY: usize = 100_000;
    let chain = sockets(MANY, |at| {
        format!(
            "{{\"materia\":\"A\",\"edges\":[{{\"to\":\"S{}\"}}]}}",
            (at + 1) % MANY
        )
    });
    assert_eq!(survive(&format!("{{\"sockets\":{{{chain}}}}}")), MANY);
    let each = sockets(MANY / 2, |at| {
        format!(
            "{{\"materia\":\"A\",\"foreach\":{{\"items\":\"x\"}},\"edges\":[{{\"to\":\"S{}\"}}]}}",
            (at + 1) % (MANY / 2)
        )
    });
    assert_eq!(survive(&format!("{{\"sockets\":{{{each}}}}}")), MANY / 2);
    let lost = sockets(MANY, |at| {
        format!("{{\"materia\":\"Nope{at}\",\"edges\":[{{\"to\":\"T{at}\"}}]}}")
    });
    assert_eq!(survive(&format!("{{\"sockets\":{{{lost}}}}}")), 0);
}

#[test]
fn many_loops_and_edges_are_read_in_proportion() {
    let loops = |count: usize| {
        (0..count)
            .map(|at| format!("\"l{at}\":{{\"sockets\":[\"S0\"]}}"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let star = sockets(20_000, |_| {
        "{\"materia\":\"Gen\",\"edges\":[{\"to\":\"S0\"}]}".to_owned()
    });
    assert_eq!(
        survive(&format!(
            "{{\"sockets\":{{{star}}},\"loops\":{{{}}}}}",
            loops(50_000)
        )),
        0
    );
    let apart = sockets(50_000, |at| {
        format!("{{\"materia\":\"J\",\"edges\":[{{\"to\":\"S{at}\"}}]}}")
    });
    let own = (0..50_000)
        .map(|at| format!("\"l{at}\":{{\"sockets\":[\"S{at}\"],\"iterator\":{{\"items\":\"x\"}},\"exit\":{{\"from\":\"S{at}\",\"when\":\"satisfied\"}}}}"))
        .collect::<Vec<_>>()
        .join(",");
    assert_eq!(
        survive(&format!("{{\"sockets\":{{{apart}}},\"loops\":{{{own}}}}}")),
        50_000
    );
    let fan = vec!["{\"when\":\"satisfied\",\"to\":\"S0\"}"; 100_000].join(",");
    assert_eq!(
        survive(&format!(
            "{{\"sockets\":{{\"S0\":{{\"materia\":\"J\",\"edges\":[{fan}]}}}}}}"
        )),
        1
    );
}

#[test]
fn a_thicket_of_edges_is_still_drawn() {
    let thicket = sockets(200, |at| {
        let ways: Vec<_> = (1..40)
            .map(|step| {
                format!(
                    "{{\"when\":\"satisfied\",\"to\":\"S{}\"}}",
                    (at + step * step) % 200
                )
            })
            .collect();
        format!("{{\"materia\":\"J\",\"edges\":[{}]}}", ways.join(","))
    });
    assert_eq!(survive(&format!("{{\"sockets\":{{{thicket}}}}}")), 200);
}
