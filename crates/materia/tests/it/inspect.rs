//! `inspect`: the views of runs, as text and as JSON.

mod bounds;
mod follow;
mod mail;
mod presence;
mod tool;
mod triage;

use insta::assert_snapshot;

use crate::test_env::TestEnv;

#[test]
fn status_and_list_as_text() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'echo broken >&2; exit 7'", &[]);
    env.wait("a");
    assert_snapshot!(env.materia(&["inspect", "run:a"]).run().transcript());
    assert_snapshot!(env.materia(&["inspect", "session:all"]).run().transcript());
}

#[test]
fn a_wrong_target_view_or_filter_is_refused() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let wrong = |args: &[&str]| {
        let outcome = env.materia(&[&["inspect", "--json"], args].concat()).run();
        (
            outcome.code(),
            outcome.json()["error"]["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    assert_eq!(
        wrong(&["run:a", "--view", "entrails"]),
        (2, "invalid_view".into())
    );
    assert_eq!(wrong(&["nobody"]), (2, "invalid_target".into()));
    assert_eq!(wrong(&["run:.."]), (2, "invalid_name".into()));
    assert_eq!(wrong(&["run:b"]), (3, "run_not_found".into()));
    assert_eq!(
        wrong(&["session:all", "--status", "sleepy"]),
        (2, "invalid_status".into())
    );
    assert_eq!(wrong(&["tool:hammer"]), (3, "tool_not_found".into()));
    assert_eq!(wrong(&["session:../x"]), (2, "invalid_name".into()));
}

#[test]
fn the_tail_of_an_ended_run_has_both_streams() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'seq 1 100; echo oh >&2'", &[]);
    env.wait("a");
    let tail = env
        .materia(&["inspect", "run:a", "--view", "tail", "--lines", "2"])
        .run()
        .ok();
    assert_eq!(tail.stdout, "99\n100\n--- stderr\noh\n");
    let json = env
        .materia(&[
            "inspect", "run:a", "--view", "tail", "--lines", "1", "--json",
        ])
        .run()
        .ok()
        .json();
    assert_has!(json, {"stdout": "100\n", "stderr": "oh\n"});
}

#[test]
fn follow_prints_everything_and_ends_with_the_run() {
    let env = TestEnv::new();
    let template =
        "sh -c 'echo ready >&2; while [ ! -e go ]; do sleep 0.01; done; seq 1 2000; echo end >&2'";
    env.spawn("a", template, &[]);
    let mut following = env
        .materia(&["inspect", "run:a", "--view", "tail", "--follow"])
        .start();
    following.wait_for_stderr("ready");
    env.write("go", "");
    let output = following.wait().ok();
    let expected: String = (1..=2000).map(|n| format!("{n}\n")).collect();
    assert!(output.stdout == expected, "{} bytes", output.stdout.len());
    assert_eq!(output.stderr, "ready\nend\n");
}

#[test]
fn follow_ends_when_the_supervisor_is_killed() {
    let env = TestEnv::new();
    env.spawn("a", "sh -c 'echo ready; exec sleep 600'", &[]);
    env.wait_for_file_text(env.run_dir("a").stdout(), "ready");
    let following = env
        .materia(&["inspect", "run:a", "--view", "tail", "--follow", "--json"])
        .start();
    env.kill_supervisor("a");
    let output = following.wait().ok();
    assert_eq!(
        output.stdout,
        "{\"stream\":\"stdout\",\"text\":\"ready\\n\"}\n"
    );
    assert_eq!(env.run_state("a").status.as_str(), "exited");
}

#[test]
fn lists_can_be_filtered_by_status() {
    let env = TestEnv::new();
    env.spawn("good", "true", &[]);
    env.spawn("bad", "false", &[]);
    env.spawn("on", "sleep 600", &[]);
    env.wait("good");
    env.wait("bad");
    let ids = |status: &str| {
        let listed = env
            .materia(&["inspect", "session:all", "--status", status, "--json"])
            .run()
            .ok()
            .json();
        let runs = listed["runs"].as_array().unwrap().clone();
        runs.iter()
            .map(|run| run["run"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("all"), ["bad", "good", "on"]);
    assert_eq!(ids("active"), ["on"]);
    assert_eq!(ids("running"), ["on"]);
    assert_eq!(ids("terminal"), ["bad", "good"]);
    assert_eq!(ids("failed"), ["bad"]);
    let files = env
        .materia(&["inspect", "run:good", "--view", "files", "--json"])
        .run()
        .ok()
        .json();
    assert!(
        files["files"]["journal.jsonl"].as_u64().unwrap() > 100,
        "{files}"
    );
    let runtime = env
        .materia(&["inspect", "tool:materia", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(runtime["name"], "materia");
    env.materia(&["inspect", "tool:materia", "--view", "doctor", "--json"])
        .run();
    env.kill("on");
}

/// Every target with all its views.
const VIEWS: [(&str, &[&str]); 10] = [
    (
        "run:a",
        &[
            "status",
            "tail",
            "transcript",
            "messages",
            "mailbox",
            "communication",
            "artifacts",
            "files",
        ],
    ),
    (
        "room:a",
        &["status", "messages", "previews", "roster", "contacts"],
    ),
    ("branch:a/w", &["mailbox"]),
    ("coordinator", &["status", "runs"]),
    ("session:s", &["status", "runs"]),
    ("session:all", &["status", "runs"]),
    ("tool:materia", &["status", "triage"]),
    ("tool:greet", &["status", "schema"]),
    (
        "recipes",
        &["status", "summary", "list", "doctor", "imports"],
    ),
    ("recipe-registry", &["status"]),
];

#[test]
fn every_view_is_short_as_text_and_complete_as_json() {
    let env = TestEnv::new();
    env.materia(&[
        "tool",
        "register",
        "greet",
        "--template",
        "echo hello {who}",
        "--arg",
        "who",
    ])
    .run()
    .ok();
    env.spawn(
        "a",
        "sh -c 'seq 1 5000; exec sleep 600'",
        &["--session", "s"],
    );
    env.wait_for_file_text(env.run_dir("a").stdout(), "5000\n");
    for number in 0..45 {
        let from = format!("branch:a/w{number}");
        env.send_ok(&["room:a", "said", &"long ".repeat(400), "--from", &from]);
    }
    env.send_ok(&["branch:a/w", "task.run", &"long ".repeat(400)]);
    env.send_ok(&[
        "coordinator",
        "ask",
        &"long ".repeat(400),
        "--from",
        "run:a",
    ]);
    for (target, views) in VIEWS {
        for view in views {
            let args = ["inspect", target, "--view", view, "--session", "s"];
            let short = env.materia(&args).run().ok();
            assert!(
                !short.stdout.is_empty() && short.stderr.is_empty(),
                "{}",
                short.transcript()
            );
            assert!(
                short.stdout.len() < 16 << 10,
                "{target} {view}: {} bytes",
                short.stdout.len()
            );
            let whole = env.materia(&[&args[..], &["--json"]].concat()).run().ok();
            assert!(whole.json().is_object(), "{}", whole.transcript());
        }
    }
    env.kill("a");
}

#[test]
fn messages_in_a_room_can_be_followed_as_json() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let mut following = env
        .materia(&[
            "inspect", "room:a", "--view", "messages", "--follow", "--json",
        ])
        .start();
    for body in ["one", "two"] {
        env.send_ok(&["room:a", "said", body, "--from", "run:a"]);
        let message: serde_json::Value = serde_json::from_str(&following.read_line()).unwrap();
        assert_has!(message, {"type": "said", "body": body});
    }
    env.kill_supervisor("a");
    following.wait().ok();
}

#[test]
fn the_operator_may_abbreviate_targets() {
    let env = TestEnv::new();
    env.spawn("nightly", "true", &[]);
    env.wait("nightly");
    let all = env.materia(&["inspect"]).run().ok().stdout;
    assert_eq!(
        all,
        env.materia(&["inspect", "session:all"]).run().ok().stdout
    );
    let whole = env.materia(&["inspect", "run:nightly"]).run().ok().stdout;
    for short in ["nightly", "nigh", "run:nigh"] {
        assert_eq!(
            env.materia(&["inspect", short]).run().ok().stdout,
            whole,
            "{short}"
        );
    }
    let output = env.materia(&["message", "nightly", "task.run"]).run();
    assert!(
        output.stderr.contains("run:nightly is not running"),
        "{}",
        output.transcript()
    );
    // A program inside a run must give the full address.
    let inside = env
        .materia(&["inspect", "nightly"])
        .env("MATERIA_RUN", "other")
        .run();
    assert_eq!(inside.code(), 2, "{}", inside.transcript());
    assert_eq!(env.materia(&["inspect", "recipes"]).run().code(), 0);
}
