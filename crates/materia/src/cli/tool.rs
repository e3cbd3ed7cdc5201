//! `materia tool`: lists, calls, registers, updates and removes the recipes that agents can call.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::input;
use crate::view::{OutputFormat, RunView, Screen};
use crate::world::World;
use materia_engine::api::{ApiError, PromoteToolRequest, RegisterToolRequest, ToolCallRequest};

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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        match self.verb {
            Verb::List => screen.report(&engine.tool_list()?, format),
            Verb::Show { name } => screen.report(&engine.recipe_show(&name)?, format),
            Verb::Call {
                name,
                values,
                words,
            } => {
                let request = ToolCallRequest {
                    name,
                    values: input::values(values)?,
                    arguments: words,
                };
                let mut view = RunView::new(world, screen, OutputFormat::Json);
                let report = engine.tool_call(request, &mut view)?;
                screen.report(&report, format);
                return Ok(report.exit_code());
            }
            Verb::Register(given) => {
                screen.report(&engine.tool_register(given.request(false))?, format);
            }
            Verb::Update(given) => {
                screen.report(&engine.tool_register(given.request(true))?, format);
            }
            Verb::Remove { name } => screen.report(&engine.tool_remove(&name)?, format),
            Verb::Promote { draft: None, .. } => screen.report(&engine.tool_drafts()?, format),
            Verb::Promote {
                draft: Some(draft),
                name,
                update,
            } => {
                let request = PromoteToolRequest {
                    draft,
                    name,
                    update,
                };
                screen.report(&engine.tool_promote(&request)?, format);
            }
        }
        Ok(0)
    }
}

impl Given {
    fn request(self, update: bool) -> RegisterToolRequest {
        RegisterToolRequest {
            name: self.name,
            update,
            file: self.file,
            template: self.template,
            from: self.from,
            description: self.description,
            args: Some(self.args).filter(|args| !args.is_empty()),
            detached: self.detached.then_some(true),
            ..RegisterToolRequest::default()
        }
    }
}
