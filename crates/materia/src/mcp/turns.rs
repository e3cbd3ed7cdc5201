//! Turns of casts that a host plays in its own conversation.
//!
//! Owns the socket where drivers find the host, and the mapping of turns to connections. A turn is
//! a connection: it lasts until its driver closes it, and if the host dies, the driver sees EOF.
//! Never looks into a turn: forwards the lines of the driver to the host and those of the host to
//! the driver.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use materia_engine::api::{HostGuard, HostSocket};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Maximum length of a line in bytes, in either direction; also bounds an answer.
const LONGEST: u64 = 16 << 20;
/// Maximum number of turns that wait for the host.
const MOST: usize = 64;

/// The turns of one host.
#[derive(Debug)]
pub(super) struct Turns {
    socket: HostSocket,
    /// Set while this host listens.
    listening: Mutex<Option<HostGuard>>,
    playing: Playing,
}

/// The channels for the lines of the host, by the number of the turn.
type Playing = Arc<Mutex<HashMap<u64, UnboundedSender<Value>>>>;

impl Turns {
    /// For the host behind this socket; it does not listen yet.
    pub(super) fn new(socket: HostSocket) -> Self {
        Self {
            socket,
            listening: Mutex::new(None),
            playing: Playing::default(),
        }
    }

    /// Starts to listen for drivers. The receiver yields their requests.
    pub(super) fn open(&self) -> io::Result<UnboundedReceiver<Value>> {
        let (listener, guard) = self.socket.listen()?;
        let listener = UnixListener::from_std(listener)?;
        let listening = self.listening.lock();
        *listening.unwrap_or_else(PoisonError::into_inner) = Some(guard);
        let (to, told) = unbounded_channel();
        let playing = Arc::clone(&self.playing);
        tokio::spawn(async move {
            let count = AtomicU64::new(0);
            while let Ok((stream, _)) = listener.accept().await {
                let turn = count.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(carry(turn, stream, Arc::clone(&playing), to.clone()));
            }
        });
        Ok(told)
    }

    /// Forwards lines of the host to a turn. Returns false if its driver is gone.
    pub(super) fn tell(&self, params: &Value) -> bool {
        let playing = self.playing.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(turn) = params["turn"].as_u64().and_then(|turn| playing.get(&turn)) else {
            return false;
        };
        params["lines"]
            .as_array()
            .into_iter()
            .flatten()
            .all(|line| turn.send(line.clone()).is_ok())
    }
}

/// Forwards one turn until its driver is gone or the turn is over.
async fn carry(turn: u64, stream: UnixStream, playing: Playing, to: UnboundedSender<Value>) {
    let (from, into) = stream.into_split();
    let (sender, lines) = unbounded_channel();
    {
        let mut playing = playing.lock().unwrap_or_else(PoisonError::into_inner);
        if playing.len() >= MOST {
            return;
        }
        playing.insert(turn, sender);
    }
    tokio::select! {
        () = hear(turn, from, &to) => {}
        () = say(lines, into) => {}
    }
    playing
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .remove(&turn);
    let _gone = to.send(json!({"turn": turn, "gone": true}));
}

/// Forwards the driver's lines to the host until EOF.
async fn hear(turn: u64, from: OwnedReadHalf, to: &UnboundedSender<Value>) {
    let mut from = BufReader::new(from);
    loop {
        let mut line = Vec::new();
        let read = (&mut from).take(LONGEST).read_until(b'\n', &mut line).await;
        if !matches!(read, Ok(more) if more > 0) {
            return;
        }
        let Ok(line) = serde_json::from_slice::<Value>(&line) else {
            return;
        };
        if to.send(json!({"turn": turn, "line": line})).is_err() {
            return;
        }
    }
}

/// Forwards the host's lines to the driver until the turn is over.
async fn say(mut lines: UnboundedReceiver<Value>, mut into: OwnedWriteHalf) {
    while let Some(line) = lines.recv().await {
        let text = format!("{line}\n");
        if into.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads one line, bounded. Returns the number of bytes read.
pub(super) fn line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    from.by_ref().take(LONGEST).read_until(b'\n', line)
}
