//! Findings about files, and what stays usable despite them (C13).

use serde_json::json;

use super::{layer, shelf, told};
use crate::finding::Source;
use crate::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};

#[test]
fn a_broken_loadout_disables_no_other() {
    let text = format!(
        "{{\"materia\": {},\n \"loadouts\": {{\"Good\": {{\"sockets\": {{\"a\": {{\"materia\": \"A\"}}}}}},\n \
         \"Twice\": {{\"entry\": \"a\", \"entry\": \"a\", \"sockets\": {{\"a\": {{\"materia\": \"A\"}}}}}},\n \
         \"Wrong\": 1}}}}",
        shelf()
    );
    let document = ConfigDocument::parse(Source::new("c.json", &text));
    let layers = [ConfigLayer {
        scope: ConfigScope::User,
        document,
    }];
    let config = Config::load(&layers);
    assert!(config.compile("Good").unwrap().graph.is_some());
    let twice = config.compile("Twice").unwrap();
    assert!(twice.graph.is_none());
    assert_eq!(
        told(&twice.findings),
        ["duplicate-key loadouts.Twice.entry"]
    );
    assert_eq!(
        twice.findings[0].place.as_ref().unwrap().to_string(),
        "c.json:3:26"
    );
    assert_eq!(
        told(&config.compile("Wrong").unwrap().findings),
        ["invalid-loadout loadouts.Wrong"]
    );
    assert_eq!(
        told(&config.check()),
        [
            "duplicate-key loadouts.Twice.entry",
            "invalid-loadout loadouts.Wrong"
        ]
    );
}

#[test]
fn a_broken_materia_stops_only_those_who_hold_it() {
    let layers = [layer(
        ConfigScope::User,
        &json!({
            "materia": {"Bad": {"tools": "none"}, "A": {"tools": "none", "prompt": "p"}},
            "loadouts": {
                "Uses": {"sockets": {"a": {"materia": "Bad", "edges": [{"to": "b"}]}, "b": {"materia": "Bad"}}},
                "Not": {"sockets": {"a": {"materia": "A"}}},
            },
        }),
    )];
    let config = Config::load(&layers);
    assert_eq!(
        told(config.findings()),
        ["invalid-materia materia.Bad.prompt"]
    );
    assert_eq!(
        told(&config.compile("Uses").unwrap().findings),
        ["invalid-materia loadouts.Uses.sockets.a.materia"]
    );
    assert!(config.compile("Not").unwrap().graph.is_some());
}

#[test]
fn files_say_what_is_wrong_with_them() {
    let table = [
        (json!([]), vec!["invalid-config "]),
        (
            json!({"roles": {}, "matera": {}}),
            vec!["obsolete-field roles", "~unknown-field matera"],
        ),
        (
            json!({"materia": [], "activeLoadout": 1}),
            vec!["invalid-config materia", "invalid-config activeLoadout"],
        ),
        (
            json!({"materia": {"X": "no"}}),
            vec!["invalid-materia materia.X"],
        ),
        (
            json!({"budget": {"maxTokens": -1, "maxTurn": 2}, "limits": {"maxSocketVisits": 1.5}}),
            vec![
                "invalid-setting budget.maxTokens",
                "~unknown-field budget.maxTurn",
                "invalid-setting limits.maxSocketVisits",
            ],
        ),
        // Percentages
        (
            json!({"compaction": {"proactiveThresholdPercent": 101}}),
            vec!["invalid-setting compaction.proactiveThresholdPercent"],
        ),
        (
            json!({"compaction": {"proactiveThresholdTiers": []}}),
            vec!["invalid-setting compaction.proactiveThresholdTiers"],
        ),
        (
            json!({"compaction": {"proactiveThresholdTiers": [{"maxContextWindow": 5, "thresholdPercent": 1}]}}),
            vec!["invalid-setting compaction.proactiveThresholdTiers"],
        ),
        (
            json!({"compaction": {"proactiveThresholdTiers": [{"maxContextWindow": 5, "thresholdPercent": 1}, {"minContextWindow": 6, "thresholdPercent": 1}]}}),
            vec!["invalid-setting compaction.proactiveThresholdTiers[1].minContextWindow"],
        ),
        (
            json!({"$schema": "x", "compaction": {"proactiveThresholdTiers": [{"maxContextWindow": 5, "thresholdPercent": 1}, {"minContextWindow": 5, "thresholdPercent": 1}]}}),
            vec![],
        ),
    ];
    for (value, expected) in table {
        let layers = [layer(ConfigScope::User, &value)];
        assert_eq!(told(&Config::load(&layers).check()), expected, "{value}");
    }
}
