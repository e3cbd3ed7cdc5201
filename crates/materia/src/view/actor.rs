//! The output of an agent that runs as an actor, and its transcript.

use std::fmt::Write as _;

use materia_engine::api::{Activity, ActorEvent, ActorObserver, TranscriptReport};
use materia_model::actor::TranscriptRole;
use materia_model::text::{self, printable};

use super::screen::{self, Screen};

/// Writes what an actor says and does to the output of its run.
#[derive(Debug)]
pub struct ActorView {
    screen: Screen,
    /// Whether the output ends in an incomplete line.
    open: bool,
    /// Whether the agent has streamed text in this turn.
    spoke: bool,
}

impl ActorView {
    /// A view that prints to this screen, which is a file.
    pub fn new(screen: Screen) -> Self {
        Self {
            screen,
            open: false,
            spoke: false,
        }
    }

    fn line(&mut self, line: &str) {
        let before = if std::mem::take(&mut self.open) {
            "\n"
        } else {
            ""
        };
        self.screen.text(&format!("{before}{line}\n"));
    }
}

impl ActorObserver for ActorView {
    fn event(&mut self, event: &ActorEvent<'_>) {
        match event {
            ActorEvent::Prompt { from, text } => {
                self.spoke = false;
                self.line(&format!("> {}: {}", from.unwrap_or("you"), quoted(text)));
            }
            ActorEvent::Activity(Activity::Text { text }) => {
                self.screen.text(text);
                (self.open, self.spoke) = (!text.ends_with('\n'), true);
            }
            ActorEvent::Activity(Activity::Heard { text }) => {
                self.line(&format!("> meanwhile: {}", quoted(text)));
            }
            ActorEvent::Activity(Activity::ToolStart { name, input }) => {
                self.line(&format!("[{name}] {}", text::bounded(input.trim(), 200)));
            }
            ActorEvent::Activity(Activity::ToolEnd { name, ok: false }) => {
                self.line(&format!("[{name}] failed"));
            }
            ActorEvent::Activity(Activity::Notice { text }) => {
                self.line(&format!("notice: {text}"));
            }
            ActorEvent::Activity(_) => {}
            ActorEvent::Retry(why) => {
                self.line(&format!("asked again: {}", text::bounded(why, 400)));
            }
            ActorEvent::TurnEnd {
                failure: Some(why), ..
            } => {
                self.line(&format!("failed: {}", text::bounded(why, 1000)));
            }
            // Some agents do not stream their text.
            ActorEvent::TurnEnd {
                text,
                failure: None,
            } if !self.spoke => self.line(text.trim_end()),
            ActorEvent::TurnEnd { .. } if self.open => {
                self.open = false;
                self.screen.text("\n");
            }
            ActorEvent::TurnEnd { .. } => {}
        }
    }
}

fn quoted(said: &str) -> String {
    text::bounded(said.trim(), 2000).replace('\n', "\n> ")
}

impl screen::Report for TranscriptReport {
    fn human(&self, _: bool) -> String {
        let mut out = String::new();
        if let Some(agent) = &self.agent {
            let model = agent
                .model
                .as_deref()
                .map(|model| format!(" model={model}"))
                .unwrap_or_default();
            let cost = if agent.usage.cost > 0.0 {
                format!(" cost=${:.4}", agent.usage.cost)
            } else {
                String::new()
            };
            let busy = if agent.busy { " busy" } else { "" };
            let _infallible = writeln!(
                out,
                "run:{} agent={}{} turns={} tokens={}{cost}{busy}",
                self.run,
                printable(&agent.name),
                printable(&model),
                agent.turns,
                agent.usage.total
            );
        }
        if self.incomplete {
            out.push_str("(older lines are not shown; --lines shows more)\n");
        }
        for line in &self.lines {
            let who = match line.role {
                TranscriptRole::Prompt => format!("> {}", line.from.as_deref().unwrap_or("you")),
                TranscriptRole::Steer => {
                    format!("> {}, meanwhile", line.from.as_deref().unwrap_or("you"))
                }
                TranscriptRole::Answer => "agent".to_owned(),
                TranscriptRole::Error => "failed".to_owned(),
            };
            let _infallible = writeln!(out, "{}: {}", printable(&who), line.text.trim_end());
        }
        if self.lines.is_empty() {
            out.push_str("(nothing was said)\n");
        }
        out
    }
}
