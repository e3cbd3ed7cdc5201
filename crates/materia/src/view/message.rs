//! Rendering of messages and their delivery status.

use std::ops::ControlFlow;

use materia_engine::api::{
    MessageReport, News, NewsEvent, ReceiveObserver, ReceiveReport, SettleReport, WatchObserver,
};
use materia_model::text::{self, printable};

use super::OutputFormat;
use super::screen::{Report, Screen};
use super::style::Role;

/// A line shows at most this many bytes of a body.
const LONGEST_BODY: usize = 500;

impl Report for MessageReport {
    fn human(&self, colour: bool) -> String {
        let role = if self.delivered || self.queued {
            Role::Good
        } else {
            Role::Warning
        };
        let mut line = format!(
            "{} {} {}",
            role.paint(self.reason, colour),
            self.to,
            self.id
        );
        let mut add =
            |key: &str, value: String| line.push_str(&format!(" {key}={}", printable(&value)));
        add("type", self.kind.to_string());
        add("consumer", self.consumer.to_owned());
        for (key, value) in [("delivered", self.delivered), ("queued", self.queued)] {
            if value {
                add(key, "true".to_owned());
            }
        }
        if let Some(status) = self.status {
            add("status", status.as_str().to_owned());
        }
        if let Some(why) = &self.delivery_error {
            add("delivery_error", format!("\"{why}\""));
        }
        line.push('\n');
        if let Some(said) = self
            .result
            .as_ref()
            .and_then(|result| result["text"].as_str())
        {
            line.push_str(&printable(said.trim_end()));
            line.push('\n');
        }
        for warning in &self.warnings {
            line.push_str(&format!(
                "{} {}\n",
                Role::Warning.paint("warning:", colour),
                printable(warning)
            ));
        }
        line
    }
}

/// The body has its own lines, so that a script can remove the first line.
impl Report for ReceiveReport {
    fn human(&self, colour: bool) -> String {
        let message = &self.message;
        let from = message
            .envelope
            .from
            .as_ref()
            .map(|from| format!(" from={from}"))
            .unwrap_or_default();
        let again = if message.attempt > 1 {
            format!(" attempt={}", message.attempt)
        } else {
            String::new()
        };
        let head = format!("{} type={}{from}{again}", message.id, message.envelope.kind);
        let body = message.envelope.text();
        let newline = if body.is_empty() || body.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        format!(
            "{}\n{}{newline}",
            Role::Strong.paint(&head, colour),
            printable(&body)
        )
    }
}

impl Report for SettleReport {
    fn human(&self, colour: bool) -> String {
        let again = if self.ended.already { " already" } else { "" };
        format!(
            "{} {}{again}\n",
            self.ended.id,
            Role::Good.paint(self.ended.status, colour)
        )
    }
}

/// Prints a message for the program that receives it.
#[derive(Debug)]
pub struct ReceiveView {
    screen: Screen,
    format: OutputFormat,
}

impl ReceiveView {
    /// A view that prints to this screen.
    pub fn new(screen: Screen, format: OutputFormat) -> Self {
        Self { screen, format }
    }
}

impl ReceiveObserver for ReceiveView {
    fn received(&mut self, report: &ReceiveReport) -> bool {
        self.screen.report(report, self.format);
        self.screen.was_heard()
    }
}

/// Prints the events of many runs. For people, each run's name has its own colour.
#[derive(Debug)]
pub struct NewsView {
    screen: Screen,
    format: OutputFormat,
    seen: Vec<String>,
    width: usize,
}

impl WatchObserver for NewsView {
    fn news(&mut self, news: &News) -> ControlFlow<()> {
        match self.format {
            OutputFormat::Json => self.screen.document(news),
            OutputFormat::Human => {
                let line = self.line(news, self.screen.results_in_colour());
                self.screen.text(&line);
            }
        }
        self.screen.reader()
    }
}

/// After this many runs, the assignment of colours starts over.
const MOST_SEEN: usize = 1000;

impl NewsView {
    /// A view that prints to this screen.
    pub fn new(screen: Screen, format: OutputFormat) -> Self {
        Self {
            screen,
            format,
            seen: Vec::new(),
            width: 0,
        }
    }

    /// Renders one event as a line for people.
    fn line(&mut self, news: &News, colour: bool) -> String {
        let address = format!("run:{}", news.run);
        let known = self.seen.iter().position(|seen| *seen == address);
        let number = known.unwrap_or_else(|| {
            if self.seen.len() >= MOST_SEEN {
                self.seen.clear();
            }
            self.seen.push(address.clone());
            self.seen.len() - 1
        });
        self.width = self.width.max(address.chars().count()).min(40);
        let width = if colour { self.width } else { 0 };
        let prefix = Role::One(number).paint(&format!("{address:<width$}"), colour);
        let (role, said) = told(news);
        let said = text::bounded(&said, LONGEST_BODY);
        format!(
            "{prefix} {}\n",
            role.map_or_else(
                || printable(&said).into_owned(),
                |role| role.paint(&printable(&said), colour)
            )
        )
    }
}

fn role(status: &str) -> Role {
    match status {
        "done" => Role::Good,
        "failed" | "exited" => Role::Bad,
        _ => Role::Warning,
    }
}

/// The text of an event, and its style if it has one.
fn told(news: &News) -> (Option<Role>, String) {
    match &news.event {
        NewsEvent::Terminal(end) => {
            let error = end.error.as_ref().and_then(|error| error.as_str());
            let error = error.map(|error| format!(" {}", error.lines().next().unwrap_or_default()));
            (
                Some(role(&end.status)),
                format!("{}{}", end.summary, error.unwrap_or_default()),
            )
        }
        NewsEvent::Missed(missed) => (Some(Role::Warning), missed.summary.clone()),
        NewsEvent::Message(posted) => {
            let mark = if posted.attention { "! " } else { "" };
            let body = posted.envelope.text();
            let summary = posted.envelope.summary.as_deref().unwrap_or(&body);
            // A second line would look like another run's event.
            let summary = summary.lines().next().unwrap_or_default();
            let role = posted.attention.then_some(Role::Warning);
            (role, format!("{mark}{} {summary}", posted.envelope.kind))
        }
    }
}
