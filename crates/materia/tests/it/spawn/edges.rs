//! Defects of the system that ours follows, as tests that we do not have them: what no other test
//! looks at.
//!
//! | edge | test |
//! |---|---|
//! | 36 an id leaves the root | `starts::an_id_that_leaves_its_root_is_no_id`, `message::routes` |
//! | 37 orphans, no escalation | `ends::a_kill_ends_the_whole_tree_also_what_does_not_want_to`, `slow::killed_at_any_moment_…` |
//! | 38 a stale index | `kept::the_index_is_only_a_cache` |
//! | 39 lost updates of `run.json` | `status::snapshots_are_never_believed` |
//! | 40 exit codes, complaints twice | `output::what_failed_says_so_once` |
//! | 41 a symlinked directory, identity by text | `starts::a_symlinked_directory_…`, `status::a_pid_that_belongs_to_somebody_else_…` |
//! | 42 rooms of the generation before | here, `message::routes::a_new_generation_…` |
//! | 43 a state directory of one's own | here |
//! | 44 a sweep that trusts a pid | `kept::the_sweep_takes_what_is_old_and_over_and_nothing_else` |
//! | 45 no live output | `output::output_is_there_while_the_command_runs` |
//! | 46 locks that are stolen by age | here |
//! | 47 torn reads | here, `crash::post` |
//! | 48 a queued message is an error | `message::routes::a_message_to_a_run_without_a_reader_waits_and_says_so` |
//! | 49 lines of a pipe in pieces | `receive::a_message_reaches_the_reader_of_a_named_pipe_or_waits` |
//! | 50 ownership that fails open | `message::owners` |
//! | 51 lost notifications | `watch`, `soak` |
//! | 52 old news look new | here |
//! | 53 a lock that anybody releases | `library::service::a_lock_service_…` |
//! | 54 counts of rooms, who left | `message::views::a_room_can_be_seen_from_every_side` |
//! | 55 retirement | `family::a_run_retires_…` |
//! | 56 changes below a run | `message::views::what_is_said_can_be_followed_until_the_run_is_over` |
//! | 57 the end of stderr | `inspect::the_tail_has_both_streams_also_when_the_run_is_over` |

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn a_new_generation_begins_with_an_empty_room() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["room:a", "actor.join", "hello", "--from", "branch:a/w"]);
    env.kill("a");
    env.spawn("a", "sleep 600", &[]);
    let room = env
        .materia(&["inspect", "room:a", "--view", "roster", "--json"])
        .run()
        .ok()
        .json();
    let present = |member: &&Value| member["status"] == "present";
    let there: Vec<_> = room["members"]
        .as_array()
        .unwrap()
        .iter()
        .filter(present)
        .collect();
    assert_eq!(there.len(), 1, "{room}");
    assert_eq!(there[0]["address"], "run:a");
    env.kill("a");
}

#[test]
fn a_recipe_cannot_have_its_runs_where_nobody_looks() {
    let env = TestEnv::new();
    let elsewhere = env.work_dir().join("elsewhere");
    env.write(
        "r.json",
        json!({"template": "true", "state_dir": elsewhere}).to_string(),
    );
    let spawned = env
        .materia(&["spawn", "--file", "r.json", "--as", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert!(
        spawned["warnings"].to_string().contains("state_dir"),
        "{spawned}"
    );
    assert_eq!(env.wait("a")["status"], "done");
    assert!(!elsewhere.exists());
}

#[test]
fn whoever_is_slow_keeps_its_lock() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let known = env.run_state("a").start.unwrap().supervisor;
    let supervisor = Identity {
        pid: known.pid,
        start_time: known.start,
        boot_id: known.boot,
    };
    supervisor.signal(Signal::STOP).unwrap();
    let lock = env.run_dir("a").lock();
    let old = std::time::SystemTime::now() - Duration::from_secs(7 * 24 * 3600);
    std::fs::File::open(&lock)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let second = env
        .materia(&["spawn", "--template", "true", "--as", "run:a", "--json"])
        .run();
    second.assert_error(4, "run_active");
    assert_eq!(env.run_state("a").status.as_str(), "running");
    supervisor.signal(Signal::CONT).unwrap();
    env.kill("a");
}

#[test]
fn whoever_reads_a_document_reads_a_whole_one() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["room:a", "actor.join", "hello", "--from", "branch:a/w"]);
    let (over, path) = (AtomicBool::new(false), env.run_dir("a").communication());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut read = 0;
            while !over.load(Ordering::Relaxed) {
                let text = std::fs::read_to_string(&path).unwrap();
                serde_json::from_str::<Value>(&text)
                    .unwrap_or_else(|error| panic!("{error}: {text}"));
                read += 1;
            }
            read
        });
        let senders: Vec<_> = (0..4)
            .map(|sender| {
                let env = &env;
                scope.spawn(move || {
                    for _ in 0..5 {
                        env.send_ok(&[
                            "room:a",
                            "said",
                            "x",
                            "--from",
                            &format!("branch:a/w{sender}"),
                        ]);
                    }
                })
            })
            .collect();
        senders
            .into_iter()
            .for_each(|sender| sender.join().unwrap());
        over.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
    });
    let seen = document(&env, "a", "communication.json");
    assert_eq!(seen["contacts"].as_array().unwrap().len(), 5, "{seen}");
    env.kill("a");
}

#[test]
fn what_was_told_is_not_told_again_when_a_run_is_started_anew() {
    let env = TestEnv::new();
    let told = || -> Vec<String> {
        let said = env
            .materia(&["watch", "--session", "s", "--once", "--json"])
            .run()
            .ok()
            .stdout;
        said.lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["generation"].to_string())
            .collect()
    };
    let mut generations = Vec::new();
    for round in 0..3 {
        env.spawn("a", "true", &["--session", "s"]);
        env.wait("a");
        let news = told();
        assert_eq!(news.len(), 1, "round {round}: {news:?}");
        generations.extend(news);
        assert!(told().is_empty());
    }
    generations.dedup();
    assert_eq!(generations.len(), 3);
}
