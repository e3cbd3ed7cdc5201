//! What an editor may do, and what it is told.

use serde_json::json;

use super::*;
use crate::home::Variables;
use crate::store::atomic;

struct Desk {
    dir: tempfile::TempDir,
    home: Home,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = Home::locate(&Variables {
            home: Some(dir.path().join("home")),
            ..Variables::default()
        });
        Self {
            home: home.unwrap(),
            dir,
        }
    }

    fn places(&self) -> Places<'_> {
        Places {
            home: Some(&self.home),
            project: self.dir.path(),
            environment: None,
            flag: None,
        }
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
            target: Target::User,
            edits: vec![edit],
            even_broken: false,
        };
        save(&self.home, self.places(), &request)
    }
}

fn tiny() -> Value {
    json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Detect-VCS"}}})
}

#[test]
fn what_is_saved_is_what_is_shown_and_two_editors_notice_each_other() {
    let desk = Desk::new();
    let saved = desk.save("Mine", Some(tiny()), None).unwrap();
    let first = saved.versions[0].clone().unwrap();
    let files = Files::find(desk.places()).unwrap();
    let report = definitions(&files, &desk.home, desk.dir.path());
    let mine = report
        .loadouts
        .iter()
        .find(|one| one.name == "Mine")
        .unwrap();
    assert_eq!((mine.source, &mine.value), ("user", &tiny()));
    assert_eq!(mine.own.get("user"), Some(&first));

    let mut other = tiny();
    other["description"] = "theirs".into();
    desk.save("Mine", Some(other.clone()), Some(&first))
        .unwrap();
    let mut late = tiny();
    late["description"] = "mine".into();
    let Err(SaveError::Conflict(conflict)) = desk.save("Mine", Some(late), Some(&first)) else {
        panic!("the second editor was not noticed")
    };
    assert_eq!(conflict.current, Some(other.clone()));
    desk.save("Mine", Some(other), Some(&first))
        .expect("both want the same");
    assert!(matches!(
        desk.save("Mine", None, Some(&first)),
        Err(SaveError::Conflict(_))
    ));
    desk.save("Mine", None, conflict.version.as_deref())
        .unwrap();
    assert!(
        !std::fs::read_to_string(desk.home.config())
            .unwrap()
            .contains("Mine")
    );
}

#[test]
fn shipped_locked_broken_and_nameless_definitions_are_refused() {
    let desk = Desk::new();
    assert!(matches!(
        desk.save("Full-Auto", Some(tiny()), None),
        Err(SaveError::Shipped(_))
    ));
    assert!(matches!(
        desk.save(" x", Some(tiny()), None),
        Err(SaveError::BadName { .. })
    ));
    let mut broken = tiny();
    broken["entry"] = "nowhere".into();
    assert!(matches!(
        desk.save("Mine", Some(broken), None),
        Err(SaveError::Broken(_))
    ));
    let mut locked = tiny();
    locked["lockState"] = "locked".into();
    let version = desk
        .save("Mine", Some(locked.clone()), None)
        .unwrap()
        .versions[0]
        .clone();
    let mut changed = locked.clone();
    changed["description"] = "x".into();
    assert!(matches!(
        desk.save("Mine", Some(changed), version.as_deref()),
        Err(SaveError::Locked(_))
    ));
    desk.save("Mine", Some(tiny()), version.as_deref())
        .expect("unlocking alone is allowed");
}

#[test]
fn a_draft_hears_what_a_cast_would_and_nothing_is_written() {
    let desk = Desk::new();
    let file = desk.home.config();
    let mut value = tiny();
    value["sockets"]["Socket-1"]["edges"] = json!([{"when": "always", "to": "Socket-9"}]);
    let request = CheckRequest {
        section: Section::Loadout,
        name: "My Own".to_owned(),
        value,
        target: Target::User,
    };
    let report = check(&desk.home, desk.places(), request.clone()).unwrap();
    assert!(!report.usable && report.grid.is_none());
    assert_eq!(report.issues[0].code, "unknown-endpoint");
    assert_eq!(
        report.issues[0].path.as_deref(),
        Some("loadouts[\"My Own\"].sockets.Socket-1.edges[0].to")
    );
    assert!(!file.exists());
    crate::store::dir::create_private(desk.home.profile()).unwrap();
    atomic::write(&file, b"{ \"loadouts\": [").unwrap();
    assert!(matches!(
        check(&desk.home, desk.places(), request),
        Err(NotDrafted::Broken(_))
    ));
}
