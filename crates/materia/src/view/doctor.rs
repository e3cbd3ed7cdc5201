//! Rendering of the report of `doctor`.

use std::fmt::Write as _;

use materia_engine::api::{CheckHealth, DoctorAgent, DoctorCheck, DoctorReport};
use materia_model::text::printable;

use super::Report;
use super::style::Role;

impl Report for DoctorReport {
    fn human(&self, colour: bool) -> String {
        let mut text = format!(
            "{} {}\n",
            Role::Strong.paint("materia", colour),
            self.version
        );
        heading(&mut text, "what the promises need here", colour);
        for check in &self.checks {
            check_lines(&mut text, check, colour);
        }
        heading(&mut text, "agents", colour);
        for agent in &self.agents {
            agent_line(&mut text, agent, colour);
        }
        let plays = match (&self.agent, &self.agent_missing) {
            (Some(agent), _) => format!("{}, {}", agent.name, agent.reason),
            (None, missing) => {
                format!("nobody: {}", missing.as_deref().unwrap_or("none was found"))
            }
        };
        let _ = writeln!(text, "  {:<16}{}", "plays", printable(&plays));
        if let Some(file) = &self.agent_untrusted {
            let said = format!(
                "{} names agents and is not trusted, so it has no say",
                printable(file)
            );
            let _ = writeln!(text, "  {:<16}{said}", "");
            let _ = writeln!(
                text,
                "  {:<16}{} materia trust",
                "",
                Role::Good.paint("hint:", colour)
            );
        }
        heading(&mut text, "where things are", colour);
        let paths = [
            ("recipes", &self.paths.recipes),
            ("runs", &self.paths.runs),
            ("profile", &self.paths.profile),
        ];
        for (name, path) in paths {
            let _ = writeln!(text, "  {name:<16}{}", printable(path));
        }
        heading(&mut text, "found and used in place", colour);
        for found in &self.found {
            let _ = writeln!(
                text,
                "  {:<16}{} in {}",
                found.what,
                printable(&found.detail),
                printable(&found.path)
            );
        }
        if self.found.is_empty() {
            text.push_str(
                "  nothing yet: no config, recipes, casts or runs of yours or of this project\n",
            );
        }
        text
    }
}

fn heading(text: &mut String, words: &str, colour: bool) {
    let _ = writeln!(text, "\n{}", Role::Strong.paint(words, colour));
}

fn check_lines(text: &mut String, check: &DoctorCheck, colour: bool) {
    let (role, word) = match check.health {
        CheckHealth::Good => (Role::Good, "good"),
        CheckHealth::Doubtful => (Role::Warning, "doubtful"),
        CheckHealth::Broken => (Role::Bad, "broken"),
    };
    let word = role.paint(&format!("{word:<9}"), colour);
    let _ = writeln!(
        text,
        "  {word} {:<16}{}",
        check.name,
        printable(&check.detail)
    );
    if let Some(hint) = &check.hint {
        let _ = writeln!(
            text,
            "  {:<9} {:<16}{} {hint}",
            "",
            "",
            Role::Good.paint("hint:", colour)
        );
    }
}

fn agent_line(text: &mut String, agent: &DoctorAgent, colour: bool) {
    let found = agent.path.as_deref().map(|path| {
        let version = agent.version.as_deref().unwrap_or("no version");
        let problem = agent
            .problem
            .as_ref()
            .map(|problem| format!(" ({problem})"))
            .unwrap_or_default();
        printable(&format!("{version:<12} {path}{problem}")).into_owned()
    });
    let line = found.unwrap_or_else(|| Role::Quiet.paint("not found", colour));
    let _ = writeln!(text, "  {:<16}{line}", agent.name);
}
