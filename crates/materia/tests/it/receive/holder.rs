//! Who has a message: the program that called, also through others, and who may say what became of
//! it.

use serde_json::{Value, json};

use crate::house::House;
use crate::message::refused;

const RECEIVE: &str = "materia receive --address run:a --json";

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn programs_below_the_one_that_has_a_message_may_say_what_became_of_it() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    let ways = [
        "timeout 30 materia receive --address run:a --ack $id",
        "echo $id | xargs materia receive --address run:a --ack",
        "sh -c \"materia receive --address run:a --fail $id --error no; true\"",
        "(echo | sh -c \"timeout 30 materia receive --address run:a --ack $id\") | cat",
    ];
    for way in ways {
        house.sent(&["run:a", "task.run"]);
        let script = format!(
            "set -e; m=$(materia receive --address run:a --timeout 30); id=${{m%% *}}\n{way}\n"
        );
        let path = house.write("script.sh", script);
        let said = house.shell(&format!("sh {}", path.display())).run().ok();
        assert!(
            said.stdout.contains("handled") || said.stdout.contains("failed"),
            "{}",
            said.transcript()
        );
    }
    house.kill("a");
}

#[test]
fn somebody_beside_it_may_not() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    house.sent(&["run:a", "task.run"]);
    let mut other = house.shell(&format!("{RECEIVE}; read -r _; true")).start();
    let id = parsed(&other.line())["message"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let ack = || {
        house
            .materia(&["receive", "--address", "run:a", "--ack", &id, "--json"])
            .run()
    };
    // It is handed over right behind what is printed.
    house
        .shell(&format!(
            "until {RECEIVE} --timeout 0 | grep -q '\"timeout\"'; do :; done"
        ))
        .run()
        .ok();
    assert_eq!(refused(&ack()), (4, "message_claimed".to_owned()));
    drop(other.stdin());
    other.end().ok();
    assert_eq!(
        ack().ok().json()["status"],
        "handled",
        "whoever had it is gone"
    );
    house.kill("a");
}

#[test]
fn a_program_that_only_runs_the_command_does_not_have_the_message() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    let ways = [
        format!("timeout 30 {RECEIVE}"),
        format!("env timeout -s TERM 30 nice timeout 20 {RECEIVE}"),
        format!("timeout 30 {RECEIVE} | cat"),
        format!("sh -c '{RECEIVE}'"),
    ];
    for way in ways {
        house.sent(&["run:a", "task.run"]);
        // Another one asks while the script has it, and gets it when the script has ended.
        let script = format!("m=$({way})\necho \"$m\"\n{RECEIVE} --timeout 0\ntrue\n");
        let path = house.write("script.sh", script);
        let said = house
            .shell(&format!("sh {}", path.display()))
            .run()
            .ok()
            .stdout;
        let lines: Vec<Value> = said.lines().map(parsed).collect();
        assert_eq!(lines[1]["error"]["code"], "timeout", "{way}: {said}");
        let again = house.receive("run:a");
        assert_eq!(
            (&again["id"], &again["attempt"]),
            (&lines[0]["message"]["id"], &json!(2)),
            "{way}"
        );
        let id = again["id"].as_str().unwrap();
        house
            .materia(&["receive", "--address", "run:a", "--ack", id])
            .run()
            .ok();
    }
    house.kill("a");
}

#[test]
fn inside_a_run_nobody_reaches_past_it() {
    let house = House::new();
    house.spawn("a", "timeout 30 materia receive --json", &[]);
    let id = house.sent(&["run:a", "task.run"])["id"].clone();
    assert_eq!(house.wait("a")["status"], "done");
    let records = crate::spawn::records(&house, "a");
    let claims: Vec<&Value> = records
        .iter()
        .filter(|record| record["type"] == "message.claim")
        .collect();
    assert_eq!(claims.last().unwrap()["data"]["id"], id);
    let supervisor = house.look("a").start.unwrap().supervisor.pid;
    assert!(
        claims
            .iter()
            .all(|claim| claim["data"]["by"]["pid"] != supervisor),
        "{claims:?}"
    );
}
