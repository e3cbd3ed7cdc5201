//! `materia tool`: recipes that agents can call: listed, called, registered, changed, removed.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use materia_engine::process::Nursery;
use materia_engine::recipe::tool::{self, Call, Called, NotCalled};
use materia_engine::recipe::{self, NotResolved};
use materia_engine::registry::{self, Registration};
use materia_model::text;
use serde_json::{Map, Value};

use super::input::{self, library};
use super::run::internal;
use crate::view::{RunView, Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// List, call and register tools: recipes in your own root
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia tool list\n  \
    materia tool register greet --description 'Greets somebody' --template 'echo hello {who}'\n  \
    materia tool register deploy --file deploy.json\n  materia tool call greet who=you\n  \
    materia tool update greet --arg 'who=you'\n  materia tool promote my-run --name nightly\n  \
    materia tool remove greet")]
pub(super) struct Tool {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the tools
    #[command(after_help = "Examples:\n  materia tool list")]
    List,
    /// Show one tool
    #[command(after_help = "Examples:\n  materia tool show greet")]
    Show {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Call a tool, and get the answer that an agent would get
    #[command(after_help = "Examples:\n  materia tool call greet name=world")]
    Call {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// A JSON object with arguments; `-` reads it from stdin
        #[arg(long, value_name = "F")]
        values: Option<PathBuf>,
        /// key=value words; they win over --values
        #[arg(value_name = "WORD")]
        words: Vec<String>,
    },
    /// Make a recipe a tool
    #[command(
        after_help = "Examples:\n  materia tool register greet --template \"echo hello {name}\"\n  materia tool register log --from utility-git-log"
    )]
    Register(Given),
    /// Change a tool; what is not given stays
    #[command(
        after_help = "Examples:\n  materia tool update greet --description \"Greet somebody\""
    )]
    Update(Given),
    /// Take a tool away
    #[command(after_help = "Examples:\n  materia tool remove greet")]
    Remove {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Make a draft a tool; without one, list the drafts
    #[command(
        after_help = "Examples:\n  materia tool promote\n  materia tool promote draft-1 --name greet"
    )]
    Promote {
        /// The draft's name
        #[arg(value_name = "DRAFT")]
        draft: Option<String>,
        /// The tool's name, when not the draft's
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
        /// Replace a tool of that name
        #[arg(long)]
        update: bool,
    },
}

/// What a tool is to be.
#[derive(Debug, Args)]
struct Given {
    /// The tool's name
    #[arg(value_name = "NAME")]
    name: String,
    /// A template: a command line, or JSON when it begins with `{`, `[` or `"`
    #[arg(
        long,
        value_name = "T",
        conflicts_with = "file",
        allow_hyphen_values = true
    )]
    template: Option<String>,
    /// A file with the whole recipe, JSON or Markdown
    #[arg(long, value_name = "F")]
    file: Option<PathBuf>,
    /// An existing recipe to import: its name or path
    #[arg(long, value_name = "RECIPE", conflicts_with_all = ["file", "template"])]
    from: Option<String>,
    /// What it is for, in one line
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// An argument: name, name:type or name:type=default; may be repeated
    #[arg(long = "arg", value_name = "ARG")]
    args: Vec<String>,
    /// It runs detached
    #[arg(long = "async")]
    detached: bool,
}

impl Tool {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let library = library(world)?;
        match self.verb {
            Verb::List => screen.report(&tool::list(&library), voice),
            Verb::Show { name } => {
                let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
                screen.report(&recipe::show(&library, &world.home()?, &name, cwd)?, voice);
            }
            Verb::Call {
                name,
                values,
                words,
            } => {
                let values = values
                    .as_deref()
                    .map_or(Ok(Map::new()), |path| input::values(world, path))?;
                return call(world, screen, voice, &name, values, &words);
            }
            Verb::Register(given) => {
                screen.report(
                    &registry::register(&library, &given.registration(world, false)?)?,
                    voice,
                );
            }
            Verb::Update(given) => {
                screen.report(
                    &registry::register(&library, &given.registration(world, true)?)?,
                    voice,
                );
            }
            Verb::Remove { name } => screen.report(&registry::remove(&library, &name)?, voice),
            Verb::Promote { draft: None, .. } => screen.report(&tool::drafts(&library), voice),
            Verb::Promote {
                draft: Some(draft),
                name,
                update,
            } => {
                screen.report(
                    &registry::promote(&library, &draft, name.as_deref(), update)?,
                    voice,
                );
            }
        }
        Ok(0)
    }
}

impl Given {
    fn registration(&self, world: &World, update: bool) -> Result<Registration, ApiError> {
        let mut fields = match &self.file {
            Some(path) => input::recipe_fields(world, path)?,
            None => Map::new(),
        };
        if let Some(text) = &self.template {
            fields.insert("template".to_owned(), inline(text));
        }
        if let Some(from) = &self.from {
            fields.insert("imports".to_owned(), serde_json::json!({"recipe": from}));
            fields.insert("template".to_owned(), serde_json::json!({"name": "recipe"}));
        }
        if let Some(description) = &self.description {
            fields.insert("description".to_owned(), description.as_str().into());
        }
        if !self.args.is_empty() {
            fields.insert("args".to_owned(), self.args.clone().into());
        }
        if self.detached {
            fields.insert("async".to_owned(), true.into());
        }
        Ok(Registration {
            name: self.name.clone(),
            fields: ordered(fields),
            update,
        })
    }
}

/// A template as it was typed: JSON where it looks so, else one command.
fn inline(text: &str) -> Value {
    let json = text.trim_start().starts_with(['{', '[', '"']);
    json.then(|| serde_json::from_str(text).ok())
        .flatten()
        .unwrap_or_else(|| text.into())
}

/// The template last: one reads a recipe's flags first.
fn ordered(mut fields: Map<String, Value>) -> Map<String, Value> {
    if let Some(template) = fields.shift_remove("template") {
        fields.insert("template".to_owned(), template);
    }
    fields
}

fn call(
    world: &World,
    screen: Screen,
    voice: Voice,
    name: &str,
    values: Map<String, Value>,
    words: &[String],
) -> Result<u8, ApiError> {
    let called = asked(world, screen, name, values, words)?.map_err(|why| {
        let missing = matches!(why, NotCalled::Recipe(NotResolved::NotFound(_)));
        let mut failure = ApiError::from(why);
        if missing {
            failure.message = format!("there is no tool {}", text::quoted(name));
            let near = failure
                .hint
                .take()
                .filter(|hint| hint.starts_with("did you mean"));
            failure.hint = near.or_else(|| Some("`materia tool list` has them".to_owned()));
        }
        failure
    })?;
    screen.report(&called, voice);
    Ok(if called.ok {
        0
    } else {
        ErrorKind::Failed.exit_code()
    })
}

/// Calls a tool as an agent would, and gives why it was not called.
pub(super) fn asked(
    world: &World,
    screen: Screen,
    name: &str,
    values: Map<String, Value>,
    words: &[String],
) -> Result<Result<Called, NotCalled>, ApiError> {
    let (home, library, clock) = (world.home()?, library(world)?, world.clock());
    let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
    let mut nursery = Nursery::adopting().map_err(|error| internal(&error))?;
    nursery
        .catch_interrupts()
        .map_err(|error| internal(&error))?;
    let mut view = RunView::new(world, screen, Voice::Json);
    let home_dir = world.variable("HOME").map(Path::new);
    let asked = Call {
        library: &library,
        home: &home,
        cwd,
        home_dir,
        name,
        values,
        words,
        clock: &clock,
    };
    Ok(tool::call(asked, &mut nursery, &mut view))
}
