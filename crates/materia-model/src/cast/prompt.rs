//! Prompts: the instructions of an agent, without repetition (C16).
//!
//! Owns the sections of a prompt, their order and their size limits: the materia's instructions,
//! the request, the item, the reason for rework, notes of earlier steps, and the answer format.
//! Names the state instead of dumping it. Omits what the instructions already show. Never calls an
//! agent.

mod answer;
pub mod template;

use serde_json::Value;

use crate::agent::TurnKind;
use crate::cast::event::AnswerRepair;
use crate::cast::kernel::Kernel;
use crate::cast::rework;
use crate::cast::state::{CastState, SocketNote, Speaker, VisitState, WorkItem};
use crate::loadout::graph::{Socket, SocketIndex};
use crate::text;

/// The maximum sizes of the parts of a prompt, in bytes.
const MAX_REQUEST: usize = 64 << 10;
const MAX_ITEM: usize = 32 << 10;
const MAX_LIST: usize = 32 << 10;
const MAX_NOTES: usize = 8 << 10;
const MAX_RESULT: usize = 8 << 10;
const MAX_KEYS: usize = 20;

/// The names in the state that a prompt shows in another form, or not at all.
const RUNTIME_NAMES: [&str; 6] = [
    "workItems",
    "context",
    "envelope",
    "item",
    "currentWorkItem",
    "workItem",
];

/// Builds the prompt for the agent of a visit.
pub(super) fn assemble(
    kernel: &Kernel,
    state: &CastState,
    slot: SocketIndex,
    visit: &VisitState,
) -> String {
    let socket = kernel.graph.socket(slot);
    if state.conversation.session.is_some() {
        return in_session(kernel, state, slot, visit);
    }
    let instructions = socket
        .materia
        .agent()
        .map_or("", |agent| agent.prompt.as_str());
    let shows = |word: &str| template::mentions(instructions, word);
    let token = state.item.as_ref().map_or("", |item| item.token.as_str());
    let sections = [
        Some(template::render(instructions, state)),
        (!shows("request"))
            .then(|| section("Request", &text::bounded(&state.request, MAX_REQUEST)))
            .flatten(),
        state
            .item
            .as_ref()
            .filter(|_| !shows("itemJson"))
            .and_then(item),
        socket.contract.generator.then(|| list(state)).flatten(),
        again(state, socket.id.as_str(), token),
        notes(&state.notes, token),
        (!shows("lastOutput"))
            .then(|| last_result(state, token))
            .flatten(),
        shared_state(kernel, state, instructions),
        conversation(state),
        state
            .repair
            .as_ref()
            .filter(|_| visit.turn == TurnKind::Repair)
            .map(repair),
        Some(section_of("Answer", &ending(kernel, slot, socket, visit))),
    ];
    let sections: Vec<String> = sections
        .into_iter()
        .flatten()
        .filter(|section| !section.trim().is_empty())
        .collect();
    sections.join("\n\n")
}

/// Builds the prompt for an agent with a session: only what is new.
fn in_session(kernel: &Kernel, state: &CastState, slot: SocketIndex, visit: &VisitState) -> String {
    let said = match state.conversation.lines.last() {
        Some((Speaker::Person, words)) if visit.turn == TurnKind::Refine => Some(words.clone()),
        _ => None,
    };
    let sections = [
        said,
        state
            .repair
            .as_ref()
            .filter(|_| visit.turn == TurnKind::Repair)
            .map(repair),
        Some(section_of(
            "Answer",
            &ending(kernel, slot, kernel.graph.socket(slot), visit),
        )),
    ];
    sections
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn section(title: &str, body: &str) -> Option<String> {
    (!body.trim().is_empty()).then(|| section_of(title, body))
}

fn section_of(title: &str, body: &str) -> String {
    format!("## {title}\n{body}")
}

fn item(item: &WorkItem) -> Option<String> {
    let title = format!(
        "Work item {} of {}: {}",
        item.bound.index + 1,
        item.bound.count,
        text::bounded(&item.label, 200)
    );
    let body = match &item.bound.value {
        Value::Object(fields)
            if fields
                .keys()
                .all(|name| matches!(name.as_str(), "title" | "context")) =>
        {
            fields.get("context").map(|context| {
                context
                    .as_str()
                    .map_or_else(|| pretty(context), str::to_owned)
            })
        }
        Value::String(text) if *text == item.label => None,
        other => Some(pretty(other)),
    };
    let body = body.unwrap_or_default();
    Some(
        section_of(&title, &text::bounded(&body, MAX_ITEM))
            .trim_end()
            .to_owned(),
    )
}

/// The list that a generator transforms.
fn list(state: &CastState) -> Option<String> {
    let Some(Value::Array(items)) = state.data.get("workItems") else {
        return None;
    };
    let line = |(index, item): (usize, &Value)| {
        let field = |name: &str| item.get(name).and_then(Value::as_str);
        match (field("title"), field("context")) {
            (Some(title), Some(context)) => format!("{}. {title}: {context}", index + 1),
            _ => format!("{}. {item}", index + 1),
        }
    };
    let lines: Vec<String> = items.iter().enumerate().map(line).collect();
    section(
        "Current work items",
        &text::bounded(&lines.join("\n"), MAX_LIST),
    )
}

/// The reasons for rework.
fn again(state: &CastState, socket: &str, token: &str) -> Option<String> {
    let entries = rework::for_target(&state.rework, socket, token);
    let lines: Vec<String> = entries.into_iter().map(rework::line).collect();
    let body = format!(
        "The last result was not accepted. Fix this first:\n{}",
        lines.join("\n")
    );
    (!lines.is_empty()).then(|| section_of("Work again", &body))
}

/// The notes of earlier sockets about this item or the whole cast: the newest that fit.
fn notes(notes: &[SocketNote], token: &str) -> Option<String> {
    let mut left = MAX_NOTES;
    let mut lines = Vec::new();
    for note in notes
        .iter()
        .rev()
        .filter(|note| token.is_empty() || note.item.is_empty() || note.item == token)
    {
        let line = format!("- {}: {}", note.speaker, note.text);
        if line.len() > left {
            break;
        }
        left -= line.len();
        lines.push(line);
    }
    lines.reverse();
    section("From earlier steps", &lines.join("\n"))
}

/// The text output of the previous socket, if it was about the same item.
fn last_result(state: &CastState, token: &str) -> Option<String> {
    let last = state.last.as_ref()?;
    let same = token.is_empty() || last.item.is_empty() || last.item == token;
    let text = last.text.as_deref().filter(|_| same)?;
    section(
        &format!("Result of {}", last.speaker),
        text::bounded(text.trim(), MAX_RESULT).as_ref(),
    )
}

/// The shared state, by reference.
fn shared_state(kernel: &Kernel, state: &CastState, instructions: &str) -> Option<String> {
    let file = kernel
        .facts
        .state_file
        .as_ref()
        .filter(|_| !template::mentions(instructions, "stateJson"))?;
    let bound = state
        .item
        .as_ref()
        .map_or(&[][..], |item| item.bound.names.as_slice());
    let own = |name: &&String| !RUNTIME_NAMES.contains(&name.as_str()) && !bound.contains(name);
    let names: Vec<String> = state
        .data
        .keys()
        .filter(own)
        .take(MAX_KEYS)
        .map(|name| text::quoted(name))
        .collect();
    let body = format!(
        "{} in {file}: read it there when you need it.",
        text::list(&names, "and")
    );
    (!names.is_empty()).then(|| section_of("Shared state", &body))
}

fn conversation(state: &CastState) -> Option<String> {
    let line = |(speaker, words): &(Speaker, String)| match speaker {
        Speaker::Person => format!("Person: {words}"),
        Speaker::Agent => format!("You: {words}"),
    };
    let lines: Vec<String> = state.conversation.lines.iter().map(line).collect();
    section("Conversation so far", &lines.join("\n"))
}

fn repair(repair: &AnswerRepair) -> String {
    let issues: Vec<String> = repair
        .invalid
        .issues
        .iter()
        .map(|issue| format!("- {}: {}", issue.path, issue.message))
        .collect();
    let cut = if repair.excerpt_truncated {
        "\n… (cut)"
    } else {
        ""
    };
    let body = format!(
        "It cannot be used:\n{}\n\nIt was:\n~~~\n{}{cut}\n~~~\nDo the work only as far as the answer needs it; give the corrected answer.",
        issues.join("\n"),
        repair.excerpt
    );
    section_of("Your last answer", &body)
}

/// The required answer.
fn ending(kernel: &Kernel, slot: SocketIndex, socket: &Socket, visit: &VisitState) -> String {
    let talks = socket.materia.agent().is_some_and(|agent| agent.multi_turn);
    match visit.turn {
        TurnKind::Work if talks => {
            "Talk with the person: ask what you need to know and say what you propose. Do not give \
            the final result yet; it is asked for when the person types `materia continue`."
                .to_owned()
        }
        TurnKind::Refine => {
            "Answer the person's last words. Do not give the final result yet; it is asked for when the \
            person types `materia continue`."
                .to_owned()
        }
        TurnKind::Finalise => {
            format!(
                "The conversation is over: give its final result now.\n{}",
                answer::format(kernel, slot, socket)
            )
        }
        TurnKind::Work | TurnKind::Repair => answer::format(kernel, slot, socket),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
