//! Agents as actors: runs whose messages become turns.
//!
//! These tests use a scripted agent and plain commands; `needs_agents` uses the real programs.

mod ends;
mod needs_agents;

use serde_json::{Value, json};

use crate::spawn::records;
use crate::test_env::TestEnv;

/// Helpers for tests of actors.
impl TestEnv {
    /// Spawns the scripted agent as `run:a`, with these additional arguments.
    fn spawn_agent(&self, replies: &Value, more: &[&str]) -> Value {
        self.write("script.json", json!({"replies": replies}).to_string());
        let args = [
            &[
                "spawn",
                "--json",
                "--as",
                "run:a",
                "--agent-script",
                "script.json",
            ],
            more,
        ]
        .concat();
        self.materia(&args).run().ok().json()
    }

    /// Sends a chat message to `run:a` and returns its id.
    fn send_chat(&self, text: &str, more: &[&str]) -> String {
        let args = [&["message", "--json", "run:a", "chat.message", text], more].concat();
        self.materia(&args).run().ok().json()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Waits until `run:a` has sent this many answers to its coordinator, and returns them.
    pub(crate) fn wait_for_answers(&self, times: usize) -> Vec<Value> {
        let began = std::time::Instant::now();
        loop {
            let answers: Vec<Value> = messages(self, "a")
                .into_iter()
                .filter(|m| m["to"] == "coordinator")
                .collect();
            let mailbox = self
                .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
                .run()
                .ok()
                .json();
            if answers.len() >= times && mailbox["counts"]["claimed"] == 0 {
                return answers;
            }
            let state = || {
                self.materia(&["inspect", "run:a", "--view", "tail"])
                    .run()
                    .transcript()
            };
            assert!(
                began.elapsed().as_secs() < 60,
                "only {answers:?}; {mailbox}; {}",
                state()
            );
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// The transcript of `run:a`.
    pub(crate) fn actor_transcript(&self) -> Value {
        self.materia(&["inspect", "run:a", "--view", "transcript", "--json"])
            .run()
            .ok()
            .json()
    }
}

/// The messages in a run's journal.
pub fn messages(env: &TestEnv, id: &str) -> Vec<Value> {
    let all = records(env, id)
        .into_iter()
        .filter(|record| record["type"] == "message");
    all.map(|record| record["data"].clone()).collect()
}

/// The roles and texts of a transcript.
pub fn entries(transcript: &Value) -> Vec<(String, String)> {
    let text = |line: &Value, field: &str| line[field].as_str().unwrap().to_owned();
    transcript["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (text(line, "role"), text(line, "text")))
        .collect()
}

fn entry(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[test]
fn messages_become_turns_and_answers_come_back() {
    let env = TestEnv::new();
    let usage = json!({"input": 30, "output": 10, "cost": {"total": 0.25}});
    let replies = json!([
        {"match": {"contains": "hello"}, "text": "hi there", "usage": usage},
        {"match": {"contains": "more"}, "text": "much more", "usage": usage},
    ]);
    let spawned = env.spawn_agent(&replies, &["hello", "you"]);
    assert_has!(spawned, {"status": "running", "address": "run:a"});
    env.wait_for_answers(1);
    let asked = env.send_chat("tell me more", &["--correlation", "c1"]);
    let answers = env.wait_for_answers(2);
    let last = &answers[1];
    assert_has!(last, {"from": "run:a", "type": "chat.message", "body": "much more"});
    assert_has!(last, {"reply_to": asked, "correlation_id": "c1"});
    assert_has!(last["metadata"], {"outcome": "ok", "usage": {"total": 40}});

    let transcript = env.actor_transcript();
    let expected = [
        entry("prompt", "hello you"),
        entry("answer", "hi there"),
        entry("prompt", "tell me more"),
        entry("answer", "much more"),
    ];
    assert_eq!(entries(&transcript), expected);
    let status = env
        .materia(&["inspect", "run:a", "--json"])
        .run()
        .ok()
        .json();
    let agent = &status["agent"];
    assert_has!(agent, {"turns": 2, "usage": {"total": 80, "cost": 0.5}});
    assert_has!(agent, {"name": "scripted", "busy": false});
    let shown = env
        .materia(&["inspect", "run:a", "--view", "transcript"])
        .run()
        .ok()
        .stdout;
    assert!(
        shown.contains("> you: tell me more\nagent: much more\n"),
        "{shown}"
    );

    let tail = env
        .materia(&["inspect", "run:a", "--view", "tail"])
        .run()
        .ok()
        .stdout;
    assert_eq!(
        tail,
        "> you: hello you\nhi there\n> you: tell me more\nmuch more\n"
    );

    let killed = env
        .materia(&["message", "run:a", "control.kill", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(killed["status"], "killed");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn any_command_can_be_an_actor_with_one_turn_per_message() {
    let env = TestEnv::new();
    let agents = json!({"loud": {"command": ["tr", "a-z", "A-Z"]}});
    env.write("flow.json", json!({"agents": agents}).to_string());
    env.materia(&[
        "spawn",
        "--agent",
        "loud",
        "--config",
        "flow.json",
        "--as",
        "run:a",
        "first",
    ])
    .run()
    .ok();
    env.wait_for_answers(1);
    env.send_chat("second", &[]);
    let answers = env.wait_for_answers(2);
    assert_eq!(answers[0]["body"], "FIRST");
    assert_eq!(answers[1]["body"], "SECOND");
    env.kill("a");
}

#[test]
fn an_agent_spawns_another_agent_over_mcp() {
    let env = TestEnv::new();
    let profile = env.home().join(".config/pi/pi-materia");
    std::fs::create_dir_all(&profile).unwrap();
    let agents = json!({"loud": {"command": ["tr", "a-z", "A-Z"]}});
    std::fs::write(
        profile.join("materia.json"),
        json!({"agents": agents}).to_string(),
    )
    .unwrap();
    let mut client = crate::mcp::Client::open(&env, &["mcp"]);
    let spawned = client.call(
        "spawn",
        json!({"agent": "loud", "prompt": "--first", "as": "run:a"}),
    );
    assert_has!(spawned, {"structuredContent": {"run": "a"}, "isError": false});
    env.wait_for_answers(1);
    client.call(
        "message",
        json!({"to": "run:a", "type": "chat.message", "body": "second"}),
    );
    let answers = env.wait_for_answers(2);
    assert_eq!(answers[0]["body"], "--FIRST");
    assert_eq!(answers[1]["body"], "SECOND");
    let seen = client.call("inspect", json!({"target": "run:a", "view": "transcript"}));
    assert!(seen.to_string().contains("SECOND"), "{seen}");
    client.call("message", json!({"to": "run:a", "type": "control.kill"}));
    client.close();
}

#[test]
fn answers_go_to_the_sender_and_replies_are_not_answered() {
    let env = TestEnv::new();
    env.spawn_agent(
        &json!([{"match": {}, "text": "as you like", "times": 9}]),
        &[],
    );
    env.spawn("b", "sleep 600", &[]);
    let asked = env.send_chat("please", &["--from", "run:b"]);
    env.wait_for_file_text(env.run_dir("b").journal(), "as you like");
    let received = messages(&env, "b");
    assert_has!(received[0], {"to": "run:b", "from": "run:a", "reply_to": asked});
    // The prompt names the sender.
    assert_eq!(
        entries(&env.actor_transcript())[0].1,
        "[chat.message from run:b]\nplease"
    );
    // The answer to a reply goes to the coordinator: two agents must not answer each other for ever.
    env.send_chat("thanks", &["--from", "run:b", "--reply-to", "m1"]);
    let answers = env.wait_for_answers(1);
    assert_eq!(answers[0]["to"], "coordinator");
    assert_eq!(messages(&env, "b").len(), 1);
    // `answer_to` redirects the answer, here to a room.
    env.send_chat("aloud", &["--metadata", "{\"answer_to\": \"room:a\"}"]);
    env.wait_for_file_text(env.run_dir("a").journal(), "\"to\":\"room:a\"");
    // If the sender has ended, the answer goes to the coordinator.
    env.kill("b");
    env.send_chat("late", &["--from", "run:b"]);
    let answers = env.wait_for_answers(2);
    assert!(
        answers[1]["metadata"]["undelivered"]
            .as_str()
            .unwrap()
            .starts_with("run:b:"),
        "{}",
        answers[1]
    );
    env.kill("a");
}

#[test]
fn messages_to_a_busy_agent_get_their_own_turns() {
    let env = TestEnv::new();
    let replies = json!([
        {"match": {"contains": "slow"}, "text": "slowly", "delayMs": 400},
        {"match": {}, "text": "quickly", "times": 3},
    ]);
    env.spawn_agent(&replies, &["slow"]);
    env.wait_for_file_text(env.run_dir("a").journal(), "turn.start");
    env.send_chat("one", &[]);
    env.send_chat("two", &[]);
    let answers = env.wait_for_answers(3);
    let bodies: Vec<&Value> = answers.iter().map(|answer| &answer["body"]).collect();
    assert_eq!(
        bodies,
        [&json!("slowly"), &json!("quickly"), &json!("quickly")]
    );
    let prompts: Vec<(String, String)> = entries(&env.actor_transcript())
        .into_iter()
        .filter(|(role, _)| role == "prompt")
        .collect();
    assert_eq!(
        prompts,
        [
            entry("prompt", "slow"),
            entry("prompt", "one"),
            entry("prompt", "two")
        ]
    );
    env.kill("a");
}

#[test]
fn abort_ends_the_turn_but_not_the_agent() {
    let env = TestEnv::new();
    let replies = json!([
        {"match": {"contains": "long"}, "text": "never", "delayMs": 600_000},
        {"match": {}, "text": "still here"},
    ]);
    env.spawn_agent(&replies, &["a long one"]);
    env.wait_for_file_text(env.run_dir("a").journal(), "turn.start");
    env.materia(&["message", "run:a", "control.abort"])
        .run()
        .ok();
    let answers = env.wait_for_answers(1);
    assert_has!(answers[0], {"type": "chat.failed", "metadata": {"outcome": "aborted"}});
    env.send_chat("and now?", &[]);
    assert_eq!(env.wait_for_answers(2)[1]["body"], "still here");
    env.kill("a");
}

#[test]
fn a_failed_turn_is_retried_or_reported_by_its_outcome() {
    let env = TestEnv::new();
    let replies = json!([
        {"match": {"contains": "flaky"}, "error": "overload", "usage": {"input": 5}},
        {"match": {"contains": "flaky"}, "text": "at last", "usage": {"input": 7}},
        {"match": {"contains": "locked"}, "error": "auth", "times": 5},
    ]);
    env.spawn_agent(&replies, &["flaky"]);
    let answers = env.wait_for_answers(1);
    assert_has!(answers[0], {"body": "at last", "metadata": {"usage": {"input": 12}}});
    let asked = env.send_chat("locked", &[]);
    let answers = env.wait_for_answers(2);
    assert_has!(answers[1], {"type": "chat.failed", "metadata": {"outcome": "auth"}});
    let failed = records(&env, "a")
        .into_iter()
        .find(|record| record["type"] == "message.failed")
        .unwrap();
    assert_eq!(failed["data"]["id"], json!(asked));
    env.kill("a");
}

#[test]
fn a_spawn_with_wrong_options_starts_nothing() {
    let env = TestEnv::new();
    let call = |args: &[&str]| {
        let args = [&["spawn", "--json", "--as", "run:a"], args].concat();
        let outcome = env.materia(&args).env("PATH", "/nowhere").run();
        (
            outcome.code(),
            outcome.json()["error"]["code"].as_str().unwrap().to_owned(),
        )
    };
    assert_eq!(call(&["--agent", "codex"]), (6, "no_agent".to_owned()));
    assert_eq!(call(&["--agent-script", "none.json"]).0, 3);
    assert_eq!(
        call(&["--agent", "codex", "--template", "true"]),
        (2, "usage".to_owned())
    );
    assert_eq!(
        call(&["--template", "true", "--model", "m"]),
        (2, "usage".to_owned())
    );
    env.write("script.json", "{\"replies\": []}");
    assert_eq!(
        call(&["--agent-script", "script.json", "--turn-timeout", "0"]),
        (2, "usage".to_owned())
    );
    assert!(!env.run_dir("a").exists());
}
