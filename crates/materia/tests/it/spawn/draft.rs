//! Drafts: a spawned template is saved as a draft recipe, without secrets.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::test_env::TestEnv;

fn recipes_dir(env: &TestEnv) -> PathBuf {
    env.home().join(".pi/agent/recipes")
}

fn read_json(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_spawned_template_becomes_a_draft_and_can_be_promoted() {
    let env = TestEnv::new();
    let template = r#"["echo {what}", "tr a-z A-Z"]"#;
    let spawned = env.spawn(
        "a",
        template,
        &["--artifact", "log={state_dir}/log", "what=words"],
    );
    env.wait("a");
    let file = recipes_dir(&env).join("drafts/a.json");
    assert_eq!(
        spawned["draft"],
        "[ROOT]/home/.pi/agent/recipes/drafts/a.json"
    );
    let draft = read_json(&file);
    assert_eq!(draft["template"], json!(["echo {what}", "tr a-z A-Z"]));
    assert_eq!(
        draft["artifacts"],
        json!({"log": {"path": "{state_dir}/log"}}),
        "the artifact must be unchanged"
    );
    assert!(
        !draft.to_string().contains("words"),
        "a draft must not contain values: {draft}"
    );
    let again = env.spawn("a", "echo other", &[]);
    env.wait("a");
    assert_eq!(
        again["draft"],
        json!(null),
        "a second spawn changes nothing"
    );
    assert_eq!(read_json(&file), draft, "a second spawn changes nothing");
    env.materia(&["tool", "promote", "a", "--name", "shout"])
        .run()
        .ok();
    let listed = env.materia(&["tool", "list", "--json"]).run().ok().json();
    assert_eq!(listed["tools"][0]["name"], "shout", "{listed}");
}

#[test]
fn a_draft_has_no_keys_and_unnamed_runs_share_one() {
    let env = TestEnv::new();
    let template = format!("true {}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8");
    for _ in 0..2 {
        let spawned = env
            .materia(&["spawn", "--json", "--template", &template])
            .run()
            .ok()
            .json();
        env.wait(spawned["run"].as_str().unwrap());
    }
    let drafts: Vec<_> = std::fs::read_dir(recipes_dir(&env).join("drafts"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(drafts.len(), 1);
    assert_eq!(read_json(drafts[0].path())["template"], "true [redacted]");
}

#[test]
fn an_unwritable_recipe_directory_is_not_an_error() {
    let env = TestEnv::new();
    std::fs::create_dir_all(recipes_dir(&env)).unwrap();
    // Modes do not stop root, but a file in place of the directory does.
    std::fs::write(recipes_dir(&env).join("drafts"), "").unwrap();
    std::fs::set_permissions(recipes_dir(&env), std::fs::Permissions::from_mode(0o555)).unwrap();
    let spawned = env.spawn("a", "true", &[]);
    assert_eq!(spawned["draft"], Value::Null, "{spawned}");
    assert_eq!(env.wait("a")["status"], "done");
    std::fs::set_permissions(recipes_dir(&env), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn recipes_with_a_file_get_no_draft() {
    let env = TestEnv::new();
    env.write("r.json", r#"{"template": "true"}"#);
    for args in [
        &["--file", "r.json"] as &[&str],
        &["utility-git-log", "repo=."],
    ] {
        let spawned = env
            .materia(&[&["spawn", "--json"], args].concat())
            .run()
            .ok()
            .json();
        assert_eq!(spawned["draft"], Value::Null);
        env.wait(spawned["run"].as_str().unwrap());
    }
    assert!(!recipes_dir(&env).join("drafts").exists());
}
