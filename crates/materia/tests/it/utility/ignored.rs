//! `ensure-ignored`: what is added, where, and what is left alone.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::{git, utility};
use crate::house::House;

fn patterns(words: &[&str]) -> Value {
    json!({"params": {"patterns": words}})
}

#[test]
fn patterns_are_added_once_and_git_ignores_what_they_name() {
    let house = House::new();
    git(&house, "init");
    let wanted = [".pi/pi-materia/", "*.tmp"];
    let expected = |added: &[&str], unchanged: &[&str]| {
        json!({"state": {"artifactIgnore": {"ok": true, "root": "[HOUSE]/project",
            "file": "[HOUSE]/project/.gitignore", "patterns": wanted, "added": added, "unchanged": unchanged}}})
    };
    let first = utility(&house, "ensure-ignored", &patterns(&wanted)).ok();
    assert_eq!(first.json(), expected(&wanted, &[]));
    assert_eq!(first.stderr, "");
    let second = utility(&house, "ensure-ignored", &patterns(&wanted)).ok();
    assert_eq!(second.json(), expected(&[], &wanted));
    assert_eq!(house.read(".gitignore"), ".pi/pi-materia/\n*.tmp\n");
    house.write(".pi/pi-materia/cast/events.jsonl", "");
    house
        .shell("git check-ignore -q .pi/pi-materia/cast/events.jsonl && git check-ignore -q a.tmp")
        .run()
        .ok();
    let mode = house
        .work()
        .join(".gitignore")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o600, 0o600);
    let bare = utility(&house, "project.ensureIgnored", &patterns(&wanted))
        .ok()
        .json();
    assert_eq!(bare, expected(&[], &wanted)["state"]["artifactIgnore"]);
}

#[test]
fn what_was_there_stays_byte_for_byte() {
    let house = House::new();
    for (before, added) in [
        (b"# out/\ntarget".as_slice(), "\nout/\n"),
        (b"target\r\n\r\n\xff\xfe\r\n", "out/\n"),
        (b"  out/  \n", ""),
        (b"/out/\nout\n!out/\n", "out/\n"),
        (b"", "out/\n"),
    ] {
        let file = house.write(".gitignore", before);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o664)).unwrap();
        for _ in 0..2 {
            utility(&house, "ensure-ignored", &patterns(&["out/", " out/ "])).ok();
            assert_eq!(
                std::fs::read(&file).unwrap(),
                [before, added.as_bytes()].concat()
            );
        }
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o664);
    }
}

#[test]
fn the_root_is_the_repositorys_and_can_be_told() {
    let house = House::new();
    git(&house, "init outer");
    house.write("outer/sub/deep/keep", "");
    let run = |input: Value| {
        utility(&house, "ensure-ignored", &input).ok().json()["state"]["artifactIgnore"].take()
    };
    let with = |cwd: &str, params: Value| json!({"cwd": cwd, "params": params});
    let file = |input: Value| run(input)["file"].as_str().unwrap().to_owned();
    let x = json!({"patterns": ["x"]});
    assert_eq!(
        file(with("outer/sub/deep", x.clone())),
        "[HOUSE]/project/outer/.gitignore"
    );
    house.write("outer/sub/.jj/keep", "");
    assert_eq!(
        file(with("outer/sub/deep", x.clone())),
        "[HOUSE]/project/outer/sub/.gitignore"
    );
    assert_eq!(file(with("", x)), "[HOUSE]/project/.gitignore");
    let told = json!({"patterns": ["x"], "root": "../nested", "file": "info/exclude"});
    let report = run(with("outer", told));
    assert_eq!(report["root"], "[HOUSE]/project/nested");
    assert_eq!(report["file"], "[HOUSE]/project/nested/info/exclude");
    assert_eq!(house.read("nested/info/exclude"), "x\n");
}

#[test]
fn without_patterns_or_with_wrong_ones_nothing_is_written() {
    let house = House::new();
    for (patterns, said) in [
        (json!(["  "]), "`params.patterns` has no pattern"),
        (json!([]), "`params.patterns` has no pattern"),
        (json!(null), "`params.patterns` has no pattern"),
        (json!([7, {}]), "`params.patterns` has no pattern"),
        (json!("x"), "`params.patterns` is a string, not a list"),
        (
            json!(["ok", "a\nb"]),
            "`params.patterns[1]` is more than one line",
        ),
        (json!(["# x"]), "`params.patterns[0]` would be a comment"),
        (
            json!(["x".repeat(5000)]),
            "`params.patterns[0]` is too long",
        ),
        (json!(vec!["x"; 1001]), "at most 1000"),
    ] {
        let outcome = utility(
            &house,
            "ensure-ignored",
            &json!({"params": {"patterns": patterns}}),
        );
        assert_eq!(outcome.code(), 2, "{}", outcome.transcript());
        assert!(
            outcome.stderr.contains(said) && outcome.stderr.contains("hint:"),
            "{}",
            outcome.transcript()
        );
        assert_eq!(outcome.stdout, "");
    }
    assert!(!house.work().join(".gitignore").exists());
    let partly = utility(
        &house,
        "ensure-ignored",
        &json!({"params": {"patterns": [7, "x"]}}),
    )
    .ok();
    assert_eq!(
        partly.json()["state"]["artifactIgnore"]["patterns"],
        json!(["x"])
    );
    assert!(
        partly
            .stderr
            .contains("`params.patterns[0]` is a number and was left out"),
        "{}",
        partly.stderr
    );
}

#[test]
fn a_file_that_may_not_be_written_is_left_as_it_is() {
    let house = House::new();
    let file = house.write(".gitignore", "kept\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let outcome = utility(&house, "ensure-ignored", &patterns(&["x"]));
    assert_eq!(outcome.code(), 1);
    assert!(
        outcome.stderr.contains(".gitignore` is read-only"),
        "{}",
        outcome.stderr
    );
    assert_eq!(house.read(".gitignore"), "kept\n");
    utility(&house, "ensure-ignored", &patterns(&["kept"])).ok();

    std::fs::remove_file(&file).unwrap();
    for target in ["elsewhere", "nowhere", ".gitignore"] {
        house.write("elsewhere", "kept\n");
        symlink(target, &file).unwrap();
        let outcome = utility(&house, "ensure-ignored", &patterns(&["x"]));
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
        assert!(
            outcome.stderr.contains(".gitignore` is a symbolic link"),
            "{}",
            outcome.stderr
        );
        assert_eq!(house.read("elsewhere"), "kept\n");
        assert!(!house.work().join("nowhere").exists());
        std::fs::remove_file(&file).unwrap();
    }

    house.shell("mkfifo .gitignore").run().ok();
    assert_eq!(
        utility(&house, "ensure-ignored", &patterns(&["x"])).code(),
        1
    );
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let outcome = utility(&house, "ensure-ignored", &patterns(&["x"]));
    assert!(
        outcome.stderr.contains(".gitignore` is not a file"),
        "{}",
        outcome.stderr
    );
    assert!(Path::new(&file).is_dir());
}

#[test]
fn a_write_that_fails_is_taken_back() {
    let house = House::new();
    let run = |failpoint: &str| {
        let call = house
            .materia(&["utility", "ensure-ignored"])
            .stdin(patterns(&["x"]).to_string());
        let outcome = call.env("MATERIA_FAILPOINT", failpoint).run();
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
    };
    for failpoint in ["lines.open:eio", "lines.append:enospc", "lines.sync:eio"] {
        run(failpoint);
        assert!(!house.work().join(".gitignore").exists(), "{failpoint}");
    }
    house.write(".gitignore", "kept");
    for failpoint in ["lines.open:eio", "lines.append:enospc", "lines.sync:eio"] {
        run(failpoint);
        assert_eq!(house.read(".gitignore"), "kept", "{failpoint}");
    }
}
