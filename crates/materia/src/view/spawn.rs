//! The output of `spawn` for people: an id, a status, one path, and the next command.

use materia_engine::api::SpawnReport;
use materia_model::text::printable;

use super::screen::Report;
use super::status;

impl Report for SpawnReport {
    fn human(&self, colour: bool) -> String {
        let word = status::role(self.status).paint(self.status.as_str(), colour);
        let mut text = format!(
            "{} {word}\nstate: {}\n",
            self.address,
            printable(&self.state_dir)
        );
        for warning in &self.warnings {
            text.push_str(&format!("warning: {}\n", printable(warning)));
        }
        if let Some(next) = self.next.first() {
            text.push_str(&format!("next: {next}\n"));
        }
        text
    }
}
