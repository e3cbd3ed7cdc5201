//! Files of every format number can be opened: runs, casts, journals, config, quest board, ledgers.
//!
//! The commands below wrote `fixtures/format-1` once. It is never written again; a new number gets a
//! new directory. `MATERIA_WRITE_FIXTURES=1` writes the directory of the current number if it does
//! not exist.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::test_env::TestEnv;

/// The current format number. Journals and documents share it.
const CURRENT: u32 = materia_engine::store::journal::FORMAT;

fn fixture(number: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/fixtures/format-{number}"))
}

/// Creates one file of each kind that has a format number.
fn create_files(env: &TestEnv) {
    let recipes = env.home().join(".pi/agent/recipes");
    fs::create_dir_all(&recipes).unwrap();
    fs::write(
        recipes.join("greet.json"),
        "{\"args\": [\"name=world\"], \"template\": \"echo hello {name}\"}\n",
    )
    .unwrap();
    env.materia(&["spawn", "greet", "--as", "run:greet"])
        .run()
        .ok();
    env.materia(&["wait", "run:greet"]).run().ok();
    env.write(
        "talk.sh",
        "materia message coordinator note.hello '{\"n\": 1}' >/dev/null && echo said\n",
    );
    env.materia(&["spawn", "--template", "sh talk.sh", "--as", "run:talker"])
        .run()
        .ok();
    env.materia(&["wait", "run:talker"]).run().ok();
    let talk = json!({"tools": "none", "multiTurn": true, "prompt": "Talk about {{ request }}"});
    let config = json!({"activeLoadout": "Talk", "materia": {"Talk": talk, "Note": {"type": "utility",
            "command": ["sh", "-c", "cat >/dev/null; echo noted"]}},
        "loadouts": {"Talk": {"entry": "talk", "sockets": {"talk": {"materia": "Talk", "edges": [{"to": "note"}]},
            "note": {"materia": "Note"}}}, "Quick": {"entry": "note", "sockets": {"note": {"materia": "Note"}}}}});
    env.write(".pi/pi-materia.json", format!("{config:#}\n"));
    env.write(
        "script.json",
        json!({"replies": [{"text": "go on"}]}).to_string(),
    );
    env.materia(&["trust"]).env("MATERIA_TRUST", "1").run().ok();
    env.materia(&["cast", "--loadout", "Quick", "quick"])
        .run()
        .ok();
    env.materia(&["cast", "--agent-script", "script.json", "old times"])
        .run()
        .ok();
    env.materia(&["quest", "add", "later"]).run().ok();
}

/// Copies the plain files of a tree, without locks and pipes.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (kind, name) = (entry.file_type().unwrap(), entry.file_name());
        let is_lock =
            name.to_string_lossy().ends_with("lock") || name.to_string_lossy().ends_with(".turn");
        if kind.is_dir() {
            copy(&entry.path(), &to.join(&name));
        } else if kind.is_file() && !is_lock {
            fs::copy(entry.path(), to.join(&name)).unwrap();
        }
    }
}

#[test]
fn the_current_format_has_a_fixture() {
    let folder = fixture(CURRENT);
    if std::env::var_os("MATERIA_WRITE_FIXTURES").is_some() && !folder.exists() {
        let env = TestEnv::new();
        create_files(&env);
        // Most repositories ignore `.pi`, so the copies have other names.
        copy(&env.home().join(".pi"), &folder.join("home-pi"));
        copy(&env.home().join(".config"), &folder.join("home-config"));
        copy(&env.work_dir().join(".pi"), &folder.join("project-pi"));
    }
    assert!(
        folder.exists(),
        "run this test once with MATERIA_WRITE_FIXTURES=1"
    );
}

/// A test environment with the files of an earlier format number.
fn env_with_format(number: u32) -> TestEnv {
    let env = TestEnv::new();
    copy(&fixture(number).join("home-pi"), &env.home().join(".pi"));
    copy(
        &fixture(number).join("home-config"),
        &env.home().join(".config"),
    );
    copy(
        &fixture(number).join("project-pi"),
        &env.work_dir().join(".pi"),
    );
    env
}

#[test]
fn files_of_every_format_can_be_opened() {
    for number in 1..=CURRENT {
        let env = env_with_format(number);
        let report = |args: &[&str]| env.materia(&[args, &["--json"]].concat()).run().ok().json();
        let run = report(&["inspect", "run:greet"]);
        assert_eq!(run["status"], "done", "{run}");
        let tail = env
            .materia(&["inspect", "run:greet", "--view", "tail"])
            .run()
            .ok()
            .stdout;
        assert_eq!(tail, "hello world\n");
        let messages = report(&["inspect", "run:talker", "--view", "messages"]);
        assert!(messages.to_string().contains("note.hello"), "{messages}");
        let casts = report(&["casts"]);
        let mut statuses: Vec<&str> = casts["casts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cast| cast["status"].as_str().unwrap())
            .collect();
        statuses.sort_unstable();
        assert_eq!(statuses, ["complete", "paused"]);
        let quests = report(&["quest", "list"]);
        assert_eq!(
            quests["quests"].as_array().map(Vec::len),
            Some(1),
            "{quests}"
        );
        assert!(
            env.materia(&["trust", "--list"])
                .run()
                .ok()
                .stdout
                .contains("pi-materia.json")
        );
        let tools = report(&["tool", "show", "greet"]);
        assert!(
            tools.to_string().contains("\"launches\":1")
                || tools.to_string().contains("\"count\":1")
                || tools.to_string().contains("\"calls\":1"),
            "{tools}"
        );
        // The files can also be used: the cast continues, and the run gets a new generation.
        env.write(
            "script.json",
            json!({"replies": [{"text": "the end"}]}).to_string(),
        );
        let done: Value = env
            .materia(&["continue", "--agent-script", "script.json", "--json"])
            .env("MATERIA_TRUST", "1")
            .run()
            .ok()
            .json();
        assert_has!(done, {"status": "complete", "visits": {"note": 1}});
        env.materia(&["spawn", "greet", "--as", "run:greet", "name=you"])
            .run()
            .ok();
        env.materia(&["wait", "run:greet"]).run().ok();
    }
}

#[test]
fn files_of_a_newer_format_are_not_changed() {
    let env = env_with_format(1);
    let journal = env
        .home()
        .join(".pi/agent/tmp/pi-actors/runs/greet/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let newer = text.replacen("\"format\":1", "\"format\":99", 1);
    assert_ne!(text, newer, "the first record has no format number: {text}");
    // The checksum of the first line is wrong, too. What matters is that the file is not changed.
    fs::write(&journal, &newer).unwrap();
    assert_ne!(
        env.materia(&["spawn", "greet", "--as", "run:greet"])
            .run()
            .code(),
        0
    );
    assert_eq!(fs::read_to_string(&journal).unwrap(), newer);
}
