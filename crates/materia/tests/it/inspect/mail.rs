//! Views of queues with whole messages, and of rooms with all members.

use serde_json::{Value, json};

use crate::test_env::TestEnv;

fn view(env: &TestEnv, target: &str, args: &[&str]) -> Value {
    env.materia(&[&["inspect", target, "--json"], args].concat())
        .run()
        .ok()
        .json()
}

#[test]
fn json_has_whole_messages_also_after_they_are_handled() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let long = "long ".repeat(100);
    let body = json!({"suite": "fast", "why": long}).to_string();
    let options: [&str; 9] = [
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
    env.send_ok(&[&["run:a", "task.run", &body], &options[..]].concat());
    env.send_ok(&[&["room:a", "task.run", &body], &options[..]].concat());
    let check_message = |target: &str, status: &str| {
        let mailbox = view(&env, target, &["--view", "mailbox"]);
        let message = mailbox["messages"][0].clone();
        assert_eq!(message["status"], status, "{message}");
        assert_eq!(message["body"]["suite"], "fast", "{message}");
        assert_has!(message, {"reply_to": "m0", "correlation_id": "c1"});
        assert_has!(message, {"metadata": {"priority": 3}, "summary": long});
        message["id"].as_str().unwrap().to_owned()
    };
    for target in ["run:a", "branch:a/w"] {
        let id = check_message(target, "queued");
        env.receive(target);
        env.materia(&["receive", "--address", target, "--ack", &id])
            .run()
            .ok();
        check_message(target, "handled");
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
fn a_large_roster_has_the_total_and_can_be_listed() {
    let env = TestEnv::in_memory();
    env.spawn("a", "sleep 600", &[]);
    let members: Vec<String> = (0..100)
        .map(|number| format!("branch:a/w{number:03}"))
        .collect();
    let metadata = json!({"recipients": members}).to_string();
    env.send_ok(&[
        "room:a",
        "hello",
        "--from",
        "run:a",
        "--metadata",
        &metadata,
    ]);
    env.send_ok(&["room:a", "actor.leave", "--from", "branch:a/w000"]);
    for (view_name, field, total) in [("roster", "members", 101), ("contacts", "contacts", 100)] {
        let few = view(&env, "room:a", &["--view", view_name, "--lines", "40"]);
        assert_eq!(few[field].as_array().unwrap().len(), 40);
        assert_eq!(few["total"], json!(total));
        assert_eq!(few["incomplete"], true);
        let all = view(&env, "room:a", &["--view", view_name]);
        assert_eq!(all[field].as_array().unwrap().len(), total);
        assert_eq!(all["incomplete"], false);
        let last = all[field].as_array().unwrap().last().unwrap().clone();
        assert_eq!(
            last["address"], "branch:a/w000",
            "members who left come last"
        );
        let text = env
            .materia(&["inspect", "room:a", "--view", view_name])
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
