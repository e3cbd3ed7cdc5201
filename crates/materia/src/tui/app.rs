//! What the inspector shows and what the person is doing: pure, so that it can be tested as a
//! table.
//!
//! Owns the selection, the filter, the tabs and the line that is being typed. Never reads, never
//! draws.

use ratatui::layout::Rect;

use super::rows::{Kind, Row};

/// A side of what is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    /// What it writes.
    Tail,
    /// What it says and is told.
    Messages,
    /// Who else is there, and what is said among them.
    Room,
    /// What it made.
    Artifacts,
    /// What runs below it.
    Processes,
}

impl Tab {
    pub(super) const ALL: [Self; 5] = [
        Self::Tail,
        Self::Messages,
        Self::Room,
        Self::Artifacts,
        Self::Processes,
    ];

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Tail => "tail",
            Self::Messages => "messages",
            Self::Room => "room",
            Self::Artifacts => "artifacts",
            Self::Processes => "processes",
        }
    }
}

/// What the person is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// Looking around.
    #[default]
    Browse,
    /// Typing a filter.
    Filter,
    /// Typing a message.
    Say(String),
    /// Typing what a cast that waits is told; it may be nothing.
    Answer(String),
    /// Asked whether they mean it.
    Confirm(Deed),
    /// Reading the keys.
    Help,
}

/// Something to be done with what is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Deed {
    pub(super) row: Row,
    pub(super) what: What,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// It ends.
    Kill,
    /// It goes on.
    Continue,
    /// It is told something.
    Say(String),
}

/// What follows from a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The picture alone changed.
    Nothing,
    /// Something else is looked at.
    Look,
    /// Something is done.
    Do(Deed),
    /// The person has seen enough.
    Leave,
}

/// Where things were drawn, for the mouse.
#[derive(Debug, Default)]
pub(super) struct Areas {
    pub(super) list: Rect,
    pub(super) detail: Rect,
    pub(super) tabs: Vec<(Rect, Tab)>,
}

/// Everything that is shown.
#[derive(Debug)]
pub(super) struct App {
    all: Vec<Row>,
    pub(super) filter: String,
    /// The place of the selection among the rows that fit.
    pub(super) selected: usize,
    /// The first row that is drawn.
    pub(super) first: usize,
    pub(super) tab: Tab,
    pub(super) mode: Mode,
    pub(super) detail: Vec<String>,
    /// Whether the end of the detail is shown, also when it grows.
    pub(super) follow: bool,
    /// How far the detail is scrolled down, while its end is not followed.
    pub(super) scroll: usize,
    /// How the last deed went.
    pub(super) told: Option<Result<String, String>>,
    pub(super) colour: bool,
    pub(super) areas: Areas,
}

impl App {
    pub(super) fn new(colour: bool) -> Self {
        Self {
            all: Vec::new(),
            filter: String::new(),
            selected: 0,
            first: 0,
            tab: Tab::Tail,
            mode: Mode::Browse,
            detail: Vec::new(),
            follow: true,
            scroll: 0,
            told: None,
            colour,
            areas: Areas::default(),
        }
    }

    /// Takes new rows; the same thing stays selected, wherever it stands now.
    pub(super) fn rows(&mut self, rows: Vec<Row>) {
        let key = self.row().map(|row| (row.kind, row.id.clone()));
        self.all = rows;
        self.reselect(key);
    }

    fn reselect(&mut self, key: Option<(Kind, String)>) {
        let shown = self.shown();
        let found = key.and_then(|(kind, id)| {
            shown
                .iter()
                .position(|row| row.kind == kind && row.id == id)
        });
        let last = shown.len().saturating_sub(1);
        self.selected = found.unwrap_or(self.selected).min(last);
    }

    /// The rows that fit the filter.
    pub(super) fn shown(&self) -> Vec<&Row> {
        self.all
            .iter()
            .filter(|row| row.fits(&self.filter))
            .collect()
    }

    /// How many rows there are in all.
    pub(super) fn total(&self) -> usize {
        self.all.len()
    }

    /// How many stand like this.
    pub(super) fn count(&self, is: impl Fn(&Row) -> bool) -> usize {
        self.all.iter().filter(|row| is(row)).count()
    }

    /// What is selected.
    pub(super) fn row(&self) -> Option<&Row> {
        self.shown().get(self.selected).copied()
    }

    /// Changes the filter; what was selected stays so where it still fits.
    pub(super) fn filter(&mut self, change: impl FnOnce(&mut String)) -> Then {
        let key = self.row().map(|row| (row.kind, row.id.clone()));
        change(&mut self.filter);
        self.reselect(key);
        self.turned()
    }

    /// Selects the row so many further down, or up.
    pub(super) fn step(&mut self, by: isize) -> Then {
        let last = self.shown().len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        self.select(to)
    }

    /// Selects the row at a place.
    pub(super) fn select(&mut self, to: usize) -> Then {
        if to >= self.shown().len() || to == self.selected {
            return Then::Nothing;
        }
        self.selected = to;
        self.turned()
    }

    /// Shows another side.
    pub(super) fn turn(&mut self, to: Tab) -> Then {
        self.tab = to;
        self.turned()
    }

    /// Shows the side so many further.
    pub(super) fn turn_by(&mut self, by: usize) -> Then {
        let at = Tab::ALL
            .iter()
            .position(|tab| *tab == self.tab)
            .unwrap_or(0);
        self.turn(Tab::ALL[(at + by) % Tab::ALL.len()])
    }

    fn turned(&mut self) -> Then {
        (self.scroll, self.follow, self.told) = (0, true, None);
        Then::Look
    }

    /// Scrolls the detail; at its end it is followed again.
    pub(super) fn scroll(&mut self, by: isize) -> Then {
        let room = usize::from(self.areas.detail.height);
        let end = self.detail.len().saturating_sub(room);
        let from = if self.follow { end } else { self.scroll };
        self.scroll = from.saturating_add_signed(by).min(end);
        self.follow = self.scroll >= end;
        Then::Nothing
    }

    /// The lines of the detail from the one that is drawn first.
    pub(super) fn seen(&self, room: usize) -> &[String] {
        let end = self.detail.len().saturating_sub(room);
        // A list is read from its top, a log from its end.
        let from = match (self.follow, self.tab) {
            (true, Tab::Tail | Tab::Messages | Tab::Room) => end,
            (true, _) => 0,
            (false, _) => self.scroll.min(end),
        };
        &self.detail[from..(from + room).min(self.detail.len())]
    }
}
