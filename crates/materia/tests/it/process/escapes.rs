//! Processes that try to survive: stopping a command ends all of them (T13, A6).

use super::*;

/// Stops the command after it has set up its escape.
fn stop_escape(kind: &str, plain: bool) -> Value {
    let harness = ProcessHarness::new();
    let pids = harness.pid_file();
    let command =
        json!({ "argv": [FAKE, "escape", kind, pids], "stop_on": "ready", "grace_ms": 150 });
    let report = harness.run_host(&json!({ "plain": plain, "pids": pids, "commands": [command] }));
    assert_eq!(
        report["left"],
        json!([]),
        "reported as ended while processes are left"
    );
    harness.assert_no_processes();
    assert!(
        harness.recorded().len() >= 2,
        "no process escaped: {report}"
    );
    let ended = report["ended"][0].clone();
    assert_eq!(ended["cause"], "cancelled", "{ended}");
    assert_eq!(ended["survivors"], 0);
    ended
}

/// Lets the deadline stop the command at an arbitrary point.
fn time_out_escape(kind: &str) {
    let harness = ProcessHarness::new();
    let pids = harness.pid_file();
    let command =
        json!({ "argv": [FAKE, "escape", kind, pids], "deadline_ms": 400, "grace_ms": 150 });
    let mut report = harness.run_host(&json!({ "pids": pids, "commands": [command] }));
    assert_eq!(
        report["left"],
        json!([]),
        "reported as ended while processes are left"
    );
    harness.assert_no_processes();
    let ended = report["ended"][0].take();
    assert_has!(ended, {"cause": "timed-out", "code": 124});
    assert_within(&ended, 550);
}

macro_rules! kinds {
    ($($name:ident: $kind:literal,)*) => {$(
        mod $name {
            #[test]
            fn ended_by_stop() {
                super::stop_escape($kind, false);
            }

            #[test]
            fn ended_by_deadline() {
                super::time_out_escape($kind);
            }
        }
    )*};
}

kinds! {
    setsid: "setsid",
    double_fork: "double-fork",
    own_group: "own-pgid",
    ignores_term: "ignores-term",
    nohup: "nohup",
    closes_stdio: "closes-stdio",
    holds_stdout: "holds-stdout",
    fork_bomb: "bomb",
    cleared_environment: "cleared-environment",
    cleared_environment_ignores_term: "cleared-environment-ignores-term",
    stopped_child: "stopped",
    comet: "comet",
}

#[test]
fn marked_orphans_are_found_without_a_subreaper() {
    for kind in ["setsid", "double-fork", "nohup", "stopped", "closes-stdio"] {
        stop_escape(kind, true);
    }
}

#[test]
fn a_sweep_ends_the_children_of_an_ended_command() {
    for plain in [false, true] {
        let harness = ProcessHarness::new();
        let command = json!({ "argv": [FAKE, "forks", "3", "--setsid", "--exit", "0"] });
        let report =
            harness.run_host(&json!({ "plain": plain, "commands": [command], "sweep_ms": 1000 }));
        harness.assert_no_processes();
        assert_eq!(report["ended"][0]["cause"], "finished");
        assert_eq!(report["swept"], json!({ "ended": 3, "survivors": 0 }));
    }
}

#[test]
fn a_sweep_ends_orphans_without_a_marker() {
    let harness = ProcessHarness::new();
    let command = json!({ "argv": ["/bin/sh", "-c", "env -i setsid sleep 120 & exit 0"] });
    let report = harness.run_host(&json!({ "commands": [command], "sweep_ms": 1000 }));
    harness.assert_no_processes();
    assert_eq!(report["swept"]["ended"], 1);
    assert_eq!(report["after"]["children"], "");
}

#[test]
fn ended_orphans_are_reaped_immediately() {
    let harness = ProcessHarness::new();
    let script = "for i in 1 2 3 4 5; do (true &); done; sleep 0.5";
    let report = harness.run_host(&json!({ "commands": [{ "argv": ["sh", "-c", script] }] }));
    assert_eq!(report["children"], "", "zombies");
    harness.assert_no_processes();
}

#[test]
fn dropping_the_process_set_kills_what_is_left() {
    let harness = ProcessHarness::new();
    let pids = harness.pid_file();
    let command = json!({ "argv": [FAKE, "escape", "holds-stdout-and-exits", pids] });
    let report = harness.run_host(&json!({ "commands": [command] }));
    harness.assert_no_processes();
    assert_eq!(harness.recorded().len(), 2);
    assert_eq!(
        report["left"].as_array().unwrap().len(),
        1,
        "the child must be alive before the drop"
    );
    assert_eq!(report["ended"][0]["detail"], "exited 0");
}

#[test]
fn stopping_one_command_does_not_affect_others() {
    let harness = ProcessHarness::new();
    let pids = harness.pid_file();
    let escaping = json!({ "argv": [FAKE, "escape", "double-fork", pids], "stop_on": "ready", "grace_ms": 150 });
    let sibling = json!({ "argv": [FAKE, "forks", "2", "--setsid", "--exit", "7"] });
    let sleeper = json!({ "argv": [FAKE, "sleeper", "1"] });
    let report = harness.run_host(
        &json!({ "parallel": true, "commands": [escaping, sibling, sleeper], "sweep_ms": 500 }),
    );
    harness.assert_no_processes();
    let mut ends: Vec<&str> = report["ended"]
        .as_array()
        .unwrap()
        .iter()
        .map(|end| end["detail"].as_str().unwrap())
        .collect();
    ends.sort_unstable();
    assert_eq!(ends, ["exited 0", "exited 7", "signal 15"]);
    assert_eq!(
        report["swept"]["ended"], 2,
        "the children of the sibling must survive"
    );
}

#[test]
fn sigterm_ends_a_command_and_sigkill_follows_after_the_grace() {
    let harness = ProcessHarness::new();
    let polite = harness
        .run(json!({ "argv": [FAKE, "sleeper", "100"], "stop_on": "ready", "grace_ms": 60_000 }));
    assert_has!(polite, {"detail": "signal 15", "code": 143});
    let stubborn =
        harness.run(json!({ "argv": [FAKE, "stubborn"], "stop_on": "ready", "grace_ms": 300 }));
    assert_has!(stubborn, {"detail": "signal 9", "code": 137});
    assert!(stubborn["elapsed_ms"].as_u64().unwrap() >= 300);
    let killed =
        harness.run(json!({ "argv": [FAKE, "stubborn"], "kill_on": "ready", "grace_ms": 60_000 }));
    assert_eq!(killed["detail"], "signal 9");
    assert_within(&killed, 0);
    harness.assert_no_processes();
}

#[test]
fn a_sweep_leaves_detached_processes_alone() {
    let harness = ProcessHarness::new();
    let pids = harness.pid_file();
    let name = format!("detached-{}", harness.env.marker());
    let command = json!({ "argv": [FAKE, "detach", name, pids] });
    let report = harness.run_host(&json!({ "commands": [command], "sweep_ms": 200 }));
    assert_eq!(report["swept"], json!({ "ended": 0, "survivors": 0 }));
    let detached = harness.recorded();
    assert_eq!(detached.len(), 2);
    assert!(
        detached.iter().all(ProcessIdentity::is_alive),
        "a detached process was swept"
    );
    let swept = materia_engine::process::end_detached(&name, Duration::from_secs(5));
    assert_eq!((swept.ended, swept.survivors.len()), (2, 0));
    harness.assert_no_processes();
}

#[test]
fn processes_of_a_killed_supervisor_are_found_by_name() {
    let harness = ProcessHarness::new();
    let pids = harness.pid_file();
    let name = format!("killed-{}", harness.env.marker());
    let escaping = json!({ "argv": [FAKE, "escape", "double-fork", pids] });
    let fake = env!("CARGO_BIN_EXE_materia-fake");
    let stubborn = json!({ "argv": [fake, "escape", "ignores-term", pids], "clear_env": true });
    let wait = format!("until [ $(wc -l <'{pids}') -ge 4 ]; do sleep 0.02; done; kill -9 $PPID");
    let killer = json!({ "argv": ["sh", "-c", wait] });
    let script = json!({ "parallel": true, "commands": [escaping, stubborn, killer] }).to_string();
    let host = harness
        .env
        .fake(&["host"])
        .env("MATERIA_DETACHED", &name)
        .stdin(script)
        .run();
    assert_eq!(host.code(), 137);
    assert_eq!(
        harness
            .recorded()
            .iter()
            .filter(|left| left.is_alive())
            .count(),
        4
    );
    let swept = materia_engine::process::end_detached(&name, Duration::from_millis(200));
    assert!(swept.ended >= 4 && swept.survivors.is_empty(), "{swept:?}");
    harness.assert_no_processes();
}

#[test]
fn a_sweep_leaves_a_process_alone_while_it_is_being_detached() {
    let env = TestEnv::new();
    let outcome = env
        .fake(&["storm", &format!("storm-{}", env.marker()), "150"])
        .run()
        .ok();
    assert_eq!(outcome.stdout, "0 lost\n");
}
