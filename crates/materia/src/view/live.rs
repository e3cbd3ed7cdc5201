//! The live lines of a run: one per running command, redrawn in place, and a permanent line for
//! each that ended.
//!
//! Owns the text of these lines. Each command has its own colour, so that many of them can be
//! distinguished.

use materia_engine::api::{ChildId, RunProgress, Stopwatch};
use materia_model::text::printable;

use super::block::{Block, Line};
use super::run::{ended_line, named, seconds};
use super::screen::Screen;
use super::style::Role;

const MOST_ROWS: usize = 12;

/// The state of the live lines.
#[derive(Debug)]
pub(super) struct Live {
    block: Block,
    rows: Vec<Row>,
    started: usize,
    stopping: Option<&'static str>,
}

#[derive(Debug)]
struct Row {
    leaf: ChildId,
    name: String,
    number: usize,
    watch: Stopwatch,
    last: String,
}

impl Live {
    pub(super) fn new(screen: Screen) -> Self {
        Self {
            block: Block::new(screen),
            rows: Vec::new(),
            started: 0,
            stopping: None,
        }
    }

    pub(super) fn progress(&mut self, progress: RunProgress<'_>) {
        match progress {
            RunProgress::Started {
                leaf, label, argv, ..
            } => {
                let (name, number, watch) = (named(label, argv), self.started, Stopwatch::start());
                self.rows.push(Row {
                    leaf,
                    name,
                    number,
                    watch,
                    last: String::new(),
                });
                self.started += 1;
            }
            RunProgress::Stdout { leaf, bytes } => self.saw(leaf, bytes),
            RunProgress::Stderr { leaf, bytes } => self.saw(leaf, bytes),
            RunProgress::Postponed { leaf } => self.rows.retain(|row| row.leaf != leaf),
            RunProgress::Ended { leaf, run, .. } => {
                self.rows.retain(|row| row.leaf != leaf);
                let (role, word) = match (run.code, self.stopping) {
                    (0, _) => (Role::Good, "done"),
                    (_, None) => (Role::Bad, "failed"),
                    (_, Some(_)) => (Role::Warning, "stopped"),
                };
                let line =
                    Line::of(role, &format!("{word:<7}")).and(&format!(" {}", ended_line(run)));
                let (columns, _) = self.block.room();
                self.draw(&[line.cut(columns)]);
            }
            RunProgress::Interrupted { again, .. } => {
                self.stopping = Some(if again {
                    "killing"
                } else {
                    "stopping; Ctrl-C once more kills"
                });
                self.draw(&[]);
            }
            RunProgress::Tick => self.draw(&[]),
        }
    }

    /// Erases the live lines.
    pub(super) fn clear(mut self) {
        self.block.clear();
    }

    fn saw(&mut self, leaf: ChildId, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let last = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        if let (Some(row), Some(last)) = (self.rows.iter_mut().find(|row| row.leaf == leaf), last) {
            row.last = printable(last).into_owned();
        }
    }

    /// Redraws the running commands, and writes permanent lines above them.
    fn draw(&mut self, above: &[Line]) {
        let (_, height) = self.block.room();
        let most = height.saturating_sub(1).clamp(1, MOST_ROWS);
        let mut lines: Vec<Line> = self.rows.iter().take(most).map(Row::line).collect();
        if self.rows.len() > most {
            lines.push(Line::of(
                Role::Quiet,
                &format!("        and {} more", self.rows.len() - most),
            ));
        }
        lines.extend(
            self.stopping
                .map(|stopping| Line::of(Role::Warning, stopping)),
        );
        self.block.draw(above, &lines);
    }
}

impl Row {
    fn line(&self) -> Line {
        let millis = u64::try_from(self.watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        let line = Line::of(Role::Quiet, "running ").with(Role::One(self.number), &self.name);
        line.with(
            Role::Quiet,
            &format!(" {}  {}", seconds(millis / 100 * 100), self.last),
        )
    }
}
