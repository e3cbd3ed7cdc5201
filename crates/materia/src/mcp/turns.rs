//! Turns of casts that a host plays in its own conversation.
//!
//! Owns the socket where drivers find the host, and which turn is whose. A turn is a connection: it
//! lasts as long as its driver wants it, and when the host dies, the driver notices by its end.
//! Never looks into a turn: lines of the driver go to the host, lines of the host to the driver.

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

/// The longest line of either side, in bytes: an answer is at most so long.
const LONGEST: u64 = 16 << 20;
/// How many turns may wait for the host at a time.
const MOST: usize = 64;

/// The turns of one host.
#[derive(Debug)]
pub(super) struct Turns {
    socket: HostSocket,
    /// Set while this host listens.
    listening: Mutex<Option<HostGuard>>,
    playing: Playing,
}

/// Where the lines of the host go, by the number of the turn.
type Playing = Arc<Mutex<HashMap<u64, UnboundedSender<Value>>>>;

impl Turns {
    /// For a host that is found here, once it says that it plays.
    pub(super) fn new(socket: HostSocket) -> Self {
        Self {
            socket,
            listening: Mutex::new(None),
            playing: Playing::default(),
        }
    }

    /// Lets drivers find the host; what comes back is what they want of it.
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

    /// Hands lines of the host to a turn; false when nobody waits for it any more.
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

/// Carries one turn until its driver is gone, or it is over.
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

/// Tells the host what the driver says, until it says nothing more.
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

/// Tells the driver what the host says, until the turn is over.
async fn say(mut lines: UnboundedReceiver<Value>, mut into: OwnedWriteHalf) {
    while let Some(line) = lines.recv().await {
        let text = format!("{line}\n");
        if into.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// Reads one line, bounded; how much there was.
pub(super) fn line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    from.by_ref().take(LONGEST).read_until(b'\n', line)
}
