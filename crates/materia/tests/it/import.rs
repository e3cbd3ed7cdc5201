//! `materia import`: recipes of other tools are converted and run.

use serde_json::json;

use crate::test_env::TestEnv;

const JUSTFILE: &str = "greeting := 'hello'\n\n# Say it\nsay name='world': (note name)\n    @echo \"{{greeting}}, {{name}}\"\n\n\
    note who:\n    touch {{who}}.noted\n    -false\n\ncount:\n    ls | wc -l\n\nalias s := say\n";

#[test]
fn a_justfile_is_converted_and_the_rest_is_reported_by_line() {
    let env = TestEnv::new();
    env.write("justfile", JUSTFILE);
    let outcome = env
        .materia(&["import", "justfile", "--into", "recipes"])
        .run()
        .ok();
    assert!(
        outcome.stderr.contains("justfile:12:")
            && outcome.stderr.contains("`ls | wc -l` needs a shell"),
        "{}",
        outcome.transcript()
    );
    assert!(!env.work_dir().join("recipes/count.json").exists());
    assert_eq!(
        env.materia(&["run", "recipes/say.json", "name=you"])
            .run()
            .ok()
            .stdout,
        "hello, you\n"
    );
    assert!(
        env.work_dir().join("you.noted").exists(),
        "the dependency did not run with its argument"
    );
    assert_eq!(
        env.materia(&["run", "recipes/s.json", "greeting=hi"])
            .run()
            .ok()
            .stdout,
        "hi, world\n"
    );
    let again = env
        .materia(&["import", "justfile", "--into", "recipes", "--json"])
        .run();
    again.assert_error(4, "exists");
    env.materia(&["import", "justfile", "--shell", "--into", "shelled"])
        .run()
        .ok();
    let counted = env
        .materia(&["run", "shelled/count.json"])
        .run()
        .ok()
        .stdout;
    assert!(counted.trim().parse::<u32>().is_ok(), "{counted}");
    for file in ["say", "note", "s", "count"] {
        env.materia(&["validate", &format!("shelled/{file}.json")])
            .run()
            .ok();
    }
}

#[test]
fn without_a_directory_the_recipe_is_printed() {
    let env = TestEnv::new();
    assert_eq!(env.materia(&["import", "justfile"]).run().code(), 3);
    env.write("justfile", "# Only one\none:\n    echo 1\n");
    let printed = env.materia(&["import", "justfile"]).run().ok().json();
    assert_eq!(printed["description"], "Only one");
    let report = env
        .materia(&["import", "justfile", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(report["recipes"][0]["name"], "one");
    assert_eq!(report["written"], false);
    env.write("empty", "# nothing\n");
    assert_eq!(
        env.materia(&["import", "justfile", "empty"]).run().code(),
        2
    );
}

#[test]
fn a_goose_recipe_runs_with_its_checks_and_sub_recipes() {
    let env = TestEnv::new();
    let main = "version: 1.0.0\ntitle: Review\ndescription: Reviews a file\nprompt: |\n  Review {{ file }} for {{ focus }}.\nparameters:\n  \
        - {key: file, input_type: file, requirement: required, description: it}\n  \
        - {key: focus, input_type: string, requirement: optional, default: bugs, description: what}\n\
        extensions:\n  - {type: builtin, name: developer}\nsub_recipes:\n  - {name: facts, path: sub/find-facts.yaml, values: {about: \"{{ focus }}\"}}\n\
        retry:\n  max_retries: 1\n  checks:\n    - {type: shell, command: \"test -e ok || touch ok && test -s ok\"}\n  on_failure: echo recovered > ok\n";
    env.write("review.yaml", main);
    env.write("sub/find-facts.yaml", "title: Facts\ndescription: Facts\nprompt: Find facts about {{ about }}.\nparameters:\n  - {key: about, input_type: string, requirement: required, description: x}\n");
    env.write("code.txt", "let x = 1;\n");
    let outcome = env
        .materia(&["import", "goose", "review.yaml", "--into", "recipes"])
        .run()
        .ok();
    assert!(
        outcome.stdout.contains("recipes/review.json")
            && outcome.stdout.contains("recipes/find-facts.json"),
        "{}",
        outcome.transcript()
    );
    env.materia(&["validate", "recipes/review.json", "recipes/find-facts.json"])
        .run()
        .ok();
    let prompts = env.home().join("prompts.jsonl");
    let command = json!([
        env!("CARGO_BIN_EXE_materia-fake"),
        "agent",
        "--prompts",
        prompts,
        "--brief"
    ]);
    let agents = json!({"agents": {"fake": {"command": command}}, "agent": "fake"});
    let config = env.write("agents.json", agents.to_string());
    let ran = env
        .materia(&["run", "recipes/review.json", "file=code.txt", "--json"])
        .env("MATERIA_CONFIG", config)
        .run();
    assert_eq!(ran.json()["status"], "ok", "{}", ran.transcript());
    assert!(
        ran.json()["output"]
            .as_str()
            .unwrap()
            .starts_with("ANSWER  TO Review"),
        "{}",
        ran.transcript()
    );
    let prompt_texts = std::fs::read_to_string(&prompts).unwrap();
    let prompt_texts: Vec<String> = prompt_texts
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        prompt_texts.len(),
        3,
        "expected the facts once and the review twice: {prompt_texts:#?}"
    );
    assert!(prompt_texts[0].starts_with("Find facts about bugs."));
    assert!(
        prompt_texts[1].contains("let x = 1;") && prompt_texts[1].contains("ANSWER  TO Find facts"),
        "{}",
        prompt_texts[1]
    );
    assert_eq!(
        env.materia(&["import", "goose", "code.txt"]).run().code(),
        2
    );
    assert_eq!(
        env.materia(&["import", "goose", "nowhere.yaml"])
            .run()
            .code(),
        3
    );
}
