//! `materia grid`: loadouts as pictures and as a document.

use insta::assert_snapshot;
use serde_json::json;

use crate::house::House;

const FLOW: &str = r#"{
  "activeLoadout": "Flow",
  "loadouts": {"Flow": {
    "sockets": {
      "try": {"materia": "Try", "edges": [
        {"when": "satisfied", "to": "tell"}, {"when": "not_satisfied", "to": "try", "maxTraversals": 2}
      ]},
      "tell": {"materia": "Narrate"}
    }
  }},
  "materia": {"Try": {"command": ["make", "test"], "parse": "json"}}
}"#;

#[test]
fn what_ships_is_drawn_without_any_config() {
    let house = House::new();
    let active = house.materia(&["grid"]).run().ok();
    assert_snapshot!(active.transcript());
    let others = ["Planning-Consult", "Hojo-Consult", "default:release"];
    let drawn: Vec<String> =
        others.iter().map(|name| house.materia(&["grid", name]).run().ok().transcript()).collect();
    assert_snapshot!("the_other_loadouts_that_ship", drawn.join("\n"));
}

#[test]
fn other_programs_get_their_notation() {
    let house = House::new();
    house.write("flow.json", FLOW);
    let formats = ["text", "mermaid", "dot", "json"];
    let drawn: Vec<String> = formats
        .iter()
        .map(|format| {
            house.materia(&["grid", "--config", "flow.json", "--format", format]).run().ok().transcript()
        })
        .collect();
    assert_snapshot!(drawn.join("\n"));
    let document = house.materia(&["grid", "--materia-config", "flow.json", "--json"]).run().ok().json();
    assert_eq!((&document["ok"], &document["loadout"]), (&json!(true), &json!("Flow")));
}

#[test]
fn layers_lie_over_each_other() {
    let house = House::new();
    let active = |name: &str| json!({"activeLoadout": name}).to_string();
    let shown = |call: crate::house::Call<'_>| call.run().ok().json()["loadout"].clone();
    assert_eq!(shown(house.materia(&["grid", "--json"])), "Full-Auto");
    let profile = house.work().join("../profile");
    std::fs::create_dir_all(&profile).unwrap();
    std::fs::write(profile.join("materia.json"), active("Release")).unwrap();
    let call =
        |words: &[&str]| house.materia(words).env("PI_MATERIA_PROFILE_DIR", house.work().join("../profile"));
    assert_eq!(shown(call(&["grid", "--json"])), "Release");
    house.write(".pi/pi-materia.json", active("Hojo-Consult"));
    assert_eq!(shown(call(&["grid", "--json"])), "Hojo-Consult");
    house.write("env.json", active("Planning-Consult"));
    assert_eq!(shown(call(&["grid", "--json"]).env("MATERIA_CONFIG", "env.json")), "Planning-Consult");
    house.write("flow.json", FLOW);
    let top = call(&["grid", "--json", "--config", "flow.json"]).env("MATERIA_CONFIG", "env.json");
    assert_eq!(shown(top), "Flow");
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let house = House::new();
    house.write("flow.json", FLOW.replace("\"tell\"}", "\"tel\"}"));
    house.write("syntax.json", "{\"loadouts\": ");
    let calls: &[&[&str]] = &[
        &["grid", "Full-Atuo"],
        &["grid", "--config", "flow.json"],
        &["grid", "--config", "syntax.json"],
        &["grid", "--config", "missing.json"],
        &["grid", "--format", "dot", "--json"],
        &["grid", "Nope", "--json"],
    ];
    let outcomes: Vec<_> = calls.iter().map(|words| house.materia(words).run()).collect();
    let codes: Vec<i32> = outcomes.iter().map(crate::house::Outcome::code).collect();
    assert_eq!(codes, [3, 2, 2, 3, 2, 3]);
    let told: Vec<String> = outcomes.iter().map(crate::house::Outcome::transcript).collect();
    assert_snapshot!(told.join("\n"));
    house.materia(&["grid", "--config", "flow.json", "Release"]).run().ok();
}
