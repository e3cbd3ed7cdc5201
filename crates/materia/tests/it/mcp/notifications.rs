//! Hosts are notified of events, repeatedly until they acknowledge them.

use serde_json::{Value, json};

use super::Client;
use crate::test_env::TestEnv;

const NEWS: &str = "notifications/materia/news";

fn acknowledge(client: &mut Client<'_>, event: &Value) {
    client.request("materia/heard", json!({"id": event["id"]}));
}

#[test]
fn an_event_is_repeated_until_it_is_acknowledged() {
    let env = TestEnv::new();
    let args = ["bridge", "--session", "host"];
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    let spawned = client.call("spawn", json!({"template": "false", "as": "run:a"}));
    assert!(
        super::text(&spawned).contains("You are told when it ends."),
        "{spawned}"
    );
    let first = client.wait_for_notification(NEWS);
    assert_has!(first, {"news": {"run": "a"}, "delivery": "followup"});
    assert_eq!(
        first["text"],
        "Run a failed. Exit code 1. false\nnext: inspect run:a status | inspect run:a tail"
    );
    // The host is killed before it has acknowledged: the next one gets the same id again.
    client.kill();
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    let again = client.wait_for_notification(NEWS);
    assert_eq!(again["id"], first["id"]);
    acknowledge(&mut client, &again);
    client.call("spawn", json!({"template": "true", "as": "run:b"}));
    let other = client.wait_for_notification(NEWS);
    assert_eq!(other["news"]["run"], "b");
    acknowledge(&mut client, &other);
    client.close();
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    client.call("spawn", json!({"template": "true", "as": "run:c"}));
    assert_eq!(
        client.wait_for_notification(NEWS)["news"]["run"],
        "c",
        "an acknowledged event must not be repeated"
    );
    client.close();
}

#[test]
fn an_acknowledgement_is_durable_when_it_is_answered() {
    let env = TestEnv::new();
    let args = ["bridge", "--session", "host"];
    let mut client = Client::open(&env, &args);
    client.request("materia/listen", json!({}));
    for run in ["a", "b", "c"] {
        env.spawn(run, "true", &["--session", "host"]);
        env.wait(run);
    }
    let mut acknowledged = Vec::new();
    // Each bridge is killed right after it has answered the acknowledgement.
    for _ in 0..3 {
        let event = client.wait_for_notification(NEWS);
        acknowledged.push(event["news"]["run"].as_str().unwrap().to_owned());
        acknowledge(&mut client, &event);
        // A repeated acknowledgement is not an error.
        acknowledge(&mut client, &event);
        client.kill();
        client = Client::open(&env, &args);
        client.request("materia/listen", json!({}));
    }
    acknowledged.sort();
    assert_eq!(acknowledged, ["a", "b", "c"]);
    client.call("spawn", json!({"template": "true", "as": "run:d"}));
    assert_eq!(client.wait_for_notification(NEWS)["news"]["run"], "d");
    client.close();
}

#[test]
fn messages_of_a_run_are_sent_to_its_session_only() {
    let env = TestEnv::new();
    let mut host = Client::open(&env, &["bridge", "--session", "host"]);
    let mut other = Client::open(&env, &["bridge", "--session", "other"]);
    host.request("materia/listen", json!({}));
    other.request("materia/listen", json!({}));
    let line = "materia message coordinator review.done '{\"files\": 3}' --summary 'three files' \
        --metadata '{\"requires_response\": true}' && exec sleep 600";
    env.write("ask.sh", line);
    host.call("spawn", json!({"template": "sh ask.sh", "as": "run:a"}));
    let event = host.wait_for_notification(NEWS);
    let event_text = event["text"].as_str().unwrap();
    assert!(
        event_text.starts_with("Run a: three files\n{\"files\":3}\nIt waits for an answer"),
        "{event_text}"
    );
    acknowledge(&mut host, &event);
    other.call("spawn", json!({"template": "true", "as": "run:o"}));
    assert_eq!(
        other.wait_for_notification(NEWS)["news"]["run"],
        "o",
        "only events of its own session"
    );
    host.call("message", json!({"to": "run:a", "type": "control.kill"}));
    host.close();
    other.close();
}

#[test]
fn a_second_host_takes_over_after_the_first_one_has_gone() {
    let env = TestEnv::new();
    let args = ["bridge", "--session", "host"];
    let mut first = Client::open(&env, &args);
    first.request("materia/listen", json!({}));
    first.call("spawn", json!({"template": "true", "as": "run:a"}));
    assert_eq!(first.wait_for_notification(NEWS)["news"]["run"], "a");
    let mut second = Client::open(&env, &args);
    second.request("materia/listen", json!({}));
    second.call("inspect", json!({"target": "coordinator"}));
    first.close();
    let event = second.wait_for_notification(NEWS);
    assert_eq!(event["news"]["run"], "a", "the event was not acknowledged");
    acknowledge(&mut second, &event);
    second.close();
}

#[test]
fn a_host_can_run_a_command_for_its_user() {
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
