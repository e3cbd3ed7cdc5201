//! Interrupts: the first one stops, the second one kills, and no process is left in either case.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rustix::process::Signal;

use super::*;
use crate::test_env::TestProcess;

const POLITE: &str =
    r#"sh -c 'trap "touch cleaned; exit 0" TERM; echo ready >&2; while :; do sleep 0.01; done'"#;
const STUBBORN: &str = r#"sh -c 'trap "" TERM INT; echo ready >&2; while :; do sleep 0.01; done'"#;

fn start_run<'a>(env: &'a TestEnv, template: &Value, more: &[&str]) -> TestProcess<'a> {
    let template = template.to_string();
    let mut running = env
        .materia(&[&["run", "--template", &template], more].concat())
        .start();
    running.wait_for_stderr("ready");
    running
}

#[test]
fn the_first_interrupt_lets_a_command_clean_up() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let env = TestEnv::new();
        let running = start_run(&env, &json!([POLITE, "touch never"]), &[]);
        running.signal(signal);
        let outcome = running.wait();
        assert_eq!(outcome.code(), 130, "{}", outcome.transcript());
        assert!(env.work_dir().join("cleaned").exists() && !env.work_dir().join("never").exists());
        assert!(
            outcome
                .stderr
                .starts_with("ready\ninterrupted: stopping; once more kills\n")
        );
        assert!(
            outcome
                .stderr
                .ends_with("interrupted: nothing of it is left running\n"),
            "{}",
            outcome.stderr
        );
    }
}

#[test]
fn the_second_interrupt_kills_immediately() {
    let env = TestEnv::new();
    let leaves_orphan = "sh -c 'trap \"\" TERM; setsid sleep 600 & exit 0'";
    let mut running = start_run(&env, &json!([leaves_orphan, STUBBORN]), &[]);
    running.signal(Signal::INT);
    running.wait_for_stderr("once more kills");
    let second_interrupt = Instant::now();
    running.signal(Signal::INT);
    let outcome = running.wait();
    assert_eq!(outcome.code(), 130);
    assert!(
        second_interrupt.elapsed() < Duration::from_secs(4),
        "the second interrupt must not wait for the grace period"
    );
    assert_snapshot!(outcome.transcript());
}

#[test]
fn waiting_commands_do_not_start_after_an_interrupt() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "template": [
        {"retry": 9, "recover": "touch never", "template": POLITE},
        {"failure": "branch", "retry": 9, "template": [POLITE, "touch never"]},
        {"delay": 60000, "template": "touch never"},
        {"parallel": true, "repeat": 100, "template": "touch never"},
    ]});
    let running = start_run(&env, &template, &["--jobs", "1"]);
    running.signal(Signal::INT);
    assert_eq!(running.wait().code(), 130);
    assert!(env.work_dir().join("cleaned").exists() && !env.work_dir().join("never").exists());
}

#[test]
fn an_interrupt_stops_a_recovery() {
    let env = TestEnv::new();
    let running = start_run(
        &env,
        &json!({"retry": 3, "recover": POLITE, "template": "sh -c 'echo x >> tries; exit 1'"}),
        &[],
    );
    running.signal(Signal::INT);
    assert_eq!(running.wait().code(), 130);
    assert_eq!(env.read("tries"), "x\n");
}

#[test]
fn the_report_of_an_interrupted_run() {
    let env = TestEnv::new();
    env.shell("mkfifo ready").run().ok();
    let template =
        json!({"parallel": true, "template": ["true", POLITE.replace(">&2", "> ready")]})
            .to_string();
    let running = env
        .materia(&["run", "--json", "--template", &template, "--jobs", "1"])
        .start();
    assert_eq!(env.read("ready"), "ready\n");
    running.signal(Signal::INT);
    let outcome = running.wait();
    let document = outcome.json();
    assert_eq!(outcome.code(), 130);
    assert_has!(document, {"code": 130, "status": "failed"});
    assert_eq!(
        field_of_each(&document["branches"], "status"),
        ["done", "cancelled"]
    );
}

#[test]
fn an_interrupt_ends_a_run_that_reads_stdin() {
    let env = TestEnv::new();
    let running = env
        .materia(&["run", "--stdin", "-", "--template", "cat"])
        .start();
    running.signal(Signal::INT);
    let outcome = running.wait();
    assert_eq!(outcome.code(), 128 + 2);
}
