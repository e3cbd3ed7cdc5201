//! Steps: the small programs that recipes are made of.
//!
//! Owns what a step is given (words such as `path=report.md`, stdin, and where things are) and how
//! it is called. Which steps there are is decided by the program, which passes their table. Unlike
//! utilities of casts, steps read no input document. Each answers once; a service answers when its
//! run is stopped. Never prints: what a service reports while it runs goes through
//! [`StepContext::say`].

mod options;

use std::io::Read;
use std::path::Path;

use materia_model::name::RunId;

use super::answer::{UtilityError, UtilityReport};
use crate::clock::Clock;
use crate::library::Library;
use crate::process::ProcessSet;
use crate::run::RunRoot;
pub use options::StepOptions;

/// What a step is context, and where.
pub struct StepContext<'a> {
    /// `key=value` words.
    pub words: &'a [String],
    /// What flows to it.
    pub stdin: &'a mut dyn Read,
    /// Where relative paths begin.
    pub cwd: &'a Path,
    /// The person's home directory.
    pub home_dir: Option<&'a Path>,
    /// The directory of all runs.
    pub runs: &'a RunRoot,
    /// Where recipes are found.
    pub library: &'a Library,
    /// The run that it is a part of.
    pub within: Option<&'a RunId>,
    /// The clock.
    pub clock: &'a Clock,
    /// Where its programs run.
    pub processes: &'a mut ProcessSet,
    /// What it says while it runs, one line each.
    pub say: &'a mut dyn FnMut(&str),
}

impl std::fmt::Debug for StepContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StepContext")
            .field("words", &self.words)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// One step.
#[derive(Debug, Clone, Copy)]
pub struct RecipeStep {
    /// What one types.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The words it takes; those in front of the bar are required.
    pub takes: &'static str,
    /// What it does.
    pub act: fn(&mut StepContext<'_>, &StepOptions) -> Result<UtilityReport, UtilityError>,
}

impl RecipeStep {
    /// Does it.
    pub fn run(&self, context: &mut StepContext<'_>) -> Result<UtilityReport, UtilityError> {
        let options = StepOptions::read(self, context.words)?;
        (self.act)(context, &options)
    }
}

/// How we start ourselves.
pub fn ourselves() -> &'static str {
    // Also when the file of the program was replaced meanwhile.
    "/proc/self/exe"
}

/// A command line whose `materia` is the program that runs now.
pub fn program_words(words: &[String]) -> Vec<String> {
    let own = |(index, word): (usize, &String)| {
        if index == 0 && word == "materia" {
            ourselves().to_owned()
        } else {
            word.clone()
        }
    };
    words.iter().enumerate().map(own).collect()
}
