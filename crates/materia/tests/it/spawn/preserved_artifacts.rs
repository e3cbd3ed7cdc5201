//! Artifacts preserved by a prune: they are copied completely, or nothing is removed.

use std::os::unix::fs::symlink;

use super::*;
use crate::message::{assert_refused, refused};

const PRESERVE: &str = r#"{"preserve_artifacts": true}"#;

/// Runs a script as a run with this id and an artifact `out` at this path.
fn run_with_artifact(env: &TestEnv, id: &str, script: &str, path: &str) {
    env.write("make.sh", script);
    env.spawn(
        id,
        "sh make.sh {state_dir}",
        &["--artifact", &format!("out={path}")],
    );
    assert_eq!(env.wait(id)["status"], "done");
}

/// Prunes a run and returns the copy of its artifact.
fn prune(env: &TestEnv, id: &str) -> PathBuf {
    let report = env.send_ok(&[&format!("run:{id}"), "control.prune", PRESERVE]);
    assert_eq!(
        report["result"]["preserved"].as_array().unwrap().len(),
        1,
        "{report}"
    );
    env.expand_path(&report["result"]["preserved"][0])
}

#[test]
fn a_directory_is_preserved_with_its_contents() {
    let env = TestEnv::new();
    env.write("outside/secret", "stays outside");
    let script = "mkdir -p $1/dist/deep/er $1/dist/empty; echo x > $1/dist/deep/er/file
        ln -s ../../../outside $1/dist/out; mkfifo $1/dist/pipe";
    run_with_artifact(&env, "a", script, "{state_dir}/dist");
    let copy = prune(&env, "a");
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
fn the_whole_directory_of_a_run_can_be_preserved() {
    let env = TestEnv::new();
    run_with_artifact(&env, "a", "echo x", "{state_dir}");
    let copy = prune(&env, "a");
    assert!(
        std::fs::read_to_string(copy.join("stdout.log"))
            .unwrap()
            .contains('x')
    );
    assert!(copy.join("journal.jsonl").exists());
}

#[test]
fn a_failed_copy_is_reported_and_nothing_is_removed() {
    let env = TestEnv::new();
    run_with_artifact(
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
        let args = ["message", "run:a", "control.prune", PRESERVE, "--json"];
        let full = env
            .materia(&args)
            .env("MATERIA_FAILPOINT", format!("{point}:enospc"))
            .run();
        assert_eq!(refused(&full), (1, "run_storage".to_owned()), "{point}");
        assert!(full.stdout.contains("No space left"), "{}", full.stdout);
        assert!(env.run_dir("a").exists(), "{point}");
        let count = std::fs::read_dir(env.runs_root().preserved())
            .unwrap()
            .count();
        assert_eq!(count, 0, "{point}");
    }
    let copy = prune(&env, "a");
    assert_eq!(
        std::fs::read_to_string(copy.join("sub/file")).unwrap(),
        "x\n"
    );
}

#[test]
fn a_directory_that_would_contain_its_copy_is_refused() {
    let env = TestEnv::new();
    run_with_artifact(&env, "a", "true", env.runs_root().path().to_str().unwrap());
    let args = ["run:a", "control.prune", PRESERVE];
    let outcome = env.send(&args);
    assert_refused(&outcome, 1, "run_storage");
    assert!(outcome.stdout.contains("inside it") && env.run_dir("a").exists());
    env.send_ok(&["run:a", "control.prune"]);
}

#[test]
fn a_killed_copy_is_repeated() {
    let env = TestEnv::new();
    run_with_artifact(
        &env,
        "a",
        "mkdir out; echo x > out/1; echo y > out/2",
        "out",
    );
    let args = ["message", "run:a", "control.prune", PRESERVE, "--json"];
    for point in ["copy.create:2", "copy.sync", "tree.rename", "tree.rename:2"] {
        env.materia(&args)
            .env("MATERIA_FAILPOINT", format!("{point}:abort"))
            .run();
        assert!(env.run_dir("a").exists(), "{point}");
    }
    let copy = prune(&env, "a");
    assert_eq!(std::fs::read_dir(&copy).unwrap().count(), 2);
    assert_eq!(
        std::fs::read_dir(env.runs_root().preserved())
            .unwrap()
            .count(),
        1
    );
}

#[test]
fn artifacts_of_an_archived_run_are_preserved() {
    let env = TestEnv::new();
    run_with_artifact(
        &env,
        "a",
        "mkdir $1/dist; echo x > $1/dist/file",
        "{state_dir}/dist",
    );
    env.send_ok(&["run:a", "control.archive"]);
    let copy = prune(&env, "a");
    assert_eq!(std::fs::read_to_string(copy.join("file")).unwrap(), "x\n");
}

#[test]
fn the_name_of_an_artifact_cannot_leave_the_directory() {
    let env = TestEnv::new();
    env.write("out", "x");
    let recipe = json!({"template": "true", "artifacts": {"../../../up": "out", "/abs": "out"}});
    env.write("r.json", recipe.to_string());
    env.materia(&["spawn", "--file", "r.json", "--as", "run:a", "--json"])
        .run()
        .ok();
    env.wait("a");
    let report = env.send_ok(&["run:a", "control.prune", PRESERVE]);
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
fn an_artifact_that_is_a_symlink_is_copied_with_its_target() {
    let env = TestEnv::new();
    env.write("real/file", "x");
    symlink("real", env.work_dir().join("link")).unwrap();
    run_with_artifact(&env, "a", "true", "link");
    let copy = prune(&env, "a");
    assert!(copy.ends_with("out/link") && !copy.is_symlink());
    assert_eq!(std::fs::read_to_string(copy.join("file")).unwrap(), "x");
}
