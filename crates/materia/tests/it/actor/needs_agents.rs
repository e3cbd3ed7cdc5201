//! Actors that are played by the real programs, against the scripted model.

use serde_json::{Value, json};

use super::{lines, posted, said};
use crate::agent::stage::{Program, Stage};

/// A stage on which this program can run a line when it is asked to, and repeats what it hears
/// otherwise.
fn stage(program: Program, line: &str) -> Stage {
    let rules = json!([
        {"match": "use a tool", "after_tool": false,
            "reply": {"text": "I will.", "tool_calls": [program.shell(line)]}},
        {"match": "use a tool", "after_tool": true, "reply": {"text": "It is done."}},
    ]);
    Stage::new(&[program], &rules)
}

fn spawn(stage: &Stage, program: Program, more: &[&str]) {
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
    stage.materia(&words).run().ok();
}

fn say(stage: &Stage, text: &str) {
    stage
        .materia(&["message", "run:a", "chat.message", text])
        .run()
        .ok();
}

/// How many messages of the person the model saw in its last request.
fn turns(stage: &Stage) -> u64 {
    stage.requests().last().unwrap()["turns"].as_u64().unwrap()
}

/// Two turns in one session, killed in a tool in the third, started again: the model sees each
/// prompt once.
fn lives(program: Program) {
    let stage = stage(program, "sleep 600; echo never");
    spawn(&stage, program, &["my name is Ada"]);
    let house = &stage.house;
    house.answers(1);
    let first = turns(&stage);
    say(&stage, "what is my name?");
    house.answers(2);
    let second = turns(&stage);
    assert!(second > first, "the session goes on: {first} then {second}");

    say(&stage, "use a tool");
    stage.until(|| !stage.processes("sleep 600").is_empty());
    stage
        .materia(&["message", "run:a", "control.kill"])
        .run()
        .ok();
    assert_eq!(house.alive().len(), 0, "killing it kills its tools");

    let before = stage.requests().len();
    stage.script(&json!([{"match": "use a tool", "reply": {"text": "It is done."}}]));
    spawn(&stage, program, &[]);
    let answers = house.answers(3);
    assert_eq!(answers[2]["body"], "It is done.");
    let asked: Vec<Value> = stage.requests().split_off(before);
    let again = asked[0]["turns"].as_u64().unwrap();
    assert_eq!(
        again - second,
        second - first,
        "the prompt is in the conversation once"
    );
    let agent = &house.transcript()["agent"];
    assert!(agent["usage"]["total"].as_u64().unwrap() > 0, "{agent}");
    house.kill("a");
}

/// Something that is said while a tool works becomes a part of the same turn.
fn steered(program: Program) {
    let stage = stage(program, "until test -e go; do sleep 0.05; done; echo went");
    spawn(&stage, program, &["use a tool"]);
    let house = &stage.house;
    stage.until(|| !stage.processes("until test -e go").is_empty());
    say(&stage, "and be brief");
    // It was sent before the tool is done; the programs take it up behind that.
    house.until_file_has(house.run_place("a").journal(), "message.claim");
    stage.until(|| posted(house, "a").len() == 2);
    stage.until(|| {
        let box_ = stage
            .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
            .run()
            .ok()
            .json();
        box_["counts"]["claimed"] == 2
    });
    house.write("go", "");
    let answers = house.answers(1);
    assert_eq!(
        answers[0]["metadata"]["answers"].as_array().unwrap().len(),
        2,
        "{}",
        answers[0]
    );
    let told = lines(&house.transcript());
    assert_eq!(
        told[..2],
        [said("prompt", "use a tool"), said("steer", "and be brief")],
        "{told:?}"
    );
    assert_eq!((told.len(), told[2].0.as_str()), (3, "answer"), "{told:?}");
    let raw = std::fs::read_to_string(house.home().join("requests.jsonl")).unwrap();
    assert!(
        raw.lines().last().unwrap().contains("and be brief"),
        "the model heard it"
    );
    house.kill("a");
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
