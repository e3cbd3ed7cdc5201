//! How runs begin, and who may begin them.

use super::*;

#[test]
fn a_run_has_the_contracts_report_and_outlives_its_launcher() {
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
fn a_supervisor_leads_its_own_session() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let pid = env.run_state("a").start.unwrap().supervisor.pid;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let (group, session) = (fields[2], fields[3]);
    assert_eq!((group, session), (&*pid.to_string(), &*pid.to_string()));
    env.kill("a");
}

/// The command has the mask of its supervisor. No shell in between: some clear it.
#[test]
fn a_supervisor_does_not_inherit_blocked_signals() {
    let env = TestEnv::new();
    let look = "grep SigBlk /proc/self/status";
    let blocking = "env --block-signal=TERM,CHLD";
    let spawn = format!("materia spawn --template '{look}' --as run:a --json");
    let launched = env
        .shell(&format!("{blocking} {look} && {blocking} {spawn}"))
        .run()
        .ok();
    let blocked = format!("{:016x}", 1 << (15 - 1) | 1 << (17 - 1));
    assert!(
        launched.stdout.contains(&blocked),
        "the launcher blocks nothing: {}",
        launched.transcript()
    );
    assert_eq!(env.wait("a")["status"], "done");
    assert_eq!(
        env.read_run_file("a", "stdout.log"),
        "SigBlk:\t0000000000000000\n"
    );
}

#[test]
fn the_journal_is_the_story_and_the_snapshots_tell_it_again() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'exit 7'", &[]);
    let over = env.wait("a");
    assert_has!(over, {"status": "failed", "code": 7});
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
        "what cannot be kept true is not written"
    );
}

#[test]
fn while_it_runs_again_nothing_says_how_it_ended_before() {
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
fn a_second_start_is_refused_while_it_runs_and_is_a_new_generation_afterwards() {
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
fn an_id_that_leaves_its_root_is_no_id() {
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
fn without_an_id_every_run_gets_one_of_its_own() {
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
fn what_is_wrong_is_said_before_anything_is_made() {
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
fn a_command_that_cannot_start_is_a_run_that_failed() {
    let env = TestEnv::new();
    env.spawn("a", "no-such-program-anywhere", &[]);
    let over = env.wait("a");
    assert_has!(over, {"status": "failed", "code": 127});
    assert!(
        over["error"]
            .as_str()
            .unwrap()
            .contains("no-such-program-anywhere"),
        "{over}"
    );
}

#[test]
fn a_symlinked_directory_is_a_directory_like_any_other() {
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
fn what_cannot_be_meant_is_refused_before_anything_starts() {
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
fn the_error_of_a_run_says_that_it_took_too_long() {
    let env = TestEnv::new();
    env.spawn("a", r#"{"template": "sleep 600", "timeout": 50}"#, &[]);
    let over = env.wait("a");
    assert_has!(over, {"status": "failed", "code": 124});
    assert_eq!(
        document(&env, "a", "result.json")["error"],
        "sleep 600: timed out"
    );
}
