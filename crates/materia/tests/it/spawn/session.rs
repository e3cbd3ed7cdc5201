//! The end of a session: what wants to end with it does, whoever says that it is over (A9).

use serde_json::json;

use crate::house::House;
use crate::mcp::Client;
use crate::message::{assert_fate, refused};

#[test]
fn a_host_ends_its_session_and_nobody_else_does() {
    let house = House::new();
    house.spawn(
        "goes",
        "sleep 600",
        &["--session", "s1", "--on-session-end", "kill"],
    );
    house.spawn("stays", "sleep 600", &["--session", "s1"]);
    house.spawn(
        "other",
        "sleep 600",
        &["--session", "s2", "--on-session-end", "kill"],
    );
    let theirs = house.send(&["session:s1", "control.end", "--session", "s2"]);
    assert_eq!(refused(&theirs), (4, "session_mismatch".to_owned()));
    let inside = house
        .materia(&["message", "--json", "session:s1", "control.end"])
        .env("MATERIA_SESSION", "s1")
        .env("MATERIA_RUN", "stays")
        .run();
    assert_eq!(
        refused(&inside),
        (4, "session_mismatch".to_owned()),
        "a run cannot end its neighbours"
    );
    let ended = house.sent(&["session:s1", "control.end", "--session", "s1"]);
    assert_fate(
        &ended,
        [true, false, false],
        "session-control",
        "control_applied",
    );
    assert_eq!(
        ended["result"]["ended"],
        json!([{"run": "goes", "status": "killed"}])
    );
    let again = house.sent(&["session:s1", "control.end"]);
    assert_fate(
        &again,
        [true, false, false],
        "session-control",
        "nothing_to_end",
    );
    for (id, status) in [
        ("goes", "killed"),
        ("stays", "running"),
        ("other", "running"),
    ] {
        assert_eq!(house.look(id).status.as_str(), status, "{id}");
        house.kill(id);
    }
}

#[test]
fn a_connection_that_hangs_up_ends_the_session_that_it_was() {
    let house = House::new();
    let mut client = Client::open(&house, &["mcp"]);
    client.call(
        "spawn",
        json!({"template": "sleep 600", "as": "run:goes", "on_session_end": "kill"}),
    );
    client.call("spawn", json!({"template": "sleep 600", "as": "run:stays"}));
    client.close();
    let mut named = Client::open(&house, &["mcp", "--session", "mine"]);
    named.call(
        "spawn",
        json!({"template": "sleep 600", "as": "run:named", "on_session_end": "kill"}),
    );
    named.close();
    for (id, status) in [
        ("goes", "killed"),
        ("stays", "running"),
        ("named", "running"),
    ] {
        assert_eq!(house.look(id).status.as_str(), status, "{id}");
        house.kill(id);
    }
}

#[test]
fn nobody_starts_the_run_of_another_session_anew() {
    let house = House::new();
    let words = [
        "spawn",
        "--json",
        "--template",
        "echo mine",
        "--as",
        "run:a",
        "--session",
        "s2",
    ];
    for theirs in ["sleep 600", "echo theirs"] {
        house.spawn("a", theirs, &["--session", "s1"]);
        if theirs != "sleep 600" {
            house.wait("a");
        }
        let taken = house.materia(&words).run();
        assert_eq!(
            refused(&taken),
            (4, "session_mismatch".to_owned()),
            "{theirs}"
        );
        house.kill("a");
    }
    assert_eq!(house.run_file("a", "stdout.log"), "theirs\n");
    house
        .materia(&["inspect", "run:a", "--session", "s1"])
        .run()
        .ok();
    // A person may.
    house.spawn("a", "echo ours", &[]);
    assert_eq!(house.wait("a")["status"], "done");
}
