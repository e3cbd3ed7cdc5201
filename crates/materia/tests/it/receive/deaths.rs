//! Receivers that die: their messages can be received again, and no id is handled twice.

use crate::message::assert_refused;
use crate::test_env::TestEnv;

#[test]
fn the_message_of_an_ended_program_goes_to_the_next_receiver() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run", "1"]);
    // The shell owns the message, and exits.
    let script = "materia receive --address run:a --json; materia receive --address run:a --json --timeout 0; true";
    let output = env.shell(script).run().ok().stdout;
    let lines: Vec<serde_json::Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["message"]["attempt"], 1);
    assert_eq!(
        lines[1]["error"]["code"], "timeout",
        "the message belongs to the shell while it is alive"
    );
    let mailbox = env
        .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(mailbox["counts"], {"queued": 1, "claimed": 0});
    assert_has!(mailbox["messages"][0], {"status": "queued", "by": null});
    let again = env.receive("run:a");
    assert_has!(again, {"id": lines[0]["message"]["id"], "attempt": 2});
    env.kill("a");
}

#[test]
fn a_message_received_in_a_subshell_belongs_to_the_script() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run", "1"]);
    let script = "m=$(materia receive --address run:a --json | cat)\nmateria receive --address run:a --json --timeout 0\ntrue";
    let path = env.write("script.sh", script);
    let output = env.shell(&format!("sh {}", path.display())).run();
    assert_eq!(
        output.json()["error"]["code"],
        "timeout",
        "{}",
        output.transcript()
    );
    env.kill("a");
}

#[test]
fn a_message_that_could_not_be_printed_is_not_lost() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run", "1"]);
    env.shell("materia receive --address run:a --json > /dev/full; true")
        .run();
    assert_eq!(env.receive("run:a")["attempt"], 2);
    env.kill("a");
}

mod slow {
    use super::*;

    #[test]
    fn a_message_of_a_receiver_killed_anywhere_goes_to_the_next() {
        let env = TestEnv::new();
        env.spawn("a", "sleep 600", &[]);
        env.send_ok(&["run:a", "task.run", "1"]);
        let trace = env.work_dir().join("trace");
        let spec = format!("trace:{}", trace.display());
        let script = "materia receive --address run:a --json";
        env.shell(script).env("MATERIA_FAILPOINT", &spec).run().ok();
        let points: Vec<String> = std::fs::read_to_string(trace)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        assert!(
            points.iter().any(|point| point == "journal.write"),
            "{points:?}"
        );
        for (index, point) in points.iter().enumerate() {
            let nth = points[..=index]
                .iter()
                .filter(|other| *other == point)
                .count();
            // After five dead receivers a message is given up, so send another one.
            env.send_ok(&["run:a", "task.run", "more"]);
            let spec = format!("{point}:{nth}:abort");
            let killed = env
                .shell(&format!("{script}; true"))
                .env("MATERIA_FAILPOINT", &spec)
                .run();
            let next = env.receive("run:a");
            if let Ok(printed) = serde_json::from_str::<serde_json::Value>(&killed.stdout) {
                let printed_id = printed["message"]["id"].as_str().unwrap_or_default();
                assert_eq!(
                    next["id"], printed_id,
                    "{spec}: the receiver is gone, so the message must be offered again"
                );
            }
            let id = next["id"].as_str().unwrap();
            env.materia(&["receive", "--address", "run:a", "--ack", id])
                .run()
                .ok();
        }
        let mut left = 0;
        while let Ok(more) = serde_json::from_str::<serde_json::Value>(
            &env.materia(&["receive", "--address", "run:a", "--json", "--timeout", "0"])
                .run()
                .stdout,
        ) {
            let Some(id) = more["message"]["id"].as_str() else {
                break;
            };
            env.materia(&["receive", "--address", "run:a", "--ack", id])
                .run()
                .ok();
            left += 1;
        }
        assert!(left <= 2, "{left} messages are left");
        let none = env
            .materia(&["receive", "--address", "run:a", "--json", "--timeout", "0"])
            .run();
        assert_refused(&none, 1, "timeout");
        env.kill("a");
    }
}
