//! `materia utility`: runs a shipped utility by hand, as a cast would.

use std::path::Path;

use clap::Args;
use materia_engine::run::Root;
use materia_engine::utility::listing::{
    self, Input, RecipeStep, StepContext, UtilityError, UtilityErrorKind, UtilityOutput,
    UtilityReport,
};
use materia_library::STEPS;
use materia_model::text;

use super::input::{library, read_bounded};
use crate::view::style::Role;
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Run a shipped utility or a step of recipes: input on stdin, result on stdout
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia utility\n  \
    echo '{}' | materia utility detect-vcs\n  \
    git log | materia utility artifact-write path=log.txt mode=overwrite\n  \
    echo '{\"params\": {\"patterns\": [\"out/\"]}}' | materia utility ensure-ignored\n\n\
    The input is the document of a utility socket: cwd, params, state, item and so on; what is absent counts as empty, \
    and cwd as the working directory. Exits with 0 and the result, 1 when the work failed, 2 when the input is wrong \
    and nothing was changed, 3 for an unknown name.")]
pub(super) struct Utility {
    /// Its name; without one they are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// What a step of recipes is told: key=value
    #[arg(value_name = "WORD")]
    words: Vec<String>,

    /// List the utilities
    #[arg(long, conflicts_with = "name")]
    list: bool,
}

impl Utility {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let Some(name) = self.name.filter(|_| !self.list) else {
            screen.report(&listing::list(STEPS), voice);
            return Ok(0);
        };
        if let Some(step) = STEPS.iter().find(|step| step.name == name) {
            return self::step(step, &self.words, world, screen);
        }
        if let Some(word) = self.words.first() {
            let message = format!(
                "`{name}` reads its input on stdin, not {}",
                text::quoted(word)
            );
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("see `materia utility --help`"));
        }
        let shipped = listing::find(&name).ok_or_else(|| unknown(&name))?;
        let input = read(world, screen)?;
        let ran = listing::run(shipped, &input).map_err(|error| {
            ApiError::from_error(ErrorKind::Internal, "internal", &error)
                .hint("see `materia doctor`")
        })?;
        told(ran, screen)
    }
}

/// Runs a step of recipes.
fn step(
    step: &RecipeStep,
    words: &[String],
    world: &World,
    screen: Screen,
) -> Result<u8, ApiError> {
    let internal = |error: &std::io::Error| {
        ApiError::from_error(ErrorKind::Internal, "internal", error).hint("see `materia doctor`")
    };
    let mut nursery = listing::nursery().map_err(|error| internal(&error))?;
    let (home, library) = (world.home()?, library(world)?);
    let (within, clock) = (world.within(), world.clock());
    let mut context = StepContext {
        words,
        stdin: &mut std::io::stdin().lock(),
        cwd: world.cwd.as_deref().unwrap_or(Path::new("/")),
        home_dir: world.variable("HOME").map(Path::new),
        runs: &Root::new(home.runs()),
        library: &library,
        within: within.as_ref(),
        clock: &clock,
        nursery: &mut nursery,
        say: &mut |line| screen.text(&format!("{line}\n")),
    };
    told(step.run(&mut context), screen)
}

fn told(ran: Result<UtilityReport, UtilityError>, screen: Screen) -> Result<u8, ApiError> {
    let answer = match ran {
        Ok(answer) => answer,
        Err(trouble) => return failed(trouble, screen),
    };
    for note in &answer.notes {
        screen.talk(Role::Warning, "note", note);
    }
    match answer.output {
        UtilityOutput::Json(document) => screen.document(&document),
        UtilityOutput::Text(text) => screen.text(&text),
    }
    Ok(0)
}

/// The input document on stdin.
fn read(world: &World, screen: Screen) -> Result<Input, ApiError> {
    if world.terminals.stdin {
        screen.talk(
            Role::Quiet,
            "note",
            "reading the input JSON from the terminal; end it with Ctrl-D",
        );
    }
    let text = read_bounded(&mut std::io::stdin().lock(), "stdin")?;
    if text.trim().is_empty() {
        return Err(ApiError::new(
            ErrorKind::Invalid,
            "invalid_input",
            "there is no input on stdin",
        )
        .hint("give it a JSON object: echo '{}' | materia utility detect-vcs"));
    }
    let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
    Input::read(&text, cwd).map_err(ApiError::from_findings)
}

/// UtilityError as a failure; a result that it has all the same is the one document on stdout.
fn failed(mut trouble: UtilityError, screen: Screen) -> Result<u8, ApiError> {
    let (kind, code) = match trouble.why {
        UtilityErrorKind::Wrong => (ErrorKind::Invalid, "invalid_input"),
        UtilityErrorKind::Failed => (ErrorKind::Failed, "utility_failed"),
        UtilityErrorKind::Interrupted => (ErrorKind::Interrupted, "interrupted"),
    };
    let result = trouble.result.take();
    let failure = ApiError::new(kind, code, trouble.message).hint(trouble.hint);
    let Some(result) = result else {
        return Err(failure);
    };
    screen.document(&result);
    screen.failure(&failure, Voice::Human);
    Ok(kind.exit_code())
}

fn unknown(name: &str) -> ApiError {
    let hint = listing::closest(name, STEPS).map_or_else(
        || "see `materia utility --list`".to_owned(),
        |meant| format!("did you mean `{meant}`? `materia utility --list` shows all"),
    );
    let message = format!("there is no utility {}", text::quoted(name));
    ApiError::new(ErrorKind::NotFound, "utility_not_found", message).hint(hint)
}
