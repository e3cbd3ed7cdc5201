//! Layers (C13, C19).

use serde_json::{Value, json};

use super::{layer, told};
use crate::loadout::layer::EditRight;
use crate::loadout::{Config, ConfigLayer, ConfigScope};
use crate::materia::{Materia, UtilityCommand};

fn layers(values: &[(ConfigScope, Value)]) -> Vec<ConfigLayer> {
    values
        .iter()
        .map(|(scope, value)| layer(*scope, value))
        .collect()
}

fn materia<'c>(config: &'c Config<'_>, name: &str) -> &'c Materia {
    config.materia().find(|one| one.id == name).unwrap()
}

fn command(word: &str) -> Value {
    json!({"type": "utility", "command": [word], "parse": "json", "params": {"a": 1, "b": 2}})
}

#[test]
fn materia_merge_field_by_field_and_know_their_file() {
    let layers = layers(&[
        (
            ConfigScope::Default,
            json!({"materia": {"S": {"type": "utility", "script": {"kind": "shippedUtility", "name": "x.mjs"}, "parse": "json"}, "Gone": command("g")}}),
        ),
        (
            ConfigScope::User,
            json!({"materia": {"S": command("user"), "Gone": null, "P": {"tools": "none", "prompt": "p"}}}),
        ),
        (
            ConfigScope::Project,
            json!({"materia": {"S": {"params": {"a": 9}, "parse": null}, "Gone": null, "P": {"command": ["now"]}}}),
        ),
        (ConfigScope::Flag, json!({"materia": {"S": {"label": "L"}}})),
    ]);
    let config = Config::load(&layers);
    assert_eq!(told(config.findings()), [""; 0]);
    let merged = materia(&config, "S");
    // C19: command replaced script, and relative scripts resolve against the user's file
    assert!(
        matches!(&merged.utility().unwrap().run, UtilityCommand::Command(argv) if argv == &["user"])
    );
    assert_eq!((merged.owner, merged.title(), merged.parse), (1, "L", None));
    assert_eq!(
        Value::Object(merged.utility().unwrap().params.clone()),
        json!({"a": 9})
    );
    assert!(!config.materia().any(|one| one.id == "Gone"));
    // A layer that changes the kind starts over
    assert_eq!(materia(&config, "P").owner, 2);
    assert!(materia(&config, "P").utility().is_some());
}

#[test]
fn loadouts_merge_with_sockets_as_a_whole() {
    let said = |word: &str| json!({"materia": word});
    let layers = layers(&[
        (
            ConfigScope::User,
            json!({"materia": {"A": {"tools": "none", "prompt": "a"}}, "loadouts": {
                "L": {"entry": "a", "description": "kept", "sockets": {"a": {"materia": "A", "edges": [{"to": "b"}]}, "b": said("A")}, "loops": {"l": {"sockets": ["b"]}}},
                "K": {"sockets": {"a": said("A")}, "loops": {"l": {"sockets": ["a"]}}},
                "Gone": {"sockets": {"a": said("A")}},
            }}),
        ),
        (
            ConfigScope::Project,
            json!({"loadouts": {"L": {"sockets": {"a": said("A")}}, "K": {"description": "new"}, "Gone": null}}),
        ),
    ]);
    let config = Config::load(&layers);
    assert_eq!(told(&config.check()), [""; 0]);
    let merged = config.compile("L").unwrap().graph.unwrap();
    assert_eq!((merged.sockets().len(), merged.loops().len()), (1, 0));
    assert_eq!(config.compile("K").unwrap().graph.unwrap().loops().len(), 1);
    assert!(config.compile("Gone").is_none());
    let shown: Vec<_> = config
        .loadouts()
        .map(|one| (one.name, one.id, one.scope, one.edit))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "L",
                "project:l".to_owned(),
                ConfigScope::Project,
                EditRight::Open
            ),
            (
                "K",
                "project:k".to_owned(),
                ConfigScope::Project,
                EditRight::Open
            ),
        ]
    );
}

#[test]
fn shipped_loadouts_are_readonly() {
    // C13
    let shipped = json!({"materia": {"A": {"tools": "none", "prompt": "a"}}, "loadouts": {"Full Auto": {"sockets": {"a": {"materia": "A"}}}}});
    let mine = json!({"loadouts": {"Full Auto": {"sockets": {"b": {"materia": "A"}}}, "Mine": {"lockState": "locked", "sockets": {"b": {"materia": "A"}}}}});
    let layers = layers(&[
        (ConfigScope::Default, shipped),
        (ConfigScope::User, mine),
        (ConfigScope::Flag, json!({"loadouts": {"Full Auto": null}})),
    ]);
    let config = Config::load(&layers);
    assert_eq!(
        told(config.findings()),
        [
            "readonly-loadout loadouts[\"Full Auto\"]",
            "readonly-loadout loadouts[\"Full Auto\"]"
        ]
    );
    let kept = config.compile("Full Auto").unwrap().graph.unwrap();
    assert_eq!(kept.sockets()[0].id.as_str(), "a");
    let edits: Vec<_> = config.loadouts().map(|one| one.edit).collect();
    assert_eq!(edits, [EditRight::Shipped, EditRight::Locked]);
}

#[test]
fn the_active_loadout_is_the_highest_choice() {
    let one = json!({"sockets": {"a": {"materia": "A"}}});
    let base = json!({"materia": {"A": {"tools": "none", "prompt": "a"}}, "activeLoadout": "One", "loadouts": {"One": one, "Two": {"id": "mine:2", "sockets": {"a": {"materia": "A"}}}}});
    let active = |upper: Value| {
        let layers = layers(&[
            (ConfigScope::User, base.clone()),
            (ConfigScope::Flag, upper),
        ]);
        let config = Config::load(&layers);
        config
            .active()
            .map(str::to_owned)
            .map_err(|finding| (finding.message.clone(), finding.hint.clone()))
    };
    assert_eq!(active(json!({})).unwrap(), "One");
    assert_eq!(active(json!({"activeLoadout": "Two"})).unwrap(), "Two");
    assert_eq!(active(json!({"activeLoadoutId": "mine:2"})).unwrap(), "One");
    assert_eq!(active(json!({"activeLoadout": "user:one"})).unwrap(), "One");
    assert_eq!(active(json!({"activeLoadout": "mine:2"})).unwrap(), "Two");
    let (message, hint) = active(json!({"activeLoadout": "Twoo"})).unwrap_err();
    assert_eq!(
        (message.as_str(), hint.as_deref()),
        ("there is no loadout `Twoo`", Some("did you mean `Two`?"))
    );
    let none = layers(&[]);
    assert_eq!(
        Config::load(&none).active().unwrap_err().code,
        "no-active-loadout"
    );
}

#[test]
fn settings_merge_by_key_and_null_removes() {
    let layers = layers(&[
        (
            ConfigScope::Default,
            json!({"artifactDir": "x", "budget": {"maxTokens": 10, "maxCostUsd": 2.5}, "limits": {"maxSocketVisits": 5}}),
        ),
        (
            ConfigScope::User,
            json!({"budget": {"maxTokens": 20, "maxCostUsd": null}}),
        ),
        (
            ConfigScope::Flag,
            json!({"budget": {"warnAtPercent": 99, "stopAtLimit": false}}),
        ),
    ]);
    let config = Config::load(&layers);
    let budget = &config.settings().budget;
    assert_eq!(
        (budget.max_tokens, budget.max_cost_usd, budget.stop_at_limit),
        (Some(20), None, Some(false))
    );
    assert_eq!(config.settings().limits.max_socket_visits, Some(5));
    assert_eq!(config.settings().artifact_dir.as_deref(), Some("x"));
}

#[test]
fn the_resolved_document_compiles_to_the_same_graph() {
    let layers_of = |value: Value| layers(&[(ConfigScope::Flag, value)]);
    let first = layers_of(
        json!({"budget": {"maxTurns": 3}, "materia": super::shelf(), "loadouts": {"T": super::work()}}),
    );
    let config = Config::load(&first);
    let graph = config.compile("T").unwrap().graph.unwrap();
    let resolved = config.resolved(&graph);
    assert_eq!(resolved["materia"].as_object().unwrap().len(), 2);
    let second = layers_of(resolved);
    let again = Config::load(&second);
    assert_eq!(again.active().unwrap(), "T");
    assert_eq!(again.settings(), config.settings());
    let same = again.compile("T").unwrap().graph.unwrap();
    assert_eq!(crate::picture::json(&same), crate::picture::json(&graph));
}
