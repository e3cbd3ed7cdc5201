//! Hosts are told what happens, each piece until they heard it.

use serde_json::{Value, json};

use super::Client;
use crate::test_env::TestEnv;

const NEWS: &str = "notifications/materia/news";

fn heard_it(client: &mut Client<'_>, news: &Value) {
    client.request("materia/heard", json!({"id": news["id"]}));
}

#[test]
fn the_end_of_a_run_is_told_once_it_was_heard_and_never_again() {
    let env = TestEnv::new();
    let args = ["bridge", "--session", "host"];
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    let spawned = client.call("spawn", json!({"template": "false", "as": "run:a"}));
    assert!(
        super::text(&spawned).contains("You are told when it ends."),
        "{spawned}"
    );
    let first = client.until_told(NEWS);
    assert_has!(first, {"news": {"run": "a"}, "delivery": "followup"});
    assert_eq!(
        first["text"],
        "Run a failed. Exit code 1. false\nnext: inspect run:a status | inspect run:a tail"
    );
    // Killed before it was heard: the next one tells it again, under the same id.
    client.kill();
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    let again = client.until_told(NEWS);
    assert_eq!(again["id"], first["id"]);
    heard_it(&mut client, &again);
    client.call("spawn", json!({"template": "true", "as": "run:b"}));
    let other = client.until_told(NEWS);
    assert_eq!(other["news"]["run"], "b");
    heard_it(&mut client, &other);
    client.close();
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    client.call("spawn", json!({"template": "true", "as": "run:c"}));
    assert_eq!(
        client.until_told(NEWS)["news"]["run"],
        "c",
        "what was heard is not told again"
    );
    client.close();
}

#[test]
fn what_was_heard_is_remembered_when_that_is_answered() {
    let env = TestEnv::new();
    let args = ["bridge", "--session", "host"];
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    for run in ["a", "b", "c"] {
        env.spawn(run, "true", &["--session", "host"]);
        env.wait(run);
    }
    let mut heard = Vec::new();
    // Each is the last one of its bridge, which is killed as soon as it has answered.
    for _ in 0..3 {
        let news = client.until_told(NEWS);
        heard.push(news["news"]["run"].as_str().unwrap().to_owned());
        heard_it(&mut client, &news);
        // Saying so again is no error.
        heard_it(&mut client, &news);
        client.kill();
        client = Client::open(&env, &args);
        client.request("materia/listen", json!({}));
    }
    heard.sort();
    assert_eq!(heard, ["a", "b", "c"]);
    client.call("spawn", json!({"template": "true", "as": "run:d"}));
    assert_eq!(client.until_told(NEWS)["news"]["run"], "d");
    client.close();
}

#[test]
fn what_a_run_says_and_asks_is_told_and_other_sessions_hear_nothing() {
    let env = TestEnv::new();
    let mut host = Client::open(&env, &["bridge", "--session", "host"]);
    let mut other = Client::open(&env, &["bridge", "--session", "other"]);
    host.request("materia/listen", json!({}));
    other.request("materia/listen", json!({}));
    let line = "materia message coordinator review.done '{\"files\": 3}' --summary 'three files' \
        --metadata '{\"requires_response\": true}' && exec sleep 600";
    env.write("ask.sh", line);
    host.call("spawn", json!({"template": "sh ask.sh", "as": "run:a"}));
    let told = host.until_told(NEWS);
    let said = told["text"].as_str().unwrap();
    assert!(
        said.starts_with("Run a: three files\n{\"files\":3}\nIt waits for an answer"),
        "{said}"
    );
    heard_it(&mut host, &told);
    other.call("spawn", json!({"template": "true", "as": "run:o"}));
    assert_eq!(other.until_told(NEWS)["news"]["run"], "o", "only its own");
    host.call("message", json!({"to": "run:a", "type": "control.kill"}));
    host.close();
    other.close();
}

#[test]
fn a_host_that_comes_before_the_last_one_is_gone_takes_its_place() {
    let env = TestEnv::new();
    let args = ["bridge", "--session", "host"];
    let mut first = Client::open(&env, &args);
    first.request("materia/listen", json!({}));
    first.call("spawn", json!({"template": "true", "as": "run:a"}));
    assert_eq!(first.until_told(NEWS)["news"]["run"], "a");
    let mut second = Client::open(&env, &args);
    second.request("materia/listen", json!({}));
    second.call("inspect", json!({"target": "coordinator"}));
    first.close();
    let told = second.until_told(NEWS);
    assert_eq!(told["news"]["run"], "a", "nobody had heard it");
    heard_it(&mut second, &told);
    second.close();
}

#[test]
fn a_person_types_a_command_in_a_host() {
    let env = TestEnv::new();
    let mut host = Client::open(&env, &["bridge", "--session", "host"]);
    let listed = host.request("materia/command", json!({"words": ["loadout", "list"]}));
    assert_eq!(listed["ok"], true);
    assert!(
        listed["text"].as_str().unwrap().contains("Full-Auto"),
        "{listed}"
    );
    let wrong = host.request(
        "materia/command",
        json!({"words": ["grid", "No-Such-Loadout"]}),
    );
    assert_eq!(wrong["ok"], false);
    assert!(
        wrong["text"].as_str().unwrap().starts_with("error:"),
        "{wrong}"
    );
    host.close();
}
