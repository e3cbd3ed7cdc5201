//! The wire format: one JSON document per line, in and out.
//!
//! Owns the limit on a line and the errors for invalid lines: each gets an error response, and the
//! connection continues. A thread reads stdin, because not every kind of stdin can be polled.

use std::io::{self, BufRead, BufReader, Read};

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::view::Screen;

/// Maximum length of a message in bytes: a template or a message body, plus its envelope.
const LONGEST_LINE: usize = 4 << 20;
/// Maximum number of messages that wait to be answered.
const WAITING: usize = 64;

/// Lines on stdin and stdout.
#[derive(Debug)]
pub(super) struct Transport {
    lines: mpsc::Receiver<Line>,
    screen: Screen,
    /// Whether a request has arrived: earlier notifications cannot belong to any session.
    begun: bool,
}

#[derive(Debug)]
enum Line {
    Whole(Vec<u8>),
    TooLong,
}

impl Transport {
    /// Starts to read.
    pub(super) fn open(screen: Screen) -> Self {
        let (sender, lines) = mpsc::channel(WAITING);
        std::thread::spawn(move || read(&mut BufReader::new(io::stdin()), &sender));
        Self {
            lines,
            screen,
            begun: false,
        }
    }

    /// Parses a line. Answers invalid lines itself.
    fn message(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let value: Value = match serde_json::from_slice(line) {
            Ok(value) => value,
            Err(error) => {
                self.refuse(
                    &Value::Null,
                    -32700,
                    &format!("this line is no JSON: {error}"),
                );
                return None;
            }
        };
        let request = value.get("method").is_some() && value.get("id").is_some();
        if !self.begun && !request {
            // Before the first request, a notification has no meaning.
            return None;
        }
        let id = value.get("id").cloned().unwrap_or_default();
        match serde_json::from_value(value) {
            Ok(message) => {
                self.begun = true;
                Some(message)
            }
            Err(error) => {
                self.refuse(
                    &id,
                    -32600,
                    &format!("this is no JSON-RPC 2.0 message: {error}"),
                );
                None
            }
        }
    }

    fn refuse(&self, id: &Value, code: i32, message: &str) {
        let id = if id.is_string() || id.is_number() {
            id
        } else {
            &Value::Null
        };
        let answer = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": bounded(message)}});
        self.screen.document(&answer);
    }
}

fn bounded(message: &str) -> String {
    materia_model::text::bounded(message, 500).into_owned()
}

impl rmcp::transport::Transport<RoleServer> for Transport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.screen.document(&item);
        let heard = self.screen.was_heard();
        async move {
            if heard {
                Ok(())
            } else {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.lines.recv().await? {
                Line::Whole(line) => {
                    if let Some(message) = self.message(&line) {
                        return Some(message);
                    }
                }
                Line::TooLong => {
                    let message = format!("a message may have at most {LONGEST_LINE} bytes");
                    self.refuse(&Value::Null, -32600, &message);
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close();
        Ok(())
    }
}

/// Reads lines until EOF, or until the receiver is dropped.
fn read(input: &mut impl BufRead, to: &mpsc::Sender<Line>) {
    loop {
        let mut line = Vec::new();
        let read = input
            .by_ref()
            .take(LONGEST_LINE as u64 + 1)
            .read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() > LONGEST_LINE && line.last() != Some(&b'\n') => {
                if skip_line(input).is_err() {
                    return;
                }
                Line::TooLong
            }
            Ok(_) => Line::Whole(line),
        };
        if to.blocking_send(line).is_err() {
            return;
        }
    }
}

/// Skips the rest of a line without keeping it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let part = input.fill_buf()?;
        let end = part.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(part.len(), |end| end + 1);
        let over = end.is_some() || part.is_empty();
        input.consume(length);
        if over {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_the_next_one_is_read_as_ever() {
        let mut text = b"one\n".to_vec();
        text.extend(vec![b'x'; LONGEST_LINE + 5]);
        text.extend(b"\ntwo\nthree");
        let (sender, mut lines) = mpsc::channel(8);
        read(&mut BufReader::new(text.as_slice()), &sender);
        drop(sender);
        let mut seen = Vec::new();
        while let Ok(line) = lines.try_recv() {
            seen.push(match line {
                Line::Whole(line) => String::from_utf8(line).unwrap(),
                Line::TooLong => "too long".to_owned(),
            });
        }
        assert_eq!(seen, ["one\n", "too long", "two\n", "three"]);
    }
}
