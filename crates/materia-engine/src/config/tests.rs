//! The layers, the shipped config, and the edits.

use std::path::{Path, PathBuf};

use materia_model::finding::Source;
use materia_model::loadout::{Config, ConfigScope};

use super::*;
use crate::home::HomeVariables;

#[test]
fn what_ships_has_nothing_wrong_with_it() {
    let layers = [shipped()];
    let config = Config::load(&layers);
    assert_eq!(config.check(), []);
    assert_eq!(config.active().unwrap(), "Full-Auto");
    let loadouts: Vec<(&str, String)> = config.loadouts().map(|one| (one.name, one.id)).collect();
    let expected = [
        ("Full-Auto", "default:full-auto"),
        ("Planning-Consult", "default:planning-consult"),
        ("Hojo-Consult", "default:hojo-consult"),
        ("Release", "default:release"),
    ];
    assert_eq!(loadouts, expected.map(|(name, id)| (name, id.to_owned())));
    let materia: Vec<&str> = config.materia().map(|one| one.id.as_str()).collect();
    let agents = "Auto-Plan Auto-Architect Interactive-Plan Build Auto-Eval Maintain GitMaintain Narrate \
        Chain-Context Cover";
    let utilities =
        "Ignore-Artifacts Detect-VCS Blackbelt-Bootstrap Blackbelt-Maintain Commit-Sigil";
    assert_eq!(materia.join(" "), format!("{agents} {utilities}"));
}

#[test]
fn prompts_leave_the_contract_to_the_runtime() {
    let layers = [shipped()];
    let config = Config::load(&layers);
    for agent in config.materia().filter_map(|one| one.agent()) {
        for word in ["workItems", "JSON", "`satisfied`", "```"] {
            assert!(!agent.prompt.contains(word), "{word} in: {}", agent.prompt);
        }
        assert!(agent.prompt.len() < 1200, "{}", agent.prompt);
    }
}

struct Room(tempfile::TempDir);

impl Room {
    fn new(files: &[(&str, &str)]) -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = room.path(name);
            crate::store::dir::create_private(path.parent().unwrap()).unwrap();
            crate::store::atomic::write(&path, text.as_bytes()).unwrap();
        }
        room
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn find(
        &self,
        environment: Option<&str>,
        flag: Option<&str>,
    ) -> Result<ConfigFiles, ConfigReadError> {
        let variables = HomeVariables {
            profile_dir: Some(self.path("profile")),
            home: Some(self.path("home")),
            ..HomeVariables::default()
        };
        let home = Home::locate(&variables).unwrap();
        let project = self.path("project");
        ConfigFiles::find(Places {
            home: Some(&home),
            project: &project,
            environment: environment.map(Path::new),
            flag: flag.map(Path::new),
        })
    }
}

#[test]
fn layers_lie_over_each_other_in_their_order() {
    let room = Room::new(&[
        ("profile/materia.json", "{}"),
        ("project/.pi/pi-materia.json", "{}"),
        ("project/env.json", "{}"),
        ("project/flag.json", "{}"),
    ]);
    let files = room.find(Some("env.json"), Some("flag.json")).unwrap();
    let scopes: Vec<ConfigScope> = files.layers().iter().map(|layer| layer.scope).collect();
    assert_eq!(
        scopes,
        [
            ConfigScope::Default,
            ConfigScope::User,
            ConfigScope::Project,
            ConfigScope::Environment,
            ConfigScope::Flag
        ]
    );
    assert_eq!(files.layers()[4].document.source().name(), "flag.json");
    assert_eq!(files.path(4), Some(&*room.path("project/flag.json")));
    assert_eq!((files.path(0), files.path(9)), (None, None));
}

#[test]
fn what_nobody_named_may_be_missing_and_what_somebody_named_may_not() {
    let room = Room::new(&[("project/x", "")]);
    assert_eq!(room.find(None, None).unwrap().layers().len(), 1);
    let error = room.find(None, Some("nowhere.json")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains(&*room.path("project/nowhere.json").to_string_lossy()),
        "{error}"
    );
    let error = room.find(Some("."), None).unwrap_err();
    assert_eq!(error.code(), "unreadable-file");
}

#[test]
fn a_found_config_that_is_no_file_is_refused() {
    let room = Room::new(&[("project/.pi/pi-materia.json/x", "")]);
    let error = room.find(None, None).unwrap_err();
    assert!(matches!(error, ConfigReadError::NotAFile { .. }), "{error}");
}

#[test]
fn the_active_loadout_changes_and_nothing_else() {
    let table = [
        ("{}", "{\n  \"activeLoadout\": \"B\"\n}"),
        ("{ \"x\": 1 }", "{\n  \"activeLoadout\": \"B\", \"x\": 1 }"),
        (
            "\u{feff}// mine\n{\n\t\"activeLoadout\" : \"A\", // why\n\t\"limits\": {},\n}\n",
            "\u{feff}// mine\n{\n\t\"activeLoadout\" : \"B\", // why\n\t\"limits\": {},\n}\n",
        ),
        (
            "{\"activeLoadoutId\": \"user:a\", \"activeLoadout\": \"A\"}",
            "{\"activeLoadoutId\": \"user:b\", \"activeLoadout\": \"B\"}",
        ),
    ];
    for (before, after) in table {
        assert_eq!(
            with_active(&Source::new("c", before), "B", "user:b").unwrap(),
            after
        );
    }
    for broken in ["[]", "{", "", "{\"a\": 1, \"a\": 2}"] {
        assert!(
            with_active(&Source::new("c", broken), "B", "user:b").is_err(),
            "{broken}"
        );
    }
}

mod definitions {
    use materia_model::finding::Source;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::with_definition;

    fn edited(text: &str, name: &str, value: Option<&Value>) -> String {
        with_definition(&Source::new("a.json", text), "loadouts", name, value).unwrap()
    }

    const FILE: &str = "// mine\n{\n  \"loadouts\": {\n    // one\n    \"A\": { \"entry\": \"x\" }, // behind\n    \"B\": {}\n  },\n  \"materia\": {}\n}\n";

    #[test]
    fn one_definition_changes_and_everything_else_stays() {
        let value = json!({"entry": "y"});
        assert_eq!(
            edited(FILE, "A", Some(&value)),
            FILE.replace("{ \"entry\": \"x\" }", "{ \"entry\": \"y\" }")
        );
        assert_eq!(
            edited(FILE, "C", Some(&value)),
            FILE.replace("{}\n  },", "{},\n    \"C\": { \"entry\": \"y\" }\n  },")
        );
        assert_eq!(
            edited(FILE, "B", None),
            FILE.replace(", // behind\n    \"B\": {}", "")
        );
        assert_eq!(
            edited("{}", "A", Some(&json!({}))),
            "{\n  \"loadouts\": { \"A\": {} }\n}"
        );
        assert_eq!(
            edited("{\"loadouts\":{\"A\":{},},}", "A", None),
            "{\"loadouts\":{},}"
        );
        assert_eq!(
            edited("{\"loadouts\":null}", "A", Some(&json!({}))),
            "{\"loadouts\":{ \"A\": {} }}"
        );
        assert!(with_definition(&Source::new("a.json", "[]"), "loadouts", "A", None).is_err());
    }

    proptest! {
        #[test]
        fn any_name_can_be_added_changed_and_removed_again(names in prop::collection::vec("\\PC{0,12}", 1..5)) {
            let mut text = FILE.to_owned();
            for (number, name) in names.iter().enumerate() {
                text = edited(&text, name, Some(&json!({"entry": number, "x": [name]})));
            }
            for name in &names {
                text = edited(&text, name, None);
            }
            let left: Value = materia_model::document::parse(&Source::new("a", &text)).unwrap().to_value();
            prop_assert!(left["loadouts"].as_object().unwrap().keys().all(|key| !names.contains(key)));
        }
    }
}
