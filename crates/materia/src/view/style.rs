//! The colours, and when they are used.
//!
//! Owns the palette and the rules of `NO_COLOR`, `CLICOLOR_FORCE` and `--color`. Every message is
//! understandable without colour. Never prints.

use anstyle::{AnsiColor, Style};

use crate::world::World;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The meaning of a piece of text. Each meaning has one style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A success.
    Good,
    /// A warning.
    Warning,
    /// An error.
    Bad,
    /// Less important than its surroundings.
    Quiet,
    /// A heading or a name.
    Strong,
    /// One of several things that colours distinguish, by its number.
    One(usize),
}

/// The colours that distinguish things.
const HUES: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::BrightCyan,
    AnsiColor::BrightMagenta,
    AnsiColor::BrightBlue,
];

impl Role {
    /// The style of this meaning.
    pub fn style(self) -> Style {
        let color = |color: AnsiColor| Style::new().fg_color(Some(color.into()));
        match self {
            Self::Good => color(AnsiColor::Green),
            Self::Warning => color(AnsiColor::Yellow),
            Self::Bad => color(AnsiColor::Red).bold(),
            Self::Quiet => Style::new().dimmed(),
            Self::Strong => Style::new().bold(),
            Self::One(number) => color(HUES[number % HUES.len()]),
        }
    }

    /// Formats `text` in this style if `colour` is set.
    pub fn paint(self, text: &str, colour: bool) -> String {
        if !colour {
            return text.to_owned();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}

/// Whether to write a stream in colour.
pub fn use_colour(choice: ColorChoice, world: &World, is_terminal: bool) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            let forced = world
                .variable("CLICOLOR_FORCE")
                .is_some_and(|value| value != "0");
            let refused = world.variable("NO_COLOR").is_some()
                || world.variable("CLICOLOR").is_some_and(|value| value == "0")
                || world.variable("TERM").is_some_and(|value| value == "dumb");
            forced || (is_terminal && !refused)
        }
    }
}
