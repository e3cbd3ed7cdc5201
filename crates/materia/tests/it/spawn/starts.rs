//! How runs start, and which starts are refused.

use super::*;

#[test]
fn spawn_reports_the_run_which_outlives_its_launcher() {
    let env = TestEnv::new();
    let report = env.spawn("a", "sleep 600", &[]);
    assert_eq!(report["run"], "a");
    assert_eq!(report["address"], "run:a");
    assert_eq!(report["status"], "running");
    assert_eq!(
        report["stateDir"],
        "[ROOT]/home/.pi/agent/tmp/pi-actors/runs/a"
    );
    assert_eq!(report["generation"].as_str().unwrap().len(), 26);
    assert!(
        report["next"][0]
            .as_str()
            .unwrap()
            .contains("inspect run:a")
    );
    assert_eq!(env.run_state("a").status.as_str(), "running");
    let stopped = env.kill("a");
    assert!(stopped.stopped, "{stopped:?}");
    assert!(env.live_processes().is_empty());
    assert_eq!(env.run_state("a").status.as_str(), "killed");
}

#[test]
fn a_supervisor_has_its_own_unix_session() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let pid = env.run_state("a").start.unwrap().supervisor.pid;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let (group, session) = (fields[2], fields[3]);
    assert_eq!((group, session), (&*pid.to_string(), &*pid.to_string()));
    env.kill("a");
}

/// The command inherits the signal mask of its supervisor. There is no shell in between, because
/// some shells clear the mask.
#[test]
fn a_supervisor_does_not_inherit_blocked_signals() {
    let env = TestEnv::new();
    let show_mask = "grep SigBlk /proc/self/status";
    let blocking = "env --block-signal=TERM,CHLD";
    let spawn = format!("materia spawn --template '{show_mask}' --as run:a --json");
    let launched = env
        .shell(&format!("{blocking} {show_mask} && {blocking} {spawn}"))
        .run()
        .ok();
    let blocked = format!("{:016x}", 1 << (15 - 1) | 1 << (17 - 1));
    assert!(
        launched.stdout.contains(&blocked),
        "the launcher must block the signals: {}",
        launched.transcript()
    );
    assert_eq!(env.wait("a")["status"], "done");
    assert_eq!(
        env.read_run_file("a", "stdout.log"),
        "SigBlk:\t0000000000000000\n"
    );
}

#[test]
fn the_journal_and_the_snapshots_have_the_end() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'exit 7'", &[]);
    let ended = env.wait("a");
    assert_has!(ended, {"status": "failed", "code": 7});
    assert_eq!(
        kinds(&env, "a"),
        [
            "journal",
            "run.start",
            "command.start",
            "command.done",
            "run.end"
        ]
    );
    assert_eq!(document(&env, "a", "result.json")["code"], 7);
    assert_eq!(document(&env, "a", "progress.json")["phase"], "failed");
    let run = document(&env, "a", "run.json");
    assert_has!(run, {"run": "a", "cwd": env.work_dir()});
    assert_eq!(
        run["status"],
        Value::Null,
        "a status in run.json would become stale"
    );
}

#[test]
fn a_new_generation_removes_the_old_result() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    assert!(env.run_dir("a").dir().join("result.json").exists());
    env.spawn("a", "sleep 600", &[]);
    assert!(!env.run_dir("a").dir().join("result.json").exists());
    env.kill("a");
    assert_eq!(document(&env, "a", "result.json")["status"], "killed");
}

#[test]
fn an_active_id_is_refused_and_an_ended_one_gets_a_new_generation() {
    let env = TestEnv::new();
    let first = env.spawn("a", "sleep 600", &[]);
    let again = env
        .materia(&["spawn", "--template", "true", "--as", "run:a", "--json"])
        .run();
    assert_eq!(again.code(), 4, "{}", again.transcript());
    assert_eq!(again.json()["error"]["code"], "run_active");
    env.kill("a");
    let second = env.spawn("a", "true", &[]);
    assert_ne!(first["generation"], second["generation"]);
    assert_eq!(env.wait("a")["status"], "done");
    assert_eq!(env.run_state("a").generations, 2);
}

#[test]
fn an_id_that_leaves_the_root_is_refused() {
    let env = TestEnv::new();
    for bad in [
        "run:..",
        "run:.",
        "run:a/b",
        "run:.hidden",
        "run:",
        "room:a",
        "run:archived",
        "run:index.json",
    ] {
        let refused = env
            .materia(&["spawn", "--template", "true", "--as", bad, "--json"])
            .run();
        assert_eq!(refused.code(), 2, "{}", refused.transcript());
    }
    assert!(!env.runs_root().path().exists());
}

#[test]
fn without_an_id_every_run_gets_its_own() {
    let env = TestEnv::new();
    let spawn = || {
        env.materia(&["spawn", "--template", "true", "--json"])
            .run()
            .ok()
            .json()
    };
    let (one, two) = (spawn(), spawn());
    assert_ne!(one["run"], two["run"]);
    for run in [one, two] {
        assert_eq!(env.wait(run["run"].as_str().unwrap())["status"], "done");
    }
}

#[test]
fn wrong_input_is_reported_before_anything_is_created() {
    let env = TestEnv::new();
    let missing = env
        .materia(&["spawn", "--template", "echo {name}", "--json"])
        .run();
    missing.assert_error(2, "missing_value");
    let typed = env
        .materia(&["spawn", "--template", "echo {n:int}", "n=x", "--json"])
        .run();
    assert_eq!(typed.code(), 2, "{}", typed.transcript());
    let artifact = env
        .materia(&[
            "spawn",
            "--template",
            "true",
            "--artifact",
            "../x=y",
            "--json",
        ])
        .run();
    artifact.assert_error(2, "invalid_artifact");
    assert!(!env.runs_root().path().exists());
}

#[test]
fn a_command_that_cannot_start_is_a_failed_run() {
    let env = TestEnv::new();
    env.spawn("a", "no-such-program-anywhere", &[]);
    let ended = env.wait("a");
    assert_has!(ended, {"status": "failed", "code": 127});
    assert!(
        ended["error"]
            .as_str()
            .unwrap()
            .contains("no-such-program-anywhere"),
        "{ended}"
    );
}

#[test]
fn a_run_can_be_spawned_from_a_symlinked_directory() {
    let env = TestEnv::new();
    std::os::unix::fs::symlink(env.work_dir(), env.home().join("link")).unwrap();
    let link = env.home().join("link");
    let args = [
        "-C",
        link.to_str().unwrap(),
        "spawn",
        "--template",
        "sleep 600",
        "--as",
        "run:a",
    ];
    env.materia(&args).run().ok();
    assert_eq!(env.run_state("a").status.as_str(), "running");
    assert!(env.kill("a").stopped);
}

#[test]
fn contradictory_options_are_refused_before_anything_starts() {
    let env = TestEnv::new();
    let refused = |args: &[&str]| {
        let outcome = env
            .materia(&[&["spawn", "--json", "--as", "run:a"], args].concat())
            .run();
        assert!(!env.run_dir("a").dir().exists(), "{}", outcome.transcript());
        (
            outcome.code(),
            outcome.json()["error"]["code"].as_str().unwrap().to_owned(),
        )
    };
    let twice = [
        "--template",
        "true",
        "--artifact",
        "a=x",
        "--artifact",
        "a=y",
    ];
    assert_eq!(refused(&twice), (2, "invalid_artifact".to_owned()));
    let large = env.write("large", json!({ "text": "x".repeat(5 << 20) }).to_string());
    let values = [
        "--template",
        "echo {text}",
        "--values",
        large.to_str().unwrap(),
    ];
    assert_eq!(refused(&values).0, 2);
    let moved = env
        .materia(&["spawn", "--json", "--template", "true"])
        .env("MATERIA_HOME", "here")
        .run();
    moved.assert_error(2, "no_home");
}

#[test]
fn a_timeout_is_the_error_of_the_run() {
    let env = TestEnv::new();
    env.spawn("a", r#"{"template": "sleep 600", "timeout": 50}"#, &[]);
    let ended = env.wait("a");
    assert_has!(ended, {"status": "failed", "code": 124});
    assert_eq!(
        document(&env, "a", "result.json")["error"],
        "sleep 600: timed out"
    );
}
