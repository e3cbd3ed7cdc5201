//! Redaction of text that comes in pieces.
//!
//! Owns what is held back between two pieces: only what may still become a secret, and never more
//! than a key can be long. The pieces together come out as the whole text would.

use super::{Next, REDACTED, Secrets, earlier};

/// Takes secrets out of text that comes in pieces.
#[derive(Debug)]
pub struct RedactedStream<'s> {
    secrets: &'s Secrets,
    held: Vec<u8>,
    /// The two bytes before what is held.
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

    /// Takes a piece and adds what is certain to `out`.
    pub fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        self.held.extend_from_slice(piece);
        self.advance(out, false);
    }

    /// Adds what was held back; nothing follows.
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
