//! The required answer, described for a prompt: only the fields that this socket needs, each once.
//!
//! Owns the final section of a prompt. Describes what `handoff::contract` checks; never checks.

use crate::cast::kernel::Kernel;
use crate::handoff::{OutputContract, path};
use crate::loadout::graph::{RouteGuard, Socket, SocketIndex};
use crate::materia::OutputParse;

/// The format of the answer.
pub(super) fn format(kernel: &Kernel, slot: SocketIndex, socket: &Socket) -> String {
    if socket.contract.parse == OutputParse::Text {
        return "Reply in plain text: what you did and what the next step needs to know, in a few sentences."
            .to_owned();
    }
    let contract = kernel.contract(slot);
    let mut lines = vec![
        "Reply with one JSON object and nothing else: no prose around it, no code fence."
            .to_owned(),
    ];
    if contract.needs_work_items() {
        lines.push(
            "- `workItems` (list, required): the work in order; each item is `{\"title\": \"…\", \"context\": \"…\"}`, \
             two texts and no other fields"
                .to_owned(),
        );
    }
    lines.extend(satisfied(socket));
    lines.extend(copied(&contract));
    lines.push(context(socket).to_owned());
    if contract
        .assign
        .iter()
        .any(|assign| path::consumed(&assign.source) == Some(""))
    {
        lines.push("Further fields are kept as they are.".to_owned());
    } else {
        lines.push("No other fields.".to_owned());
    }
    lines.join("\n")
}

fn satisfied(socket: &Socket) -> Option<String> {
    let advance = socket.advance.as_ref().map(|advance| advance.when);
    let guarded = socket
        .edges
        .iter()
        .map(|edge| edge.guard)
        .chain(advance)
        .any(RouteGuard::is_guarded);
    let need = if socket.contract.needs_satisfied {
        "required"
    } else {
        "optional"
    };
    guarded.then(|| {
        format!("- `satisfied` (true or false, {need}): whether this is good enough to go on")
    })
}

fn copied(contract: &OutputContract) -> Vec<String> {
    let line = |source: &str| {
        let targets: Vec<String> = contract
            .assign
            .iter()
            .filter(|assign| assign.source.trim() == source)
            .map(|assign| format!("`{}`", assign.target))
            .collect();
        format!(
            "- `{}` (required): kept as {}",
            source.trim_start_matches("$."),
            targets.join(", ")
        )
    };
    contract.required_paths().into_iter().map(line).collect()
}

fn context(socket: &Socket) -> &'static str {
    let unsatisfied = socket
        .edges
        .iter()
        .any(|edge| edge.guard == RouteGuard::NotSatisfied);
    if unsatisfied {
        "- `context` (text): what the next step needs to know; when not satisfied, exactly what must change"
    } else {
        "- `context` (text, optional): what the next steps need to know"
    }
}
