//! Which program owns a received message, also through wrappers, and which programs may finish it.

use serde_json::Value;

use crate::message::assert_refused;
use crate::test_env::TestEnv;

const RECEIVE: &str = "materia receive --address run:a --json";

fn parse_json(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn descendants_of_the_owner_may_finish_a_message() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let commands = [
        "timeout 30 materia receive --address run:a --ack $id",
        "echo $id | xargs materia receive --address run:a --ack",
        "sh -c \"materia receive --address run:a --fail $id --error no; true\"",
        "(echo | sh -c \"timeout 30 materia receive --address run:a --ack $id\") | cat",
    ];
    for command in commands {
        env.send_ok(&["run:a", "task.run"]);
        let script = format!(
            "set -e; m=$(materia receive --address run:a --timeout 30); id=${{m%% *}}\n{command}\n"
        );
        let path = env.write("script.sh", script);
        let output = env.shell(&format!("sh {}", path.display())).run().ok();
        assert!(
            output.stdout.contains("handled") || output.stdout.contains("failed"),
            "{}",
            output.transcript()
        );
    }
    env.kill("a");
}

#[test]
fn an_unrelated_program_may_not_finish_a_message() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run"]);
    let mut other = env.shell(&format!("{RECEIVE}; read -r _; true")).start();
    let id = parse_json(&other.read_line())["message"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let ack = || {
        env.materia(&["receive", "--address", "run:a", "--ack", &id, "--json"])
            .run()
    };
    // The claim moves to the shell right after the output.
    env.shell(&format!(
        "until {RECEIVE} --timeout 0 | grep -q '\"timeout\"'; do :; done"
    ))
    .run()
    .ok();
    assert_refused(&ack(), 4, "message_claimed");
    drop(other.stdin());
    other.wait().ok();
    assert_eq!(ack().ok().json()["status"], "handled", "the owner is gone");
    env.kill("a");
}

#[test]
fn wrappers_such_as_timeout_do_not_own_the_message() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let commands = [
        format!("timeout 30 {RECEIVE}"),
        format!("env timeout -s TERM 30 nice timeout 20 {RECEIVE}"),
        format!("timeout 30 {RECEIVE} | cat"),
        format!("sh -c '{RECEIVE}'"),
    ];
    for command in commands {
        env.send_ok(&["run:a", "task.run"]);
        // While the script owns the message, a second receive times out. Afterwards it gets the message.
        let script = format!("m=$({command})\necho \"$m\"\n{RECEIVE} --timeout 0\ntrue\n");
        let path = env.write("script.sh", script);
        let output = env
            .shell(&format!("sh {}", path.display()))
            .run()
            .ok()
            .stdout;
        let lines: Vec<Value> = output.lines().map(parse_json).collect();
        assert_eq!(lines[1]["error"]["code"], "timeout", "{command}: {output}");
        let again = env.receive("run:a");
        assert_has!(again, {"id": lines[0]["message"]["id"], "attempt": 2}, "{command}");
        let id = again["id"].as_str().unwrap();
        env.materia(&["receive", "--address", "run:a", "--ack", id])
            .run()
            .ok();
    }
    env.kill("a");
}

#[test]
fn inside_a_run_the_supervisor_never_owns_a_message() {
    let env = TestEnv::new();
    env.spawn("a", "timeout 30 materia receive --json", &[]);
    let id = env.send_ok(&["run:a", "task.run"])["id"].clone();
    assert_eq!(env.wait("a")["status"], "done");
    let records = crate::spawn::records(&env, "a");
    let claims: Vec<&Value> = records
        .iter()
        .filter(|record| record["type"] == "message.claim")
        .collect();
    assert_eq!(claims.last().unwrap()["data"]["id"], id);
    let supervisor = env.run_state("a").start.unwrap().supervisor.pid;
    assert!(
        claims
            .iter()
            .all(|claim| claim["data"]["by"]["pid"] != supervisor),
        "{claims:?}"
    );
}
