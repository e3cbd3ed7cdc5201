//! Artifacts that are kept when their run is pruned: whole, or nothing is removed.

use std::os::unix::fs::symlink;

use super::*;
use crate::message::{assert_refused, refused};

const KEEP: &str = r#"{"preserve_artifacts": true}"#;

/// A run of this id that is over, with an artifact `out`, which has this path.
fn made(env: &TestEnv, id: &str, script: &str, path: &str) {
    env.write("make.sh", script);
    env.spawn(
        id,
        "sh make.sh {state_dir}",
        &["--artifact", &format!("out={path}")],
    );
    assert_eq!(env.wait(id)["status"], "done");
}

/// Prunes a run, and gives the copy of its artifact.
fn kept(env: &TestEnv, id: &str) -> PathBuf {
    let report = env.send_ok(&[&format!("run:{id}"), "control.prune", KEEP]);
    assert_eq!(
        report["result"]["preserved"].as_array().unwrap().len(),
        1,
        "{report}"
    );
    env.expand_path(&report["result"]["preserved"][0])
}

#[test]
fn a_directory_is_kept_with_everything_in_it() {
    let env = TestEnv::new();
    env.write("outside/secret", "stays outside");
    let script = "mkdir -p $1/dist/deep/er $1/dist/empty; echo x > $1/dist/deep/er/file
        ln -s ../../../outside $1/dist/out; mkfifo $1/dist/pipe";
    made(&env, "a", script, "{state_dir}/dist");
    let copy = kept(&env, "a");
    assert!(!env.run_dir("a").dir().exists());
    assert_eq!(
        std::fs::read_to_string(copy.join("deep/er/file")).unwrap(),
        "x\n"
    );
    assert!(copy.join("empty").is_dir() && copy.join("pipe").symlink_metadata().is_ok());
    assert_eq!(
        std::fs::read_link(copy.join("out")).unwrap(),
        Path::new("../../../outside")
    );
    assert!(copy.starts_with(env.runs_root().preserved()));
}

#[test]
fn the_whole_directory_of_a_run_can_be_kept() {
    let env = TestEnv::new();
    made(&env, "a", "echo x", "{state_dir}");
    let copy = kept(&env, "a");
    assert!(
        std::fs::read_to_string(copy.join("stdout.log"))
            .unwrap()
            .contains('x')
    );
    assert!(copy.join("journal.jsonl").exists());
}

#[test]
fn what_cannot_be_copied_is_named_and_nothing_is_removed() {
    let env = TestEnv::new();
    made(
        &env,
        "a",
        "mkdir -p out/sub; echo x > out/sub/file; echo y > out/y",
        "out",
    );
    for point in [
        "copy.create:1",
        "copy.create:2",
        "copy.sync:1",
        "tree.rename:1",
    ] {
        let args = ["message", "run:a", "control.prune", KEEP, "--json"];
        let full = env
            .materia(&args)
            .env("MATERIA_FAILPOINT", format!("{point}:enospc"))
            .run();
        assert_eq!(refused(&full), (1, "run_storage".to_owned()), "{point}");
        assert!(full.stdout.contains("No space left"), "{}", full.stdout);
        assert!(env.run_dir("a").exists(), "{point}");
        let left = std::fs::read_dir(env.runs_root().preserved())
            .unwrap()
            .count();
        assert_eq!(left, 0, "{point}");
    }
    let copy = kept(&env, "a");
    assert_eq!(
        std::fs::read_to_string(copy.join("sub/file")).unwrap(),
        "x\n"
    );
}

#[test]
fn a_directory_that_would_hold_its_own_copy_is_refused() {
    let env = TestEnv::new();
    made(&env, "a", "true", env.runs_root().path().to_str().unwrap());
    let args = ["run:a", "control.prune", KEEP];
    let outcome = env.send(&args);
    assert_refused(&outcome, 1, "run_storage");
    assert!(outcome.stdout.contains("inside it") && env.run_dir("a").exists());
    env.send_ok(&["run:a", "control.prune"]);
}

#[test]
fn a_killed_copy_is_made_again() {
    let env = TestEnv::new();
    made(
        &env,
        "a",
        "mkdir out; echo x > out/1; echo y > out/2",
        "out",
    );
    let args = ["message", "run:a", "control.prune", KEEP, "--json"];
    for point in ["copy.create:2", "copy.sync", "tree.rename", "tree.rename:2"] {
        env.materia(&args)
            .env("MATERIA_FAILPOINT", format!("{point}:abort"))
            .run();
        assert!(env.run_dir("a").exists(), "{point}");
    }
    let copy = kept(&env, "a");
    assert_eq!(std::fs::read_dir(&copy).unwrap().count(), 2);
    assert_eq!(
        std::fs::read_dir(env.runs_root().preserved())
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn artifacts_of_an_archived_run_are_kept_too() {
    let env = TestEnv::new();
    made(
        &env,
        "a",
        "mkdir $1/dist; echo x > $1/dist/file",
        "{state_dir}/dist",
    );
    env.send_ok(&["run:a", "control.archive"]);
    let copy = kept(&env, "a");
    assert_eq!(std::fs::read_to_string(copy.join("file")).unwrap(), "x\n");
}

#[test]
fn the_name_of_an_artifact_leads_nowhere() {
    let env = TestEnv::new();
    env.write("out", "x");
    let recipe = json!({"template": "true", "artifacts": {"../../../up": "out", "/abs": "out"}});
    env.write("r.json", recipe.to_string());
    env.materia(&["spawn", "--file", "r.json", "--as", "run:a", "--json"])
        .run()
        .ok();
    env.wait("a");
    let report = env.send_ok(&["run:a", "control.prune", KEEP]);
    let copies = report["result"]["preserved"].as_array().unwrap();
    assert_eq!(copies.len(), 2, "{report}");
    for copy in copies {
        let copy = env.expand_path(copy).canonicalize().unwrap();
        assert!(
            copy.starts_with(env.runs_root().preserved().canonicalize().unwrap()),
            "{}",
            copy.display()
        );
    }
}

#[test]
fn a_link_that_is_an_artifact_stands_for_what_it_leads_to() {
    let env = TestEnv::new();
    env.write("real/file", "x");
    symlink("real", env.work_dir().join("link")).unwrap();
    made(&env, "a", "true", "link");
    let copy = kept(&env, "a");
    assert!(copy.ends_with("out/link") && !copy.is_symlink());
    assert_eq!(std::fs::read_to_string(copy.join("file")).unwrap(), "x");
}
