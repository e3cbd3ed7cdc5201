//! How the installation of a skill reads.

use materia_engine::skill::Installed;

use super::screen;
use super::style::Role;

impl screen::Report for Installed {
    fn human(&self, colour: bool) -> String {
        let action = if self.action == "unchanged" {
            Role::Quiet
        } else {
            Role::Good
        };
        format!("{} {}\n", action.paint(self.action, colour), self.path)
    }
}
