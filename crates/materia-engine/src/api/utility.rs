//! `utility`: a shipped utility or a step of recipes, by hand.

use std::fs::File;
use std::io::BufReader;

use materia_model::text;

use super::{ApiError, Engine, ErrorKind};
use crate::process::ProcessSet;
use crate::store::text::read;
use crate::utility::listing;
use crate::utility::step::StepContext;
use crate::utility::{Input, UtilityError, UtilityReport, closest, find};

pub use crate::utility::UtilityOutput;
pub use crate::utility::listing::{StepEntry, UtilityEntry, UtilityListReport};
pub use crate::utility::step::RecipeStep;

/// A utility to run.
#[derive(Debug)]
pub struct UtilityRequest {
    /// Its name.
    pub name: String,
    /// What a step of recipes takes: `key=value` words.
    pub arguments: Vec<String>,
    /// Its input: a utility reads one document.
    pub stdin: File,
}

/// Receives what happens while a utility runs.
pub trait UtilityObserver {
    /// The input document is going to be read.
    fn reads_input(&mut self);

    /// A step that goes on, such as a service, reports one line.
    fn line(&mut self, line: &str);
}

/// The result of a utility.
#[derive(Debug)]
pub struct UtilityRunReport {
    /// The result.
    pub output: UtilityOutput,
    /// Remarks that are no part of the result.
    pub notes: Vec<String>,
    /// Why it failed although it has a result.
    pub error: Option<ApiError>,
}

impl UtilityRunReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        let kind = self.error.as_ref().map(|error| error.kind);
        kind.map_or(0, ErrorKind::exit_code)
    }
}

impl Engine {
    /// Lists the utilities and the steps of recipes.
    pub fn utility_list(&self) -> UtilityListReport {
        listing::list(self.steps())
    }

    /// Runs a utility or a step in the foreground. No process of it is left behind.
    pub fn utility(
        &self,
        request: UtilityRequest,
        observer: &mut dyn UtilityObserver,
    ) -> Result<UtilityRunReport, ApiError> {
        let UtilityRequest {
            name,
            arguments,
            stdin,
        } = request;
        if let Some(step) = self.steps().iter().find(|step| step.name == name) {
            return self.step(step, &arguments, stdin, observer);
        }
        if let Some(word) = arguments.first() {
            let message = format!(
                "`{name}` reads its input on stdin, not {}",
                text::quoted(word)
            );
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("see `materia utility --help`"));
        }
        let shipped = find(&name).ok_or_else(|| self.unknown_utility(&name))?;
        observer.reads_input();
        let document = read(stdin, "stdin")?;
        if document.trim().is_empty() {
            let message = "there is no input on stdin";
            return Err(ApiError::new(ErrorKind::Invalid, "invalid_input", message)
                .hint("give it a JSON object: echo '{}' | materia utility detect-vcs"));
        }
        let input = Input::read(&document, self.cwd_or_root()).map_err(ApiError::from_findings)?;
        let mut processes = ProcessSet::foreground().map_err(|error| ApiError::system(&error))?;
        report(shipped.run(&input, &mut processes))
    }

    fn step(
        &self,
        step: &RecipeStep,
        arguments: &[String],
        stdin: File,
        observer: &mut dyn UtilityObserver,
    ) -> Result<UtilityRunReport, ApiError> {
        let mut processes = ProcessSet::foreground().map_err(|error| ApiError::system(&error))?;
        report(step.run(&mut StepContext {
            words: arguments,
            stdin: &mut BufReader::new(stdin),
            cwd: self.cwd_or_root(),
            home_dir: self.user_home(),
            runs: &self.runs()?,
            library: &self.library()?,
            within: self.calling_run(),
            clock: self.clock(),
            processes: &mut processes,
            say: &mut |line| observer.line(line),
        }))
    }

    fn unknown_utility(&self, name: &str) -> ApiError {
        let hint = closest(name, self.steps()).map_or_else(
            || "see `materia utility --list`".to_owned(),
            |meant| format!("did you mean `{meant}`? `materia utility --list` shows all"),
        );
        let message = format!("there is no utility {}", text::quoted(name));
        ApiError::new(ErrorKind::NotFound, "utility_not_found", message).hint(hint)
    }
}

fn report(result: Result<UtilityReport, UtilityError>) -> Result<UtilityRunReport, ApiError> {
    let failed = match result {
        Ok(UtilityReport { output, notes }) => {
            return Ok(UtilityRunReport {
                output,
                notes,
                error: None,
            });
        }
        Err(error) => error,
    };
    let error = ApiError::from(&failed);
    let result = failed.result.ok_or_else(|| error.clone())?;
    Ok(UtilityRunReport {
        output: UtilityOutput::Json(*result),
        notes: Vec::new(),
        error: Some(error),
    })
}
