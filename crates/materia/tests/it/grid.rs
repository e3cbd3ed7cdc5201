//! `materia grid`: loadouts as text graphics and as JSON.

use insta::assert_snapshot;
use serde_json::json;

use crate::test_env::TestEnv;
use crate::test_env::terminal::run_on_terminal;

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
fn shipped_loadouts_are_drawn_without_a_config() {
    let env = TestEnv::new();
    let active = env.materia(&["grid"]).run().ok();
    assert_snapshot!(active.transcript());
    let others = ["Planning-Consult", "Hojo-Consult", "default:release"];
    let drawn: Vec<String> = others
        .iter()
        .map(|name| env.materia(&["grid", name]).run().ok().transcript())
        .collect();
    assert_snapshot!("the_other_shipped_loadouts", drawn.join("\n"));
}

#[test]
fn a_loadout_is_drawn_in_every_format() {
    let env = TestEnv::new();
    env.write("flow.json", FLOW);
    let formats = ["text", "mermaid", "dot", "json"];
    let drawn: Vec<String> = formats
        .iter()
        .map(|format| {
            env.materia(&["grid", "--config", "flow.json", "--format", format])
                .run()
                .ok()
                .transcript()
        })
        .collect();
    assert_snapshot!(drawn.join("\n"));
    let document = env
        .materia(&["grid", "--materia-config", "flow.json", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(document, {"ok": true, "loadout": "Flow"});
}

#[test]
fn config_layers_override_each_other() {
    let env = TestEnv::new();
    let active = |name: &str| json!({"activeLoadout": name}).to_string();
    let shown =
        |command: crate::test_env::TestCommand<'_>| command.run().ok().json()["loadout"].clone();
    assert_eq!(shown(env.materia(&["grid", "--json"])), "Full-Auto");
    let profile = env.work_dir().join("../profile");
    std::fs::create_dir_all(&profile).unwrap();
    std::fs::write(profile.join("materia.json"), active("Release")).unwrap();
    let command = |args: &[&str]| {
        env.materia(args)
            .env("PI_MATERIA_PROFILE_DIR", env.work_dir().join("../profile"))
    };
    assert_eq!(shown(command(&["grid", "--json"])), "Release");
    env.write(".pi/pi-materia.json", active("Hojo-Consult"));
    assert_eq!(shown(command(&["grid", "--json"])), "Hojo-Consult");
    env.write("env.json", active("Planning-Consult"));
    assert_eq!(
        shown(command(&["grid", "--json"]).env("MATERIA_CONFIG", "env.json")),
        "Planning-Consult"
    );
    env.write("flow.json", FLOW);
    let top =
        command(&["grid", "--json", "--config", "flow.json"]).env("MATERIA_CONFIG", "env.json");
    assert_eq!(shown(top), "Flow");
}

#[test]
fn errors_of_grid() {
    let env = TestEnv::new();
    env.write("flow.json", FLOW.replace("\"tell\"}", "\"tel\"}"));
    env.write("syntax.json", "{\"loadouts\": ");
    let invocations: &[&[&str]] = &[
        &["grid", "Full-Atuo"],
        &["grid", "--config", "flow.json"],
        &["grid", "--config", "syntax.json"],
        &["grid", "--config", "missing.json"],
        &["grid", "--format", "dot", "--json"],
        &["grid", "Nope", "--json"],
    ];
    let outcomes: Vec<_> = invocations
        .iter()
        .map(|args| env.materia(args).run())
        .collect();
    let codes: Vec<i32> = outcomes
        .iter()
        .map(crate::test_env::TestOutput::code)
        .collect();
    assert_eq!(codes, [3, 2, 2, 3, 2, 3]);
    let transcripts: Vec<String> = outcomes
        .iter()
        .map(crate::test_env::TestOutput::transcript)
        .collect();
    assert_snapshot!(transcripts.join("\n"));
    env.materia(&["grid", "--config", "flow.json", "Release"])
        .run()
        .ok();
}

/// A config with thirty sockets in two loops, and back edges of many lengths.
fn large_config() -> String {
    let name = |at: usize| format!("Socket-{at}");
    let mut sockets = serde_json::Map::new();
    for at in 1..=30 {
        let next = if at == 30 {
            "end".to_owned()
        } else {
            name(at + 1)
        };
        let edges = match at {
            6 | 9 | 12 | 18 | 21 | 24 | 27 => json!([{"when": "satisfied", "to": next},
                {"when": "not_satisfied", "to": name(at - at / 3), "maxTraversals": 3}]),
            10 | 26 => {
                let first = if at == 10 { 4 } else { 17 };
                json!([{"when": "satisfied", "to": name(first)}, {"when": "not_satisfied", "to": name(first + 1)}])
            }
            14 | 29 => {
                json!([{"when": "satisfied", "to": next}, {"when": "not_satisfied", "to": name(2)}])
            }
            _ => json!([{"to": next}]),
        };
        let materia = match at {
            3 | 16 => "Plan-The-Next-Release",
            _ if at % 3 == 2 || at % 3 == 0 => "Review-Security-And-Style",
            _ => "Build",
        };
        sockets.insert(name(at), json!({"materia": materia, "edges": edges}));
    }
    let loop_of = |from: usize, to: usize| {
        json!({"sockets": (from..=to).map(name).collect::<Vec<_>>(), "consumes": {"from": name(from - 1)},
            "exits": [{"id": "done", "from": name(to), "condition": "always", "targetSocketId": name(to + 1)}]})
    };
    let role = |generator: bool| json!({"prompt": "x", "tools": "none", "parse": "json", "generator": generator});
    let materia = json!({"Plan-The-Next-Release": role(true), "Review-Security-And-Style": role(false), "Build": role(false)});
    let loops = json!({"first": loop_of(4, 10), "second": loop_of(17, 26)});
    let loadouts = json!({"Large": {"entry": "Socket-1", "sockets": sockets, "loops": loops}});
    json!({"activeLoadout": "Large", "loadouts": loadouts, "materia": materia}).to_string()
}

#[test]
fn thirty_sockets_fit_the_terminal() {
    let env = TestEnv::new();
    env.write("large.json", large_config());
    let drawn = |columns: usize| {
        let text = run_on_terminal(&env, columns, "NO_COLOR=1 materia grid --config large.json")
            .replace('\r', "");
        let wide = text.lines().find(|line| line.chars().count() > columns);
        assert_eq!(wide, None, "{text}");
        assert!(
            (1..=30).all(|at| text.contains(&format!("Socket-{at} "))),
            "{text}"
        );
        text
    };
    let narrow = drawn(80);
    assert!(
        narrow.contains("├─ ✗ ≤3× ") && narrow.contains("✗ not satisfied"),
        "{narrow}"
    );
    assert_snapshot!(narrow);
    assert!(drawn(120).contains("not_satisfied, at most 3×"));
}
