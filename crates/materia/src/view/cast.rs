//! The output of a cast for people: one line per step while it runs, then how it ended and where
//! its files are.
//!
//! Owns the text of its events. Programs get only the report.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use materia_engine::api::{
    Activity, CastObserver, CastReport, TrustAnswer, TrustObserver, TrustReport,
};
use materia_model::agent::Usage;
use materia_model::cast::event::{SocketComplete, VisitId};
use materia_model::cast::{CastEvent, CastEventBody, CastPhase, CastState, CastStatus};
use materia_model::finding::Finding;
use materia_model::loadout::graph::Graph;
use materia_model::text;
use materia_model::time::Timestamp;

use super::OutputFormat;
use super::amounts::{money, short, time};
use super::block::Line;
use super::screen::{self, Screen};
use super::stage::Stage;
use super::step::{compact, named};
use super::style::Role;
use super::trust::TrustPrompt;
use crate::world::World;

/// At most this many lines of the last answer are shown.
const MAX_ANSWER_LINES: usize = 20;

/// Shows a cast while it runs.
#[derive(Debug)]
pub struct CastView {
    screen: Screen,
    format: OutputFormat,
    prompt: TrustPrompt,
    /// The live display, if stderr is a terminal.
    stage: Option<Stage>,
    /// When the current visit began, and the usage at that time.
    began: Option<(Timestamp, Usage)>,
    /// The result of the last socket.
    last: Option<(VisitId, String)>,
}

impl CastView {
    /// A view that prints to this screen.
    pub fn new(world: &World, screen: Screen, format: OutputFormat) -> Self {
        Self::with(TrustPrompt::new(world, screen, format), screen, format)
    }

    fn with(prompt: TrustPrompt, screen: Screen, format: OutputFormat) -> Self {
        let live = format == OutputFormat::Human && screen.is_live();
        Self {
            screen,
            format,
            prompt,
            stage: live.then(|| Stage::new(screen)),
            began: None,
            last: None,
        }
    }

    /// Resets the state before the next cast.
    pub(super) fn reset(&mut self) {
        *self = Self::with(self.prompt, self.screen, self.format);
    }

    /// Erases the live display before something else is written.
    pub fn rest(&self) {
        if let Some(stage) = &self.stage {
            stage.rest();
        }
    }

    /// Prints how the cast ended.
    pub fn report(&self, report: &CastReport) {
        self.rest();
        if self.format == OutputFormat::Human {
            self.answer(report.status);
        }
        if let (OutputFormat::Human, Some(error)) = (self.format, &report.error) {
            self.screen.talk(Role::Bad, "error", &error.message);
            if let Some(hint) = &error.hint {
                self.screen.talk(Role::Good, "  hint", hint);
            }
        }
        self.screen.report(report, self.format);
    }

    /// Shows the answer of the last socket, if the cast is complete.
    fn answer(&self, status: CastStatus) {
        let Some((place, said)) = self
            .last
            .as_ref()
            .filter(|_| status == CastStatus::Complete)
        else {
            return;
        };
        let lines: Vec<&str> = said.trim().lines().collect();
        self.screen
            .talk(Role::Strong, "answer", &format!("of {}", named(place)));
        self.screen
            .indented(&lines[..lines.len().min(MAX_ANSWER_LINES)].join("\n"));
        if lines.len() > MAX_ANSWER_LINES {
            self.screen.indented(&format!(
                "… and {} more",
                text::count(lines.len() - MAX_ANSWER_LINES, "line")
            ));
        }
    }

    fn step(&self, role: Role, word: &str, place: &VisitId, more: &str) {
        self.say(role, word, &format!("{}{more}", named(place)));
    }

    /// Writes a permanent line, above the live display if there is one.
    fn say(&self, role: Role, word: &str, said: &str) {
        match &self.stage {
            Some(stage) => {
                let word = format!("{word:<7}");
                stage.above(&[Line::of(role, &word).and(&format!(" {}", text::printable(said)))]);
            }
            None => self.screen.talk(role, word, said),
        }
    }
}

impl CastView {
    pub(super) fn format(&self) -> OutputFormat {
        self.format
    }

    pub(super) fn screen(&self) -> Screen {
        self.screen
    }

    /// The time, tokens and money of a visit. Leaves out what is zero.
    fn took(&self, event: &CastEvent, state: &CastState) -> Vec<String> {
        let Some((at, used)) = &self.began else {
            return Vec::new();
        };
        let total = &state.spending.total;
        let mut parts = Vec::new();
        parts.extend(
            u64::try_from(event.at.as_millis() - at.as_millis())
                .ok()
                .filter(|ms| *ms > 0)
                .map(time),
        );
        let tokens = total.total.saturating_sub(used.total);
        if tokens > 0 {
            parts.push(format!("{} tokens", short(tokens as f64)));
        }
        if total.cost - used.cost > 0.0 {
            parts.push(money(total.cost - used.cost));
        }
        parts
    }

    fn done(&mut self, complete: &SocketComplete, event: &CastEvent, state: &CastState) {
        let sent_back = complete
            .payload
            .as_ref()
            .is_some_and(|payload| payload.get("satisfied") == Some(&false.into()));
        let (role, more) = if sent_back {
            (Role::Warning, ", not satisfied")
        } else {
            (Role::Good, "")
        };
        let took = self.took(event, state);
        let room = self.stage.as_ref().map(Stage::columns);
        self.say(role, "done", &compact(&complete.place, more, &took, room));
        let summary = complete
            .payload
            .as_ref()
            .and_then(|payload| payload.get("summary")?.as_str());
        let said = complete
            .output
            .as_deref()
            .or(summary)
            .filter(|said| !said.trim().is_empty());
        if let Some(said) = said {
            self.last = Some((complete.place.clone(), said.to_owned()));
        }
    }
}

impl TrustObserver for CastView {
    fn confirm_trust(&mut self, report: &TrustReport) -> TrustAnswer {
        self.prompt.confirm_trust(report)
    }
}

impl CastObserver for CastView {
    fn warnings(&mut self, findings: &[Finding]) {
        self.screen.findings(findings);
    }

    fn interrupts(&mut self, count: Arc<AtomicUsize>) {
        if let Some(stage) = &self.stage {
            stage.count_interrupts(count);
        }
    }

    fn begin(&mut self, graph: &Graph) {
        if let Some(stage) = &self.stage {
            stage.begin(graph);
        }
    }

    fn reopen(&mut self, state: &CastState) {
        if self.format != OutputFormat::Human {
            return;
        }
        let id = &state.cast_id;
        let plan = match &state.step {
            CastPhase::Running(visit) => {
                format!("at {}, which was interrupted", named(&visit.place))
            }
            CastPhase::Due(visit) | CastPhase::Waiting { visit, .. } => {
                format!("at {}", named(&visit.place))
            }
            CastPhase::Done { visit, .. } => {
                format!("behind {}, which is finished", named(&visit.place))
            }
            CastPhase::Enter { socket } => format!("at {socket}"),
            CastPhase::Begin => "at its beginning".to_owned(),
            CastPhase::End => "at its end".to_owned(),
        };
        if let Some(stage) = &self.stage {
            stage.reopen(state);
        }
        self.say(
            Role::Quiet,
            "cast",
            &format!("{id} {plan}, by the definition it began with"),
        );
    }

    fn orphans_ended(&mut self, count: usize) {
        if self.format == OutputFormat::Human {
            let said = format!(
                "{} of the process that drove it",
                text::count(count, "orphan")
            );
            self.say(Role::Warning, "ended", &said);
        }
    }

    fn activity(&mut self, place: &VisitId, activity: &Activity) {
        if self.format != OutputFormat::Human {
            return;
        }
        if let Some(stage) = &self.stage {
            stage.activity(activity);
        }
        match activity {
            Activity::ToolStart { name, input } if self.stage.is_none() => {
                let input = text::bounded(input.trim(), 100);
                self.step(Role::Quiet, "tool", place, &format!(": {name} {input}"));
            }
            Activity::Notice { text } => {
                self.step(Role::Warning, "notice", place, &format!(": {text}"));
            }
            Activity::Text { .. }
            | Activity::ToolStart { .. }
            | Activity::ToolEnd { .. }
            | Activity::Usage { .. }
            | Activity::Heard { .. } => {}
        }
    }

    fn event(&mut self, event: &CastEvent, state: &CastState) {
        if self.format != OutputFormat::Human {
            return;
        }
        if let Some(stage) = &self.stage {
            stage.event(event, state);
        }
        match &event.body {
            CastEventBody::CastStart(start) => {
                let said = format!(
                    "{} with the loadout {}",
                    start.cast_id,
                    text::quoted(&start.loadout)
                );
                self.say(Role::Quiet, "cast", &said);
            }
            CastEventBody::SocketStart(_) => self.began = Some((event.at, state.spending.total)),
            CastEventBody::SocketComplete(complete) => self.done(complete, event, state),
            CastEventBody::SocketRoute(route) if route.rework.is_some() => {
                let to = route.to.as_deref().unwrap_or("end");
                let reason = text::bounded(route.rework.as_deref().unwrap_or_default(), 300);
                self.say(Role::Warning, "rework", &format!("back to {to}: {reason}"));
            }
            CastEventBody::SocketFailed(failed) => {
                self.step(Role::Bad, "failed", &failed.place, "");
            }
            CastEventBody::SameSocketRecoveryStart(again) => {
                let more = format!(", again because of {}", again.reason);
                self.step(Role::Warning, "retry", &again.place, &more);
            }
            CastEventBody::SocketInterrupted(doubt) => {
                let more = format!(", in doubt: {}", doubt.policy);
                self.step(Role::Warning, "interrupted", &doubt.place, &more);
            }
            CastEventBody::SocketRefinement(refinement) => {
                self.step(Role::Quiet, "asks", &refinement.place, "");
                self.screen.indented(&refinement.reply);
            }
            CastEventBody::BudgetWarning(note) | CastEventBody::BudgetLimit(note) => {
                let said = format!("{} at {:.0} %", note.what, note.percent);
                self.say(Role::Warning, "budget", &said);
            }
            CastEventBody::CastRecast(_) | CastEventBody::CastRevive(_) => {
                self.say(Role::Quiet, "recast", &state.cast_id);
            }
            _ => {}
        }
    }
}

impl screen::Report for CastReport {
    fn human(&self, colour: bool) -> String {
        let role = match self.status {
            CastStatus::Complete => Role::Good,
            CastStatus::Failed | CastStatus::Aborted => Role::Bad,
            CastStatus::Running | CastStatus::Paused => Role::Warning,
        };
        let visits: u64 = self
            .visits
            .values()
            .filter_map(serde_json::Value::as_u64)
            .sum();
        let mut sums = vec![text::count(
            usize::try_from(visits).unwrap_or(usize::MAX),
            "step",
        )];
        sums.extend(used(self));
        let word = if self.interrupted {
            "interrupted"
        } else {
            self.status.as_str()
        };
        let word = role.paint(&format!("{word}:"), colour);
        let mut out = format!("{word} {}, {}\n", self.cast_id, sums.join(", "));
        let _ = writeln!(out, "artifacts: {}", text::printable(&self.run_dir));
        for next in next(self) {
            let _ = writeln!(out, "next: {next} {}", self.cast_id);
        }
        out
    }
}

/// The turns, tokens and cost, or `None` if the cast used no tokens.
fn used(report: &CastReport) -> Option<String> {
    let used = &report.usage.total;
    if used.tokens.total == 0 {
        return None;
    }
    let (tokens, cost) = (used.tokens.total as f64, used.cost.total);
    let turns = text::count(report.usage.turns as usize, "turn");
    Some(format!(
        "{turns}, {} tokens, {}",
        short(tokens),
        money(cost)
    ))
}

/// The commands that apply to a cast with this status.
fn next(report: &CastReport) -> &'static [&'static str] {
    match report.status {
        CastStatus::Paused => &["materia continue"],
        CastStatus::Running if report.run.is_some() => &["materia status", "materia abort"],
        CastStatus::Running if report.interrupted => &["materia resume"],
        CastStatus::Running => &["materia status"],
        CastStatus::Complete => &["materia cast-show"],
        CastStatus::Failed => &["materia cast-show", "materia recast"],
        CastStatus::Aborted => &["materia recast"],
    }
}
