//! `materia utility`: the command itself. Each utility has its own file.

mod blackbelt;
mod ignored;
mod jj;
mod sigil;
mod vcs;

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestOutput};

/// Runs a utility with this input, as a cast does.
fn utility(env: &TestEnv, name: &str, input: &Value) -> TestOutput {
    env.materia(&["utility", name])
        .stdin(format!("{input}\n"))
        .run()
}

/// Runs git in the project.
fn git(env: &TestEnv, args: &str) {
    env.shell(&format!("git -c init.defaultBranch=main {args} >/dev/null"))
        .run()
        .ok();
}

#[test]
fn utilities_are_listed_as_text_and_json() {
    let env = TestEnv::new();
    let listed = env.materia(&["utility"]).run().ok();
    assert_eq!(
        listed.stdout,
        env.materia(&["utility", "--list"]).run().ok().stdout
    );
    assert!(listed.stdout.contains("detect-vcs") && listed.stdout.contains("[Ignore-Artifacts]"));
    assert!(
        listed.stdout.lines().all(|line| line.len() <= 100),
        "{}",
        listed.stdout
    );
    let document = env.materia(&["utility", "--json"]).run().ok().json();
    let first = json!({"name": "ensure-ignored", "materia": "Ignore-Artifacts", "script": "ensure-ignored.mjs",
        "about": "add `params.patterns` to the repository's .gitignore"});
    assert_eq!(document["utilities"][0], first);
    assert_eq!(document["ok"], true);
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    let env = TestEnv::new();
    for (name, hint) in [
        ("detect-vsc", "did you mean `detect-vcs`?"),
        ("Commit-Sigil", "did you mean `commit-sigil`?"),
        ("Ignore-Artifacts", "did you mean `ensure-ignored`?"),
        ("../detect-vcs.mjs", "materia utility --list"),
        ("zebra", "materia utility --list"),
    ] {
        let outcome = utility(&env, name, &json!({}));
        assert_eq!(outcome.code(), 3, "{}", outcome.transcript());
        assert!(outcome.stderr.contains(hint), "{}", outcome.transcript());
        assert_eq!(outcome.stdout, "");
    }
    let outcome = env.materia(&["utility", "zebra", "--json"]).run();
    assert_eq!(outcome.json()["error"]["code"], "utility_not_found");
}

#[test]
fn script_names_are_accepted() {
    let env = TestEnv::new();
    for name in ["ensure-ignored", "detect-vcs", "commit-sigil"] {
        let input = json!({"params": {"patterns": ["x"]}});
        let script = utility(&env, &format!("{name}.mjs"), &input).ok().json();
        assert_eq!(
            script.is_object(),
            utility(&env, name, &input).ok().json().is_object()
        );
    }
}

#[test]
fn wrong_input_is_reported_with_its_position() {
    let env = TestEnv::new();
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for (input, message) in [
        ("", "there is no input on stdin"),
        (" \n", "there is no input on stdin"),
        ("{\"params\": ", "stdin:1:12"),
        ("not json", "stdin:1:1"),
        ("[]", "the input of a utility is an object, this is a list"),
        ("{} {}", "stdin:1:4"),
        (deep.as_str(), "nest"),
        ("{\"cwd\": 7}", "`cwd` is a number, not a string"),
        (
            "{\"cwd\": \"nowhere\"}",
            "[ROOT]/project/nowhere`, which is no directory",
        ),
        ("{\"cwd\": \"a\\u0000b\"}", "which is no directory"),
    ] {
        for name in ["ensure-ignored", "detect-vcs"] {
            let input = input.replace("\"cwd\"", "\"params\": {\"patterns\": [\"x\"]}, \"cwd\"");
            let outcome = env.materia(&["utility", name]).stdin(input).run();
            assert_eq!(outcome.code(), 2, "{}", outcome.transcript());
            assert!(
                outcome.stderr.contains(message),
                "{message}: {}",
                outcome.transcript()
            );
            assert!(outcome.stderr.contains("hint:"), "{}", outcome.transcript());
            assert_eq!(outcome.stdout, "");
        }
    }
    assert_eq!(std::fs::read_dir(env.work_dir()).unwrap().count(), 0);
    let outcome = env
        .materia(&["utility", "detect-vcs", "--json"])
        .stdin("[]")
        .run();
    assert_eq!(outcome.json()["error"]["code"], "invalid_input");
}

#[test]
fn input_that_is_too_large_or_not_utf8_is_refused() {
    let env = TestEnv::new();
    let huge = format!("{{\"state\": \"{}\"}}", "x".repeat(9 << 20));
    let outcome = env.materia(&["utility", "commit-sigil"]).stdin(huge).run();
    assert_eq!(outcome.code(), 2);
    assert!(
        outcome.stderr.contains("has more than 8388608 bytes"),
        "{}",
        outcome.stderr
    );
    let not_text = env
        .materia(&["utility", "commit-sigil"])
        .stdin(b"{\"a\": \"\xff\"}".as_slice())
        .run();
    assert_eq!(not_text.code(), 2);
    assert!(
        not_text.stderr.contains("not UTF-8 text from byte 7 on"),
        "{}",
        not_text.stderr
    );
}

#[test]
fn the_old_aliases_echo_their_parameters() {
    let env = TestEnv::new();
    assert_eq!(
        utility(&env, "noop", &json!({"params": {"output": "x"}}))
            .ok()
            .bytes,
        b""
    );
    for (params, output) in [
        (json!({"output": "a\n", "text": "b"}), "a\n"),
        (json!({"output": null, "text": "b", "message": "c"}), "b"),
        (json!({"message": " c "}), " c "),
        (
            json!({"output": {"b": 1, "a": [2.5, "ü"]}}),
            "{\"b\":1,\"a\":[2.5,\"ü\"]}",
        ),
        (json!({"output": false}), "false"),
        (json!({}), ""),
        (json!(null), ""),
    ] {
        let outcome = utility(&env, "echo", &json!({"params": params})).ok();
        assert_eq!(outcome.bytes, output.as_bytes());
        assert_eq!(outcome.stderr, "");
    }
}
