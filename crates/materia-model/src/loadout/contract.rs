//! The output contract of each socket: its own fields combined with those of its materia (C8).
//!
//! Owns the effective contract and the findings about contradictions. A loop may still switch a
//! socket to JSON if neither sets `parse`. Never checks whether an output can satisfy the guards.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::draft::{LoadoutDraft, SocketDraft};
use crate::document::Location;
use crate::materia::{INVALID, Materia, OutputParse, StateAssign};
use crate::text;

/// The source of a generator's list.
const WORK_ITEMS: &str = "$.workItems";

/// The contract of a socket's output, so far.
pub(super) struct OutputReading {
    pub(super) materia: Arc<Materia>,
    /// Text or JSON, if the socket, its materia or a loop sets it.
    pub(super) parse: Option<OutputParse>,
    pub(super) assign: Vec<StateAssign>,
}

impl OutputReading {
    pub(super) fn parse(&self) -> OutputParse {
        self.parse.unwrap_or(OutputParse::Text)
    }
}

/// The materia by name. A broken one has a name but no definition.
pub(super) type MateriaTable<'s> = BTreeMap<&'s str, Option<Arc<Materia>>>;

/// The contracts of all sockets, in order; `None` if the materia is unknown or broken.
pub(super) fn readings(
    draft: &LoadoutDraft,
    shelf: &MateriaTable<'_>,
) -> Vec<Option<OutputReading>> {
    let mut reported: Vec<&str> = Vec::new();
    let mut read = Vec::with_capacity(draft.sockets.len());
    for socket in &draft.sockets {
        let found = socket.materia.as_ref().and_then(|named| {
            let name = named.text.as_str();
            match shelf.get(name) {
                Some(Some(materia)) => return Some(Arc::clone(materia)),
                Some(None) if reported.contains(&name) || reported.len() >= 100 => {}
                Some(None) => {
                    reported.push(name);
                    report_broken(name, &named.at);
                }
                None => report_unknown(name, shelf, &named.at),
            }
            None
        });
        read.push(found.map(|materia| reading(socket, materia)));
    }
    read
}

fn report_broken(name: &str, at: &Location) {
    let message = format!("the materia {} has errors of its own", text::quoted(name));
    at.with_code(INVALID)
        .error(message, "correct its definition");
}

fn report_unknown(name: &str, shelf: &MateriaTable<'_>, at: &Location) {
    let message = format!("there is no materia {}", text::quoted(name));
    let near = at
        .findings
        .has_room()
        .then(|| text::closest(name, shelf.keys().copied().take(1000)))
        .flatten();
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "define it under `materia`".to_owned(),
    };
    at.with_code("unknown-materia").error(message, hint);
}

fn reading(socket: &SocketDraft, materia: Arc<Materia>) -> OutputReading {
    let utility = materia.utility().is_some();
    if utility && !materia.generator {
        agree_on_parse(socket, &materia);
    }
    if utility {
        agree_on_assign(socket, &materia);
    }
    let mut parse = match materia.parse {
        Some(own) if utility => Some(own),
        own => socket.parse.as_ref().map(|(parse, _)| *parse).or(own),
    };
    let mut assign = match &socket.assign {
        Some((assign, _)) if !utility => assign.clone(),
        _ => materia.assign.clone(),
    };
    if materia.generator {
        generator(socket, &mut assign);
        parse = Some(OutputParse::Json);
    }
    OutputReading {
        materia,
        parse,
        assign,
    }
}

/// A utility's socket may repeat the materia's `parse`, or set it if the materia does not.
fn agree_on_parse(socket: &SocketDraft, materia: &Materia) {
    let (Some((given, at)), Some(own)) = (&socket.parse, materia.parse) else {
        return;
    };
    if *given != own {
        let message = format!(
            "`parse` is {} on the socket {} and {} on its utility",
            given.as_str(),
            socket.id,
            own.as_str()
        );
        let hint = format!(
            "remove it here; it belongs on the materia {}",
            text::quoted(&materia.id)
        );
        at.with_code("misplaced-field").error(message, hint);
    }
}

fn agree_on_assign(socket: &SocketDraft, materia: &Materia) {
    let Some((given, at)) = &socket.assign else {
        return;
    };
    let implied = |copy: &StateAssign| {
        materia.generator && copy.target == "workItems" && copy.source == WORK_ITEMS
    };
    let strange = given
        .iter()
        .any(|copy| !materia.assign.contains(copy) && !implied(copy));
    let missing = materia
        .assign
        .iter()
        .any(|copy| !given.contains(copy) && !implied(copy));
    if strange || missing {
        let message = format!(
            "`assign` on the socket {} is not that of its utility",
            socket.id
        );
        let hint = format!(
            "move it to the materia {}; utilities own it",
            text::quoted(&materia.id)
        );
        at.with_code("misplaced-field").error(message, hint);
    }
}

/// A generator's output is always JSON with `workItems`.
fn generator(socket: &SocketDraft, assign: &mut Vec<StateAssign>) {
    if let Some((OutputParse::Text, at)) = &socket.parse {
        let message = format!(
            "the socket {} holds a generator, whose output is JSON",
            socket.id
        );
        let hint = "remove `parse`, or write \"json\"";
        at.with_code("misplaced-field").error(message, hint);
    }
    match assign.iter().find(|copy| copy.target == "workItems") {
        Some(copy) if copy.source != WORK_ITEMS => {
            let at = match &socket.assign {
                Some((_, at)) => at.clone(),
                None => socket.at.at_name().member("assign"),
            };
            let at = at.member_as("workItems", "misplaced-field");
            let message = format!(
                "a generator's `workItems` come from `{WORK_ITEMS}`, not {}",
                text::quoted(&copy.source)
            );
            at.error(message, "remove it; it is implied");
        }
        Some(_) => {}
        None => assign.push(StateAssign {
            target: "workItems".to_owned(),
            source: WORK_ITEMS.to_owned(),
        }),
    }
}
