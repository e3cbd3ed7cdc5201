//! Unknown tool names.

use crate::test_env::TestEnv;

#[test]
fn an_unknown_tool_gets_a_suggestion() {
    let env = TestEnv::new();
    env.materia(&["tool", "register", "greet", "--template", "echo hello"])
        .run()
        .ok();
    let hint = |args: &[&str]| {
        let outcome = env.materia(&[args, &["--json"]].concat()).run();
        assert_eq!(outcome.code(), 3, "{}", outcome.transcript());
        outcome.json()["error"]["hint"].as_str().unwrap().to_owned()
    };
    for command in [["inspect", "--view=status"], ["message", "call"]] {
        let hint_for = |tool: &str| hint(&[command[0], tool, command[1]]);
        assert_eq!(hint_for("tool:gret"), "did you mean tool:greet?");
        assert!(
            hint_for("tool:nope").starts_with("`materia tool list` has them"),
            "{}",
            hint_for("tool:nope")
        );
        let recipe = hint_for("tool:utility-git-log");
        assert!(
            recipe.contains("materia tool register utility-git-log --from utility-git-log"),
            "{recipe}"
        );
    }
}
