//! `materia skill`: installed where agents look, and never over a changed copy.

use std::fs;

use crate::test_env::TestEnv;

#[test]
fn the_skill_is_installed_for_each_agent() {
    let env = TestEnv::new();
    let cases = [
        ("pi", ".pi/agent/skills"),
        ("claude", ".claude/skills"),
        ("codex", ".codex/skills"),
    ];
    for (agent, dir) in cases {
        let installed = env
            .materia(&["skill", "install", "--agent", agent, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(installed["action"], "installed");
        let text = fs::read_to_string(env.home().join(dir).join("materia/SKILL.md")).unwrap();
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
        "an agent or a directory is required"
    );
}

#[test]
fn a_changed_copy_is_replaced_only_with_force() {
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
fn the_skill_is_short_and_names_existing_commands() {
    let text = TestEnv::new().materia(&["skill", "show"]).run().ok().stdout;
    assert!(text.lines().count() < 200);
    let description = text
        .lines()
        .find_map(|line| line.strip_prefix("description: "))
        .unwrap();
    assert!(
        description.len() <= 1024,
        "longer than the skill format allows"
    );
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}"));
    assert!(at("## Decide first") < at("## Start"));
    let env = TestEnv::new();
    // Every command in the text must exist.
    let commands = text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter_map(|code| code.strip_prefix("materia "));
    for command in commands
        .filter_map(|code| code.split_whitespace().next())
        .filter(|command| *command != "COMMAND")
    {
        env.materia(&[command, "--help"]).run().ok();
    }
}
