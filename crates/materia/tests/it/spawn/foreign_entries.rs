//! Entries in the runs directory that are not usable runs: links, files, unreadable directories (A8).

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::message::assert_refused;
use crate::test_env::TestOutput;

fn listed(env: &TestEnv) -> Value {
    env.materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json()
}

/// Runs `materia` without the capabilities that let root ignore file modes.
fn run_unprivileged(env: &TestEnv, args: &str) -> TestOutput {
    let line = "if [ $(id -u) = 0 ]; then bound='setpriv --bounding-set=-dac_override,-dac_read_search'; fi";
    env.shell(&format!("{line}; exec $bound materia {args}"))
        .run()
}

#[test]
fn a_symlink_in_the_runs_directory_is_never_followed() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let outside = env.work_dir().join("outside");
    std::fs::create_dir(&outside).unwrap();
    // A link to an empty directory, and a link to a run.
    symlink(&outside, env.runs_root().path().join("link")).unwrap();
    symlink(env.run_dir("a").dir(), env.runs_root().path().join("alias")).unwrap();
    for link in ["link", "alias"] {
        let address = format!("run:{link}");
        for args in [
            &["spawn", "--template", "true", "--as", &address, "--json"] as &[&str],
            &["inspect", &address, "--json"],
            &["wait", &address, "--json"],
            &["receive", "--address", &address, "--timeout", "0", "--json"],
            &["message", &address, "task.run", "--json"],
            &["message", &address, "control.kill", "--json"],
            &["message", &address, "control.prune", "--json"],
            &["message", &address, "control.archive", "--json"],
        ] {
            let outcome = env.materia(args).run();
            assert_refused(&outcome, 4, "run_is_a_link");
        }
        assert!(
            listed(&env)["broken"][link]
                .as_str()
                .unwrap()
                .contains("symbolic link")
        );
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(listed(&env)["runs"].as_array().unwrap().len(), 1);
    run::sweep(&env.runs_root(), Duration::from_secs(60), &Clock::system()).unwrap();
    assert!(outside.exists() && env.runs_root().path().join("link").is_symlink());
}

#[test]
fn reserved_names_in_the_runs_directory_are_not_ids() {
    let env = TestEnv::new();
    for id in ["archived", "preserved-artifacts", "index.json"] {
        let args = [
            "spawn",
            "--template",
            "true",
            "--as",
            &format!("run:{id}"),
            "--json",
        ];
        assert_refused(&env.materia(&args).run(), 2, "invalid_name");
    }
}

#[test]
fn a_file_in_place_of_a_run_is_not_changed() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.runs_root().path()).unwrap();
    let file = env.runs_root().path().join("a");
    std::fs::write(&file, "mine").unwrap();
    let spawned = env
        .materia(&["spawn", "--template", "true", "--as", "run:a", "--json"])
        .run();
    assert_refused(&spawned, 4, "run_path_taken");
    assert_refused(
        &env.materia(&["inspect", "run:a", "--json"]).run(),
        3,
        "run_not_found",
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn an_unreadable_run_is_reported() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    listed(&env);
    let dir = env.run_dir("a").dir().to_owned();
    let mode =
        |mode| std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let inspected = run_unprivileged(&env, "inspect run:a --json");
    let spawned = run_unprivileged(&env, "spawn --template true --as run:a --json");
    let listed = run_unprivileged(&env, "inspect session:all --json");
    mode(0o700);
    assert_refused(&inspected, 1, "run_storage");
    assert!(inspected.stdout.contains("runs/a`") && inspected.stdout.contains("Permission denied"));
    assert_eq!(spawned.code(), 1, "{}", spawned.transcript());
    let broken = listed.ok().json()["broken"]["a"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        broken.contains("runs/a") && broken.contains("Permission denied"),
        "{broken}"
    );
}

#[test]
fn the_requested_id_is_not_suggested() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.run_dir("t1").dir()).unwrap();
    let exact = env.materia(&["inspect", "run:t1", "--json"]).run();
    assert_refused(&exact, 3, "run_not_found");
    assert!(!exact.stdout.contains("did you mean"), "{}", exact.stdout);
    let near = env.materia(&["inspect", "run:t2", "--json"]).run();
    assert!(
        near.stdout.contains("did you mean run:t1?"),
        "{}",
        near.stdout
    );
}
