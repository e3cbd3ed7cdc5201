//! Tools: registered, called, edited on disk, hidden, disabled, promoted, removed.

use serde_json::json;

use crate::recipe::write_user_recipe;
use crate::test_env::TestEnv;

#[test]
fn a_tool_is_registered_called_changed_and_removed() {
    let env = TestEnv::new();
    let tool = |args: &[&str]| env.materia(&[&["tool"], args].concat()).run();
    assert!(tool(&["list"]).ok().stdout.starts_with("no tools"));
    let register = [
        "register",
        "Greet It!",
        "--description",
        "Greets",
        "--template",
        "echo hello {who}",
        "--json",
    ];
    let done = tool(&register).ok().json();
    assert_has!(done, {"name": "greet_it", "persisted": true, "valid": true, "callable": true});
    assert_eq!(tool(&register).code(), 4);
    assert_eq!(
        tool(&["call", "greet_it", "who=you"]).ok().stdout,
        "hello you\n"
    );
    let wrong = tool(&["call", "greet_it"]);
    assert_eq!(wrong.code(), 2);
    assert!(
        wrong.stderr.contains("expected: who=TEXT")
            || wrong.stderr.contains("Expected call shape for greet_it"),
        "{}",
        wrong.transcript()
    );
    tool(&["update", "greet_it", "--arg", "who=world"]).ok();
    assert_eq!(tool(&["call", "greet_it"]).ok().stdout, "hello world\n");
    let listed = tool(&["list", "--json"]).ok().json();
    assert_eq!(
        listed["tools"][0]["inputSchema"]["properties"]["who"]["type"],
        "string"
    );
    let shown = tool(&["show", "greet_it", "--json"]).ok().json();
    // The counts restart when a recipe changes.
    assert_has!(shown["usage"], {"calls": 1, "tool_calls": 1});
    tool(&["remove", "greet_it"]).ok();
    assert_eq!(
        (
            tool(&["remove", "greet_it"]).code(),
            tool(&["call", "greet_it"]).code()
        ),
        (3, 3)
    );
    assert_eq!(tool(&["register", "bash", "--template", "x"]).code(), 2);
    assert_eq!(
        tool(&["register", "bad", "--template", "echo 'x"]).code(),
        2
    );
}

#[test]
fn changes_on_disk_take_effect_immediately() {
    let env = TestEnv::new();
    let doctor = || env.materia(&["recipe", "doctor", "--json"]).run().json();
    write_user_recipe(
        &env,
        "utility-git-log.json",
        r#"{"description": "mine", "template": "echo mine"}"#,
    );
    assert_eq!(
        env.materia(&["run", "utility-git-log"]).run().ok().stdout,
        "mine\n"
    );
    assert_eq!(doctor()["shadowed"][0]["path"], "packaged:utility-git-log");
    write_user_recipe(
        &env,
        "utility-git-log.json",
        r#"{"disabled": true, "template": "echo mine"}"#,
    );
    assert_eq!(env.materia(&["run", "utility-git-log"]).run().code(), 4);
    assert_eq!(doctor()["blocking"], json!(["utility-git-log"]));
    write_user_recipe(
        &env,
        "utility-git-log.json",
        r#"{"template": "echo 'mine"}"#,
    );
    let report = env.materia(&["recipe", "doctor"]).run();
    assert_eq!(report.code(), 2);
    assert!(
        report.stdout.contains("blocking invalid: utility-git-log"),
        "{}",
        report.transcript()
    );
    assert!(
        report.stdout.contains("first: edit"),
        "{}",
        report.transcript()
    );
    assert_eq!(doctor()["remediations"][0]["kind"], "blocking_invalid");
    env.materia(&["tool", "remove", "utility-git-log"])
        .run()
        .ok();
    assert_eq!(doctor()["ok"], true);
}

#[test]
fn a_promoted_draft_is_a_tool() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.home().join(".pi/agent/recipes/drafts")).unwrap();
    write_user_recipe(
        &env,
        "drafts/nightly-1.json",
        r#"{"description": "Draft", "template": "echo night"}"#,
    );
    assert!(
        env.materia(&["tool", "promote"])
            .run()
            .ok()
            .stdout
            .starts_with("nightly-1  Draft")
    );
    env.materia(&["tool", "promote", "nightly-1", "--name", "nightly"])
        .run()
        .ok();
    assert_eq!(
        env.materia(&["tool", "call", "nightly"]).run().ok().stdout,
        "night\n"
    );
    assert_eq!(
        env.materia(&["tool", "promote", "nightly-1", "--name", "nightly"])
            .run()
            .code(),
        4
    );
    assert_eq!(env.materia(&["tool", "promote", "../say"]).run().code(), 3);
}

#[test]
fn long_output_of_a_tool_is_truncated_with_the_path_of_the_file() {
    let env = TestEnv::new();
    write_user_recipe(&env, "long.json", r#"{"template": "seq 1 5000"}"#);
    write_user_recipe(
        &env,
        "fails.json",
        r#"{"template": "sh -c 'echo out; echo bad >&2; exit 3'"}"#,
    );
    let called = env
        .materia(&["tool", "call", "long", "--json"])
        .run()
        .ok()
        .json();
    let text = called["text"].as_str().unwrap();
    assert!(
        text.starts_with("3001\n") && text.contains("[Output truncated: 2000 lines"),
        "{text}"
    );
    let full = called["fullOutput"]
        .as_str()
        .unwrap()
        .replace("[ROOT]", &env.home().parent().unwrap().to_string_lossy());
    assert_eq!(std::fs::read_to_string(full).unwrap().lines().count(), 5000);
    let failed = env.materia(&["tool", "call", "fails"]).run();
    assert_eq!(
        (failed.code(), failed.stdout.as_str()),
        (1, "Exit code 3\n\nstderr:\nbad\n\nstdout:\nout\n")
    );
    let elsewhere = env.materia(&["tool", "call", "utility-git-log"]).run();
    assert_eq!(elsewhere.code(), 3, "{}", elsewhere.transcript());
}

#[test]
fn recipes_are_listed_by_kind_and_drawn() {
    let env = TestEnv::new();
    let listed = env.materia(&["recipe", "list"]).run().ok().stdout;
    assert!(
        listed.contains("\npipeline\n  ") && listed.contains("\n  utility-git-log"),
        "{listed}"
    );
    let shown = env
        .materia(&["recipe", "show", "pipeline-git-glance"])
        .run()
        .ok()
        .stdout;
    assert!(
        shown.contains("one after the other\n  @status  [failure root]\n    git -C {repo} status"),
        "{shown}"
    );
    assert!(shown.contains("  @log: git -C {repo} log"), "{shown}");
    let schema = env
        .materia(&["recipe", "schema", "utility-git-log"])
        .run()
        .ok()
        .json();
    assert_eq!(schema["properties"]["count"]["type"], "integer");
    let document = env.materia(&["schema", "recipe"]).run().ok().json();
    assert_eq!(document["required"], json!(["template"]));
}

#[test]
fn c20_a_cast_runs_a_recipe_as_a_utility() {
    let env = TestEnv::new();
    write_user_recipe(
        &env,
        "answer.json",
        r#"{"args": ["n:int"], "template": [{"stage": "in", "template": "cat"}, "sh -c 'test -s {stages.in} && printf \\{\\\"answer\\\":{n}\\}'"]}"#,
    );
    env.write("flow.json", r#"{"activeLoadout": "L", "loadouts": {"L": {"entry": "s", "sockets": {"s": {"materia": "m"}}}},
        "materia": {"m": {"type": "utility", "recipe": "answer", "params": {"n": 42}, "parse": "json", "assign": {"answer": "$.answer"}}}}"#);
    let cast = env
        .materia(&["cast", "go", "--config", "flow.json", "--json"])
        .run();
    assert_eq!(cast.json()["state"]["answer"], 42, "{}", cast.transcript());
    env.write(
        "bad.json",
        env.read("flow.json")
            .replace("\"answer\", \"params\"", "\"anwser\", \"params\""),
    );
    let refused = env
        .materia(&["cast", "go", "--config", "bad.json", "--json"])
        .run();
    assert_eq!(refused.code(), 2, "{}", refused.transcript());
    assert_eq!(
        refused.json()["error"]["hint"],
        "did you mean `answer`?",
        "{}",
        refused.transcript()
    );
}

#[test]
fn a_tool_is_called_by_message_and_inspected() {
    let env = TestEnv::new();
    write_user_recipe(
        &env,
        "greet.json",
        r#"{"description": "Greets", "template": "echo hello {input=nobody}"}"#,
    );
    write_user_recipe(
        &env,
        "broken.json",
        r#"{"description": "Fails", "template": "false"}"#,
    );
    let message = |args: &[&str]| {
        env.materia(&[&["message"], args, &["--json"]].concat())
            .run()
    };
    let report = message(&["tool:greet", "greet.now", "you"]).ok().json();
    assert_has!(
        report,
        {
            "consumer": "tool",
            "reason": "tool_invoked",
            "delivered": true,
            "persisted": false,
            "result": {"text": "hello you"}
        }
    );
    let report = message(&["tool:greet", "greet.now", r#"{"input": "all"}"#])
        .ok()
        .json();
    assert_eq!(report["result"]["text"], "hello all");
    assert_eq!(
        message(&["tool:greet", "greet.now", r#"{"input": []}"#]).code(),
        0
    );
    let failed = message(&["tool:broken", "x"]);
    assert_eq!(failed.code(), 1);
    assert_eq!(failed.json()["ok"], false);
    assert_eq!(message(&["tool:utility-git-log", "x"]).code(), 3);
    let inspect = |args: &[&str]| {
        env.materia(&[&["inspect"], args, &["--json"]].concat())
            .run()
    };
    assert_eq!(inspect(&["tool:greet"]).ok().json()["name"], "greet");
    assert_eq!(
        inspect(&["tool:greet", "--view", "schema"]).ok().json()["type"],
        "object"
    );
    assert_eq!(inspect(&["tool:nothing"]).code(), 3);
    assert_eq!(inspect(&["recipes"]).ok().json()["ok"], true);
    assert_eq!(
        inspect(&["recipes", "--view", "doctor"]).ok().json()["ok"],
        true
    );
}
