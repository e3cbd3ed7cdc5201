//! Secrets of a run: its commands get them, but no file of the run contains them (S3).

use std::path::Path;

use serde_json::json;

use crate::spawn::records;
use crate::test_env::TestEnv;

/// The files below a directory that contain this text.
fn files_with(dir: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(dir)
        .unwrap()
        .flatten()
        .map(|entry| entry.path())
    {
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if path.is_file()
            && String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(text)
        {
            found.push(path.display().to_string());
        }
    }
    found
}

fn key() -> String {
    format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8")
}

#[test]
fn declared_secrets_and_keys_are_in_no_file_of_a_run() {
    let env = TestEnv::new();
    let recipe = json!({"description": "Deploys", "async": true, "secrets": ["DEPLOY", "pass"],
        "args": ["pass", "note"],
        "template": ["sh say.sh {pass} {note}", "cat"]});
    env.write("../home/.pi/agent/recipes/deploy.json", recipe.to_string());
    // The key is written in two parts with a pause, so that each part is read separately.
    let key = key();
    let (front, back) = key.split_at(12);
    env.write("say.sh", format!("printf '%s' 'out {front}'; sleep 0.2; printf '%s\\n' '{back} end'; echo \"$DEPLOY $1 $2\" >&2; echo \"$1\" > got; false\n"));
    let args = [
        "spawn",
        "deploy",
        "pass=hunter two",
        "note=fine",
        "--as",
        "run:a",
        "--json",
    ];
    env.materia(&args).env("DEPLOY", "swordfish").run().ok();
    env.wait("a");
    assert_eq!(
        std::fs::read_to_string(env.work_dir().join("got")).unwrap(),
        "hunter two\n",
        "the command must get the secret"
    );
    for secret in ["hunter two", "swordfish", &key, back] {
        assert_eq!(files_with(&env.home(), secret), [""; 0], "{secret}");
    }
    assert_eq!(env.read_run_file("a", "stdout.log"), "out [redacted] end\n");
    assert_eq!(
        env.read_run_file("a", "stderr.log"),
        "[redacted] [redacted] fine\n"
    );
    let start = records(&env, "a")
        .into_iter()
        .find(|record| record["type"] == "run.start")
        .unwrap();
    assert_eq!(
        start["data"]["values"],
        json!({"pass": "[redacted]", "note": "fine"})
    );
    let usage = env.home().join(".pi/agent");
    assert!(
        files_with(&usage, "\"spawn_calls\": 1").len()
            + files_with(&usage, "\"spawn_calls\":1").len()
            == 1,
        "the call must be counted"
    );
}

#[test]
fn the_key_of_a_single_command_is_redacted() {
    let env = TestEnv::new();
    let key = key();
    let (front, back) = key.split_at(12);
    env.write(
        "say.sh",
        format!("printf '%s' '{front}'; sleep 0.2; printf '%s' '{back}'; printf '%s' '{front}{back}' >&2\n"),
    );
    env.spawn("a", &format!("sh say.sh {key}"), &["--", "token=1"]);
    env.wait("a");
    assert_eq!(files_with(&env.home(), back), [""; 0]);
    assert_eq!(
        (
            env.read_run_file("a", "stdout.log"),
            env.read_run_file("a", "stderr.log")
        ),
        ("[redacted]".into(), "[redacted]".into())
    );
    let argv = records(&env, "a")
        .into_iter()
        .find(|record| record["type"] == "command.start")
        .unwrap();
    assert_eq!(argv["data"]["argv"], json!(["sh", "say.sh", "[redacted]"]));
}

#[test]
fn keys_of_concurrent_branches_are_redacted() {
    let env = TestEnv::new();
    let key = key();
    let (front, back) = key.split_at(20);
    env.write(
        "say.sh",
        format!(
            "for i in 1 2 3 4 5; do printf '%s' 'x {front}'; sleep 0.02; printf '%s' '{back} y '; done\n"
        ),
    );
    env.spawn(
        "a",
        r#"{"parallel": true, "template": ["sh say.sh", "sh say.sh", "sh say.sh"]}"#,
        &[],
    );
    env.wait("a");
    let output = env.read_run_file("a", "stdout.log");
    assert!(
        !output.contains(back) && output.matches("[redacted]").count() == 15,
        "{output}"
    );
}
