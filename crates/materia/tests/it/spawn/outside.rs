//! What is in the directory of all runs and is no run of ours: links out of it, and what may not be
//! read (A8).

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::house::Outcome;
use crate::message::refused;

fn listed(house: &House) -> Value {
    house
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json()
}

/// `materia` as somebody to whom the modes of files mean something, which they do not to root.
fn as_anybody(house: &House, words: &str) -> Outcome {
    let line = "if [ $(id -u) = 0 ]; then bound='setpriv --bounding-set=-dac_override,-dac_read_search'; fi";
    house
        .shell(&format!("{line}; exec $bound materia {words}"))
        .run()
}

#[test]
fn a_link_in_the_directory_of_all_runs_is_never_followed() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    let outside = house.work().join("outside");
    std::fs::create_dir(&outside).unwrap();
    // One that leads nowhere special, and one to a run.
    symlink(&outside, house.runs().path().join("link")).unwrap();
    symlink(
        house.run_place("a").dir(),
        house.runs().path().join("alias"),
    )
    .unwrap();
    for link in ["link", "alias"] {
        let address = format!("run:{link}");
        for words in [
            &["spawn", "--template", "true", "--as", &address, "--json"] as &[&str],
            &["inspect", &address, "--json"],
            &["wait", &address, "--json"],
            &["receive", "--address", &address, "--timeout", "0", "--json"],
            &["message", &address, "task.run", "--json"],
            &["message", &address, "control.kill", "--json"],
            &["message", &address, "control.prune", "--json"],
            &["message", &address, "control.archive", "--json"],
        ] {
            let outcome = house.materia(words).run();
            assert_eq!(
                refused(&outcome),
                (4, "run_is_a_link".to_owned()),
                "{words:?}"
            );
        }
        assert!(
            listed(&house)["broken"][link]
                .as_str()
                .unwrap()
                .contains("symbolic link")
        );
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(listed(&house)["runs"].as_array().unwrap().len(), 1);
    run::sweep(&house.runs(), Duration::from_secs(60), &Clock::system()).unwrap();
    assert!(outside.exists() && house.runs().path().join("link").is_symlink());
}

#[test]
fn what_else_is_in_the_directory_of_all_runs_is_no_id() {
    let house = House::new();
    for id in ["archived", "preserved-artifacts", "index.json"] {
        let words = [
            "spawn",
            "--template",
            "true",
            "--as",
            &format!("run:{id}"),
            "--json",
        ];
        assert_eq!(
            refused(&house.materia(&words).run()),
            (2, "invalid_name".to_owned()),
            "{id}"
        );
    }
}

#[test]
fn a_file_where_a_run_would_be_stays_what_it_is() {
    let house = House::new();
    std::fs::create_dir_all(house.runs().path()).unwrap();
    let file = house.runs().path().join("a");
    std::fs::write(&file, "mine").unwrap();
    let spawned = house
        .materia(&["spawn", "--template", "true", "--as", "run:a", "--json"])
        .run();
    assert_eq!(
        refused(&spawned),
        (4, "run_path_taken".to_owned()),
        "{}",
        spawned.transcript()
    );
    assert_eq!(
        refused(&house.materia(&["inspect", "run:a", "--json"]).run()),
        (3, "run_not_found".to_owned())
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
}

#[test]
fn a_run_that_may_not_be_read_is_said_to_be_there() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    listed(&house);
    let dir = house.run_place("a").dir().to_owned();
    let mode =
        |mode| std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let inspected = as_anybody(&house, "inspect run:a --json");
    let spawned = as_anybody(&house, "spawn --template true --as run:a --json");
    let listed = as_anybody(&house, "inspect session:all --json");
    mode(0o700);
    assert_eq!(refused(&inspected), (1, "run_storage".to_owned()));
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
fn an_id_that_was_asked_for_is_not_suggested() {
    let house = House::new();
    std::fs::create_dir_all(house.run_place("t1").dir()).unwrap();
    let asked = house.materia(&["inspect", "run:t1", "--json"]).run();
    assert_eq!(refused(&asked), (3, "run_not_found".to_owned()));
    assert!(!asked.stdout.contains("did you mean"), "{}", asked.stdout);
    let near = house.materia(&["inspect", "run:t2", "--json"]).run();
    assert!(
        near.stdout.contains("did you mean run:t1?"),
        "{}",
        near.stdout
    );
}
