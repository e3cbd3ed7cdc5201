//! Steps: the small programs that recipes consist of.
//!
//! Owns the input of a step (words such as `path=report.md`, stdin, and directories) and how it is
//! called. The program decides which steps there are and passes their table. Unlike utilities of
//! casts, steps read no input document. Each returns once; a service returns when its run is
//! stopped. Never prints: a service reports through [`StepContext::say`] while it runs.

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

/// The input and the environment of a step.
pub struct StepContext<'a> {
    /// `key=value` words.
    pub words: &'a [String],
    /// Its input stream.
    pub stdin: &'a mut dyn Read,
    /// The base of relative paths.
    pub cwd: &'a Path,
    /// The user's home directory.
    pub home_dir: Option<&'a Path>,
    /// The directory of all runs.
    pub runs: &'a RunRoot,
    /// The library in which recipes are found.
    pub library: &'a Library,
    /// The run that it is a part of.
    pub within: Option<&'a RunId>,
    /// The clock.
    pub clock: &'a Clock,
    /// The set in which its programs run.
    pub processes: &'a mut ProcessSet,
    /// Receives its reports while it runs, one line each.
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
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// The keys it accepts; those before the bar are required.
    pub takes: &'static str,
    /// The function that runs it.
    pub act: fn(&mut StepContext<'_>, &StepOptions) -> Result<UtilityReport, UtilityError>,
}

impl RecipeStep {
    /// Parses the options and runs the step.
    pub fn run(&self, context: &mut StepContext<'_>) -> Result<UtilityReport, UtilityError> {
        let options = StepOptions::read(self, context.words)?;
        (self.act)(context, &options)
    }
}

/// The path that starts this program again.
pub fn ourselves() -> &'static str {
    // Works even if the file of the program was replaced meanwhile.
    "/proc/self/exe"
}

/// Replaces `materia` at the start of a command line by the running program.
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
