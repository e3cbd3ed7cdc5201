//! `materia loadout` and `materia schema`: the list, the active loadout, the allowed fields.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestOutput};

const PROJECT: &str = r#"{
  "loadouts": {
    "Ours": {"description": "What this project does", "sockets": {"a": {"materia": "Detect-VCS"}}},
    "Half": {"sockets": {"a": {"materia": "Detect-VCS", "edges": [{"to": "b"}]}}}
  }
}"#;

fn profile(env: &TestEnv) -> PathBuf {
    env.home().join(".config/pi/pi-materia/materia.json")
}

fn write_profile(env: &TestEnv, text: &str) {
    fs::create_dir_all(profile(env).parent().unwrap()).unwrap();
    fs::write(profile(env), text).unwrap();
}

#[test]
fn the_list_marks_the_active_loadout_and_invalid_ones() {
    let env = TestEnv::new();
    env.write(".pi/pi-materia.json", PROJECT);
    assert_snapshot!(env.materia(&["loadout", "list"]).run().ok().transcript());
    let document = env
        .materia(&["loadout", "list", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(document, {"ok": true, "active": "Full-Auto"});
    let own = &document["loadouts"][4];
    let expected = json!({
        "name": "Ours", "id": "project:ours", "source": "project", "description": "What this project does",
        "active": false, "editable": true, "usable": true, "issues": []
    });
    assert_eq!(own, &expected);
    let half = &document["loadouts"][5];
    assert_eq!(half["usable"], false);
    assert_eq!(half["issues"][0]["code"], "unknown-endpoint");
}

#[test]
fn the_list_reports_invalid_files() {
    let env = TestEnv::new();
    write_profile(&env, "{\"activeLoadout\": \"Gone\",\n}\n");
    env.write(".pi/pi-materia.json", "{");
    assert_snapshot!(env.materia(&["loadout", "list"]).run().ok().transcript());
}

#[test]
fn use_changes_only_the_active_loadout_in_the_file() {
    let env = TestEnv::new();
    let active = || {
        env.materia(&["loadout", "list", "--json"])
            .run()
            .ok()
            .json()["active"]
            .clone()
    };
    let first = env.materia(&["loadout", "use", "Release"]).run().ok();
    assert_eq!(
        fs::read_to_string(profile(&env)).unwrap(),
        "{\n  \"activeLoadout\": \"Release\"\n}\n"
    );
    assert_eq!(active(), "Release");
    write_profile(
        &env,
        "// mine\n{ \"activeLoadout\": \"Release\",\n  \"limits\": {}, }",
    );
    let second = env
        .materia(&["loadout", "use", "default:hojo-consult"])
        .run()
        .ok();
    let expected = "// mine\n{ \"activeLoadout\": \"Hojo-Consult\",\n  \"limits\": {}, }";
    assert_eq!(fs::read_to_string(profile(&env)).unwrap(), expected);
    assert_eq!(active(), "Hojo-Consult");
    let again = env.materia(&["loadout", "use", "Hojo-Consult"]).run().ok();
    env.write(".pi/pi-materia.json", "{\"activeLoadout\": \"Full-Auto\"}");
    let overruled = env.materia(&["loadout", "use", "Release"]).run().ok();
    assert_snapshot!(
        [first, second, again, overruled]
            .map(|outcome| outcome.transcript())
            .join("\n")
    );
}

#[test]
fn use_refuses_an_unusable_loadout_and_keeps_the_file() {
    let env = TestEnv::new();
    env.write(".pi/pi-materia.json", PROJECT);
    write_profile(&env, "{\"limits\": {}}");
    let refused = ["Relaese", "Ours"].map(|name| env.materia(&["loadout", "use", name]).run());
    assert_eq!(refused.each_ref().map(TestOutput::code), [3, 4]);
    assert_eq!(
        fs::read_to_string(profile(&env)).unwrap(),
        "{\"limits\": {}}"
    );
    write_profile(&env, "{\"limits\": ");
    let broken = env.materia(&["loadout", "use", "Release"]).run();
    assert_eq!(broken.code(), 2);
    assert_eq!(fs::read_to_string(profile(&env)).unwrap(), "{\"limits\": ");
    let transcripts = refused.iter().chain([&broken]).map(TestOutput::transcript);
    assert_snapshot!(transcripts.collect::<Vec<_>>().join("\n"));
}

#[test]
fn use_writes_through_a_symlink() {
    let env = TestEnv::new();
    let real = env.write("dotfiles/materia.json", "{}\n");
    fs::create_dir_all(profile(&env).parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&real, profile(&env)).unwrap();
    env.materia(&["loadout", "use", "Release"]).run().ok();
    assert!(profile(&env).is_symlink());
    assert_eq!(
        fs::read_to_string(real).unwrap(),
        "{\n  \"activeLoadout\": \"Release\"\n}\n"
    );
}

#[test]
fn validate_without_files_checks_the_effective_config() {
    let env = TestEnv::new();
    env.materia(&["loadout", "validate"]).run().ok();
    env.write(".pi/pi-materia.json", PROJECT);
    let outcome = env.materia(&["loadout", "validate"]).run();
    assert_eq!(outcome.code(), 2);
    assert_snapshot!(outcome.transcript());
    let named = env
        .materia(&["loadout", "validate", ".pi/pi-materia.json", "--json"])
        .run();
    assert_eq!(named.code(), 2);
    assert_eq!(named.json()["files"][0]["ok"], false);
}

#[test]
fn the_schema_has_the_fields_of_a_config() {
    let env = TestEnv::new();
    let schema = env.materia(&["schema", "loadout"]).run().ok();
    let document: Value = schema.json();
    assert_eq!(
        document["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    for name in ["loadouts", "materia", "activeLoadout", "budget"] {
        assert!(document["properties"][name].is_object(), "{name}");
    }
    assert_eq!(
        env.materia(&["schema", "--json", "loadout"])
            .run()
            .ok()
            .stdout,
        schema.stdout
    );
    assert_eq!(env.materia(&["schema", "loadot"]).run().code(), 2);
}
