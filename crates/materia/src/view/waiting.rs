//! The live display of `wait`: one line per run with its last output, and a permanent line when it
//! ends; then the result.
//!
//! Owns the display. Draws nothing if stderr is not a terminal.

use std::sync::{Arc, Mutex};

use materia_engine::api::{Stopwatch, WaitObserver, WaitReport};
use materia_model::name::RunId;
use materia_model::run::RunStatus;
use materia_model::text::printable;

use super::OutputFormat;
use super::block::{Block, Line};
use super::run::seconds;
use super::screen::{Report, Screen};
use super::status;
use super::style::Role;
use super::ticker::{Ticker, locked};

/// At most this many runs have a line.
const MOST_ROWS: usize = 20;

/// Shows runs while the caller waits for them, and how they ended.
#[derive(Debug)]
pub struct WaitView {
    screen: Screen,
    format: OutputFormat,
    live: Option<LiveRuns>,
}

/// The live lines, redrawn by a timer until they are dropped.
#[derive(Debug)]
struct LiveRuns {
    picture: Arc<Mutex<Picture>>,
    clock: Option<Ticker>,
}

#[derive(Debug)]
struct Picture {
    block: Block,
    rows: Vec<Row>,
    since: Stopwatch,
}

#[derive(Debug)]
struct Row {
    name: String,
    last: String,
    over: bool,
}

impl WaitView {
    /// A view that prints to this screen.
    pub fn new(screen: Screen, format: OutputFormat) -> Self {
        Self {
            screen,
            format,
            live: None,
        }
    }
}

impl WaitObserver for WaitView {
    fn begin(&mut self, runs: &[RunId]) -> bool {
        if self.format == OutputFormat::Json || !self.screen.is_live() {
            return false;
        }
        self.live = Some(LiveRuns::new(self.screen, runs));
        true
    }

    fn output(&mut self, run: usize, bytes: &[u8]) {
        if let Some(live) = &self.live {
            locked(&live.picture).wrote(run, bytes);
        }
    }

    fn ended(&mut self, run: usize, status: RunStatus) {
        if let Some(live) = &self.live {
            locked(&live.picture).ended(run, status);
        }
    }

    fn report(&mut self, report: &WaitReport) {
        self.live = None;
        self.screen.report(report, self.format);
    }
}

impl Report for WaitReport {
    fn human(&self, colour: bool) -> String {
        let mut text: String = self
            .runs
            .iter()
            .map(|run| status::line(run, colour))
            .collect();
        if self.timed_out {
            text.push_str("the time is over, and not everything is\n");
        }
        text
    }
}

impl LiveRuns {
    fn new(screen: Screen, runs: &[RunId]) -> Self {
        let row = |run: &RunId| Row {
            name: format!("run:{run}"),
            last: String::new(),
            over: false,
        };
        let picture = Picture {
            block: Block::new(screen),
            rows: runs.iter().map(row).collect(),
            since: Stopwatch::start(),
        };
        let picture = Arc::new(Mutex::new(picture));
        let clock = Some(Ticker::start(&picture, |picture| picture.draw(&[])));
        Self { picture, clock }
    }
}

impl Drop for LiveRuns {
    fn drop(&mut self) {
        self.clock = None;
        let mut picture = locked(&self.picture);
        picture.rows.clear();
        picture.block.clear();
    }
}

impl Picture {
    fn wrote(&mut self, run: usize, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let last = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        if let (Some(row), Some(last)) = (self.rows.get_mut(run), last) {
            row.last = printable(last).into_owned();
        }
    }

    fn ended(&mut self, run: usize, status: RunStatus) {
        let took = self.took();
        let Some(row) = self.rows.get_mut(run).filter(|row| !row.over) else {
            return;
        };
        row.over = true;
        let word = format!("{:<9}", status.as_str());
        let line = Line::of(status::role(status), &word)
            .with(Role::One(run), &format!(" {}", row.name))
            .with(Role::Quiet, &format!(" (after {took})"));
        self.draw(&[line]);
    }

    fn took(&self) -> String {
        let millis = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        seconds(millis / 100 * 100)
    }

    fn draw(&mut self, above: &[Line]) {
        let open = || self.rows.iter().enumerate().filter(|(_, row)| !row.over);
        let most = self.block.room().1.saturating_sub(2).clamp(1, MOST_ROWS);
        let width = open()
            .take(most)
            .map(|(_, row)| row.name.chars().count())
            .max()
            .unwrap_or(0)
            .min(40);
        let mut lines: Vec<Line> = open()
            .take(most)
            .map(|(index, row)| {
                let name = Line::of(Role::One(index), &format!("{:<width$}", row.name));
                name.with(Role::Quiet, &format!(" {}", row.last))
            })
            .collect();
        let left = open().count();
        if left > most {
            lines.push(Line::of(Role::Quiet, &format!("and {} more", left - most)));
        }
        if left > 0 {
            let waits = format!("waiting for {left} of {}, {}", self.rows.len(), self.took());
            let waits = format!("{waits} · Ctrl-C stops waiting, runs go on");
            lines.push(Line::of(Role::Quiet, &waits));
        }
        self.block.draw(above, &lines);
    }
}
