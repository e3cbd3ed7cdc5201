//! Presence in a room follows from the messages of members while their run is active.

use serde_json::Value;

use crate::test_env::TestEnv;

fn room(env: &TestEnv, view: &str) -> Value {
    env.materia(&["inspect", "room:a", "--view", view, "--json"])
        .run()
        .ok()
        .json()
}

#[test]
fn presence_follows_from_the_messages_of_members() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let at = |minute: u32, args: &[&str]| {
        let clock = format!("2026-01-01T00:{minute:02}:00.000Z");
        env.materia(&[&["message"], args].concat())
            .env("MATERIA_TEST_CLOCK", clock)
            .run()
            .ok();
    };
    let worker = || {
        let roster = room(&env, "roster");
        let members = roster["members"].as_array().unwrap().clone();
        let worker = members
            .into_iter()
            .find(|member| member["address"] == "branch:a/w")
            .unwrap();
        let word = |field: &str| worker[field].as_str().unwrap().to_owned();
        [
            word("role"),
            word("status"),
            word("last_seen")[14..16].to_owned(),
        ]
    };
    at(1, &["room:a", "hello", "hi", "--from", "branch:a/w"]);
    at(2, &["branch:a/w", "task.run", "1"]);
    assert_eq!(
        worker(),
        ["actor", "present", "01"],
        "a received message must not update last_seen"
    );
    at(
        3,
        &[
            "room:a",
            "actor.leave",
            r#"{"status": "off"}"#,
            "--from",
            "branch:a/w",
        ],
    );
    at(4, &["branch:a/w", "task.run", "2"]);
    assert_eq!(worker(), ["actor", "left", "03"]);
    at(5, &["room:a", "back", "--from", "branch:a/w"]);
    assert_eq!(worker(), ["actor", "present", "05"]);
    env.kill("a");
    assert_eq!(worker(), ["actor", "left", "05"]);
    let status = room(&env, "status");
    assert_has!(status, {"roster": 2, "present": 0});
    at(6, &["room:a", "note", "--from", "branch:a/w"]);
    assert_eq!(worker(), ["actor", "left", "06"], "the run has ended");
}
