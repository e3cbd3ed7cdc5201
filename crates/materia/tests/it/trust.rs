//! `materia trust`: nothing that a project brings runs before the person agreed to exactly that
//! (S1, S2).

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::house::{House, Outcome};

/// A project whose config runs a script of the project.
fn project() -> House {
    let house = House::new();
    house.write("tools/mark.sh", "cat >/dev/null; echo ran >>ran\n");
    bring(
        &house,
        &json!({"Mark": {"type": "utility", "command": ["sh", "tools/mark.sh"]}}),
    );
    house
}

fn bring(house: &House, materia: &Value) {
    let first = materia.as_object().unwrap().keys().next().unwrap();
    let loadouts = json!({"T": {"entry": "a", "sockets": {"a": {"materia": first}}}});
    let config = json!({"activeLoadout": "T", "loadouts": loadouts, "materia": materia});
    house.write(".pi/pi-materia.json", config.to_string());
}

fn cast(house: &House) -> Outcome {
    house.materia(&["cast", "go", "--json"]).run()
}

fn refusal(outcome: &Outcome) -> String {
    assert_eq!(outcome.code(), 4, "{}", outcome.transcript());
    let error = &outcome.json()["error"];
    assert_eq!(error["code"], "untrusted");
    assert!(
        error["hint"].as_str().unwrap().contains("`materia trust`"),
        "{error}"
    );
    error["message"].as_str().unwrap().to_owned()
}

/// Types an answer to a line on a terminal of its own.
fn on_terminal(house: &House, line: &str, typed: &str) -> Outcome {
    house.write("line.sh", format!("{line}\n"));
    house
        .shell("script -qec 'sh line.sh' /dev/null")
        .env("TERM", "xterm")
        .stdin(typed)
        .run()
}

fn times_run(house: &House) -> usize {
    std::fs::read_to_string(house.work().join("ran"))
        .unwrap_or_default()
        .lines()
        .count()
}

pub(crate) fn trust(house: &House) {
    house
        .materia(&["trust"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
}

#[test]
fn s1_without_a_terminal_it_is_refused_with_what_to_type() {
    let house = project();
    assert!(refusal(&cast(&house)).contains("is not trusted"));
    let asked = house.materia(&["trust", "--json"]).run();
    assert_eq!(
        (asked.code(), &asked.json()["error"]["code"]),
        (4, &json!("no_terminal"))
    );
    let shown = house.materia(&["trust", "--show"]).run().ok().stdout;
    for part in [
        "not trusted: [HOUSE]/project/.pi/pi-materia.json",
        "Mark (command)\n    sh tools/mark.sh",
        "tools/mark.sh  sha256 ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(times_run(&house), 0);
    assert!(
        !house
            .home()
            .join(".config/pi/pi-materia/trust.json")
            .exists()
    );
}

#[test]
fn s1_on_a_terminal_the_first_use_asks_and_remembers() {
    let house = project();
    for (typed, code) in [("n\n", 4), ("\n", 4), ("y\n", 0)] {
        let outcome = on_terminal(&house, "materia cast go", typed);
        assert_eq!(outcome.code(), code, "{typed:?}: {}", outcome.transcript());
        assert!(
            outcome.stdout.contains("sh tools/mark.sh")
                && outcome.stdout.contains("Trust this? [y/N]")
        );
        assert_eq!(times_run(&house), usize::from(code == 0));
    }
    let again = on_terminal(&house, "materia cast go", "");
    assert!(
        again.code() == 0 && !again.stdout.contains("Trust this?"),
        "{}",
        again.transcript()
    );
    cast(&house).ok();
    let ledger = house.home().join(".config/pi/pi-materia/trust.json");
    assert_eq!(
        ledger.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn s1_every_byte_counts_and_what_changed_is_told() {
    let house = project();
    trust(&house);
    cast(&house).ok();
    house.write("tools/mark.sh", "cat >/dev/null; echo ran >>ran \n");
    assert!(refusal(&cast(&house)).contains("`tools/mark.sh` has changed"));
    house.write(".pi/tools/mark.sh", "echo mine\n");
    assert!(refusal(&cast(&house)).contains("`.pi/tools/mark.sh` is new"));
    std::fs::remove_dir_all(house.work().join(".pi/tools")).unwrap();
    trust(&house);
    cast(&house).ok();
    house.write(
        ".pi/pi-materia.json",
        format!("{} ", house.read(".pi/pi-materia.json")),
    );
    assert!(refusal(&cast(&house)).contains("`.pi/pi-materia.json` has changed"));
    assert_eq!(times_run(&house), 2);
}

#[test]
fn s1_trust_is_listed_and_taken_back() {
    let house = project();
    trust(&house);
    let file = house
        .work()
        .canonicalize()
        .unwrap()
        .join(".pi/pi-materia.json");
    let listed = house.materia(&["trust", "--list", "--json"]).run().ok();
    let whole: Value = serde_json::from_slice(&listed.bytes).unwrap();
    assert!(
        whole["trusted"][file.to_str().unwrap()]["files"]["tools/mark.sh"].is_string(),
        "{whole}"
    );
    assert!(
        house
            .materia(&["trust"])
            .run()
            .ok()
            .stdout
            .starts_with("trusted: "),
        "there is nothing to ask"
    );
    house.materia(&["trust", "--revoke", "."]).run().ok();
    refusal(&cast(&house));
    let again = house.materia(&["trust", "--revoke", ".", "--json"]).run();
    assert_eq!(
        (again.code(), &again.json()["error"]["code"]),
        (3, &json!("not_trusted"))
    );
    let nothing = House::new();
    assert_eq!(
        nothing.materia(&["trust"]).run().ok().stdout,
        "this project brings nothing that would run\n"
    );
}

#[test]
fn s1_roles_templates_and_settings_need_trust_too_and_are_shown() {
    let house = House::new();
    house.write("build.sh", "true\n");
    let materia = json!({
        "Build": {"tools": "coding", "prompt": "work"},
        "Check": {"type": "utility", "params": {"script": "build.sh"}, "template": ["sh {script}", "cat"]},
    });
    bring(&house, &materia);
    refusal(&cast(&house));
    let shown = house
        .materia(&["trust", "--show", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        shown["acts"][0],
        json!({"name": "Build", "kind": "agent", "detail": "all tools"})
    );
    assert_eq!(
        shown["acts"][1]["commands"],
        json!([["sh", "build.sh"], ["cat"]])
    );
    assert!(shown["files"]["build.sh"].is_string());
    house.write(".pi/pi-materia.json", "{\"artifactDir\": \"elsewhere\"}");
    house.write("script.json", "{\"replies\": []}");
    refusal(
        &house
            .materia(&["cast", "x", "--json", "--agent-script", "script.json"])
            .run(),
    );
}

#[test]
fn s2_a_program_inside_a_cast_cannot_agree() {
    let house = project();
    let line = "cat >/dev/null; MATERIA_TRUST=1 materia trust 2>&1; \
        env -i HOME=\"$HOME\" PATH=\"$PATH\" MATERIA_TRUST=1 materia trust 2>&1; echo end";
    let inside =
        json!({"type": "utility", "command": ["sh", "-c", line], "assign": {"said": "lastOutput"}});
    bring(&house, &json!({"In": inside}));
    let outcome = house
        .materia(&["cast", "go", "--json"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
    let dir = outcome.json()["runDir"]
        .as_str()
        .unwrap()
        .replace("[HOUSE]/project/", "");
    let said = house.read(&format!("{dir}/sockets/a/1.stdout.txt"));
    assert_eq!(
        said.matches("cannot agree to what a project brings")
            .count(),
        2,
        "{said}"
    );
    refusal(&cast(&house));
    for name in ["MATERIA_RUN", "MATERIA_SESSION"] {
        let call = house
            .materia(&["trust", "--json"])
            .env("MATERIA_TRUST", "1")
            .env(name, "x");
        assert_eq!(call.run().json()["error"]["code"], "operator_only");
    }
}

#[test]
fn s1_a_cast_that_came_with_the_project_is_not_taken_up() {
    let house = House::new();
    house.write("fail.json", json!({
        "activeLoadout": "T",
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "F"}}}},
        "materia": {"F": {"type": "utility", "command": ["sh", "-c", "cat >/dev/null; echo ran >>ran; exit 1"]}},
    }).to_string());
    let failed = house
        .materia(&["cast", "--config", "fail.json", "go", "--json"])
        .run();
    let dir = failed.json()["runDir"]
        .as_str()
        .unwrap()
        .replace("[HOUSE]/project/", "");
    assert_eq!(
        house.materia(&["recast", "--json"]).run().code(),
        1,
        "ours goes on"
    );
    assert_eq!(times_run(&house), 2);
    let definition = house.read(&format!("{dir}/config.resolved.json"));
    house.write(
        &format!("{dir}/config.resolved.json"),
        definition.replace("echo ran", "echo ran "),
    );
    let refused = house.materia(&["recast", "--json"]).run();
    assert_eq!(
        (refused.code(), &refused.json()["error"]["code"]),
        (4, &json!("untrusted"))
    );
    house.write(&format!("{dir}/config.resolved.json"), definition);
    let stranger = house
        .materia(&["recast", "--json"])
        .env("MATERIA_HOME", house.home().join("other"));
    assert_eq!(stranger.run().code(), 4, "somebody else has another key");
    assert_eq!(times_run(&house), 2);
    house
        .materia(&["recast", "--json"])
        .env("MATERIA_TRUST", "1")
        .run();
    assert_eq!(times_run(&house), 3);
    house
        .materia(&["abort", "--json"])
        .env("MATERIA_HOME", house.home().join("other"))
        .run();
}

#[test]
fn c20_a_tilde_in_a_template_is_home() {
    let house = House::new();
    let template =
        json!({"type": "utility", "template": ["cat", "~/tool"], "assign": {"said": "lastOutput"}});
    house
        .shell("mkdir -p ~; printf '#!/bin/sh\\ncat >/dev/null; echo at home' >~/tool; chmod +x ~/tool")
        .run()
        .ok();
    bring(&house, &json!({"T": template}));
    let outcome = house
        .materia(&["cast", "go", "--json"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
    let dir = outcome.json()["runDir"]
        .as_str()
        .unwrap()
        .replace("[HOUSE]/project/", "");
    assert_eq!(
        house.read(&format!("{dir}/sockets/a/1.stdout.txt")),
        "at home\n"
    );
}

#[test]
fn s1_what_a_recipe_of_the_project_imports_is_a_part_of_what_is_trusted() {
    let house = House::new();
    house.write(
        "recipes/top.json",
        r#"{"imports": {"part": "./deep/part.json"}, "template": {"name": "part"}}"#,
    );
    house.write(
        "recipes/deep/part.json",
        r#"{"template": "sh {recipe_dir}/mark.sh"}"#,
    );
    house.write("recipes/deep/mark.sh", "cat >/dev/null; echo ran >>ran\n");
    bring(
        &house,
        &json!({"Mark": {"type": "utility", "recipe": "./recipes/top.json"}}),
    );
    let shown = house
        .materia(&["trust", "--show", "--json"])
        .run()
        .ok()
        .json();
    let files: Vec<&String> = shown["files"].as_object().unwrap().keys().collect();
    let all = [
        ".pi/pi-materia.json",
        "recipes/deep/mark.sh",
        "recipes/deep/part.json",
        "recipes/top.json",
    ];
    assert_eq!(files, all, "{shown}");
    assert_eq!(
        shown["acts"][0]["commands"][0][1], "{recipe_dir}/mark.sh",
        "what would run is shown: {shown}"
    );
    trust(&house);
    cast(&house).ok();
    assert_eq!(times_run(&house), 1);
    for (file, text) in [
        (
            "recipes/deep/part.json",
            r#"{"template": "sh -c 'echo other >>ran'"}"#,
        ),
        ("recipes/deep/mark.sh", "echo other >>ran\n"),
    ] {
        let before = house.read(file);
        house.write(file, text);
        let said = refusal(&cast(&house));
        assert!(said.contains(file), "{said}");
        house.write(file, before);
        cast(&house).ok();
    }
    assert_eq!(times_run(&house), 3);
}
