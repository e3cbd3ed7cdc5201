//! Interrupts: once is polite, twice is not, and nothing is left either way.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rustix::process::Signal;

use super::*;
use crate::test_env::TestProcess;

const POLITE: &str =
    r#"sh -c 'trap "touch cleaned; exit 0" TERM; echo ready >&2; while :; do sleep 0.01; done'"#;
const STUBBORN: &str = r#"sh -c 'trap "" TERM INT; echo ready >&2; while :; do sleep 0.01; done'"#;

fn started<'a>(env: &'a TestEnv, template: &Value, more: &[&str]) -> TestProcess<'a> {
    let template = template.to_string();
    let mut running = env
        .materia(&[&["run", "--template", &template], more].concat())
        .start();
    running.wait_for_stderr("ready");
    running
}

#[test]
fn once_lets_a_command_clean_up() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let env = TestEnv::new();
        let running = started(&env, &json!([POLITE, "touch never"]), &[]);
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
fn twice_kills_at_once() {
    let env = TestEnv::new();
    let left_behind = "sh -c 'trap \"\" TERM; setsid sleep 600 & exit 0'";
    let mut running = started(&env, &json!([left_behind, STUBBORN]), &[]);
    running.signal(Signal::INT);
    running.wait_for_stderr("once more kills");
    let asked = Instant::now();
    running.signal(Signal::INT);
    let outcome = running.wait();
    assert_eq!(outcome.code(), 130);
    assert!(
        asked.elapsed() < Duration::from_secs(4),
        "the grace period was waited for"
    );
    assert_snapshot!(outcome.transcript());
}

#[test]
fn whatever_waits_does_not_begin() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "template": [
        {"retry": 9, "recover": "touch never", "template": POLITE},
        {"failure": "branch", "retry": 9, "template": [POLITE, "touch never"]},
        {"delay": 60000, "template": "touch never"},
        {"parallel": true, "repeat": 100, "template": "touch never"},
    ]});
    let running = started(&env, &template, &["--jobs", "1"]);
    running.signal(Signal::INT);
    assert_eq!(running.wait().code(), 130);
    assert!(env.work_dir().join("cleaned").exists() && !env.work_dir().join("never").exists());
}

#[test]
fn a_recovery_is_stopped_as_well() {
    let env = TestEnv::new();
    let running = started(
        &env,
        &json!({"retry": 3, "recover": POLITE, "template": "sh -c 'echo x >> tries; exit 1'"}),
        &[],
    );
    running.signal(Signal::INT);
    assert_eq!(running.wait().code(), 130);
    assert_eq!(env.read("tries"), "x\n");
}

#[test]
fn the_document_of_an_interrupted_run_says_so() {
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
    assert_eq!(each(&document["branches"], "status"), ["done", "cancelled"]);
}

#[test]
fn a_person_who_types_the_input_can_leave() {
    let env = TestEnv::new();
    let running = env
        .materia(&["run", "--stdin", "-", "--template", "cat"])
        .start();
    running.signal(Signal::INT);
    let outcome = running.wait();
    assert_eq!(outcome.code(), 128 + 2);
}
