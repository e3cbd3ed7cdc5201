//! `materia skill`: put where agents look, and never over somebody's own words.

use std::fs;

use serde_json::json;

use crate::house::House;

#[test]
fn it_is_put_where_each_agent_looks() {
    let house = House::new();
    let cases = [
        ("pi", ".pi/agent/skills"),
        ("claude", ".claude/skills"),
        ("codex", ".codex/skills"),
    ];
    for (agent, place) in cases {
        let installed = house
            .materia(&["skill", "install", "--agent", agent, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(installed["action"], "installed");
        let text = fs::read_to_string(house.home().join(place).join("materia/SKILL.md")).unwrap();
        assert!(
            text.starts_with("---\nname: materia\ndescription: "),
            "{text}"
        );
        let again = house
            .materia(&["skill", "install", "--agent", agent, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(again["action"], "unchanged");
    }
    let unknown = house
        .materia(&["skill", "install", "--agent", "hal", "--json"])
        .run();
    assert_eq!(unknown.code(), 2);
    assert_eq!(
        house.materia(&["skill", "install"]).run().code(),
        2,
        "for whom?"
    );
}

#[test]
fn a_changed_copy_is_replaced_only_when_told() {
    let house = House::new();
    house.write("skills/materia/SKILL.md", "mine");
    let refused = house
        .materia(&["skill", "install", "--dir", "skills", "--json"])
        .run();
    assert_eq!(
        (refused.code(), &refused.json()["error"]["code"]),
        (4, &json!("skill_differs"))
    );
    assert_eq!(house.read("skills/materia/SKILL.md"), "mine");
    house
        .materia(&["skill", "install", "--dir", "skills", "--force"])
        .run()
        .ok();
    assert_eq!(
        house.read("skills/materia/SKILL.md"),
        house.materia(&["skill", "show"]).run().ok().stdout
    );
}

#[test]
fn it_is_short_says_what_to_decide_first_and_names_what_exists() {
    let text = House::new().materia(&["skill", "show"]).run().ok().stdout;
    assert!(text.lines().count() < 200);
    let description = text
        .lines()
        .find_map(|line| line.strip_prefix("description: "))
        .unwrap();
    assert!(description.len() <= 1024, "the format's own limit");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}"));
    assert!(at("## Decide first") < at("## Start"));
    let house = House::new();
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
        house.materia(&[verb, "--help"]).run().ok();
    }
}
