//! Actors that are played by the real programs, against the scripted model.

use serde_json::{Value, json};

use super::{lines, posted, said};
use crate::agent::harness::{AgentHarness, Program};

/// A harness on which this program can run a line when it is asked to, and repeats what it hears
/// otherwise.
fn harness(program: Program, line: &str) -> AgentHarness {
    let rules = json!([
        {"match": "use a tool", "after_tool": false,
            "reply": {"text": "I will.", "tool_calls": [program.shell(line)]}},
        {"match": "use a tool", "after_tool": true, "reply": {"text": "It is done."}},
    ]);
    AgentHarness::new(&[program], &rules)
}

fn spawn(harness: &AgentHarness, program: Program, more: &[&str]) {
    let words = [
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
    harness.materia(&words).run().ok();
}

fn say(harness: &AgentHarness, text: &str) {
    harness
        .materia(&["message", "run:a", "chat.message", text])
        .run()
        .ok();
}

/// How many messages of the person the model saw in its last request.
fn turns(harness: &AgentHarness) -> u64 {
    harness.requests().last().unwrap()["turns"]
        .as_u64()
        .unwrap()
}

/// Two turns in one session, killed in a tool in the third, started again: the model sees each
/// prompt once.
fn lives(program: Program) {
    let harness = harness(program, "sleep 600; echo never");
    spawn(&harness, program, &["my name is Ada"]);
    let env = &harness.env;
    env.wait_for_answers(1);
    let first = turns(&harness);
    say(&harness, "what is my name?");
    env.wait_for_answers(2);
    let second = turns(&harness);
    assert!(second > first, "the session goes on: {first} then {second}");

    say(&harness, "use a tool");
    harness.until(|| !harness.processes("sleep 600").is_empty());
    harness
        .materia(&["message", "run:a", "control.kill"])
        .run()
        .ok();
    assert_eq!(env.live_processes().len(), 0, "killing it kills its tools");

    let before = harness.requests().len();
    harness.script(&json!([{"match": "use a tool", "reply": {"text": "It is done."}}]));
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
    let agent = &env.transcript()["agent"];
    assert!(agent["usage"]["total"].as_u64().unwrap() > 0, "{agent}");
    env.kill("a");
}

/// Something that is said while a tool works becomes a part of the same turn.
fn steered(program: Program) {
    let harness = harness(program, "until test -e go; do sleep 0.05; done; echo went");
    spawn(&harness, program, &["use a tool"]);
    let env = &harness.env;
    harness.until(|| !harness.processes("until test -e go").is_empty());
    say(&harness, "and be brief");
    // It was sent before the tool is done; the programs take it up behind that.
    env.wait_for_file_text(env.run_dir("a").journal(), "message.claim");
    harness.until(|| posted(env, "a").len() == 2);
    harness.until(|| {
        let box_ = harness
            .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
            .run()
            .ok()
            .json();
        box_["counts"]["claimed"] == 2
    });
    env.write("go", "");
    let answers = env.wait_for_answers(1);
    assert_eq!(
        answers[0]["metadata"]["answers"].as_array().unwrap().len(),
        2,
        "{}",
        answers[0]
    );
    let told = lines(&env.transcript());
    assert_eq!(
        told[..2],
        [said("prompt", "use a tool"), said("steer", "and be brief")],
        "{told:?}"
    );
    assert_eq!((told.len(), told[2].0.as_str()), (3, "answer"), "{told:?}");
    let raw = std::fs::read_to_string(env.home().join("requests.jsonl")).unwrap();
    assert!(
        raw.lines().last().unwrap().contains("and be brief"),
        "the model heard it"
    );
    env.kill("a");
}

macro_rules! each_program {
    ($($module:ident: $program:expr;)*) => {
        $(mod $module {
            use super::Program;

            #[test]
            fn it_lives_on_across_a_kill() {
                super::lives($program);
            }

            #[test]
            fn it_hears_what_is_said_meanwhile() {
                super::steered($program);
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
