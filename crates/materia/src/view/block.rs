//! The live lines at the bottom of a terminal: redrawn in place, and never wider than the terminal.
//!
//! Owns the cursor of stderr while live lines are shown. Permanent lines are written above them in
//! the same write, so the scrollback holds only finished lines. Does not know what the lines mean.

use unicode_width::UnicodeWidthChar;

use super::screen::Screen;
use super::style::Role;

/// One line: pieces of text, each with its style.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line(Vec<(Option<Role>, String)>);

impl Line {
    /// A line with one piece in this style.
    pub(super) fn of(role: Role, text: &str) -> Self {
        Self::default().with(role, text)
    }

    /// Appends a piece without style.
    pub(super) fn and(mut self, text: &str) -> Self {
        self.0.push((None, text.to_owned()));
        self
    }

    /// Appends a piece in this style.
    pub(super) fn with(mut self, role: Role, text: &str) -> Self {
        self.0.push((Some(role), text.to_owned()));
        self
    }

    /// Appends the pieces of another line.
    pub(super) fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Truncates the line to this many columns.
    pub(super) fn cut(mut self, columns: usize) -> Self {
        let mut left = columns;
        for (_, text) in &mut self.0 {
            let (fits, wide) = fitted(text, left);
            (*text, left) = (fits, left - wide);
        }
        self
    }

    /// The width in columns.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| width(text)).sum()
    }

    /// Renders as much of the line as fits, and returns the columns that it takes.
    pub(super) fn fitted(&self, columns: usize, colour: bool) -> (String, usize) {
        let (mut drawn, mut used) = (String::new(), 0);
        for (role, text) in &self.0 {
            let (fits, wide) = fitted(text, columns - used);
            drawn.push_str(&role.map_or_else(|| fits.clone(), |role| role.paint(&fits, colour)));
            used += wide;
            if fits.chars().count() < text.chars().count() {
                break;
            }
        }
        (drawn, used)
    }
}

/// The width of a text in columns.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|one| one.width().unwrap_or(1)).sum()
}

/// Truncates a text to this many columns and marks the cut with `…`. Control characters become
/// spaces.
pub(super) fn fitted(text: &str, columns: usize) -> (String, usize) {
    let plain: String = text
        .chars()
        .map(|one| if one.is_control() { ' ' } else { one })
        .collect();
    let whole = width(&plain);
    if whole <= columns {
        return (plain, whole);
    }
    let (mut kept, mut used) = (String::new(), 0);
    for one in plain.chars() {
        let wide = one.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        used += wide;
        kept.push(one);
    }
    if columns == 0 {
        return (kept, 0);
    }
    kept.push('…');
    (kept, used + 1)
}

/// Lines that are redrawn in place.
#[derive(Debug)]
pub(super) struct Block {
    screen: Screen,
    /// The width of each line that is currently drawn.
    drawn: Vec<usize>,
}

impl Block {
    /// A block with nothing drawn yet.
    pub(super) fn new(screen: Screen) -> Self {
        Self {
            screen,
            drawn: Vec::new(),
        }
    }

    /// The columns and rows that live lines may take. Smaller than the terminal, so that nothing
    /// wraps or scrolls off the screen.
    pub(super) fn room(&self) -> (usize, usize) {
        let (width, height) = self.screen.size();
        (
            width.saturating_sub(1).max(1),
            height.saturating_sub(2).max(1),
        )
    }

    /// Replaces the live lines, and writes permanent lines above them.
    pub(super) fn draw(&mut self, above: &[Line], lines: &[Line]) {
        let (columns, rows) = self.room();
        let colour = self.screen.talks_in_colour();
        let mut text = self.erased();
        // Permanent lines may wrap: they are never redrawn.
        for line in above {
            text.push_str(&line.fitted(usize::MAX, colour).0);
            text.push('\n');
        }
        for line in lines.iter().take(rows) {
            let (drawn, wide) = line.fitted(columns, colour);
            text.push_str(&drawn);
            text.push('\n');
            self.drawn.push(wide);
        }
        if !text.is_empty() {
            self.screen.live(&text);
        }
    }

    /// Erases the live lines.
    pub(super) fn clear(&mut self) {
        self.draw(&[], &[]);
    }

    /// The escape sequence that erases the live lines. If the terminal became narrower, they have
    /// wrapped since they were drawn.
    fn erased(&mut self) -> String {
        let (columns, _) = self.screen.size();
        let rows: usize = self
            .drawn
            .drain(..)
            .map(|wide| wide.div_ceil(columns.max(1)).max(1))
            .sum();
        if rows == 0 {
            String::new()
        } else {
            format!("\u{1b}[{rows}A\r\u{1b}[J")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_never_wrap() {
        assert_eq!(fitted("abcdef", 4), ("abc…".to_owned(), 4));
        assert_eq!(fitted("日本語", 6), ("日本語".to_owned(), 6));
        assert_eq!(fitted("日本語", 5), ("日本…".to_owned(), 5));
        assert_eq!(fitted("a\tb\nc", 80), ("a b c".to_owned(), 5));
        assert_eq!(fitted("ab", 0), (String::new(), 0));
    }

    #[test]
    fn pieces_share_the_room() {
        let line = Line::of(Role::Good, "done")
            .and(" abc")
            .with(Role::Quiet, "more");
        assert_eq!(line.width(), 12);
        assert_eq!(line.fitted(12, false), ("done abcmore".to_owned(), 12));
        assert_eq!(line.fitted(9, false), ("done abc…".to_owned(), 9));
        assert_eq!(line.fitted(6, false), ("done …".to_owned(), 6));
        assert!(
            line.fitted(12, true)
                .0
                .contains("\u{1b}[32mdone\u{1b}[0m abc")
        );
    }
}
