//! `materia skill`: put where agents look, and never over somebody's own words.

use std::fs;

use crate::test_env::TestEnv;

#[test]
fn it_is_put_where_each_agent_looks() {
    let env = TestEnv::new();
    let cases = [
        ("pi", ".pi/agent/skills"),
        ("claude", ".claude/skills"),
        ("codex", ".codex/skills"),
    ];
    for (agent, place) in cases {
        let installed = env
            .materia(&["skill", "install", "--agent", agent, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(installed["action"], "installed");
        let text = fs::read_to_string(env.home().join(place).join("materia/SKILL.md")).unwrap();
        assert!(
            text.starts_with("---\nname: materia\ndescription: "),
            "{text}"
        );
        let again = env
            .materia(&["skill", "install", "--agent", agent, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(again["action"], "unchanged");
    }
    let unknown = env
        .materia(&["skill", "install", "--agent", "hal", "--json"])
        .run();
    assert_eq!(unknown.code(), 2);
    assert_eq!(
        env.materia(&["skill", "install"]).run().code(),
        2,
        "for whom?"
    );
}

#[test]
fn a_changed_copy_is_replaced_only_when_told() {
    let env = TestEnv::new();
    env.write("skills/materia/SKILL.md", "mine");
    let refused = env
        .materia(&["skill", "install", "--dir", "skills", "--json"])
        .run();
    refused.assert_error(4, "skill_differs");
    assert_eq!(env.read("skills/materia/SKILL.md"), "mine");
    env.materia(&["skill", "install", "--dir", "skills", "--force"])
        .run()
        .ok();
    assert_eq!(
        env.read("skills/materia/SKILL.md"),
        env.materia(&["skill", "show"]).run().ok().stdout
    );
}

#[test]
fn it_is_short_says_what_to_decide_first_and_names_what_exists() {
    let text = TestEnv::new().materia(&["skill", "show"]).run().ok().stdout;
    assert!(text.lines().count() < 200);
    let description = text
        .lines()
        .find_map(|line| line.strip_prefix("description: "))
        .unwrap();
    assert!(description.len() <= 1024, "the format's own limit");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}"));
    assert!(at("## Decide first") < at("## Start"));
    let env = TestEnv::new();
    // Every command that it names is one.
    let words = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.strip_prefix("materia "));
    for verb in words
        .filter_map(|code| code.split_whitespace().next())
        .filter(|verb| *verb != "COMMAND")
    {
        env.materia(&[verb, "--help"]).run().ok();
    }
}
