//! Rendering of the quest board.

use std::fmt::Write as _;

use materia_engine::api::{QuestListReport, QuestObserver, QuestReport, QuestRunReport};
use materia_model::quest::{Quest, QuestStatus};
use materia_model::text;

use super::OutputFormat;
use super::amounts::line;
use super::cast::CastView;
use super::cast_show::fact;
use super::casts::role;
use super::screen;
use super::style::Role;

impl QuestObserver for CastView {
    fn turn(&mut self, quest: &Quest) {
        self.reset();
        if self.format() == OutputFormat::Human {
            let said = format!("{} {}", quest.id, line(&quest.title, 70));
            self.screen().talk(Role::Strong, "quest", &said);
        }
    }
}

impl screen::Report for QuestListReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        for quest in &self.quests {
            row(&mut out, quest, colour);
        }
        if self.total == 0 {
            return "no quests\nnext: materia quest add \"…\"\n".to_owned();
        }
        if self.quests.len() < self.total {
            let _ = writeln!(
                out,
                "{} of {}",
                self.quests.len(),
                text::count(self.total, "quest")
            );
        }
        let waiting = self
            .quests
            .iter()
            .any(|quest| quest.status == QuestStatus::Pending);
        let said = match (self.runner.pid, self.runner.enabled) {
            (Some(pid), true) => format!("process {pid} runs them"),
            (Some(pid), false) => format!("process {pid} stops behind the one that is running"),
            (None, _) if waiting => "nobody runs them: materia quest run".to_owned(),
            (None, _) => "nothing waits".to_owned(),
        };
        let _ = writeln!(out, "{} {said}", Role::Quiet.paint("runner:", colour));
        out
    }
}

fn row(out: &mut String, quest: &Quest, colour: bool) {
    let status = quest.status.as_str();
    let status = role(status).paint(&format!("{status:<9}"), colour);
    let _ = writeln!(
        out,
        "{}  {status}  {}",
        Role::Strong.paint(&quest.id, colour),
        line(&quest.title, 52)
    );
    if let Some(error) = quest
        .last_error
        .as_ref()
        .filter(|_| quest.status != QuestStatus::Pending)
    {
        let _ = writeln!(
            out,
            "    {}",
            Role::Quiet.paint(&line(&error.message, 76), colour)
        );
    }
}

impl screen::Report for QuestReport {
    fn human(&self, colour: bool) -> String {
        let quest = &self.quest;
        if self.did != "shown" {
            let place = self
                .place
                .map(|place| format!(", number {place} of those that wait"))
                .unwrap_or_default();
            return format!("{} {}{place}\n", self.did, quest.id);
        }
        let mut out = String::new();
        let status = quest.status.as_str();
        let place = self
            .place
            .map(|place| format!(", number {place} in line"))
            .unwrap_or_default();
        let id = Role::Strong.paint(&quest.id, colour);
        let _ = writeln!(out, "{id}  {}{place}", role(status).paint(status, colour));
        fact(&mut out, "title", &line(&quest.title, 100), colour);
        fact(
            &mut out,
            "loadout",
            quest
                .loadout_override
                .as_deref()
                .unwrap_or("the active one"),
            colour,
        );
        fact(&mut out, "added", &quest.created_at.to_string(), colour);
        fact(&mut out, "turns", &quest.attempts.to_string(), colour);
        if let Some(cast) = quest
            .current_cast_id
            .as_ref()
            .or(quest.last_cast_id.as_ref())
        {
            fact(&mut out, "cast", cast, colour);
        }
        if let Some(error) = &quest.last_error {
            fact(&mut out, "error", &line(&error.message, 300), colour);
        }
        out.push('\n');
        for said in quest.prompt.lines().take(40) {
            let _ = writeln!(out, "  {}", text::printable(said));
        }
        out
    }
}

impl screen::Report for QuestRunReport {
    fn human(&self, colour: bool) -> String {
        let mut out = String::new();
        for quest in &self.quests {
            row(&mut out, quest, colour);
        }
        let pending = text::count(self.pending, "quest");
        let said = match self.stopped {
            "empty" if self.quests.is_empty() => {
                "nothing waits: materia quest add \"…\"".to_owned()
            }
            "empty" => "nothing waits any more".to_owned(),
            "once" => format!("one had its turn; {pending} left"),
            "stopped" => format!("stopped as you said; {pending} left"),
            "failed" => format!("stopped behind one that failed; {pending} left"),
            "needs_you" => format!("stopped because a cast needs you; {pending} left"),
            _ => format!("interrupted; {pending} left"),
        };
        let _ = writeln!(out, "{} {said}", Role::Quiet.paint("runner:", colour));
        out
    }
}
