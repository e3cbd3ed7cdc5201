//! What runs say and how they end, told to a host that can wake its agent: each until the host says that it heard.
//!
//! Owns the conversation with the observer's mark: it moves on only behind what was heard, so nothing is lost when either
//! end is killed in between. What is told again has the same id.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::run::Root;
use materia_engine::verb::inspect;
use materia_engine::verb::watch::{self, Listening, Whose};
use materia_model::name::{RunId, SessionId};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;

use super::brief;

/// How long somebody else may hold the observer's place before the host is told, in attempts.
const ATTEMPTS: u32 = 20;
/// How long to wait between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// The observer of one session.
#[derive(Debug)]
pub(super) struct News {
    root: Root,
    session: SessionId,
    /// The run that we are a part of, where the session is the run's.
    within: Option<RunId>,
    clock: Clock,
    heard: Mutex<Option<Sender<String>>>,
}

impl News {
    /// An observer that does not listen yet.
    pub(super) fn new(root: Root, session: SessionId, within: Option<RunId>, clock: Clock) -> Self {
        Self { root, session, within, clock, heard: Mutex::new(None) }
    }

    /// Begins to tell, once.
    pub(super) fn listen(&self, to: UnboundedSender<Value>) {
        let Ok(mut heard) = self.heard.lock() else { return };
        if heard.is_some() {
            return;
        }
        let (sender, hears) = channel();
        *heard = Some(sender);
        let (root, session, clock) = (self.root.clone(), self.session.clone(), self.clock.clone());
        let within = self.within.clone();
        // It sleeps in the kernel and ends with the process.
        std::thread::spawn(move || {
            let whose = Whose { session: Some(&session), within: within.as_ref() };
            observe(&root, whose, &clock, &to, &hears);
        });
    }

    /// The host heard this one.
    pub(super) fn heard(&self, id: &str) {
        if let Ok(heard) = self.heard.lock()
            && let Some(heard) = &*heard
        {
            let _gone = heard.send(id.to_owned());
        }
    }
}

/// Tells until nobody listens. Another host of the session may be about to end, so its place is waited for.
fn observe(
    root: &Root,
    whose: Whose<'_>,
    clock: &Clock,
    to: &UnboundedSender<Value>,
    hears: &Receiver<String>,
) {
    for attempt in 1.. {
        let told = watch::watch(root, whose, false, clock, |news| {
            let told = serde_json::to_value(news).unwrap_or_default();
            let status = status(root, &news.run, clock);
            tell(&told, status.as_ref(), to, hears)
        });
        let Err(error) = told else { return };
        if attempt == ATTEMPTS {
            let message = format!("{error}; {}", error.hint());
            let _gone = to.send(json!({"event": "deaf", "text": message}));
        }
        if hears.recv_timeout(PAUSE) == Err(RecvTimeoutError::Disconnected) {
            return;
        }
    }
}

/// How the run stands that the news are about: it may be that its cast asks for something.
fn status(root: &Root, run: &RunId, clock: &Clock) -> Option<Value> {
    let (place, state) = inspect::open(root, run, None, clock).ok()?;
    serde_json::to_value(inspect::status(&place, &state)).ok()
}

/// Tells one piece, and waits until it was heard.
fn tell(
    news: &Value,
    status: Option<&Value>,
    to: &UnboundedSender<Value>,
    hears: &Receiver<String>,
) -> Listening {
    let id = format!("{}:{}", news["run"].as_str().unwrap_or_default(), news["seq"]);
    let text = brief::news(news, status);
    let delivery = news["delivery"].clone();
    if to.send(json!({"id": id, "text": text, "delivery": delivery, "news": news})).is_err() {
        return Listening::No;
    }
    loop {
        match hears.recv() {
            Ok(heard) if heard == id => return Listening::Yes,
            Ok(_) => {}
            Err(_) => return Listening::No,
        }
    }
}
