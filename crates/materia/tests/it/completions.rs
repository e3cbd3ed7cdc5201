//! Completions: proposals reflect the current state, and a real shell gets them.

use crate::test_env::TestEnv;

fn completions(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let outcome = env
        .materia(&[&["complete", "--"], args].concat())
        .run()
        .ok();
    outcome
        .stdout
        .lines()
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

#[test]
fn commands_options_and_values_come_from_the_grammar() {
    let env = TestEnv::new();
    assert_eq!(completions(&env, &["cast-"]), ["cast-show"]);
    assert!(completions(&env, &[""]).contains(&"top".to_owned()));
    assert!(!completions(&env, &[""]).contains(&"complete".to_owned()));
    assert_eq!(completions(&env, &["recipe", "sh"]), ["show"]);
    assert_eq!(
        completions(&env, &["cast", "--agent-s"]),
        ["--agent-script"]
    );
    assert_eq!(completions(&env, &["grid", "--format", "m"]), ["mermaid"]);
    assert_eq!(completions(&env, &["grid", "--format=d"]), ["--format=dot"]);
    assert_eq!(completions(&env, &["nonsense", "x"]), [""; 0]);
}

#[test]
fn ids_and_names_that_exist_are_proposed() {
    let env = crate::casts::example_env();
    env.spawn("tests", "true", &[]);
    env.wait("tests");
    assert_eq!(completions(&env, &["inspect", "run:t"]), ["run:tests"]);
    assert_eq!(
        completions(&env, &["wait", "run:tests", "run:"]),
        ["run:tests"]
    );
    assert_eq!(completions(&env, &["message", "room"]), ["room:tests"]);
    assert_eq!(
        completions(&env, &["run", "utility-git-l"]),
        ["utility-git-log"]
    );
    assert_eq!(
        completions(&env, &["recipe", "show", "utility-git-l"]),
        ["utility-git-log"]
    );
    assert_eq!(
        completions(&env, &["cast", "--loadout", "Full"]),
        ["Full-Auto"]
    );
    assert_eq!(
        completions(&env, &["-C", ".", "grid", "Plan"]),
        ["Planning-Consult"]
    );
    env.materia(&[
        "cast",
        "--config",
        "flow.json",
        "--agent-script",
        "script.json",
        "work",
    ])
    .run()
    .ok();
    let id = "2026-01-01T00-00-00-000Z";
    assert_eq!(completions(&env, &["cast-show", "2026"]), [id]);
    assert_eq!(completions(&env, &["fork", id, "--at", "plan"]), ["plan:1"]);
    env.materia(&["quest", "add", "mend the fence"]).run().ok();
    assert_eq!(completions(&env, &["quest", "show", ""]).len(), 1);
}

#[test]
fn bash_completes_addresses_with_their_colons() {
    let env = TestEnv::new();
    env.spawn("tests", "true", &[]);
    env.wait("tests");
    let complete_in_bash = |line: &str| {
        let script = format!(
            "source <(materia completions bash); COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
             COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'; _materia; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        env.write("ask.sh", script);
        env.shell("bash ask.sh").run().ok().stdout
    };
    assert_eq!(complete_in_bash("materia inspect run:te"), "tests\n");
    assert_eq!(complete_in_bash("materia inspect ru"), "run:tests\n");
    assert_eq!(complete_in_bash("materia docto"), "doctor\n");
    for (shell, line) in [
        ("zsh", "compdef _materia materia"),
        ("fish", "complete -c materia"),
    ] {
        let script = env.materia(&["completions", shell]).run().ok().stdout;
        assert!(
            script.contains(line) && script.contains("materia complete -- "),
            "{script}"
        );
    }
}

#[test]
fn the_manual_comes_from_the_same_grammar() {
    let env = TestEnv::new();
    let all = env.materia(&["man"]).run().ok().stdout;
    assert!(
        all.contains(".TH") && all.contains("materia\\-cast(1)"),
        "{all}"
    );
    let one = env.materia(&["man", "cast"]).run().ok().stdout;
    assert!(
        one.contains("agent\\-script") && one.contains("say hello"),
        "{one}"
    );
    let unknown = env.materia(&["man", "csat", "--json"]).run();
    assert_eq!(unknown.code(), 3);
    assert_eq!(unknown.json()["error"]["hint"], "did you mean `cast`?");
}
