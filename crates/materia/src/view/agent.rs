//! The output of a single agent turn: tool calls on stderr while it runs, and only the answer on
//! stdout.

use std::fmt::Write as _;

use materia_engine::api::{
    Activity, AgentListReport, AgentObserver, AgentReport, TrustAnswer, TrustObserver, TrustReport,
};
use materia_model::text::{self, printable};

use super::OutputFormat;
use super::screen::{self, Screen};
use super::style::Role;
use super::trust::TrustPrompt;
use crate::world::World;

/// Shows a turn while it runs.
#[derive(Debug)]
pub struct AgentView {
    screen: Screen,
    format: OutputFormat,
    prompt: TrustPrompt,
}

impl AgentView {
    /// A view that prints to this screen.
    pub fn new(world: &World, screen: Screen, format: OutputFormat) -> Self {
        Self {
            screen,
            format,
            prompt: TrustPrompt::new(world, screen, format),
        }
    }

    /// Prints the result of the turn.
    pub fn report(&self, report: &AgentReport) {
        if let (OutputFormat::Human, Some(error)) = (self.format, &report.error) {
            let said = format!(
                "{} gave no answer ({}): {}",
                report.agent,
                report.outcome.as_str(),
                error.message
            );
            self.screen.talk(Role::Bad, "error", &said);
            if let Some(hint) = &error.hint {
                self.screen.talk(Role::Good, "  hint", hint);
            }
        }
        self.screen.report(report, self.format);
    }
}

impl TrustObserver for AgentView {
    fn confirm_trust(&mut self, report: &TrustReport) -> TrustAnswer {
        self.prompt.confirm_trust(report)
    }
}

impl AgentObserver for AgentView {
    fn activity(&mut self, activity: &Activity) {
        match activity {
            Activity::ToolStart { name, input } if self.format == OutputFormat::Human => {
                self.screen.talk(
                    Role::Quiet,
                    "tool",
                    &format!("{name} {}", text::bounded(input.trim(), 100)),
                );
            }
            Activity::Notice { text } => self.screen.talk(Role::Warning, "notice", text),
            _ => {}
        }
    }
}

impl screen::Report for AgentReport {
    fn human(&self, _colour: bool) -> String {
        if self.text.is_empty() {
            String::new()
        } else {
            format!("{}\n", self.text.trim_end_matches('\n'))
        }
    }
}

impl screen::Report for AgentListReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        for agent in &self.agents {
            let found = match (&agent.path, &agent.hint) {
                (Some(path), _) => format!(
                    "{:<8} tools {}; {}",
                    agent.kind.unwrap_or_default(),
                    agent.tools,
                    printable(path)
                ),
                (None, hint) => {
                    let why = agent.problem.as_deref().unwrap_or_default();
                    Role::Quiet.paint(
                        &printable(&format!("{why}; {}", hint.as_deref().unwrap_or_default())),
                        colour,
                    )
                }
            };
            let _infallible = writeln!(text, "{:<12}{found}", printable(&agent.name));
        }
        match &self.chosen {
            Some(chosen) => {
                let _infallible = writeln!(
                    text,
                    "\nplays: {}, {}",
                    printable(&chosen.name),
                    chosen.reason
                );
            }
            None => text.push_str("\nplays: nobody; install one of them\n"),
        }
        if let Some(file) = &self.untrusted {
            let file = printable(file);
            let _infallible = writeln!(
                text,
                "{file} names agents and is not trusted, so it has no say: `materia trust`"
            );
        }
        text
    }
}
