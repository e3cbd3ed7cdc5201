//! `materia man`: prints the manual, generated from the same grammar as the help.

use clap::{Args, CommandFactory};
use materia_model::text;

use crate::view::Screen;
use materia_engine::api::{ApiError, ErrorKind};

/// Print the manual page of materia, or of one of its commands
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia man | man -l -\n  materia man cast > ~/.local/share/man/man1/materia-cast.1"
)]
pub(super) struct Man {
    /// The command; without it, the page that lists them
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl Man {
    pub(super) fn run(self, screen: Screen) -> Result<u8, ApiError> {
        let mut grammar = super::CommandLine::command().help_template("{about}");
        grammar.build();
        let (page, title) = match &self.command {
            None => (grammar, "materia".to_owned()),
            Some(name) => {
                let Some(found) = grammar.find_subcommand(name) else {
                    let message = format!("there is no command {}", text::quoted(name));
                    let close =
                        text::closest(name, grammar.get_subcommands().map(clap::Command::get_name));
                    let hint = close.map_or_else(
                        || "see `materia --help`".to_owned(),
                        |close| format!("did you mean `{close}`?"),
                    );
                    return Err(
                        ApiError::new(ErrorKind::NotFound, "command_not_found", message).hint(hint),
                    );
                };
                (found.clone(), format!("materia-{name}"))
            }
        };
        let mut roff = Vec::new();
        let made = clap_mangen::Man::new(page).title(title).render(&mut roff);
        made.map_err(|error| ApiError::from_error(ErrorKind::Internal, "internal", &error))?;
        screen.text(&String::from_utf8_lossy(&roff));
        Ok(0)
    }
}
