//! The triage view: what needs attention, including recipes.

use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn triage_has_the_version_and_recipe_problems() {
    let env = TestEnv::new();
    let text = || {
        env.materia(&["inspect", "tool:materia", "--view", "triage"])
            .run()
            .ok()
            .stdout
    };
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        text(),
        format!("materia={version} session=all active=0\n"),
        "counts of zero must be omitted"
    );
    let tool = |name: &str, template: &str| {
        env.materia(&["tool", "register", name, "--template", template])
            .run()
            .ok();
    };
    tool("plain", "echo hello");
    tool("shell", "sh -c {line}");
    let root = env.home().join(".pi/agent/recipes");
    std::fs::write(root.join("torn.json"), "{").unwrap();
    std::fs::write(root.join("utility-jsonl-tail.json"), r#"{"template": 3}"#).unwrap();
    let triage = env
        .materia(&["inspect", "tool:materia", "--view", "triage", "--json"])
        .run()
        .ok()
        .json();
    let ids = |field: &str| {
        let all = triage[field]
            .as_array()
            .unwrap_or_else(|| panic!("no {field}: {triage}"))
            .clone();
        all.iter()
            .map(|one| one["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(triage["runtime"]["version"], version);
    assert_eq!(ids("blocking_recipes"), ["utility-jsonl-tail"]);
    assert_eq!(ids("invalid_recipes"), ["utility-jsonl-tail", "torn"]);
    assert_eq!(ids("high_risk_recipes"), ["shell"]);
    assert!(
        triage["high_risk_recipes"][0]["risks"]
            .as_array()
            .unwrap()
            .contains(&json!("risk.shell"))
    );
    assert_eq!(triage["draft_recipes"], json!([]));
    assert_eq!(
        triage["next_actions"],
        json!(["materia inspect recipes --view doctor"])
    );
    assert!(
        text().starts_with(&format!(
            "materia={version} session=all active=0 invalid_recipes=2 blocking_recipes=1 high_risk_recipes=1\n"
        )),
        "{}",
        text()
    );
}
