//! Extracts the JSON object from an answer (C5), in linear time and without a panic on any text.
//!
//! Owns the order of candidates: the whole text, each fenced block, each balanced object at the top
//! level. The first that satisfies the contract wins; otherwise the issues of the best one are
//! reported. A program's output is stricter: all of it is one document. Never repairs JSON.

mod scan;

use serde_json::{Map, Value};

use crate::handoff::contract::{
    AcceptedOutput, InvalidOutput, OutputContract, OutputIssue, OutputStage, kind,
};
use crate::text;

/// The maximum size of an answer, in bytes: its payload must fit into one record of a log.
pub const MAX_TEXT: usize = 2 << 20;

/// Finds the object in an agent's answer that satisfies the contract.
pub fn answer(text: &str, contract: &OutputContract) -> Result<AcceptedOutput, InvalidOutput> {
    if text.len() > MAX_TEXT {
        return Err(unparsed(format!(
            "the answer has {} bytes, at most {MAX_TEXT} are read",
            text.len()
        )));
    }
    let mut search = Search {
        contract,
        best: None,
        problem: None,
    };
    for stage in [scan::whole, scan::fences, scan::objects] as [Stage; 3] {
        let mut found = None;
        stage(text, &mut |candidate| {
            found = search.consider(candidate);
            found.is_some()
        });
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Err(search.failure(text))
}

/// Parses a program's stdout: all of it, trimmed, is one JSON object that satisfies the contract.
pub fn stdout(text: &str, contract: &OutputContract) -> Result<AcceptedOutput, InvalidOutput> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(unparsed(
            "stdout is empty, one JSON object is expected".to_owned(),
        ));
    }
    match serde_json::from_str(trimmed) {
        Ok(Value::Object(payload)) => contract.check(payload),
        Ok(other) => Err(unparsed(format!(
            "stdout must be one JSON object, not {}",
            kind(&other)
        ))),
        Err(error) => Err(unparsed(format!(
            "stdout is not one JSON document: {error}; it begins with {}; write logs to stderr",
            text::quoted(trimmed)
        ))),
    }
}

/// Passes candidates to a callback until it returns `true`.
type Stage = fn(&str, &mut dyn FnMut(&str) -> bool);

struct Search<'a> {
    contract: &'a OutputContract,
    best: Option<InvalidOutput>,
    problem: Option<String>,
}

impl Search<'_> {
    fn consider(&mut self, candidate: &str) -> Option<AcceptedOutput> {
        let payload: Map<String, Value> = match serde_json::from_str(candidate) {
            Ok(Value::Object(payload)) => payload,
            Ok(other) => {
                self.note(format!(
                    "the answer must be one JSON object, not {}",
                    kind(&other)
                ));
                return None;
            }
            Err(error) => {
                self.note(format!("the JSON object is invalid: {error}"));
                return None;
            }
        };
        match self.contract.check(payload) {
            Ok(accepted) => return Some(accepted),
            Err(invalid) => {
                if self
                    .best
                    .as_ref()
                    .is_none_or(|best| invalid.issues.len() < best.issues.len())
                {
                    self.best = Some(invalid);
                }
            }
        }
        None
    }

    fn note(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }

    fn failure(self, text: &str) -> InvalidOutput {
        self.best.unwrap_or_else(|| {
            let nothing = || match text.trim() {
                "" => "the answer is empty, one JSON object is expected".to_owned(),
                text => format!(
                    "no JSON object was found in the answer, which begins with {}",
                    text::quoted(text)
                ),
            };
            unparsed(self.problem.unwrap_or_else(nothing))
        })
    }
}

fn unparsed(message: String) -> InvalidOutput {
    InvalidOutput {
        kind: OutputStage::JsonParse,
        issues: vec![OutputIssue::new("$", message)],
    }
}

#[cfg(test)]
mod tests;
