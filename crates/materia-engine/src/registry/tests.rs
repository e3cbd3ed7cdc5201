//! Discovery, registration, the ledger and the watch, on real directories.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use materia_model::name::RunId;
use materia_model::secret::SecretGuard;
use serde_json::{Map, Value, json};

use super::*;
use crate::home::{Home, HomeVariables};
use crate::library::Library;
use crate::store::{atomic, dir};

struct Place {
    dir: tempfile::TempDir,
    home: Home,
    library: Library,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let home = Home::locate(&HomeVariables {
        home: Some(dir.path().to_owned()),
        ..HomeVariables::default()
    })
    .unwrap();
    let library = Library::new(&home, Some(dir.path()));
    dir::create_private(library.root()).unwrap();
    Place { dir, home, library }
}

impl Place {
    fn write(&self, file: &str, text: &str) -> PathBuf {
        let file = self.library.root().join(file);
        dir::create_private(file.parent().unwrap()).unwrap();
        atomic::write(&file, text.as_bytes()).unwrap();
        file
    }

    fn state(&self, name: &str) -> (RecipeState, bool) {
        entry(&self.library, name)
            .map(|entry| (entry.state, entry.tool))
            .unwrap()
    }

    fn register(
        &self,
        name: &str,
        fields: Value,
        update: bool,
    ) -> Result<ToolChangeReport, NotRegistered> {
        let Value::Object(fields) = fields else {
            panic!("fields")
        };
        register(
            &self.library,
            &Registration {
                name: name.to_owned(),
                fields,
                update,
            },
        )
    }
}

#[test]
fn r4_names_are_normalised_or_refused() {
    for (given, expected) in [
        ("Greet It!", Some("greet_it")),
        ("9lives", Some("tool_9lives")),
        ("a-b", Some("a-b")),
        ("__x__", Some("x")),
        ("!!!", None),
        ("", None),
    ] {
        assert_eq!(normalise(given).as_deref(), expected, "{given}");
    }
    assert_eq!(check("bash").unwrap_err().code, "reserved-name");
    assert_eq!(
        check("Greet It").unwrap_err().hint.as_deref(),
        Some("call it `greet_it`")
    );
    assert!(check("ok_name-1").is_ok());
}

#[test]
fn the_first_of_a_name_counts_even_when_it_is_broken_or_disabled() {
    let place = place();
    assert_eq!(place.state("utility-git-log"), (RecipeState::Active, false));
    place.write("utility-git-log.md", "---\ntemplate: echo md\n---\n");
    assert_eq!(place.state("utility-git-log"), (RecipeState::Active, true));
    place.write("utility-git-log.json", "{\"template\": ");
    assert_eq!(
        place.state("utility-git-log"),
        (RecipeState::Invalid, false)
    );
    place.write(
        "utility-git-log.json",
        "{\"disabled\": true, \"template\": \"x\"}",
    );
    let survey = survey(&place.library);
    let states: Vec<(RecipeState, bool)> = survey
        .entries
        .iter()
        .filter(|entry| entry.id == "utility-git-log")
        .map(|entry| (entry.state, entry.tool))
        .collect();
    assert_eq!(
        states,
        [
            (RecipeState::Disabled, false),
            (RecipeState::Shadowed, false),
            (RecipeState::Shadowed, false)
        ]
    );
    place.write("bash.json", "{\"template\": \"x\"}");
    place.write("Not A Name.json", "{\"template\": \"x\"}");
    place.write("shelly.json", "{\"template\": \"sh -c {x}\"}");
    place.write("drafts/d.json", "{\"template\": \"x\"}");
    place.write(".hidden.json", "{\"template\": \"x\"}");
    let survey = super::survey(&place.library);
    let kinds: Vec<(String, RemedyKind)> = remedies(&survey)
        .into_iter()
        .map(|one| (one.id, one.kind))
        .collect();
    let expected = [
        ("Not A Name", RemedyKind::Invalid),
        ("bash", RemedyKind::Invalid),
        ("utility-git-log", RemedyKind::BlockingDisabled),
        ("shelly", RemedyKind::RiskyShellBoundary),
        ("utility-git-log", RemedyKind::Shadowed),
        ("utility-git-log", RemedyKind::Shadowed),
    ];
    assert_eq!(kinds, expected.map(|(id, kind)| (id.to_owned(), kind)));
    assert_eq!(
        tools(&survey)
            .iter()
            .map(|tool| tool.name.as_str())
            .collect::<Vec<_>>(),
        ["shelly"]
    );
}

#[test]
fn r6_registration_is_all_or_nothing_and_says_what_is_true() {
    let place = place();
    let done = place
        .register(
            "Greet It!",
            json!({"description": "Greets", "template": "echo hi {who}"}),
            false,
        )
        .unwrap();
    assert_eq!(
        (
            done.name.as_str(),
            done.persisted,
            done.valid,
            done.callable
        ),
        ("greet_it", true, true, true)
    );
    assert_eq!(
        (done.args, done.warnings),
        (vec!["who".to_owned()], Vec::<String>::new())
    );
    let file = place.library.root().join("greet_it.json");
    let before = fs::read(&file).unwrap();
    assert!(matches!(
        place.register("greet_it", json!({"template": "x"}), false),
        Err(NotRegistered::Exists(_))
    ));
    assert!(matches!(
        place.register("greet_it", json!({"template": "echo 'x"}), true),
        Err(NotRegistered::Invalid(_))
    ));
    assert!(matches!(
        place.register("other", json!({"description": "x"}), false),
        Err(NotRegistered::Invalid(_))
    ));
    assert!(matches!(
        place.register("other", json!({"template": "x"}), true),
        Err(NotRegistered::Unknown(_))
    ));
    assert!(matches!(
        place.register("bash", json!({"template": "x"}), false),
        Err(NotRegistered::Name(_))
    ));
    assert_eq!(fs::read(&file).unwrap(), before, "nothing was changed");
    let done = place
        .register("greet_it", json!({"args": ["who=you"]}), true)
        .unwrap();
    assert_eq!((done.action, done.callable), ("updated", true));
    let kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(
        kept,
        json!({"description": "Greets", "template": "echo hi {who}", "args": ["who=you"]})
    );
    let off = place
        .register("greet_it", json!({"disabled": true}), true)
        .unwrap();
    assert_eq!((off.valid, off.callable), (true, false));
    remove(&place.library, "greet_it").unwrap();
    assert!(
        !file.exists()
            && matches!(
                remove(&place.library, "greet_it"),
                Err(NotRegistered::Unknown(_))
            )
    );
    let names: Vec<_> = fs::read_dir(place.library.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, [".registry.lock"]);
}

fn inline(run: Option<&RunId>) -> Inline<'_> {
    Inline {
        run,
        template: json!([
            "deploy --token {token}",
            "curl -H 'Authorization: Bearer abcdefgh12345678'"
        ]),
        artifacts: json!({"log": {"path": "{state_dir}/log"}}),
        mailbox: None,
        guard: SecretGuard::default(),
    }
}

#[test]
fn drafts_are_captured_without_values_and_promoted_from_their_directory_only() {
    let place = place();
    let run: RunId = "my-run".parse().unwrap();
    let file = capture(&place.library, inline(Some(&run))).unwrap();
    assert_eq!(file, place.library.drafts().join("my-run.json"));
    assert_eq!(
        capture(&place.library, inline(Some(&run))),
        None,
        "again is no failure"
    );
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("{state_dir}/log") && text.contains("Bearer [redacted]"),
        "{text}"
    );
    let unnamed = capture(&place.library, inline(None)).unwrap();
    assert_eq!(
        capture(&place.library, inline(None)),
        None,
        "what runs names it"
    );
    dir::remove_file(&unnamed).unwrap();
    let draft = &drafts(&place.library)[0];
    assert!(draft.valid && place.library.names().is_empty());
    place.write("elsewhere.json", "{\"template\": \"x\"}");
    for outside in [
        "../elsewhere",
        "../elsewhere.json",
        "nothing",
        "",
        ".",
        "..",
    ] {
        assert!(
            matches!(
                promote(&place.library, outside, Some("t"), false),
                Err(NotRegistered::NoDraft(_))
            ),
            "{outside}"
        );
    }
    let id = draft.id.clone();
    let done = promote(&place.library, &id, Some("deploy"), false).unwrap();
    assert!(done.callable && file.exists());
    assert!(matches!(
        promote(&place.library, &id, Some("deploy"), false),
        Err(NotRegistered::Exists(_))
    ));
    assert!(promote(&place.library, &draft.path, Some("deploy"), true).is_ok());
}

#[test]
fn there_are_not_more_drafts_than_anybody_looks_through() {
    let place = place();
    for number in 0..505 {
        let inline = Inline {
            run: None,
            template: json!(format!("echo {number}")),
            artifacts: json!({}),
            mailbox: None,
            guard: SecretGuard::default(),
        };
        assert_eq!(capture(&place.library, inline).is_some(), number < 500);
    }
}

#[test]
fn r5_launches_are_counted_beside_the_file_and_anew_when_it_changes() {
    let place = place();
    let now = "2026-01-01T00:00:00.000Z".parse().unwrap();
    record(&place.home, "t", "one", LaunchKind::Spawn, now).unwrap();
    record(&place.home, "t", "one", LaunchKind::Tool, now).unwrap();
    let counted = &usage(&place.home)["t"];
    assert_eq!(
        (
            counted.calls,
            counted.spawn_calls,
            counted.tool_calls,
            counted.reset_at.is_none()
        ),
        (2, 1, 1, true)
    );
    record(&place.home, "t", "two", LaunchKind::Direct, now).unwrap();
    let counted = &usage(&place.home)["t"];
    assert_eq!(
        (
            counted.calls,
            counted.direct_calls,
            counted.reset_at.is_some()
        ),
        (1, 1, true)
    );
    let (home, names) = (&place.home, ["a", "b", "c", "d"]);
    std::thread::scope(|scope| {
        for name in names {
            scope.spawn(move || {
                (0..5).for_each(|_| record(home, name, "x", LaunchKind::Tool, now).unwrap());
            });
        }
    });
    assert!(
        names.iter().all(|name| usage(home)[*name].calls == 5),
        "no launch is lost between processes"
    );
    atomic::write(&home.usage(), b"not json").unwrap();
    record(home, "t", "two", LaunchKind::Tool, now).unwrap();
    assert_eq!(usage(home)["t"].calls, 1, "a broken ledger begins anew");
    assert!(
        place
            .dir
            .path()
            .join(".pi/agent/recipes")
            .read_dir()
            .unwrap()
            .next()
            .is_none()
    );
}

#[test]
fn a_watcher_tells_what_became_of_the_tools() {
    let place = place();
    place.write("stays.json", "{\"template\": \"x\"}");
    let mut watcher = ToolWatcher::new(&place.library).unwrap();
    assert_eq!(watcher.tools().count(), 1);
    let wait = |watcher: &mut ToolWatcher| {
        let changes = watcher.wait(Duration::from_secs(20)).unwrap();
        let names = |tools: &[ToolDefinition]| {
            tools
                .iter()
                .map(|tool| tool.name.clone())
                .collect::<Vec<_>>()
                .join(" ")
        };
        (
            names(&changes.added),
            names(&changes.changed),
            changes.removed.join(" "),
        )
    };
    let said = |added: &str, changed: &str, removed: &str| {
        (added.to_owned(), changed.to_owned(), removed.to_owned())
    };
    place
        .register(
            "fresh",
            json!({"description": "a", "template": "echo {x}"}),
            false,
        )
        .unwrap();
    assert_eq!(wait(&mut watcher), said("fresh", "", ""));
    place.write("fresh.json", "{\"template\": \"echo {y}\"}");
    assert_eq!(wait(&mut watcher), said("", "fresh", ""));
    place.write("fresh.json", "{\"template\": ");
    assert_eq!(wait(&mut watcher), said("", "", "fresh"));
    place.write("fresh.json", "{\"disabled\": true, \"template\": \"x\"}");
    place.write("notes.txt", "no recipe");
    assert_eq!(wait(&mut watcher), said("", "", ""));
    atomic::remove(&place.library.root().join("stays.json")).unwrap();
    assert_eq!(wait(&mut watcher), said("", "", "stays"));
    assert!(watcher.wait(Duration::from_millis(1)).unwrap().is_empty());
}

#[test]
fn an_agent_is_told_how_a_call_looks() {
    let place = place();
    place.write("t.json", r#"{"args": ["a", "p:path", "n:int=3", "m:enum(x,y)", "xs:array"], "async": true, "template": "e {a} {p} {n} {m} {xs}"}"#);
    let tool = &tools(&survey(&place.library))[0];
    assert_eq!(tool.input_schema["required"], json!(["a", "p", "m", "xs"]));
    assert_eq!(tool.input_schema["properties"]["run_id"]["type"], "string");
    let shape = call_shape("t", &entry(&place.library, "t").unwrap().args);
    let sample = shape
        .split_once("t(")
        .unwrap()
        .1
        .split_once(")\nRequired")
        .unwrap()
        .0;
    let sample: Map<String, Value> = serde_json::from_str(sample).unwrap();
    assert_eq!(
        Value::Object(sample),
        json!({"a": "<a>", "p": "./p", "n": 3, "m": "x", "xs": ["<xs>"]})
    );
    assert!(
        shape.ends_with("Required: a, p, m, xs\nOptional: n"),
        "{shape}"
    );
}
