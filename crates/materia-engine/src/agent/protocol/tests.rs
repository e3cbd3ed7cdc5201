//! Shared by the tests of all agents: a turn, and replaying a recorded transcript.

use std::path::Path;

use materia_model::agent::TurnKind;
use proptest::prelude::*;

use super::*;
use crate::agent::backend::{AgentMemory, DEFAULT_TIMEOUT};

/// A turn with this prompt.
pub(in crate::agent) fn turn<'a>(
    prompt: &'a str,
    tools: &'a materia_model::materia::AgentTools,
) -> AgentTurn<'a> {
    AgentTurn {
        socket: "Socket-1",
        materia: "Build",
        item: None,
        kind: TurnKind::Work,
        prompt,
        system: None,
        tools,
        model: None,
        thinking: None,
        agent: None,
        memory: AgentMemory::None,
        timeout: DEFAULT_TIMEOUT,
        cwd: Path::new("/project"),
    }
}

/// Replays the output of a program, and returns everything that the protocol requested.
pub(in crate::agent) fn play(protocol: &mut dyn Protocol, transcript: &str) -> Out {
    let mut out = Out::default();
    for line in transcript.lines() {
        if out.over.is_none() {
            protocol.line(line.as_bytes(), &mut out);
        }
    }
    out
}

/// Every protocol, after its launch.
fn all() -> Vec<Box<dyn Protocol>> {
    use crate::agent::{acp, claude, codex, command, pi};
    let mut all: Vec<Box<dyn Protocol>> = vec![
        Box::new(pi::Pi::default()),
        Box::new(claude::Claude::default()),
        Box::new(codex::Codex::default()),
        Box::new(acp::Acp::default()),
        Box::new(command::Plain::new(&[], None, None)),
    ];
    for protocol in &mut all {
        protocol.launch(&turn("x", &materia_model::materia::AgentTools::Coding));
    }
    all
}

const TRANSCRIPTS: [&str; 5] = [
    include_str!("../pi/transcripts/new-tool.jsonl"),
    include_str!("../pi/transcripts/old-tool.jsonl"),
    include_str!("../claude/transcripts/tool.jsonl"),
    include_str!("../codex/transcripts/tool.jsonl"),
    include_str!("../acp/transcripts/tool.jsonl"),
];

proptest! {
    #[test]
    fn garbage_never_breaks_a_protocol(lines in proptest::collection::vec(".{0,80}", 0..8)) {
        for mut protocol in all() {
            play(protocol.as_mut(), &lines.join("\n"));
            let _still_answers = protocol.said();
        }
    }

    /// Every recorded line, truncated anywhere and with any value replaced, in any protocol.
    #[test]
    fn torn_and_strange_events_never_break_a_protocol(
        which in 0usize..TRANSCRIPTS.len(),
        number in any::<proptest::sample::Index>(),
        cut in any::<proptest::sample::Index>(),
        strange in prop_oneof![Just("null"), Just("[]"), Just("{}"), Just("-1"), Just("\"x\""), Just("true")],
    ) {
        let lines: Vec<&str> = TRANSCRIPTS[which].lines().collect();
        let line = lines[number.index(lines.len())];
        let torn = &line.as_bytes()[..cut.index(line.len())];
        let value = strange_value(line, cut.index(64), strange);
        for mut protocol in all() {
            let mut out = Out::default();
            protocol.line(torn, &mut out);
            protocol.line(value.as_bytes(), &mut out);
            protocol.line(line.as_bytes(), &mut out);
            protocol.woken(&mut out);
            protocol.abort(&mut out);
        }
    }
}

/// The line with one of its values replaced.
fn strange_value(line: &str, which: usize, strange: &str) -> String {
    let Ok(mut document) = serde_json::from_str::<Value>(line) else {
        return line.to_owned();
    };
    let mut left = which;
    replace(&mut document, &mut left, strange);
    document.to_string()
}

fn replace(value: &mut Value, left: &mut usize, strange: &str) {
    if *left == 0 {
        *value = serde_json::from_str(strange).unwrap();
        *left = usize::MAX;
        return;
    }
    *left -= 1;
    match value {
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|value| replace(value, left, strange)),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|value| replace(value, left, strange)),
        _ => {}
    }
}
