//! Queues are seen whole, and rooms with everybody in them.

use serde_json::{Value, json};

use crate::test_env::TestEnv;

fn view(env: &TestEnv, target: &str, args: &[&str]) -> Value {
    env.materia(&[&["inspect", target, "--json"], args].concat())
        .run()
        .ok()
        .json()
}

#[test]
fn programs_see_whole_messages_also_of_those_that_are_finished() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let long = "long ".repeat(100);
    let body = json!({"suite": "fast", "why": long}).to_string();
    let letter: [&str; 9] = [
        "--summary",
        &long,
        "--reply-to",
        "m0",
        "--correlation",
        "c1",
        "--metadata",
        r#"{"priority": 3, "recipients": ["branch:a/w"]}"#,
        "--from=run:a",
    ];
    env.send_ok(&[&["run:a", "task.run", &body], &letter[..]].concat());
    env.send_ok(&[&["room:a", "task.run", &body], &letter[..]].concat());
    let whole = |target: &str, status: &str| {
        let mailbox = view(&env, target, &["--view", "mailbox"]);
        let message = mailbox["messages"][0].clone();
        assert_eq!(message["status"], status, "{message}");
        assert_eq!(message["body"]["suite"], "fast", "{message}");
        assert_has!(message, {"reply_to": "m0", "correlation_id": "c1"});
        assert_has!(message, {"metadata": {"priority": 3}, "summary": long});
        message["id"].as_str().unwrap().to_owned()
    };
    for target in ["run:a", "branch:a/w"] {
        let id = whole(target, "queued");
        env.receive(target);
        env.materia(&["receive", "--address", target, "--ack", &id])
            .run()
            .ok();
        whole(target, "handled");
        let text = env
            .materia(&["inspect", target, "--view", "mailbox"])
            .run()
            .ok()
            .stdout;
        assert!(text.lines().count() == 2 && text.len() < 800, "{text}");
    }
    env.kill("a");
}

#[test]
fn a_large_roster_says_how_many_there_are_and_shows_them() {
    let env = TestEnv::in_memory();
    env.spawn("a", "sleep 600", &[]);
    let everybody: Vec<String> = (0..100)
        .map(|number| format!("branch:a/w{number:03}"))
        .collect();
    let metadata = json!({"recipients": everybody}).to_string();
    env.send_ok(&[
        "room:a",
        "hello",
        "--from",
        "run:a",
        "--metadata",
        &metadata,
    ]);
    env.send_ok(&["room:a", "actor.leave", "--from", "branch:a/w000"]);
    for (side, field, total) in [("roster", "members", 101), ("contacts", "contacts", 100)] {
        let few = view(&env, "room:a", &["--view", side, "--lines", "40"]);
        assert_eq!(few[field].as_array().unwrap().len(), 40);
        assert_eq!(few["total"], json!(total));
        assert_eq!(few["incomplete"], true);
        let all = view(&env, "room:a", &["--view", side]);
        assert_eq!(all[field].as_array().unwrap().len(), total);
        assert_eq!(all["incomplete"], false);
        let last = all[field].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["address"], "branch:a/w000", "who left comes last");
        let text = env
            .materia(&["inspect", "room:a", "--view", side])
            .run()
            .ok()
            .stdout;
        let more = format!(
            "({} of {total} are not shown; --lines {total} shows all)",
            total - 40
        );
        assert_eq!(text.lines().last(), Some(more.as_str()));
    }
    env.kill("a");
}
