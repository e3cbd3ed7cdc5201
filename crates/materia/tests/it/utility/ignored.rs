//! `ensure-ignored`: which patterns are added to which file, and what is not changed.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::{git, utility};
use crate::test_env::TestEnv;

fn patterns(args: &[&str]) -> Value {
    json!({"params": {"patterns": args}})
}

#[test]
fn patterns_are_added_once_and_git_uses_them() {
    let env = TestEnv::new();
    git(&env, "init");
    let requested = [".pi/pi-materia/", "*.tmp"];
    let expected = |added: &[&str], unchanged: &[&str]| {
        json!({"state": {"artifactIgnore": {"ok": true, "root": "[ROOT]/project",
            "file": "[ROOT]/project/.gitignore", "patterns": requested, "added": added, "unchanged": unchanged}}})
    };
    let first = utility(&env, "ensure-ignored", &patterns(&requested)).ok();
    assert_eq!(first.json(), expected(&requested, &[]));
    assert_eq!(first.stderr, "");
    let second = utility(&env, "ensure-ignored", &patterns(&requested)).ok();
    assert_eq!(second.json(), expected(&[], &requested));
    assert_eq!(env.read(".gitignore"), ".pi/pi-materia/\n*.tmp\n");
    env.write(".pi/pi-materia/cast/events.jsonl", "");
    env.shell("git check-ignore -q .pi/pi-materia/cast/events.jsonl && git check-ignore -q a.tmp")
        .run()
        .ok();
    let mode = env
        .work_dir()
        .join(".gitignore")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o600, 0o600);
    let bare = utility(&env, "project.ensureIgnored", &patterns(&requested))
        .ok()
        .json();
    assert_eq!(bare, expected(&[], &requested)["state"]["artifactIgnore"]);
}

#[test]
fn existing_content_is_kept_unchanged() {
    let env = TestEnv::new();
    for (before, added) in [
        (b"# out/\ntarget".as_slice(), "\nout/\n"),
        (b"target\r\n\r\n\xff\xfe\r\n", "out/\n"),
        (b"  out/  \n", ""),
        (b"/out/\nout\n!out/\n", "out/\n"),
        (b"", "out/\n"),
    ] {
        let file = env.write(".gitignore", before);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o664)).unwrap();
        for _ in 0..2 {
            utility(&env, "ensure-ignored", &patterns(&["out/", " out/ "])).ok();
            assert_eq!(
                std::fs::read(&file).unwrap(),
                [before, added.as_bytes()].concat()
            );
        }
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o664);
    }
}

#[test]
fn the_root_is_the_repository_or_a_parameter() {
    let env = TestEnv::new();
    git(&env, "init outer");
    env.write("outer/sub/deep/keep", "");
    let run = |input: Value| {
        utility(&env, "ensure-ignored", &input).ok().json()["state"]["artifactIgnore"].take()
    };
    let with = |cwd: &str, params: Value| json!({"cwd": cwd, "params": params});
    let file = |input: Value| run(input)["file"].as_str().unwrap().to_owned();
    let x = json!({"patterns": ["x"]});
    assert_eq!(
        file(with("outer/sub/deep", x.clone())),
        "[ROOT]/project/outer/.gitignore"
    );
    env.write("outer/sub/.jj/keep", "");
    assert_eq!(
        file(with("outer/sub/deep", x.clone())),
        "[ROOT]/project/outer/sub/.gitignore"
    );
    assert_eq!(file(with("", x)), "[ROOT]/project/.gitignore");
    let params = json!({"patterns": ["x"], "root": "../nested", "file": "info/exclude"});
    let report = run(with("outer", params));
    assert_eq!(report["root"], "[ROOT]/project/nested");
    assert_eq!(report["file"], "[ROOT]/project/nested/info/exclude");
    assert_eq!(env.read("nested/info/exclude"), "x\n");
}

#[test]
fn without_valid_patterns_nothing_is_written() {
    let env = TestEnv::new();
    for (patterns, message) in [
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
            &env,
            "ensure-ignored",
            &json!({"params": {"patterns": patterns}}),
        );
        assert_eq!(outcome.code(), 2, "{}", outcome.transcript());
        assert!(
            outcome.stderr.contains(message) && outcome.stderr.contains("hint:"),
            "{}",
            outcome.transcript()
        );
        assert_eq!(outcome.stdout, "");
    }
    assert!(!env.work_dir().join(".gitignore").exists());
    let partly = utility(
        &env,
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
fn an_unwritable_file_is_not_changed() {
    let env = TestEnv::new();
    let file = env.write(".gitignore", "kept\n");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    let outcome = utility(&env, "ensure-ignored", &patterns(&["x"]));
    assert_eq!(outcome.code(), 1);
    assert!(
        outcome.stderr.contains(".gitignore` is read-only"),
        "{}",
        outcome.stderr
    );
    assert_eq!(env.read(".gitignore"), "kept\n");
    utility(&env, "ensure-ignored", &patterns(&["kept"])).ok();

    std::fs::remove_file(&file).unwrap();
    for target in ["elsewhere", "nowhere", ".gitignore"] {
        env.write("elsewhere", "kept\n");
        symlink(target, &file).unwrap();
        let outcome = utility(&env, "ensure-ignored", &patterns(&["x"]));
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
        assert!(
            outcome.stderr.contains(".gitignore` is a symbolic link"),
            "{}",
            outcome.stderr
        );
        assert_eq!(env.read("elsewhere"), "kept\n");
        assert!(!env.work_dir().join("nowhere").exists());
        std::fs::remove_file(&file).unwrap();
    }

    env.shell("mkfifo .gitignore").run().ok();
    assert_eq!(utility(&env, "ensure-ignored", &patterns(&["x"])).code(), 1);
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let outcome = utility(&env, "ensure-ignored", &patterns(&["x"]));
    assert!(
        outcome.stderr.contains(".gitignore` is not a file"),
        "{}",
        outcome.stderr
    );
    assert!(Path::new(&file).is_dir());
}

#[test]
fn a_failed_write_is_undone() {
    let env = TestEnv::new();
    let run = |failpoint: &str| {
        let command = env
            .materia(&["utility", "ensure-ignored"])
            .stdin(patterns(&["x"]).to_string());
        let outcome = command.env("MATERIA_FAILPOINT", failpoint).run();
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
    };
    for failpoint in ["lines.open:eio", "lines.append:enospc", "lines.sync:eio"] {
        run(failpoint);
        assert!(!env.work_dir().join(".gitignore").exists(), "{failpoint}");
    }
    env.write(".gitignore", "kept");
    for failpoint in ["lines.open:eio", "lines.append:enospc", "lines.sync:eio"] {
        run(failpoint);
        assert_eq!(env.read(".gitignore"), "kept", "{failpoint}");
    }
}
