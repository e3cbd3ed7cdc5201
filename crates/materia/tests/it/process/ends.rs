//! How child processes end: the exact cause, in time, and without leaks (T13, C12).

use super::*;

#[test]
fn exit_codes_and_signals_are_reported_exactly() {
    let harness = ProcessHarness::new();
    let cases = [
        (json!(["/bin/true"]), "finished", "exited 0", 0),
        (json!(["sh", "-c", "exit 3"]), "finished", "exited 3", 3),
        (
            json!(["sh", "-c", "kill -9 $$"]),
            "finished",
            "signal 9",
            137,
        ),
        (json!([FAKE, "dies-mid-line"]), "finished", "signal 9", 137),
        (
            json!([FAKE, "noisy", "--code", "255"]),
            "finished",
            "exited 255",
            255,
        ),
    ];
    for (argv, cause, detail, code) in cases {
        let ended = harness.run(json!({ "argv": argv }));
        assert_has!(ended, {"cause": cause, "detail": detail, "code": code}, "{argv}");
    }
    harness.assert_no_processes();
}

#[test]
fn a_failed_start_has_a_reason_and_a_hint() {
    let harness = ProcessHarness::new();
    let script = |name: &str, text: &str, mode: u32| {
        let path = harness.env.write(name, text);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    script("plain", "x", 0o644);
    script("bin/plain", "x", 0o644);
    script("orphaned", "#!/no/such/shell -e\n", 0o755);
    script("nonsense", "no program at all\n", 0o755);
    let long = "x".repeat(200_000);
    let cases = [
        (json!({ "argv": [] }), "there is no command to start", 126),
        (
            json!({ "argv": ["no-such-program"] }),
            "program `no-such-program` was not found",
            127,
        ),
        (
            json!({ "argv": ["/no/such/program"] }),
            "program `/no/such/program` was not found",
            127,
        ),
        (
            json!({ "argv": ["./plain"] }),
            "`./plain` is not executable",
            126,
        ),
        (
            json!({ "argv": ["plain"], "env": { "PATH": "bin" } }),
            "`./bin/plain` is not executable",
            126,
        ),
        (json!({ "argv": ["/tmp"] }), "`/tmp` is a directory", 126),
        (
            json!({ "argv": ["./orphaned"] }),
            "`./orphaned` needs `/no/such/shell`, which cannot be run",
            126,
        ),
        (
            json!({ "argv": ["./nonsense"] }),
            "`./nonsense` is not a program this machine can run",
            126,
        ),
        (
            json!({ "argv": ["true", "a\0b"] }),
            "argument 1 has a NUL byte in it, which no program can be given",
            126,
        ),
        (
            json!({ "argv": ["true", long] }),
            "the command line is too long (200006 bytes)",
            126,
        ),
        (
            json!({ "argv": ["true"], "cwd": "/no/such" }),
            "directory `/no/such` does not exist",
            127,
        ),
    ];
    for (command, detail, code) in cases {
        let ended = harness.run(command.clone());
        assert_has!(ended, {"cause": "not-started", "detail": detail, "code": code});
        assert!(
            ended["hint"].is_string() || detail.contains("NUL"),
            "{ended}"
        );
    }
    harness.assert_no_processes();
}

#[test]
fn programs_are_looked_up_in_the_path_of_the_child() {
    let harness = ProcessHarness::new();
    let bin = harness.path("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/echo", bin.join("say")).unwrap();
    let directory = text(harness.path("bin").parent().unwrap()).to_owned();
    let cases = [
        json!({ "argv": ["say", "hello"], "env": { "PATH": text(&bin) } }),
        json!({ "argv": ["say", "hello"], "clear_env": true, "env": { "PATH": text(&bin) } }),
        json!({ "argv": ["say", "hello"], "cwd": directory, "env": { "PATH": "/nowhere:bin" } }),
        json!({ "argv": ["bin/say", "hello"], "cwd": directory }),
        json!({ "argv": ["echo", "hello"], "clear_env": true }),
    ];
    for command in cases {
        let ended = harness.run(command.clone());
        assert_eq!(ended["stdout"]["text"], "hello\n", "{command}: {ended}");
    }
    harness.assert_no_processes();
}

#[test]
fn a_deadline_applies_while_a_grandchild_keeps_stdout_open() {
    let harness = ProcessHarness::new();
    let ended = harness.run(json!({
        "argv": [FAKE, "forks", "1", "--setsid", "--hold"], "deadline_ms": 300, "grace_ms": 300,
    }));
    assert_has!(ended, {"cause": "timed-out", "code": 124});
    assert_within(&ended, 600);
    harness.assert_no_processes();
}

#[test]
fn a_command_ends_before_the_grandchild_that_keeps_stdout_open() {
    let harness = ProcessHarness::new();
    let (ended, took) =
        timed(|| harness.run(json!({ "argv": [FAKE, "forks", "1", "--hold", "--exit", "4"] })));
    assert_has!(ended, {"detail": "exited 4", "stdout": {"text": "ready\n"}});
    assert!(took < 30_000, "must not wait for the grandchild");
    harness.assert_no_processes();
}

#[test]
fn a_timeout_is_reported_even_if_the_command_then_succeeds() {
    let harness = ProcessHarness::new();
    let script = "trap 'exit 0' TERM; while :; do sleep 0.05; done";
    let ended =
        harness.run(json!({ "argv": ["sh", "-c", script], "deadline_ms": 200, "grace_ms": 5000 }));
    assert_has!(ended, {"cause": "timed-out", "detail": "exited 0", "code": 124});
    harness.assert_no_processes();
}

#[test]
fn an_interrupt_is_an_event() {
    let harness = ProcessHarness::new();
    let command = json!({ "argv": [FAKE, "sleeper", "100"], "raise_on": "ready" });
    let report = harness.run_host(&json!({ "interrupts": true, "commands": [command] }));
    assert_eq!(report["interrupts"], json!([2]));
    assert_eq!(report["ended"][0]["cause"], "cancelled");
    harness.assert_no_processes();
}

#[test]
fn an_interrupt_stops_a_command_and_the_second_one_kills_it() {
    let harness = ProcessHarness::new();
    let polite = "kill -INT $PPID; exec sleep 100";
    // Two signals in short succession may be merged, so the script repeats them until it is killed.
    let stubborn = "trap '' TERM; while :; do kill -INT $PPID; sleep 0.1; done";
    for (script, detail) in [(polite, "signal 15"), (stubborn, "signal 9")] {
        let command = json!({ "argv": ["sh", "-c", script], "grace_ms": 60_000 });
        let (report, took) = timed(|| {
            harness.run_host(&json!({ "interrupts": true, "repeat": 1, "commands": [command] }))
        });
        assert_has!(report["ended"][0], {"cause": "cancelled", "detail": detail});
        assert!(
            took < 30_000,
            "the second interrupt must not wait for the grace period"
        );
    }
    harness.assert_no_processes();
}

#[test]
fn without_free_descriptors_some_commands_are_refused() {
    let harness = ProcessHarness::new();
    let commands: Vec<Value> = (0..20)
        .map(|_| json!({ "argv": ["sleep", "0.3"], "stdin": "x" }))
        .collect();
    let script = json!({ "parallel": true, "commands": commands }).to_string();
    let report = harness
        .env
        .shell("ulimit -n 32; exec materia-fake host")
        .stdin(script)
        .run()
        .ok()
        .json();
    let ended = report["ended"].as_array().unwrap();
    let started = ended
        .iter()
        .filter(|end| end["detail"] == "exited 0")
        .count();
    let refused = ended
        .iter()
        .filter(|end| end["detail"] == "too many open files")
        .count();
    assert!(
        started >= 3 && refused >= 3,
        "{started} started, {refused} refused"
    );
    assert_eq!(started + refused, 20);
    assert!(
        ended
            .iter()
            .all(|end| end["cause"] != "not-started" || end["hint"].is_string())
    );
    harness.assert_no_processes();
}

#[test]
fn a_thousand_commands_leak_nothing() {
    assert_no_leaks(1000);
}

/// Asserts that descriptors, threads and children are the same before and after.
pub(super) fn assert_no_leaks(times: u64) {
    let harness = ProcessHarness::new();
    let command = json!({ "argv": ["/bin/true"], "stdin": "x" });
    let report =
        harness.run_host(&json!({ "repeat": times, "commands": [command], "sweep_ms": 0 }));
    assert_eq!(report["before"], report["after"]);
    assert_eq!(report["ended"][0]["detail"], "exited 0");
    assert_eq!(report["swept"], json!({ "ended": 0, "survivors": 0 }));
    harness.assert_no_processes();
}

#[test]
fn a_process_can_become_a_subreaper_only_once() {
    let harness = ProcessHarness::new();
    assert_eq!(harness.run_host(&json!({}))["second_refused"], true);
}

#[test]
fn an_identity_does_not_signal_another_process_with_its_pid() {
    let harness = ProcessHarness::new();
    let mut child = std::process::Command::new("sleep")
        .arg("100")
        .spawn()
        .unwrap();
    let real = ProcessIdentity::of(child.id().cast_signed()).unwrap();
    let predecessor = ProcessIdentity {
        start_time: real.start_time - 1,
        ..real.clone()
    };
    assert!(!predecessor.is_alive());
    assert!(predecessor.signal(Signal::KILL).is_err());
    assert!(real.is_alive());
    real.signal(Signal::KILL).unwrap();
    child.wait().unwrap();
    assert!(!real.is_alive() && real.signal(Signal::KILL).is_err());
    harness.assert_no_processes();
}
