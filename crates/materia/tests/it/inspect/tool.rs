//! A name that is no tool.

use crate::test_env::TestEnv;

#[test]
fn a_name_that_is_no_tool_is_answered_with_what_is() {
    let env = TestEnv::new();
    env.materia(&["tool", "register", "greet", "--template", "echo hello"])
        .run()
        .ok();
    let hint = |args: &[&str]| {
        let outcome = env.materia(&[args, &["--json"]].concat()).run();
        assert_eq!(outcome.code(), 3, "{}", outcome.transcript());
        outcome.json()["error"]["hint"].as_str().unwrap().to_owned()
    };
    for ask in [["inspect", "--view=status"], ["message", "call"]] {
        let of = |tool: &str| hint(&[ask[0], tool, ask[1]]);
        assert_eq!(of("tool:gret"), "did you mean tool:greet?");
        assert!(
            of("tool:nope").starts_with("`materia tool list` has them"),
            "{}",
            of("tool:nope")
        );
        let recipe = of("tool:utility-git-log");
        assert!(
            recipe.contains("materia tool register utility-git-log --from utility-git-log"),
            "{recipe}"
        );
    }
}
