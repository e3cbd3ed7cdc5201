//! One request reads each config file once, and what the user saves stays trusted.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::api::{
    ActiveLoadoutRequest, ActiveReach, CheckRequest, EditTarget, Engine, Environment, SaveEdit,
    SaveReport, SaveRequest, Section, TrustStanding,
};
use crate::clock::Clock;
use crate::config::{PROJECT_FILE, take_read_counts};
use crate::store::{atomic, dir};
use crate::trust::ProjectTrust;

const CONFIG: &str = r#"{ "materia": { "Hello": { "type": "utility", "command": ["true"] } } }"#;

/// A user, a project, and a third config that `MATERIA_CONFIG` names.
struct TestProject {
    dir: tempfile::TempDir,
    engine: Engine,
}

impl TestProject {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let variable = |name: &str, path: PathBuf| (OsString::from(name), path.into_os_string());
        let variables = [
            variable("HOME", root.join("home")),
            variable("MATERIA_CONFIG", root.join("third.json")),
        ];
        let environment = Environment {
            variables: BTreeMap::from(variables),
            cwd: Ok(root.join("project")),
            steps: &[],
        };
        let engine = Engine::new(environment);
        let project = Self { dir, engine };
        for file in project.files() {
            dir::create_private(file.parent().unwrap()).unwrap();
            atomic::write(&file, CONFIG.as_bytes()).unwrap();
        }
        project
    }

    /// The files of the user, of the project, and the third one.
    fn files(&self) -> [PathBuf; 3] {
        let root = self.dir.path();
        [
            self.engine.home().unwrap().config(),
            root.join("project").join(PROJECT_FILE),
            root.join("third.json"),
        ]
    }

    /// How often each file was read since the last call.
    fn reads(&self) -> [usize; 3] {
        let counts = take_read_counts();
        self.files()
            .map(|file| counts.get(&file).copied().unwrap_or(0))
    }

    fn save(&self, target: EditTarget) -> SaveReport {
        let value = json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Hello"}}});
        let edit = SaveEdit {
            section: Section::Loadout,
            name: "Mine".to_owned(),
            value: Some(value),
            base: None,
        };
        let request = SaveRequest {
            target,
            edits: vec![edit],
            even_broken: false,
        };
        self.engine.save_definition(&request).unwrap()
    }

    fn trust(&self) -> TrustStanding {
        self.engine.trust_show().unwrap().standing
    }

    fn grant(&self) {
        let files = self.engine.config_files(None).unwrap();
        let (home, clock) = (self.engine.home().unwrap(), Clock::system());
        let trust = ProjectTrust::inspect(&files, Some(&home)).unwrap();
        trust.grant(&home, &clock).unwrap();
    }
}

#[test]
fn each_request_of_an_editor_reads_each_config_file_once() {
    let project = TestProject::new();
    project.reads();
    for target in [EditTarget::User, EditTarget::Project] {
        assert!(project.save(target).changed);
        assert_eq!(project.reads(), [1, 1, 1], "save to {target:?}");
    }
    project.engine.definitions().unwrap();
    assert_eq!(project.reads(), [1, 1, 1], "definitions");
    let request = CheckRequest {
        section: Section::Loadout,
        name: "Mine".to_owned(),
        value: json!({}),
        target: EditTarget::Project,
    };
    project.engine.check_definition(&request).unwrap();
    assert_eq!(project.reads(), [1, 1, 1], "check");
    let request = ActiveLoadoutRequest {
        name: "Mine".to_owned(),
        reach: ActiveReach::Project,
    };
    let report = project.engine.choose_active(&request).unwrap();
    assert_eq!(report.file, project.files()[1]);
    assert_eq!(project.reads(), [1, 1, 1], "choose the active loadout");
}

#[test]
fn s1_saving_keeps_trust_and_grants_none() {
    let project = TestProject::new();
    project.save(EditTarget::Project);
    assert_eq!(project.trust(), TrustStanding::Untrusted);
    project.grant();
    let text = |file: &Path| std::fs::read_to_string(file).unwrap();
    let [_, file, _] = project.files();
    atomic::write(&file, CONFIG.as_bytes()).unwrap();
    assert_eq!(project.trust(), TrustStanding::Changed);
    project.grant();
    project.save(EditTarget::Project);
    assert!(text(&file).contains("Mine"));
    assert_eq!(project.trust(), TrustStanding::Trusted);
    let request = ActiveLoadoutRequest {
        name: "Mine".to_owned(),
        reach: ActiveReach::Project,
    };
    assert!(project.engine.choose_active(&request).unwrap().changed);
    assert_eq!(project.trust(), TrustStanding::Trusted);
}
