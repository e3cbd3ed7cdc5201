//! Runs that are waited for, live on a terminal: a line each with what it last said, and one that
//! stays when it ends.
//!
//! Owns the picture; whoever waits tells it what is seen. Elsewhere than on a terminal nothing is
//! drawn.

use std::sync::{Arc, Mutex};

use materia_engine::clock::Stopwatch;
use materia_model::run::Status;
use materia_model::text::printable;

use super::block::{Block, Line};
use super::run::seconds;
use super::screen::Screen;
use super::status;
use super::style::Role;
use super::ticker::{Ticker, locked};

/// How many runs have a line.
const MOST_ROWS: usize = 20;

/// Shows runs that are waited for.
#[derive(Debug)]
pub struct WaitView {
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

/// Somebody who tells what one run does.
#[derive(Debug)]
pub struct Teller {
    picture: Arc<Mutex<Picture>>,
    index: usize,
}

impl WaitView {
    /// A view of these runs, where there is a terminal for it.
    pub fn new<'a>(screen: Screen, runs: impl Iterator<Item = &'a str>) -> Option<Self> {
        let row = |run: &str| Row {
            name: format!("run:{run}"),
            last: String::new(),
            over: false,
        };
        let rows = runs.map(row).collect();
        let picture = Picture {
            block: Block::new(screen),
            rows,
            since: Stopwatch::start(),
        };
        let picture = Arc::new(Mutex::new(picture));
        screen.is_live().then(|| {
            let clock = Some(Ticker::start(&picture, |picture| picture.draw(&[])));
            Self { picture, clock }
        })
    }

    /// Takes the picture away; runs of which nobody told yet that they are over are told now.
    pub fn ended(self, statuses: impl Iterator<Item = Status>) {
        for (index, status) in statuses
            .enumerate()
            .filter(|(_, status)| status.is_terminal())
        {
            self.teller(index).ended(status);
        }
    }

    /// Somebody who tells about the run of this number.
    pub fn teller(&self, index: usize) -> Teller {
        Teller {
            picture: self.picture.clone(),
            index,
        }
    }
}

impl Drop for WaitView {
    fn drop(&mut self) {
        self.clock = None;
        let mut picture = locked(&self.picture);
        picture.rows.clear();
        picture.block.clear();
    }
}

impl Teller {
    /// The run wrote this.
    pub fn saw(&self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let last = text
            .lines()
            .rev()
            .map(str::trim)
            .find(|line| !line.is_empty());
        let mut picture = locked(&self.picture);
        if let (Some(row), Some(last)) = (picture.rows.get_mut(self.index), last) {
            row.last = printable(last).into_owned();
        }
    }

    /// The run is over.
    pub fn ended(&self, how: Status) {
        let mut picture = locked(&self.picture);
        let took = picture.took();
        let Some(row) = picture.rows.get_mut(self.index).filter(|row| !row.over) else {
            return;
        };
        row.over = true;
        let word = format!("{:<9}", how.as_str());
        let line = Line::of(status::role(how), &word)
            .with(Role::One(self.index), &format!(" {}", row.name));
        let line = line.with(Role::Quiet, &format!(" (after {took})"));
        picture.draw(&[line]);
    }
}

impl Picture {
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
