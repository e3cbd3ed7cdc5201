//! Agents as actors: runs whose messages become turns.
//!
//! What a scripted agent and a command can show is here; the real programs are in `needs_agents`.

mod ends;
mod needs_agents;

use serde_json::{Value, json};

use crate::spawn::records;
use crate::test_env::TestEnv;

/// What every test of actors does in its env.
impl TestEnv {
    /// Spawns the scripted agent as `run:a`, with these words besides.
    fn spawn_agent(&self, replies: &Value, more: &[&str]) -> Value {
        self.write("script.json", json!({"replies": replies}).to_string());
        let words = [
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
        self.materia(&words).run().ok().json()
    }

    /// Says something to `run:a`, and gives the id of the message.
    fn send_chat(&self, text: &str, more: &[&str]) -> String {
        let words = [&["message", "--json", "run:a", "chat.message", text], more].concat();
        self.materia(&words).run().ok().json()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Waits until `run:a` has answered so often, and gives what it said to its coordinator.
    pub(crate) fn wait_for_answers(&self, times: usize) -> Vec<Value> {
        let began = std::time::Instant::now();
        loop {
            let said: Vec<Value> = posted(self, "a")
                .into_iter()
                .filter(|m| m["to"] == "coordinator")
                .collect();
            let open = self
                .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
                .run()
                .ok()
                .json();
            if said.len() >= times && open["counts"]["claimed"] == 0 {
                return said;
            }
            let state = || {
                self.materia(&["inspect", "run:a", "--view", "tail"])
                    .run()
                    .transcript()
            };
            assert!(
                began.elapsed().as_secs() < 60,
                "only {said:?}; {open}; {}",
                state()
            );
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// What `run:a` was asked and said.
    pub(crate) fn transcript(&self) -> Value {
        self.materia(&["inspect", "run:a", "--view", "transcript", "--json"])
            .run()
            .ok()
            .json()
    }
}

/// The messages in a run's journal.
pub fn posted(env: &TestEnv, id: &str) -> Vec<Value> {
    let all = records(env, id)
        .into_iter()
        .filter(|record| record["type"] == "message");
    all.map(|record| record["data"].clone()).collect()
}

/// Roles and texts of a transcript.
pub fn lines(transcript: &Value) -> Vec<(String, String)> {
    let text = |line: &Value, field: &str| line[field].as_str().unwrap().to_owned();
    transcript["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (text(line, "role"), text(line, "text")))
        .collect()
}

fn said(role: &str, text: &str) -> (String, String) {
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

    let transcript = env.transcript();
    let wanted = [
        said("prompt", "hello you"),
        said("answer", "hi there"),
        said("prompt", "tell me more"),
        said("answer", "much more"),
    ];
    assert_eq!(lines(&transcript), wanted);
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
fn any_command_is_an_actor_one_turn_for_each_message() {
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
fn an_agent_spawns_another_and_asks_it_over_mcp() {
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
fn answers_go_to_who_asked_and_answers_are_not_answered() {
    let env = TestEnv::new();
    env.spawn_agent(
        &json!([{"match": {}, "text": "as you like", "times": 9}]),
        &[],
    );
    env.spawn("b", "sleep 600", &[]);
    let asked = env.send_chat("please", &["--from", "run:b"]);
    env.wait_for_file_text(env.run_dir("b").journal(), "as you like");
    let heard = posted(&env, "b");
    assert_has!(heard[0], {"to": "run:b", "from": "run:a", "reply_to": asked});
    // The agent is told who speaks.
    assert_eq!(
        lines(&env.transcript())[0].1,
        "[chat.message from run:b]\nplease"
    );
    // What answers goes to the coordinator, so that two of them never thank each other for ever.
    env.send_chat("thanks", &["--from", "run:b", "--reply-to", "m1"]);
    let told = env.wait_for_answers(1);
    assert_eq!(told[0]["to"], "coordinator");
    assert_eq!(posted(&env, "b").len(), 1);
    // Where it is asked to, it answers in its room.
    env.send_chat("aloud", &["--metadata", "{\"answer_to\": \"room:a\"}"]);
    env.wait_for_file_text(env.run_dir("a").journal(), "\"to\":\"room:a\"");
    // Who is gone cannot be answered; the coordinator is.
    env.kill("b");
    env.send_chat("late", &["--from", "run:b"]);
    let told = env.wait_for_answers(2);
    assert!(
        told[1]["metadata"]["undelivered"]
            .as_str()
            .unwrap()
            .starts_with("run:b:"),
        "{}",
        told[1]
    );
    env.kill("a");
}

#[test]
fn what_is_said_to_a_busy_agent_that_cannot_hear_gets_a_turn_of_its_own() {
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
    let prompts: Vec<(String, String)> = lines(&env.transcript())
        .into_iter()
        .filter(|(role, _)| role == "prompt")
        .collect();
    assert_eq!(
        prompts,
        [
            said("prompt", "slow"),
            said("prompt", "one"),
            said("prompt", "two")
        ]
    );
    env.kill("a");
}

#[test]
fn an_abort_ends_the_turn_and_not_the_agent() {
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
fn a_turn_is_recovered_by_its_outcome() {
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
fn what_cannot_be_started_starts_nothing() {
    let env = TestEnv::new();
    let call = |words: &[&str]| {
        let words = [&["spawn", "--json", "--as", "run:a"], words].concat();
        let outcome = env.materia(&words).env("PATH", "/nowhere").run();
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
