//! The live part of a terminal: one line per running command, redrawn in place, and a line for each that ended.
//!
//! Owns the cursor of stderr while something runs. Every line fits the width, so that what was drawn can be drawn over.

use materia_engine::clock::Stopwatch;
use materia_engine::execute::Progress;
use materia_engine::process::LeafId;
use materia_model::text::printable;

use super::run::{ended_line, named, seconds};
use super::screen::Screen;
use super::style::Role;

const MOST_ROWS: usize = 12;

/// What is being drawn.
#[derive(Debug)]
pub(super) struct Live {
    screen: Screen,
    rows: Vec<Row>,
    drawn: usize,
    stopping: Option<&'static str>,
}

#[derive(Debug)]
struct Row {
    leaf: LeafId,
    name: String,
    watch: Stopwatch,
    last: String,
}

impl Live {
    pub(super) fn new(screen: Screen) -> Self {
        Self { screen, rows: Vec::new(), drawn: 0, stopping: None }
    }

    pub(super) fn tell(&mut self, progress: Progress<'_>) {
        match progress {
            Progress::Started { leaf, label, argv, .. } => {
                let name = named(label, argv);
                self.rows.push(Row { leaf, name, watch: Stopwatch::start(), last: String::new() });
            }
            Progress::Seen { leaf, bytes } => self.saw(leaf, bytes),
            Progress::Said { leaf, bytes } => self.saw(leaf, bytes),
            Progress::Postponed { leaf } => self.rows.retain(|row| row.leaf != leaf),
            Progress::Ended { leaf, run } => {
                self.rows.retain(|row| row.leaf != leaf);
                let (role, word) = match (run.code, self.stopping) {
                    (0, _) => (Role::Good, "done"),
                    (_, None) => (Role::Bad, "failed"),
                    (_, Some(_)) => (Role::Warning, "stopped"),
                };
                let word = role.paint(&format!("{word:<7}"), self.screen.talks_in_colour());
                let (width, _) = self.screen.size();
                self.above(&format!("{word} {}", fitted(&ended_line(run), width.saturating_sub(8))));
            }
            Progress::Interrupted { again, .. } => {
                self.stopping = Some(if again { "killing" } else { "stopping; Ctrl-C once more kills" });
                self.draw();
            }
            Progress::Tick => self.draw(),
        }
    }

    /// Takes the live lines away.
    pub(super) fn clear(mut self) {
        self.erase();
    }

    fn saw(&mut self, leaf: LeafId, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
        if let (Some(row), Some(last)) = (self.rows.iter_mut().find(|row| row.leaf == leaf), last) {
            row.last = printable(last).into_owned();
        }
    }

    /// Writes a line that stays, above the live ones.
    fn above(&mut self, line: &str) {
        self.erase();
        self.screen.live(&format!("{line}\n"));
        self.draw();
    }

    fn erase(&mut self) {
        if self.drawn > 0 {
            self.screen.live(&format!("\u{1b}[{}A\r\u{1b}[J", self.drawn));
            self.drawn = 0;
        }
    }

    fn draw(&mut self) {
        let (width, height) = self.screen.size();
        // What has left the screen at its top could not be drawn over any more.
        let most = height.saturating_sub(3).clamp(1, MOST_ROWS);
        let mut lines: Vec<String> = self.rows.iter().take(most).map(|row| row.line(width)).collect();
        if self.rows.len() > most {
            lines.push(fitted(&format!("        and {} more", self.rows.len() - most), width));
        }
        lines.extend(self.stopping.map(|stopping| fitted(stopping, width)));
        self.erase();
        self.drawn = lines.len();
        let colour = self.screen.talks_in_colour();
        let text: String = lines.iter().map(|line| Role::Quiet.paint(line, colour) + "\n").collect();
        self.screen.live(&text);
    }
}

impl Row {
    fn line(&self, width: usize) -> String {
        let millis = u64::try_from(self.watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        fitted(&format!("running {} {}  {}", self.name, seconds(millis / 100 * 100), self.last), width)
    }
}

/// As much of a line as fits a width. A wide character counts as two, so a line may end early but never wraps.
fn fitted(line: &str, width: usize) -> String {
    let mut used = 0;
    let fits = line.chars().map(|c| if c.is_control() { ' ' } else { c }).take_while(|c| {
        used += if c.is_ascii() { 1 } else { 2 };
        used < width
    });
    fits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_never_wrap() {
        assert_eq!(fitted("abcdef", 4), "abc");
        assert_eq!(fitted("日本語", 5), "日本");
        assert_eq!(fitted("a\tb\nc", 80), "a b c");
    }
}
