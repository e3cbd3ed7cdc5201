//! The real agent programs as actors, against the scripted model.

use serde_json::{Value, json};

use super::{entries, entry, messages};
use crate::agent::harness::{AgentHarness, Program};

/// A harness whose model runs `line` in a tool when the prompt says `use a tool`, and otherwise
/// repeats the prompt.
fn tool_harness(program: Program, line: &str) -> AgentHarness {
    let rules = json!([
        {"match": "use a tool", "after_tool": false,
            "reply": {"text": "I will.", "tool_calls": [program.shell(line)]}},
        {"match": "use a tool", "after_tool": true, "reply": {"text": "It is done."}},
    ]);
    AgentHarness::new(&[program], &rules)
}

fn spawn(harness: &AgentHarness, program: Program, more: &[&str]) {
    let args = [
        &[
            "spawn",
            "--json",
            "--as",
            "run:a",
            "--agent",
            program.name(),
        ],
        more,
    ]
    .concat();
    harness.materia(&args).run().ok();
}

fn send_chat(harness: &AgentHarness, text: &str) {
    harness
        .materia(&["message", "run:a", "chat.message", text])
        .run()
        .ok();
}

/// The number of user messages in the last request to the model.
fn turns(harness: &AgentHarness) -> u64 {
    harness.requests().last().unwrap()["turns"]
        .as_u64()
        .unwrap()
}

/// Two turns in one session, a kill during a tool of the third turn, and a restart: the model sees
/// each prompt once.
fn survives_kill(program: Program) {
    let harness = tool_harness(program, "sleep 600; echo never");
    spawn(&harness, program, &["my name is Ada"]);
    let env = &harness.env;
    env.wait_for_answers(1);
    let first = turns(&harness);
    send_chat(&harness, "what is my name?");
    env.wait_for_answers(2);
    let second = turns(&harness);
    assert!(
        second > first,
        "the session did not continue: {first} then {second}"
    );

    send_chat(&harness, "use a tool");
    harness.wait_until(|| !harness.processes("sleep 600").is_empty());
    harness
        .materia(&["message", "run:a", "control.kill"])
        .run()
        .ok();
    assert_eq!(env.live_processes().len(), 0, "kill must end its tools");

    let before = harness.requests().len();
    harness.set_rules(&json!([{"match": "use a tool", "reply": {"text": "It is done."}}]));
    spawn(&harness, program, &[]);
    let answers = env.wait_for_answers(3);
    assert_eq!(answers[2]["body"], "It is done.");
    let asked: Vec<Value> = harness.requests().split_off(before);
    let again = asked[0]["turns"].as_u64().unwrap();
    assert_eq!(
        again - second,
        second - first,
        "the prompt is in the conversation once"
    );
    let agent = &env.actor_transcript()["agent"];
    assert!(agent["usage"]["total"].as_u64().unwrap() > 0, "{agent}");
    env.kill("a");
}

/// A message sent while a tool runs becomes part of the same turn.
fn takes_steering(program: Program) {
    let harness = tool_harness(program, "until test -e go; do sleep 0.05; done; echo went");
    spawn(&harness, program, &["use a tool"]);
    let env = &harness.env;
    harness.wait_until(|| !harness.processes("until test -e go").is_empty());
    send_chat(&harness, "and be brief");
    // The message is sent while the tool runs; the programs read it after the tool has finished.
    env.wait_for_file_text(env.run_dir("a").journal(), "message.claim");
    harness.wait_until(|| messages(env, "a").len() == 2);
    harness.wait_until(|| {
        let mailbox = harness
            .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
            .run()
            .ok()
            .json();
        mailbox["counts"]["claimed"] == 2
    });
    env.write("go", "");
    let answers = env.wait_for_answers(1);
    assert_eq!(
        answers[0]["metadata"]["answers"].as_array().unwrap().len(),
        2,
        "{}",
        answers[0]
    );
    let transcript = entries(&env.actor_transcript());
    assert_eq!(
        transcript[..2],
        [
            entry("prompt", "use a tool"),
            entry("steer", "and be brief")
        ],
        "{transcript:?}"
    );
    assert_eq!(
        (transcript.len(), transcript[2].0.as_str()),
        (3, "answer"),
        "{transcript:?}"
    );
    let raw = std::fs::read_to_string(env.home().join("requests.jsonl")).unwrap();
    assert!(
        raw.lines().last().unwrap().contains("and be brief"),
        "the model did not get the message"
    );
    env.kill("a");
}

macro_rules! each_program {
    ($($module:ident: $program:expr;)*) => {
        $(mod $module {
            use super::Program;

            #[test]
            fn the_session_survives_a_kill() {
                super::survives_kill($program);
            }

            #[test]
            fn a_message_during_a_turn_steers_it() {
                super::takes_steering($program);
            }
        })*
    };
}

each_program! {
    pi: Program::PiNew;
    pi_old: Program::PiOld;
    claude: Program::Claude;
    codex: Program::Codex;
    acp: Program::Acp;
}
