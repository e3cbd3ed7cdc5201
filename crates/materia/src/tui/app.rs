//! The state of the inspector. Free of I/O, so that tests can drive it.
//!
//! Owns the selection, the filter, the tabs and the input line. Never reads, never draws.

use materia_engine::api::TopSide;
use ratatui::layout::Rect;

use super::rows::Row;

/// What the keys currently do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Mode {
    /// Moving through the list and the detail.
    #[default]
    Browse,
    /// Typing a filter.
    Filter,
    /// Typing a message.
    Say(String),
    /// Typing an answer for a paused cast. It may be empty.
    Answer(String),
    /// Waiting for the user to confirm an action.
    Confirm(Action),
    /// Reading the list of keys.
    Help,
}

/// An action on a run or cast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Action {
    pub(super) row: Row,
    pub(super) kind: ActionKind,
}

/// The kind of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ActionKind {
    /// Kills a run or aborts a cast.
    Kill,
    /// Continues it.
    Continue,
    /// Sends it a message.
    Say(String),
}

/// The effect of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyEffect {
    /// Redraw the screen.
    Redraw,
    /// Read the detail again: another row or tab is selected.
    Reload,
    /// Perform an action.
    Perform(Action),
    /// Quit the inspector.
    Quit,
}

/// The drawn areas, to find the target of a mouse event.
#[derive(Debug, Default)]
pub(super) struct Areas {
    pub(super) list: Rect,
    pub(super) detail: Rect,
    pub(super) tabs: Vec<(Rect, TopSide)>,
}

/// The state that is drawn.
#[derive(Debug)]
pub(super) struct App {
    all: Vec<Row>,
    pub(super) filter: String,
    /// The index of the selected row among those that match the filter.
    pub(super) selected: usize,
    /// The index of the first row that is drawn.
    pub(super) first: usize,
    pub(super) tab: TopSide,
    pub(super) mode: Mode,
    pub(super) detail: Vec<String>,
    /// Whether the detail stays scrolled to its end while it grows.
    pub(super) follow: bool,
    /// The first visible line of the detail while `follow` is off.
    pub(super) scroll: usize,
    /// The result of the last action.
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

    /// Replaces the rows. The same run or cast stays selected.
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

    /// The rows that match the filter.
    pub(super) fn shown(&self) -> Vec<&Row> {
        self.all
            .iter()
            .filter(|row| row.fits(&self.filter))
            .collect()
    }

    /// The number of all rows.
    pub(super) fn total(&self) -> usize {
        self.all.len()
    }

    /// The number of rows for which `fits` holds.
    pub(super) fn count(&self, fits: impl Fn(&Row) -> bool) -> usize {
        self.all.iter().filter(|row| fits(row)).count()
    }

    /// The selected row.
    pub(super) fn row(&self) -> Option<&Row> {
        self.shown().get(self.selected).copied()
    }

    /// Changes the filter. The selected row stays selected if it still matches.
    pub(super) fn filter(&mut self, change: impl FnOnce(&mut String)) -> KeyEffect {
        let key = self.row().map(Row::key);
        change(&mut self.filter);
        self.reselect(key);
        self.turned()
    }

    /// Moves the selection by this many rows.
    pub(super) fn step(&mut self, by: isize) -> KeyEffect {
        let last = self.shown().len().saturating_sub(1);
        let to = self.selected.saturating_add_signed(by).min(last);
        self.select(to)
    }

    /// Selects the row with this index.
    pub(super) fn select(&mut self, to: usize) -> KeyEffect {
        if to >= self.shown().len() || to == self.selected {
            return KeyEffect::Redraw;
        }
        self.selected = to;
        self.turned()
    }

    /// Shows another tab.
    pub(super) fn turn(&mut self, to: TopSide) -> KeyEffect {
        self.tab = to;
        self.turned()
    }

    /// Moves by this many tabs.
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

    /// Scrolls the detail. Follows its end again once the end is reached.
    pub(super) fn scroll(&mut self, by: isize) -> KeyEffect {
        let room = usize::from(self.areas.detail.height);
        let end = self.detail.len().saturating_sub(room);
        let from = if self.follow { end } else { self.scroll };
        self.scroll = from.saturating_add_signed(by).min(end);
        self.follow = self.scroll >= end;
        KeyEffect::Redraw
    }

    /// The lines of the detail from the first visible one.
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
