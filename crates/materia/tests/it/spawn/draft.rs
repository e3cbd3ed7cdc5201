//! Drafts: what was spawned in passing can be kept as a recipe, without what was secret about it.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::test_env::TestEnv;

fn root(env: &TestEnv) -> PathBuf {
    env.home().join(".pi/agent/recipes")
}

fn read(path: impl AsRef<Path>) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn what_was_spawned_in_passing_is_kept_and_can_become_a_tool() {
    let env = TestEnv::new();
    let template = r#"["echo {what}", "tr a-z A-Z"]"#;
    let spawned = env.spawn(
        "a",
        template,
        &["--artifact", "log={state_dir}/log", "what=words"],
    );
    env.wait("a");
    let file = root(&env).join("drafts/a.json");
    assert_eq!(
        spawned["draft"],
        "[ROOT]/home/.pi/agent/recipes/drafts/a.json"
    );
    let draft = read(&file);
    assert_eq!(draft["template"], json!(["echo {what}", "tr a-z A-Z"]));
    assert_eq!(
        draft["artifacts"],
        json!({"log": {"path": "{state_dir}/log"}}),
        "as it was written"
    );
    assert!(
        !draft.to_string().contains("words"),
        "no value of a caller: {draft}"
    );
    let again = env.spawn("a", "echo other", &[]);
    env.wait("a");
    assert_eq!(
        again["draft"],
        json!(null),
        "a second spawn changes nothing"
    );
    assert_eq!(read(&file), draft, "a second spawn changes nothing");
    env.materia(&["tool", "promote", "a", "--name", "shout"])
        .run()
        .ok();
    let listed = env.materia(&["tool", "list", "--json"]).run().ok().json();
    assert_eq!(listed["tools"][0]["name"], "shout", "{listed}");
}

#[test]
fn keys_do_not_get_into_a_draft_and_unnamed_runs_share_one() {
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
    let drafts: Vec<_> = std::fs::read_dir(root(&env).join("drafts"))
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(drafts.len(), 1);
    assert_eq!(read(drafts[0].path())["template"], "true [redacted]");
}

#[test]
fn a_root_that_cannot_be_written_to_keeps_nothing_and_fails_nothing() {
    let env = TestEnv::new();
    std::fs::create_dir_all(root(&env)).unwrap();
    // Whoever is root writes everywhere, but not through a file.
    std::fs::write(root(&env).join("drafts"), "").unwrap();
    std::fs::set_permissions(root(&env), std::fs::Permissions::from_mode(0o555)).unwrap();
    let spawned = env.spawn("a", "true", &[]);
    assert_eq!(spawned["draft"], Value::Null, "{spawned}");
    assert_eq!(env.wait("a")["status"], "done");
    std::fs::set_permissions(root(&env), std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn what_has_a_file_of_its_own_needs_no_draft() {
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
    assert!(!root(&env).join("drafts").exists());
}
