//! Redaction of text that comes in pieces.
//!
//! Owns the bytes held back between two pieces: only what may still become a secret, and never more
//! than the longest key. The result does not depend on how the text is split.

use super::{Next, REDACTED, Secrets, earlier};

/// Redacts text that comes in pieces.
#[derive(Debug)]
pub struct RedactedStream<'s> {
    secrets: &'s Secrets,
    held: Vec<u8>,
    /// The two bytes before the held ones.
    before: [u8; 2],
}

impl<'s> RedactedStream<'s> {
    pub(super) fn new(secrets: &'s Secrets) -> Self {
        Self {
            secrets,
            held: Vec::new(),
            before: [0; 2],
        }
    }

    /// Adds a piece and appends what is decided to `out`.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(piece);
        self.advance(out, false);
    }

    /// Appends the held bytes; nothing follows.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.advance(out, true);
    }

    fn advance(&mut self, out: &mut Vec<u8>, whole: bool) {
        let mut at = 0;
        let rest = loop {
            match self.secrets.next(&self.held, at, self.before, whole) {
                Next::Secret { start, end } => {
                    out.extend_from_slice(&self.held[at..start]);
                    out.extend_from_slice(REDACTED.as_bytes());
                    at = end;
                }
                Next::Open(from) => break from,
                Next::Nothing => break self.held.len(),
            }
        };
        out.extend_from_slice(&self.held[at..rest]);
        self.before = [2, 1].map(|back| earlier(&self.held, at, self.before, rest, back));
        self.held.drain(..rest);
    }
}
