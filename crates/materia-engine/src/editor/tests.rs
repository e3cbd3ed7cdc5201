//! What an editor may do, and what it can see.

mod saving;

use materia_model::finding::Finding;
use serde_json::json;

use super::*;
use crate::clock::Clock;
use crate::config::{ConfigFiles, Places};
use crate::home::HomeVariables;
use crate::store::atomic;

struct TestEditor {
    dir: tempfile::TempDir,
    home: Home,
}

impl TestEditor {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::locate(&HomeVariables {
            home: Some(dir.path().join("home")),
            ..HomeVariables::default()
        });
        Self {
            home: home.unwrap(),
            dir,
        }
    }

    fn files(&self) -> ConfigFiles {
        ConfigFiles::find(Places {
            home: Some(&self.home),
            project: self.dir.path(),
            environment: None,
            flag: None,
        })
        .unwrap()
    }

    fn check(&self, request: &CheckRequest) -> Result<CheckReport, Vec<Finding>> {
        check(self.files(), &self.home, self.dir.path(), request)
    }

    fn save(
        &self,
        name: &str,
        value: Option<Value>,
        base: Option<&str>,
    ) -> Result<SaveReport, SaveError> {
        let edit = SaveEdit {
            section: Section::Loadout,
            name: name.to_owned(),
            value,
            base: base.map(str::to_owned),
        };
        let request = SaveRequest {
            target: EditTarget::User,
            edits: vec![edit],
            even_broken: false,
        };
        let context = SaveContext {
            home: &self.home,
            project: self.dir.path(),
            clock: &Clock::system(),
        };
        let _lock = lock_editors(&self.home)?;
        save(self.files(), &request, context)
    }
}

fn tiny() -> Value {
    json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Detect-VCS"}}})
}

#[test]
fn what_is_saved_is_what_is_shown_and_two_editors_notice_each_other() {
    let editor = TestEditor::new();
    let saved = editor.save("Mine", Some(tiny()), None).unwrap();
    let first = saved.versions[0].clone().unwrap();
    let files = editor.files();
    let report = definitions(&files.snapshot(), &editor.home, editor.dir.path());
    let mine = report
        .loadouts
        .iter()
        .find(|one| one.name == "Mine")
        .unwrap();
    assert_eq!((mine.source, &mine.value), ("user", &tiny()));
    assert_eq!(mine.own.get("user"), Some(&first));

    let mut other = tiny();
    other["description"] = "theirs".into();
    editor
        .save("Mine", Some(other.clone()), Some(&first))
        .unwrap();
    let mut late = tiny();
    late["description"] = "mine".into();
    let Err(SaveError::Conflict(conflict)) = editor.save("Mine", Some(late), Some(&first)) else {
        panic!("the second editor was not noticed")
    };
    assert_eq!(conflict.current, Some(other.clone()));
    editor
        .save("Mine", Some(other), Some(&first))
        .expect("both want the same");
    assert!(matches!(
        editor.save("Mine", None, Some(&first)),
        Err(SaveError::Conflict(_))
    ));
    editor
        .save("Mine", None, conflict.version.as_deref())
        .unwrap();
    assert!(
        !std::fs::read_to_string(editor.home.config())
            .unwrap()
            .contains("Mine")
    );
}

#[test]
fn shipped_locked_broken_and_nameless_definitions_are_refused() {
    let editor = TestEditor::new();
    assert!(matches!(
        editor.save("Full-Auto", Some(tiny()), None),
        Err(SaveError::Shipped(_))
    ));
    assert!(matches!(
        editor.save(" x", Some(tiny()), None),
        Err(SaveError::BadName { .. })
    ));
    let mut broken = tiny();
    broken["entry"] = "nowhere".into();
    assert!(matches!(
        editor.save("Mine", Some(broken), None),
        Err(SaveError::Broken(_))
    ));
    let mut locked = tiny();
    locked["lockState"] = "locked".into();
    let version = editor
        .save("Mine", Some(locked.clone()), None)
        .unwrap()
        .versions[0]
        .clone();
    let mut changed = locked.clone();
    changed["description"] = "x".into();
    assert!(matches!(
        editor.save("Mine", Some(changed), version.as_deref()),
        Err(SaveError::Locked(_))
    ));
    editor
        .save("Mine", Some(tiny()), version.as_deref())
        .expect("unlocking alone is allowed");
}

#[test]
fn a_draft_gets_the_findings_of_a_cast_and_nothing_is_written() {
    let editor = TestEditor::new();
    let file = editor.home.config();
    let mut value = tiny();
    value["sockets"]["Socket-1"]["edges"] = json!([{"when": "always", "to": "Socket-9"}]);
    let request = CheckRequest {
        section: Section::Loadout,
        name: "My Own".to_owned(),
        value,
        target: EditTarget::User,
    };
    let report = editor.check(&request).unwrap();
    assert!(!report.usable && report.grid.is_none());
    assert_eq!(report.issues[0].code, "unknown-endpoint");
    assert_eq!(
        report.issues[0].path.as_deref(),
        Some("loadouts[\"My Own\"].sockets.Socket-1.edges[0].to")
    );
    assert!(!file.exists());
    crate::store::dir::create_private(editor.home.profile()).unwrap();
    atomic::write(&file, b"{ \"loadouts\": [").unwrap();
    assert!(editor.check(&request).is_err());
}
