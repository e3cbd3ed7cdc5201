//! Forwards what commands write to stderr: unchanged if one command runs at a time, with a name
//! before each line if several do.
//!
//! Owns incomplete lines. Loses nothing: the rest of a line is forwarded when its command ends.

use materia_engine::api::ChildId;

use super::screen::Screen;
use super::style::Role;

/// A longer line is forwarded in pieces.
const LONGEST_LINE: usize = 8 << 10;
/// At most this many characters of a name precede a line.
const LONGEST_NAME: usize = 24;

/// The running commands.
#[derive(Debug, Default)]
pub(super) struct Relay {
    rows: Vec<Row>,
    started: usize,
    /// Whether two commands ever ran at the same time.
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
