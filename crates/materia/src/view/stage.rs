//! The live display of a running cast: the graph, the current socket, the agent's output, and the
//! usage.
//!
//! Owns the display. A timer redraws it while the cast runs, so that durations advance even without
//! events. All permanent lines are written through this module, above the display. The cast never
//! waits for it and does not depend on it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use materia_engine::api::{Activity, Stopwatch};
use materia_model::agent::Usage;
use materia_model::cast::event::VisitId;
use materia_model::cast::state::VisitState;
use materia_model::cast::{CastEvent, CastEventBody, CastState};
use materia_model::loadout::graph::Graph;
use materia_model::text::{self, printable};

use super::amounts::{line, money, short, time};
use super::block::{Block, Line};
use super::screen::Screen;
use super::strip::{Walked, strip};
use super::style::Role;
use super::ticker::{Ticker, locked};

/// The strip of the graph takes at most this many rows.
const MOST_ROWS: usize = 3;
/// At most this many bytes of an agent's output are kept for its last line.
const LONGEST_SAID: usize = 2000;

/// The live display of a cast.
#[derive(Debug)]
pub(super) struct Stage {
    picture: Arc<Mutex<Picture>>,
    clock: Option<Ticker>,
}

#[derive(Debug)]
struct Picture {
    block: Block,
    graph: Option<Graph>,
    since: Stopwatch,
    /// Whether drawing is suspended.
    resting: bool,
    visit: Option<Working>,
    visits: BTreeMap<String, u64>,
    item: Option<(usize, usize, String)>,
    spent: Usage,
    turns: u64,
    /// The usage of the current turn so far.
    turn: Usage,
    said: String,
    interrupts: Option<Arc<AtomicUsize>>,
}

/// The current visit.
#[derive(Debug)]
struct Working {
    place: VisitId,
    attempt: u64,
    since: Stopwatch,
}

impl Stage {
    /// An empty display.
    pub(super) fn new(screen: Screen) -> Self {
        let picture = Arc::new(Mutex::new(Picture::new(screen)));
        let clock = Some(Ticker::start(&picture, |picture| picture.draw(&[])));
        Self { picture, clock }
    }

    /// Shows this graph from now on.
    pub(super) fn begin(&self, graph: &Graph) {
        let mut picture = locked(&self.picture);
        picture.graph = Some(graph.clone());
        picture.since = Stopwatch::start();
    }

    /// Shows from now on how often the user interrupted.
    pub(super) fn count_interrupts(&self, interrupts: Arc<AtomicUsize>) {
        locked(&self.picture).interrupts = Some(interrupts);
    }

    /// Applies an event and redraws.
    pub(super) fn event(&self, event: &CastEvent, state: &CastState) {
        let mut picture = locked(&self.picture);
        picture.resting = matches!(
            event.body,
            CastEventBody::CastEnd(_) | CastEventBody::SocketRefinement(_)
        );
        picture.take(event, state);
        if picture.resting {
            picture.block.clear();
        }
    }

    /// Shows the position of a cast that is resumed.
    pub(super) fn reopen(&self, state: &CastState) {
        locked(&self.picture).look(state);
    }

    /// Shows what an agent does.
    pub(super) fn activity(&self, activity: &Activity) {
        locked(&self.picture).activity(activity);
    }

    /// The columns of a line.
    pub(super) fn columns(&self) -> usize {
        locked(&self.picture).block.room().0
    }

    /// Writes permanent lines above the display.
    pub(super) fn above(&self, lines: &[Line]) {
        locked(&self.picture).draw(lines);
    }

    /// Erases the display until the next event.
    pub(super) fn rest(&self) {
        let mut picture = locked(&self.picture);
        picture.resting = true;
        picture.block.clear();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.clock = None;
        self.rest();
    }
}

impl Picture {
    fn new(screen: Screen) -> Self {
        Self {
            block: Block::new(screen),
            graph: None,
            since: Stopwatch::start(),
            resting: true,
            visit: None,
            visits: BTreeMap::new(),
            item: None,
            spent: Usage::default(),
            turns: 0,
            turn: Usage::default(),
            said: String::new(),
            interrupts: None,
        }
    }

    fn take(&mut self, event: &CastEvent, state: &CastState) {
        match &event.body {
            CastEventBody::SocketStart(_)
            | CastEventBody::AgentTurnStart(_)
            | CastEventBody::UtilityInput(_) => {
                self.said.clear();
            }
            CastEventBody::AgentTurnEnd(_) => self.turn = Usage::default(),
            _ => {}
        }
        self.look(state);
    }

    fn look(&mut self, state: &CastState) {
        let visit = state.visit();
        let same = |working: &Working, visit: &VisitState| {
            working.place == visit.place && working.attempt == visit.attempt
        };
        match visit {
            Some(visit)
                if !self
                    .visit
                    .as_ref()
                    .is_some_and(|working| same(working, visit)) =>
            {
                let (place, attempt) = (visit.place.clone(), visit.attempt);
                self.visit = Some(Working {
                    place,
                    attempt,
                    since: Stopwatch::start(),
                });
            }
            // The last visit stays visible until the next one begins.
            Some(_) | None => {}
        }
        self.visits.clone_from(&state.visits);
        let item = state.item.as_ref();
        self.item = item.map(|item| (item.bound.index + 1, item.bound.count, item.label.clone()));
        (self.spent, self.turns) = (state.spending.total, state.spending.turns);
    }

    fn activity(&mut self, activity: &Activity) {
        match activity {
            Activity::Text { text } => {
                self.said.push_str(text);
                if self.said.len() > LONGEST_SAID {
                    let from = self
                        .said
                        .ceil_char_boundary(self.said.len() - LONGEST_SAID / 2);
                    self.said.drain(..from);
                }
            }
            Activity::ToolStart { name, input } => {
                self.said = format!("{name} {}\n", line(input.trim(), 200));
            }
            Activity::Usage { usage } => self.turn = *usage,
            Activity::ToolEnd { .. } | Activity::Heard { .. } | Activity::Notice { .. } => {}
        }
    }

    fn draw(&mut self, above: &[Line]) {
        if self.resting {
            if !above.is_empty() {
                self.block.draw(above, &[]);
            }
            return;
        }
        let (columns, rows) = self.block.room();
        let mut lines = vec![Line::default()];
        let strip_rows = rows.saturating_sub(4).min(MOST_ROWS);
        lines.extend(
            self.graph
                .as_ref()
                .map(|graph| strip(graph, &self.walked(), columns, strip_rows))
                .unwrap_or_default(),
        );
        lines.extend(self.visit.as_ref().map(|working| self.working(working)));
        let said = self
            .said
            .lines()
            .rev()
            .map(str::trim)
            .find(|said| !said.is_empty());
        lines.extend(said.map(|said| Line::of(Role::Quiet, &format!("  {}", printable(said)))));
        lines.push(self.sums());
        self.block.draw(above, &lines);
    }

    fn walked(&self) -> Walked<'_> {
        Walked {
            current: self
                .visit
                .as_ref()
                .map(|working| working.place.socket.as_str()),
            visited: self
                .visits
                .iter()
                .filter(|(_, count)| **count > 0)
                .map(|(name, _)| name.as_str())
                .collect(),
            item: self
                .item
                .as_ref()
                .map(|(number, count, _)| (*number, *count)),
        }
    }

    fn working(&self, working: &Working) -> Line {
        let place = &working.place;
        let mut told = Line::of(Role::Strong, &format!("▶ {}", line(&place.materia, 40)));
        told = told.with(Role::Quiet, &format!(" {}", place.socket));
        if let Some((number, count, label)) = &self.item {
            told = told.and(&format!(
                "  item {number} of {count} {}",
                text::quoted(&line(label, 50))
            ));
        }
        if place.visit > 1 {
            told = told.with(Role::Quiet, &format!("  visit {}", place.visit));
        }
        if working.attempt > 1 {
            told = told.with(Role::Warning, &format!("  attempt {}", working.attempt));
        }
        told.with(Role::Quiet, &format!("  {}", elapsed(working.since)))
    }

    fn sums(&self) -> Line {
        let mut used = self.spent;
        used.add(&self.turn);
        let mut sums = vec![elapsed(self.since)];
        if used.total > 0 {
            sums.push(format!("{} tokens", short(used.total as f64)));
        }
        if used.cost > 0.0 {
            sums.push(money(used.cost));
        }
        if self.turns > 0 {
            sums.push(text::count(
                usize::try_from(self.turns).unwrap_or(usize::MAX),
                "turn",
            ));
        }
        let told = Line::of(Role::Quiet, &sums.join(" · "));
        match self
            .interrupts
            .as_ref()
            .map_or(0, |interrupts| interrupts.load(Ordering::Relaxed))
        {
            0 => told.with(Role::Quiet, " · Ctrl-C stops, resumable"),
            1 => told.with(Role::Warning, " · stopping; Ctrl-C once more kills"),
            _ => told.with(Role::Warning, " · killing"),
        }
    }
}

/// The elapsed time, with tenths of a second below one minute.
fn elapsed(since: Stopwatch) -> String {
    let millis = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    if millis < 1000 {
        format!("0.{} s", millis / 100)
    } else {
        time(millis)
    }
}
