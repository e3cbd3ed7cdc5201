//! Addresses as callers write them: whole, or abbreviated by a person.

use materia_model::name::RunId;

use super::{ApiError, Caller, Engine, spawn};
use crate::run::{self, RunRoot};

/// For whom an answer is, and who wrote the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Audience {
    /// A person: an id alone names its run, and the answer fits a screen.
    Person,
    /// A program: addresses are complete, and so is the answer.
    #[default]
    Program,
}

impl Engine {
    /// The run that was named, as `run:ID` or by its id; the operator may write the beginning of it.
    pub(crate) fn run_id(
        &self,
        root: &RunRoot,
        caller: &Caller,
        named: &str,
    ) -> Result<RunId, ApiError> {
        let named = named.strip_prefix("run:").unwrap_or(named);
        let id = match caller.is_operator() {
            true => run::complete_id(root, named)?,
            false => named.to_owned(),
        };
        spawn::run_id(&id)
    }

    /// The address that was written, with the whole id in it; the operator may write the beginning.
    pub(crate) fn whole_address(
        &self,
        root: &RunRoot,
        caller: &Caller,
        written: &str,
        audience: Audience,
    ) -> Result<String, ApiError> {
        if !caller.is_operator() {
            return Ok(written.to_owned());
        }
        let bare = audience == Audience::Person;
        Ok(run::complete_address(root, written, bare)?)
    }
}
