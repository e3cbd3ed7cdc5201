//! What commands write to stderr, handed on as it comes: as it is where one runs at a time, with a
//! name before each line where several do.
//!
//! Owns the beginnings of lines that are not complete yet. Loses nothing: what is left is handed on
//! when its command ends.

use materia_engine::api::ChildId;

use super::screen::Screen;
use super::style::Role;

/// How long a line may become before it is handed on in pieces.
const LONGEST_LINE: usize = 8 << 10;
/// How much of a name stands before a line.
const LONGEST_NAME: usize = 24;

/// The commands that run.
#[derive(Debug, Default)]
pub(super) struct Relay {
    rows: Vec<Row>,
    started: usize,
    /// Whether several ran at the same time, ever.
    several: bool,
}

#[derive(Debug)]
struct Row {
    leaf: ChildId,
    name: String,
    number: usize,
    begun: Vec<u8>,
}

impl Relay {
    pub(super) fn started(&mut self, leaf: ChildId, name: String) {
        self.rows.push(Row {
            leaf,
            name,
            number: self.started,
            begun: Vec::new(),
        });
        self.started += 1;
        self.several |= self.rows.len() > 1;
    }

    pub(super) fn said(&mut self, screen: Screen, leaf: ChildId, bytes: &[u8]) {
        match self.rows.iter_mut().find(|row| row.leaf == leaf) {
            Some(row) if self.several => row.said(screen, bytes),
            _ => screen.relay(bytes),
        }
    }

    pub(super) fn ended(&mut self, screen: Screen, leaf: ChildId) {
        if let Some(at) = self.rows.iter().position(|row| row.leaf == leaf) {
            let mut row = self.rows.remove(at);
            if !row.begun.is_empty() {
                row.said(screen, b"\n");
            }
        }
    }
}

impl Row {
    fn said(&mut self, screen: Screen, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
        if self.begun.len() > LONGEST_LINE {
            self.begun.push(b'\n');
        }
        let Some(end) = self.begun.iter().rposition(|byte| *byte == b'\n') else {
            return;
        };
        let whole: Vec<u8> = self.begun.drain(..=end).collect();
        let name: String = self.name.chars().take(LONGEST_NAME).collect();
        let prefix = Role::One(self.number).paint(&format!("{name} |"), screen.talks_in_colour());
        let mut text = Vec::with_capacity(whole.len() + 64);
        for line in whole.split_inclusive(|byte| *byte == b'\n') {
            text.extend_from_slice(prefix.as_bytes());
            text.push(b' ');
            text.extend_from_slice(line);
        }
        screen.relay(&text);
    }
}
