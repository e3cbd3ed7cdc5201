//! What a person sees of a cast: one line per step while it runs, then how it ended and where everything is.
//!
//! Owns the telling of its events. Programs get the report alone.

use materia_engine::agent::Activity;
use materia_engine::cast::Listener;
use materia_engine::verb::cast::Report;
use materia_model::cast::event::Place;
use materia_model::cast::{Body, Event, State, Status, Step};
use materia_model::finding::Finding;
use materia_model::text;

use super::Voice;
use super::screen::{self, Screen};
use super::style::Role;

/// Tells a person about a cast.
#[derive(Debug)]
pub struct CastView {
    screen: Screen,
    voice: Voice,
}

impl CastView {
    /// A view for who is listening.
    pub fn new(screen: Screen, voice: Voice) -> Self {
        Self { screen, voice }
    }

    /// Says what is strange about the definition.
    pub fn notice(&self, strange: &[Finding]) {
        self.screen.findings(strange);
    }

    /// Says how it ended.
    pub fn report(&self, report: &Report) {
        if let (Voice::Human, Some(error)) = (self.voice, &report.error) {
            self.screen.talk(Role::Bad, "error", &error.message);
            if let Some(hint) = &error.hint {
                self.screen.talk(Role::Good, "  hint", hint);
            }
        }
        self.screen.report(report, self.voice);
    }

    fn step(&self, role: Role, word: &str, place: &Place, more: &str) {
        self.screen.talk(role, word, &format!("{}{more}", named(place)));
    }
}

impl CastView {
    pub(super) fn voice(&self) -> Voice {
        self.voice
    }

    pub(super) fn screen(&self) -> Screen {
        self.screen
    }
}

impl Listener for CastView {
    fn takes_up(&mut self, state: &State) {
        if self.voice != Voice::Human {
            return;
        }
        let id = &state.cast_id;
        let plan = match &state.step {
            Step::Running(visit) => format!("{}, which was interrupted", named(&visit.place)),
            Step::Due(visit) | Step::Waiting { visit, .. } => named(&visit.place),
            Step::Done { visit, .. } => format!("behind {}, which is finished", named(&visit.place)),
            Step::Enter { socket } => socket.clone(),
            Step::Begin => "its beginning".to_owned(),
            Step::End => "its end".to_owned(),
        };
        let said = format!("{id} at {plan}, by the definition it began with");
        self.screen.talk(Role::Quiet, "cast", &said);
    }

    fn ended(&mut self, orphans: usize) {
        if self.voice == Voice::Human {
            let said = format!("{} of the process that drove it", text::count(orphans, "orphan"));
            self.screen.talk(Role::Warning, "ended", &said);
        }
    }

    fn sees(&mut self, place: &Place, activity: &Activity) {
        if self.voice != Voice::Human {
            return;
        }
        match activity {
            Activity::ToolStart { name, input } => {
                let input = text::bounded(input.trim(), 100);
                self.step(Role::Quiet, "tool", place, &format!(": {name} {input}"));
            }
            Activity::Notice { text } => self.step(Role::Warning, "notice", place, &format!(": {text}")),
            Activity::Text { .. }
            | Activity::ToolEnd { .. }
            | Activity::Usage { .. }
            | Activity::Heard { .. } => {}
        }
    }

    fn tell(&mut self, event: &Event, state: &State) {
        if self.voice != Voice::Human {
            return;
        }
        match &event.body {
            Body::CastStart(start) => {
                let said = format!("{} with the loadout {}", start.cast_id, text::quoted(&start.loadout));
                self.screen.talk(Role::Quiet, "cast", &said);
            }
            Body::SocketComplete(complete) => self.step(Role::Good, "done", &complete.place, ""),
            Body::SocketRoute(route) if route.rework.is_some() => {
                let to = route.to.as_deref().unwrap_or("end");
                let reason = text::bounded(route.rework.as_deref().unwrap_or_default(), 300);
                self.screen.talk(Role::Warning, "rework", &format!("back to {to}: {reason}"));
            }
            Body::SocketFailed(failed) => self.step(Role::Bad, "failed", &failed.place, ""),
            Body::SameSocketRecoveryStart(again) => {
                let more = format!(", again because of {}", again.reason);
                self.step(Role::Warning, "retry", &again.place, &more);
            }
            Body::SocketInterrupted(doubt) => {
                let more = format!(", in doubt: {}", doubt.policy);
                self.step(Role::Warning, "interrupted", &doubt.place, &more);
            }
            Body::SocketRefinement(refinement) => {
                self.step(Role::Quiet, "asks", &refinement.place, "");
                self.screen.indented(&refinement.reply);
            }
            Body::BudgetWarning(note) | Body::BudgetLimit(note) => {
                let said = format!("{} at {:.0} %", note.what, note.percent);
                self.screen.talk(Role::Warning, "budget", &said);
            }
            Body::CastRecast(_) | Body::CastRevive(_) => {
                self.screen.talk(Role::Quiet, "recast", &state.cast_id);
            }
            _ => {}
        }
    }
}

/// What a visit is called: its socket and what it holds, its item, and which visit it is from the second on.
fn named(place: &Place) -> String {
    let item = place.item_label.as_ref().or(place.item_key.as_ref());
    let item = item.map(|item| format!(" {}", text::quoted(&text::bounded(item, 80)))).unwrap_or_default();
    let visit = if place.visit > 1 { format!(", visit {}", place.visit) } else { String::new() };
    format!("{} ({}){item}{visit}", place.socket, place.materia)
}

impl screen::Report for Report {
    fn human(&self, colour: bool) -> String {
        let role = match self.status {
            Status::Complete => Role::Good,
            Status::Failed | Status::Aborted => Role::Bad,
            Status::Running | Status::Paused => Role::Warning,
        };
        let visits: u64 = self.visits.values().filter_map(serde_json::Value::as_u64).sum();
        let visits = text::count(usize::try_from(visits).unwrap_or(usize::MAX), "step");
        let word = role.paint(&format!("{}:", self.status.as_str()), colour);
        let next = match self.status {
            Status::Paused => format!("next: materia continue {}\n", self.cast_id),
            Status::Running if self.run.is_some() => format!("next: materia abort {}\n", self.cast_id),
            _ => String::new(),
        };
        format!("{word} {}, {visits}\nartifacts: {}\n{next}", self.cast_id, text::printable(&self.run_dir))
    }
}
