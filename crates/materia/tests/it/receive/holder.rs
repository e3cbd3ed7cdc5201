//! Who has a message: the program that called, also through others, and who may say what became of
//! it.

use serde_json::Value;

use crate::message::assert_refused;
use crate::test_env::TestEnv;

const RECEIVE: &str = "materia receive --address run:a --json";

fn parsed(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn programs_below_the_one_that_has_a_message_may_say_what_became_of_it() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let ways = [
        "timeout 30 materia receive --address run:a --ack $id",
        "echo $id | xargs materia receive --address run:a --ack",
        "sh -c \"materia receive --address run:a --fail $id --error no; true\"",
        "(echo | sh -c \"timeout 30 materia receive --address run:a --ack $id\") | cat",
    ];
    for way in ways {
        env.send_ok(&["run:a", "task.run"]);
        let script = format!(
            "set -e; m=$(materia receive --address run:a --timeout 30); id=${{m%% *}}\n{way}\n"
        );
        let path = env.write("script.sh", script);
        let said = env.shell(&format!("sh {}", path.display())).run().ok();
        assert!(
            said.stdout.contains("handled") || said.stdout.contains("failed"),
            "{}",
            said.transcript()
        );
    }
    env.kill("a");
}

#[test]
fn somebody_beside_it_may_not() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run"]);
    let mut other = env.shell(&format!("{RECEIVE}; read -r _; true")).start();
    let id = parsed(&other.read_line())["message"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let ack = || {
        env.materia(&["receive", "--address", "run:a", "--ack", &id, "--json"])
            .run()
    };
    // It is handed over right behind what is printed.
    env.shell(&format!(
        "until {RECEIVE} --timeout 0 | grep -q '\"timeout\"'; do :; done"
    ))
    .run()
    .ok();
    assert_refused(&ack(), 4, "message_claimed");
    drop(other.stdin());
    other.wait().ok();
    assert_eq!(
        ack().ok().json()["status"],
        "handled",
        "whoever had it is gone"
    );
    env.kill("a");
}

#[test]
fn a_program_that_only_runs_the_command_does_not_have_the_message() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let ways = [
        format!("timeout 30 {RECEIVE}"),
        format!("env timeout -s TERM 30 nice timeout 20 {RECEIVE}"),
        format!("timeout 30 {RECEIVE} | cat"),
        format!("sh -c '{RECEIVE}'"),
    ];
    for way in ways {
        env.send_ok(&["run:a", "task.run"]);
        // Another one asks while the script has it, and gets it when the script has ended.
        let script = format!("m=$({way})\necho \"$m\"\n{RECEIVE} --timeout 0\ntrue\n");
        let path = env.write("script.sh", script);
        let said = env
            .shell(&format!("sh {}", path.display()))
            .run()
            .ok()
            .stdout;
        let lines: Vec<Value> = said.lines().map(parsed).collect();
        assert_eq!(lines[1]["error"]["code"], "timeout", "{way}: {said}");
        let again = env.receive("run:a");
        assert_has!(again, {"id": lines[0]["message"]["id"], "attempt": 2}, "{way}");
        let id = again["id"].as_str().unwrap();
        env.materia(&["receive", "--address", "run:a", "--ack", id])
            .run()
            .ok();
    }
    env.kill("a");
}

#[test]
fn inside_a_run_nobody_reaches_past_it() {
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
