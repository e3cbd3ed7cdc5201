//! The layers, what ships, and the one edit.

use std::path::{Path, PathBuf};

use materia_model::finding::Source;
use materia_model::loadout::{Config, Scope};

use super::*;
use crate::home::Variables;

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
    let utilities = "Ignore-Artifacts Detect-VCS Blackbelt-Bootstrap Blackbelt-Maintain Commit-Sigil";
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

    fn find(&self, environment: Option<&str>, flag: Option<&str>) -> Result<Files, ReadError> {
        let variables = Variables {
            profile_dir: Some(self.path("profile")),
            home: Some(self.path("home")),
            ..Variables::default()
        };
        let home = Home::locate(&variables).unwrap();
        let project = self.path("project");
        Files::find(Places {
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
    let scopes: Vec<Scope> = files.layers().iter().map(|layer| layer.scope).collect();
    assert_eq!(scopes, [Scope::Default, Scope::User, Scope::Project, Scope::Environment, Scope::Flag]);
    assert_eq!(files.layers()[4].document.source().name(), "flag.json");
    assert_eq!(files.path(4), Some(&*room.path("project/flag.json")));
    assert_eq!((files.path(0), files.path(9)), (None, None));
}

#[test]
fn what_nobody_named_may_be_missing_and_what_somebody_named_may_not() {
    let room = Room::new(&[("project/x", "")]);
    assert_eq!(room.find(None, None).unwrap().layers().len(), 1);
    let error = room.find(None, Some("nowhere.json")).unwrap_err();
    assert!(error.to_string().contains(&*room.path("project/nowhere.json").to_string_lossy()), "{error}");
    let error = room.find(Some("."), None).unwrap_err();
    assert_eq!(error.code(), "unreadable-file");
}

#[test]
fn a_found_config_that_is_no_file_is_refused() {
    let room = Room::new(&[("project/.pi/pi-materia.json/x", "")]);
    let error = room.find(None, None).unwrap_err();
    assert!(matches!(error, ReadError::NotAFile { .. }), "{error}");
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
        assert_eq!(with_active(&Source::new("c", before), "B", "user:b").unwrap(), after);
    }
    for broken in ["[]", "{", "", "{\"a\": 1, \"a\": 2}"] {
        assert!(with_active(&Source::new("c", broken), "B", "user:b").is_err(), "{broken}");
    }
}
