//! What a run passes to its commands, and what they write.

use super::*;

#[test]
fn output_is_logged_while_the_command_runs() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'echo out; echo err >&2; sleep 600'", &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "out\n");
    env.wait_for_file_text(env.run_dir("a").stderr(), "err\n");
    assert_eq!(env.run_state("a").status.as_str(), "running");
    env.kill("a");
}

#[test]
fn output_of_branches_is_logged_while_they_run() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "template": ["sh -c 'echo one; sleep 600'", "sh -c 'echo two; sleep 600'"]});
    env.spawn("a", &template.to_string(), &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "one\n");
    env.wait_for_file_text(env.run_dir("a").stdout(), "two\n");
    assert_eq!(env.run_state("a").active, 2);
    env.kill("a");
    assert!(env.live_processes().is_empty());
}

#[test]
fn the_log_has_the_output_of_every_step() {
    let env = TestEnv::new();
    env.spawn("a", r#"["printf abc", "tr a-c x-z"]"#, &[]);
    assert_eq!(env.wait("a")["status"], "done");
    assert_eq!(env.read_run_file("a", "stdout.log"), "abcxyz");
}

#[test]
fn stderr_of_a_failed_command_is_logged_once() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'echo broken >&2; exit 3'", &[]);
    let ended = env.wait("a");
    assert!(
        ended["error"].as_str().unwrap().contains("broken"),
        "{ended}"
    );
    assert_eq!(env.read_run_file("a", "stderr.log"), "broken\n");
}

#[test]
fn commands_get_the_identity_of_their_run() {
    let env = TestEnv::new();
    let names = "$MATERIA_RUN $MATERIA_STATE_DIR $MATERIA_ADDRESS $MATERIA_ROOM $MATERIA_SESSION";
    let template = json!(format!(
        "sh -c 'echo \"{names}\" \"$1\" \"$2\"' sh {{run_id}} {{default_room}}"
    ))
    .to_string();
    env.spawn("a", &template, &["--session", "s1", "run_id=mine"]);
    assert_eq!(env.wait("a")["status"], "done");
    let dir = env.run_dir("a").dir().to_owned();
    let expected = format!("a {} run:a room:a s1 a room:a\n", dir.display());
    assert_eq!(env.read_run_file("a", "stdout.log"), expected);
}

#[test]
fn values_of_the_caller_do_not_override_built_in_placeholders() {
    let env = TestEnv::new();
    let names = [
        "run_id",
        "state_dir",
        "actor_address",
        "default_room",
        "communication_file",
    ];
    let placeholders: Vec<String> = names.iter().map(|name| format!("{{{name}}}")).collect();
    let mine: Vec<String> = names.iter().map(|name| format!("{name}=mine")).collect();
    let mine: Vec<&str> = mine.iter().map(String::as_str).collect();
    env.spawn("a", &format!("echo {}", placeholders.join(" ")), &mine);
    assert_eq!(env.wait("a")["status"], "done");
    let dir = env.run_dir("a").dir().display().to_string();
    let expected = format!("a {dir} run:a room:a {dir}/communication.json\n");
    assert_eq!(env.read_run_file("a", "stdout.log"), expected);
}

#[test]
fn a_new_generation_starts_with_empty_logs() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'echo first; exit 1'", &[]);
    env.wait("a");
    env.spawn("a", "echo second", &[]);
    assert_eq!(env.wait("a")["status"], "done");
    assert_eq!(env.read_run_file("a", "stdout.log"), "second\n");
    assert_eq!(document(&env, "a", "result.json")["code"], 0);
}

#[test]
fn background_processes_end_with_the_run() {
    let env = TestEnv::new();
    env.spawn("a", "materia-fake forks 3 --setsid --exit 0", &[]);
    assert_eq!(env.wait("a")["status"], "done");
    assert!(env.live_processes().is_empty());
}

#[test]
fn the_path_of_an_artifact_can_have_placeholders() {
    let env = TestEnv::new();
    let template = r#"{"template": "touch {dir}/{name}.md", "defaults": {"dir": "."}}"#;
    let more = [
        "--artifact",
        "report={dir}/{name}.md",
        "--artifact",
        "log={state_dir}/{run_id}-{kind=plain}.log",
    ];
    let object = r#"made={"path": "{name}.md", "kind": "report", "media_type": "text/markdown", "required": true}"#;
    env.spawn(
        "a",
        template,
        &[
            &more as &[&str],
            &["--artifact", object, "name=out", "run_id=ours"],
        ]
        .concat(),
    );
    env.wait("a");
    let inspected = env
        .materia(&["inspect", "run:a", "--view", "artifacts", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        inspected["artifacts"]["report"]["path"],
        "[ROOT]/project/./out.md"
    );
    assert_has!(inspected["artifacts"], {"report": {"exists": true}, "made": {"size": 0}});
    let made = &inspected["artifacts"]["made"];
    assert_has!(made, {"kind": "report", "media_type": "text/markdown", "required": true});
    let log = "[ROOT]/home/.pi/agent/tmp/pi-actors/runs/a/a-plain.log";
    assert_has!(inspected["artifacts"]["log"], {"path": log, "exists": false});
    for (artifact, code) in [
        ("x={nothing}/x", "missing-value"),
        ("x={\"kind\": 1}", "invalid_artifact"),
    ] {
        let args = [
            "spawn",
            "--template",
            "true",
            "--as",
            "run:b",
            "--artifact",
            artifact,
            "--json",
        ];
        let refused = env.materia(&args).run();
        assert_eq!(refused.code(), 2, "{}", refused.transcript());
        assert!(refused.stdout.contains(code), "{}", refused.transcript());
    }
    assert!(!env.run_dir("b").dir().exists(), "no run may be created");
}
