//! What the inspector shows and what the user is doing: pure, so that it can be tested as a table.
//!
//! Owns the selection, the filter, the tabs and the line that is being typed. Never reads, never
//! draws.

use materia_engine::api::TopSide;
use ratatui::layout::Rect;

use super::rows::Row;

/// What the user is doing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// Looking around.
    #[default]
    Browse,
    /// Typing a filter.
    Filter,
    /// Typing a message.
    Say(String),
    /// Typing an answer for a cast that waits; it may be empty.
    Answer(String),
    /// Asked to confirm an action.
    Confirm(Action),
    /// Reading the keys.
    Help,
}

/// An action on a run or cast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) row: Row,
    pub(super) kind: ActionKind,
}

/// What an action does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ActionKind {
    /// Ends it.
    Kill,
    /// Lets it go on.
    Continue,
    /// Sends it a message.
    Say(String),
}

/// What follows from a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyEffect {
    /// Only the picture changed.
    Redraw,
    /// Another run, cast or side is selected.
    Reload,
    /// An action is performed.
    Perform(Action),
    /// The inspector ends.
    Quit,
}

/// Where things were drawn, for the mouse.
#[derive(Debug, Default)]
pub(super) struct Areas {
    pub(super) list: Rect,
    pub(super) detail: Rect,
    pub(super) tabs: Vec<(Rect, TopSide)>,
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
    pub(super) tab: TopSide,
    pub(super) mode: Mode,
    pub(super) detail: Vec<String>,
    /// Whether the end of the detail is shown, also when it grows.
    pub(super) follow: bool,
    /// How far the detail is scrolled down, while its end is not followed.
    pub(super) scroll: usize,
    /// What came of the last action.
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
            tab: TopSide::Tail,
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
        let key = self.row().map(Row::key);
        self.all = rows;
        self.reselect(key);
    }

    fn reselect(&mut self, key: Option<(bool, String)>) {
        let shown = self.shown();
        let found = key.and_then(|key| shown.iter().position(|row| row.key() == key));
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

    /// How many rows fit.
    pub(super) fn count(&self, fits: impl Fn(&Row) -> bool) -> usize {
        self.all.iter().filter(|row| fits(row)).count()
    }

    /// What is selected.
    pub(super) fn row(&self) -> Option<&Row> {
        self.shown().get(self.selected).copied()
    }

    /// Changes the filter; what was selected stays so where it still fits.
    pub(super) fn filter(&mut self, change: impl FnOnce(&mut String)) -> KeyEffect {
        let key = self.row().map(Row::key);
        change(&mut self.filter);
        self.reselect(key);
        self.turned()
    }

    /// Selects the row so many further down, or up.
    pub(super) fn step(&mut self, by: isize) -> KeyEffect {
        let last = self.shown().len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        self.select(to)
    }

    /// Selects the row at a place.
    pub(super) fn select(&mut self, to: usize) -> KeyEffect {
        if to >= self.shown().len() || to == self.selected {
            return KeyEffect::Redraw;
        }
        self.selected = to;
        self.turned()
    }

    /// Shows another side.
    pub(super) fn turn(&mut self, to: TopSide) -> KeyEffect {
        self.tab = to;
        self.turned()
    }

    /// Shows the side so many further.
    pub(super) fn turn_by(&mut self, by: usize) -> KeyEffect {
        let at = TopSide::ALL
            .iter()
            .position(|tab| *tab == self.tab)
            .unwrap_or(0);
        self.turn(TopSide::ALL[(at + by) % TopSide::ALL.len()])
    }

    fn turned(&mut self) -> KeyEffect {
        (self.scroll, self.follow, self.told) = (0, true, None);
        KeyEffect::Reload
    }

    /// Scrolls the detail; at its end it is followed again.
    pub(super) fn scroll(&mut self, by: isize) -> KeyEffect {
        let room = usize::from(self.areas.detail.height);
        let end = self.detail.len().saturating_sub(room);
        let from = if self.follow { end } else { self.scroll };
        self.scroll = from.saturating_add_signed(by).min(end);
        self.follow = self.scroll >= end;
        KeyEffect::Redraw
    }

    /// The lines of the detail from the one that is drawn first.
    pub(super) fn seen(&self, room: usize) -> &[String] {
        let end = self.detail.len().saturating_sub(room);
        // A list is read from its top, a log from its end.
        let from = match (self.follow, self.tab) {
            (true, TopSide::Tail | TopSide::Messages | TopSide::Room) => end,
            (true, _) => 0,
            (false, _) => self.scroll.min(end),
        };
        &self.detail[from..(from + room).min(self.detail.len())]
    }
}
