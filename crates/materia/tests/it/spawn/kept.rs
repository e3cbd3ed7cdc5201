//! What is kept of runs: artifacts, the archive, and the sweep of what is old.

use std::time::Duration;

use materia_engine::store::lock::{Lock, Mode, Wait};

use super::*;

#[test]
fn artifacts_have_a_manifest_with_size_and_hash() {
    let house = House::new();
    let more = [
        "--artifact",
        "out={state_dir}/{name}.txt",
        "--artifact",
        "none=missing.txt",
        "name=x",
    ];
    house.spawn(
        "a",
        "sh -c 'printf abc > \"$1/$2.txt\"' sh {state_dir} {name}",
        &more,
    );
    assert_eq!(house.wait("a")["status"], "done");
    let shown = house
        .materia(&["inspect", "run:a", "--view", "artifacts", "--json"])
        .run()
        .ok()
        .json();
    let out = &shown["artifacts"]["out"];
    assert_eq!(
        (&out["exists"], &out["size"]),
        (&json!(true), &json!(3)),
        "{shown}"
    );
    assert_eq!(
        out["sha256"],
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(shown["artifacts"]["none"]["exists"], false);
    let recorded = records(&house, "a").pop().unwrap();
    assert_eq!(recorded["data"]["artifacts"]["out"]["size"], 3);
}

#[test]
fn only_a_run_that_is_over_is_archived_and_a_tombstone_says_where() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    let (root, place) = (house.runs(), house.run_place("a"));
    let archive = || run::archive(&root, &place, None, &Clock::system());
    assert!(matches!(archive(), Err(run::Error::NotTerminal { .. })));
    assert!(matches!(
        run::prune(&root, &place, None, false, &Clock::system()),
        Err(run::Error::NotTerminal { .. })
    ));
    house.kill("a");
    let archived = archive().unwrap();
    assert!(archived.archive_dir.join("journal.jsonl").exists());
    let gone = house.materia(&["inspect", "run:a", "--json"]).run();
    assert_eq!(
        (gone.code(), &gone.json()["error"]["code"]),
        (3, &json!("run_archived"))
    );
    let listed = house
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(listed["runs"], json!([]));
    house.spawn("a", "true", &[]);
    assert_eq!(house.wait("a")["status"], "done");
}

#[test]
fn pruning_keeps_every_artifact_under_its_own_name() {
    let house = House::new();
    for round in ["first", "second"] {
        let make =
            format!("sh -c 'mkdir -p one two; echo {round} > one/out; echo {round} > two/out'");
        house.spawn(
            "a",
            &make,
            &["--artifact", "x=one/out", "--artifact", "y=two/out"],
        );
        house.wait("a");
        let pruned = run::prune(
            &house.runs(),
            &house.run_place("a"),
            None,
            true,
            &Clock::system(),
        )
        .unwrap();
        assert_eq!(pruned.preserved.len(), 2, "{pruned:?}");
        for copy in &pruned.preserved {
            assert_eq!(std::fs::read_to_string(copy).unwrap(), format!("{round}\n"));
        }
        assert!(!house.run_place("a").dir().exists());
    }
    let gone = house.materia(&["inspect", "run:a", "--json"]).run();
    assert_eq!(
        (gone.code(), &gone.json()["error"]["code"]),
        (3, &json!("run_not_found"))
    );
}

#[test]
fn the_sweep_takes_what_is_old_and_over_and_nothing_else() {
    let house = House::new();
    house.spawn("old", "true", &[]);
    house.wait("old");
    house.spawn("runs", "sleep 600", &[]);
    // The records of a house are of the first of January 2026, long ago by the clock of the
    // machine.
    std::fs::create_dir(house.runs().path().join(".removed-left")).unwrap();
    let swept = run::sweep(&house.runs(), Duration::from_secs(60), &Clock::system()).unwrap();
    assert_eq!(swept, ["old"]);
    assert!(!house.run_place("old").dir().exists() && house.run_place("runs").exists());
    assert!(!house.runs().path().join(".removed-left").exists());
    house.kill("runs");
    let young = run::sweep(&house.runs(), Duration::MAX, &Clock::system()).unwrap();
    assert!(young.is_empty());
}

#[test]
fn the_sweep_takes_what_never_began_unless_somebody_is_about_to() {
    let house = House::new();
    let places = ["left", "begins"].map(|id| house.run_place(id));
    for place in &places {
        std::fs::create_dir_all(place.dir()).unwrap();
        std::fs::write(place.lock(), "").unwrap();
    }
    let _begins = Lock::acquire_unsigned(&places[1].lock(), Mode::Exclusive, Wait::No).unwrap();
    run::sweep(&house.runs(), Duration::MAX, &Clock::system()).unwrap();
    assert_eq!(places.map(|place| place.dir().exists()), [false, true]);
}

#[test]
fn the_end_of_a_run_that_was_swept_is_told() {
    let house = House::new();
    assert!(house.told(&["--session", "s"]).is_empty());
    house.spawn("a", "true", &["--session", "s"]);
    house.wait("a");
    run::sweep(&house.runs(), Duration::from_secs(60), &Clock::system()).unwrap();
    assert!(!house.run_place("a").dir().exists());
    let told = house.told(&["--session", "s"]);
    assert_eq!((told.len(), &told[0]["event"]), (1, &json!("terminal")));
    assert!(house.told(&["--session", "s"]).is_empty());
}

#[test]
fn the_sweep_happens_once_a_day_by_itself() {
    let house = House::new();
    house.spawn("old", "true", &[]);
    house.wait("old");
    let spawn = |now: &str| {
        let words = ["spawn", "--template", "true", "--as", "run:new", "--json"];
        house
            .materia(&words)
            .env("MATERIA_TEST_CLOCK", now)
            .run()
            .ok();
        house.wait("new");
    };
    let stamp = house.runs().path().join(".swept");
    let swept_at = |when: &str| {
        let when: materia_model::time::Timestamp = when.parse().unwrap();
        let when = std::time::UNIX_EPOCH + Duration::from_millis(when.as_millis() as u64);
        std::fs::File::options()
            .write(true)
            .open(&stamp)
            .unwrap()
            .set_modified(when)
            .unwrap();
    };
    assert!(stamp.exists(), "whoever comes first begins to count");
    swept_at("2026-01-09T00:00:00.000Z");
    spawn("2026-01-09T23:00:00.000Z");
    assert!(house.run_place("old").exists(), "less than a day ago");
    spawn("2026-01-10T01:00:00.000Z");
    assert!(!house.run_place("old").exists() && house.run_place("new").exists());
}

#[test]
fn what_was_left_to_somebody_who_never_came_back_goes_with_time() {
    let house = House::new();
    assert!(house.told(&["--session", "s"]).is_empty());
    house.spawn("a", "true", &["--session", "s"]);
    house.wait("a");
    house.sent(&["run:a", "control.prune"]);
    let left = run::pending(&house.runs().session("s").unwrap());
    assert_eq!(left.len(), 1);
    let sweep =
        |kept: u64| run::sweep(&house.runs(), Duration::from_secs(kept), &Clock::system()).unwrap();
    sweep(24 * 3600);
    assert!(left[0].exists());
    let old = std::time::SystemTime::now() - Duration::from_secs(48 * 3600);
    std::fs::File::open(&left[0])
        .unwrap()
        .set_modified(old)
        .unwrap();
    sweep(24 * 3600);
    assert!(!left[0].exists() && house.told(&["--session", "s"]).is_empty());
}

#[test]
fn the_index_is_only_a_cache() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    let list = || {
        house
            .materia(&["inspect", "session:all", "--json"])
            .run()
            .ok()
            .json()["runs"]
            .clone()
    };
    let first = list();
    let index = house.runs().index();
    assert!(index.exists());
    assert_eq!(list(), first);
    std::fs::write(&index, "{broken").unwrap();
    assert_eq!(list(), first);
    house.spawn("a", "sleep 600", &[]);
    assert_eq!(list()[0]["status"], "running");
    house.kill("a");
    assert_eq!(list()[0]["status"], "killed");
    std::fs::write(house.run_place("a").journal(), "damaged\n").unwrap();
    let listed = house
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert!(
        listed["broken"]["a"].as_str().unwrap().contains("damaged"),
        "{listed}"
    );
}
