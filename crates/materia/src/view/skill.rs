//! Rendering of the installation of a skill.

use materia_engine::api::{SkillInstallReport, SkillReport};

use super::screen;
use super::style::Role;

impl screen::Report for SkillReport {
    fn human(&self, _colour: bool) -> String {
        self.text.to_owned()
    }
}

impl screen::Report for SkillInstallReport {
    fn human(&self, colour: bool) -> String {
        let action = if self.action == "unchanged" {
            Role::Quiet
        } else {
            Role::Good
        };
        format!("{} {}\n", action.paint(self.action, colour), self.path)
    }
}
