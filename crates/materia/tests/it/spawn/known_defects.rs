//! Known defects of the predecessor, and the test that shows that `materia` does not have each one.
//! The tests in this file cover those that no other test covers.
//!
//! | defect | test |
//! |---|---|
//! | 36 an id leaves the root | `starts::an_id_that_leaves_the_root_is_refused`, `message::routes` |
//! | 37 orphans, no escalation | `ends::kill_ends_the_whole_process_tree`, `slow::a_supervisor_killed_at_any_time_…` |
//! | 38 a stale index | `retention::the_index_is_only_a_cache` |
//! | 39 lost updates of `run.json` | `status::snapshots_do_not_determine_the_status` |
//! | 40 exit codes, repeated errors | `output::stderr_of_a_failed_command_is_logged_once` |
//! | 41 a symlinked directory, identity by text | `starts::a_symlinked_directory_…`, `status::a_reused_pid_…` |
//! | 42 rooms of the generation before | here, `message::routes::a_new_generation_…` |
//! | 43 a recipe that sets its state directory | here |
//! | 44 a sweep that trusts a pid | `retention::the_sweep_removes_only_old_ended_runs` |
//! | 45 no live output | `output::output_is_logged_while_the_command_runs` |
//! | 46 locks that are taken over by age | here |
//! | 47 torn reads | here, `crash::mailbox` |
//! | 48 a queued message is an error | `message::routes::a_message_to_a_run_without_a_reader_is_queued` |
//! | 49 lines of a pipe in pieces | `receive::a_message_is_written_to_a_named_pipe_or_stays_queued` |
//! | 50 ownership that fails open | `message::owners` |
//! | 51 lost notifications | `watch`, `soak` |
//! | 52 old events look new | here |
//! | 53 a lock that any owner can release | `library::service::a_lock_service_…` |
//! | 54 counts of rooms, members who left | `message::views::views_of_a_room` |
//! | 55 retirement | `ownership::a_run_retires_…` |
//! | 56 changes below a run | `message::views::messages_can_be_followed_until_the_run_has_ended` |
//! | 57 the end of stderr | `inspect::the_tail_of_an_ended_run_has_both_streams` |

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;

#[test]
fn a_new_generation_starts_with_an_empty_room() {
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
    let present_members: Vec<_> = room["members"]
        .as_array()
        .unwrap()
        .iter()
        .filter(present)
        .collect();
    assert_eq!(present_members.len(), 1, "{room}");
    assert_eq!(present_members[0]["address"], "run:a");
    env.kill("a");
}

#[test]
fn a_recipe_cannot_choose_its_state_directory() {
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
fn a_slow_supervisor_keeps_its_lock() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let known = env.run_state("a").start.unwrap().supervisor;
    let supervisor = ProcessIdentity {
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
fn concurrent_readers_get_complete_documents() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["room:a", "actor.join", "hello", "--from", "branch:a/w"]);
    let (done, path) = (AtomicBool::new(false), env.run_dir("a").communication());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut read = 0;
            while !done.load(Ordering::Relaxed) {
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
        done.store(true, Ordering::Relaxed);
        assert!(reader.join().unwrap() > 0);
    });
    let communication = document(&env, "a", "communication.json");
    assert_eq!(
        communication["contacts"].as_array().unwrap().len(),
        5,
        "{communication}"
    );
    env.kill("a");
}

#[test]
fn a_new_generation_does_not_repeat_old_events() {
    let env = TestEnv::new();
    let reported_generations = || -> Vec<String> {
        let output = env
            .materia(&["watch", "--session", "s", "--once", "--json"])
            .run()
            .ok()
            .stdout;
        output
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["generation"].to_string())
            .collect()
    };
    let mut generations = Vec::new();
    for round in 0..3 {
        env.spawn("a", "true", &["--session", "s"]);
        env.wait("a");
        let reported = reported_generations();
        assert_eq!(reported.len(), 1, "round {round}: {reported:?}");
        generations.extend(reported);
        assert!(reported_generations().is_empty());
    }
    generations.dedup();
    assert_eq!(generations.len(), 3);
}
