//! The terminal while the inspector has it: raw, on its other screen, with the mouse; given back however we end.
//!
//! Owns taking and giving back. Drawing is `draw`'s.

use std::io::{self, Stdout};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableMouseCapture, EnableMouseCapture, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use super::app::App;
use super::draw;
use crate::view::Screen;

/// How many events are taken before the next picture.
const MOST: usize = 64;

/// A terminal that is ours.
pub(super) struct Terminal {
    drawn: ratatui::Terminal<CrosstermBackend<Stdout>>,
    screen: Screen,
}

impl Terminal {
    /// Takes the terminal.
    pub(super) fn enter(screen: Screen) -> io::Result<Self> {
        let drawn = ratatui::Terminal::new(CrosstermBackend::new(screen.canvas()))?;
        enable_raw_mode()?;
        let terminal = Self { drawn, screen };
        execute!(screen.canvas(), EnterAlternateScreen, EnableMouseCapture)?;
        Ok(terminal)
    }

    /// Draws the whole picture; what did not change is not written again.
    pub(super) fn draw(&mut self, app: &mut App) -> io::Result<()> {
        self.drawn.draw(|frame| draw::draw(frame, app)).map(drop)
    }

    /// What the person did since, without waiting.
    pub(super) fn events(&self) -> io::Result<Vec<Event>> {
        let mut events = Vec::new();
        while events.len() < MOST && event::poll(Duration::ZERO)? {
            events.push(event::read()?);
        }
        Ok(events)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _gone = execute!(self.screen.canvas(), DisableMouseCapture, LeaveAlternateScreen);
        let _gone = disable_raw_mode();
        let _gone = self.drawn.show_cursor();
    }
}
