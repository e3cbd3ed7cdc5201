//! What runs say and how they end, told to a host that can wake its agent: each until the host says
//! that it heard.
//!
//! Owns the conversation with the observer's mark: it moves on only behind what was heard, so
//! nothing is lost when either end is killed in between, and whoever was answered that it is
//! remembered is never told again. What is told again has the same id.

use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::inspect;
use materia_engine::post;
use materia_engine::process::Interrupts;
use materia_engine::routing::watch::{self, Listener, Listening, Whose};
use materia_engine::run::Root;
use materia_model::name::{RunId, SessionId};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

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
    talk: Arc<Talk>,
}

impl News {
    /// An observer that does not listen yet.
    pub(super) fn new(root: Root, session: SessionId, within: Option<RunId>, clock: Clock) -> Self {
        Self {
            root,
            session,
            within,
            clock,
            talk: Arc::default(),
        }
    }

    /// Begins to tell, once.
    pub(super) fn listen(&self, to: UnboundedSender<Value>) {
        if std::mem::replace(&mut self.talk.now().begun, true) {
            return;
        }
        let (root, session, clock) = (self.root.clone(), self.session.clone(), self.clock.clone());
        let (within, talk) = (self.within.clone(), self.talk.clone());
        // It sleeps in the kernel and ends with the process.
        std::thread::spawn(move || {
            let whose = Whose {
                session: Some(&session),
                within: within.as_ref(),
            };
            observe(
                &Host {
                    root: &root,
                    clock: &clock,
                    to: &to,
                    talk: &talk,
                },
                whose,
            );
        });
    }

    /// The host heard this one. Answered when that is remembered; nothing is where nobody waits for
    /// it.
    pub(super) fn heard(&self, id: &str) -> Option<oneshot::Receiver<()>> {
        let mut now = self.talk.now();
        if now.told.as_deref() != Some(id) {
            return None;
        }
        let (answer, remembered) = oneshot::channel();
        now.heard.push(answer);
        self.talk.changed.notify_all();
        Some(remembered)
    }
}

impl Drop for News {
    fn drop(&mut self) {
        self.talk.now().closed = true;
        self.talk.changed.notify_all();
    }
}

/// What is said between the observer and the host.
#[derive(Debug, Default)]
struct Talk {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Now {
    begun: bool,
    closed: bool,
    /// What was told, until that is remembered.
    told: Option<String>,
    /// Those who heard it and want to know when it is.
    heard: Vec<oneshot::Sender<()>>,
}

impl Now {
    /// Something else is told, or nothing.
    fn begin(&mut self, told: Option<String>) {
        self.told = told;
        self.heard.clear();
    }
}

impl Talk {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what was told was heard; or until nobody listens any more, which is the answer.
    fn until_heard(&self) -> Listening {
        let waits = |now: &mut Now| !now.closed && now.heard.is_empty();
        let now = self
            .changed
            .wait_while(self.now(), waits)
            .unwrap_or_else(PoisonError::into_inner);
        if now.closed {
            Listening::No
        } else {
            Listening::Yes
        }
    }

    /// Waits a while; whether nobody listens any more.
    fn pause(&self) -> bool {
        let waits = |now: &mut Now| !now.closed;
        let waited = self.changed.wait_timeout_while(self.now(), PAUSE, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.closed
    }
}

/// Whom one observer tells.
struct Host<'a> {
    root: &'a Root,
    clock: &'a Clock,
    to: &'a UnboundedSender<Value>,
    talk: &'a Talk,
}

impl Listener for &Host<'_> {
    /// Tells one piece, and waits until it was heard.
    fn tell(&mut self, news: &post::News) -> Listening {
        let told = serde_json::to_value(news).unwrap_or_default();
        let text = brief::news(&told, status(self.root, &news.run, self.clock).as_ref());
        let id = format!("{}:{}", news.run, news.seq);
        self.talk.now().begin(Some(id.clone()));
        let piece = json!({"id": id, "text": text, "delivery": told["delivery"], "news": told});
        if self.to.send(piece).is_err() {
            Listening::No
        } else {
            self.talk.until_heard()
        }
    }

    fn remembered(&mut self) {
        let mut now = self.talk.now();
        now.told = None;
        for answer in now.heard.drain(..) {
            let _gone = answer.send(());
        }
    }

    /// A host is told one after the other, and each may be its last.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }
}

/// Tells until nobody listens. Another host of the session may be about to end, so its place is
/// waited for.
fn observe(host: &Host<'_>, whose: Whose<'_>) {
    for attempt in 1.. {
        let told = watch::watch(
            host.root,
            whose,
            false,
            &Interrupts::default(),
            host.clock,
            host,
        );
        let Err(error) = told else { return };
        // Whoever waits for an answer gets none: it is not remembered.
        host.talk.now().begin(None);
        if attempt == ATTEMPTS {
            let message = format!("{error}; {}", error.hint());
            let _gone = host.to.send(json!({"event": "deaf", "text": message}));
        }
        if host.talk.pause() {
            return;
        }
    }
}

/// How the run stands that the news are about: it may be that its cast asks for something.
fn status(root: &Root, run: &RunId, clock: &Clock) -> Option<Value> {
    let (place, state) = inspect::open(root, run, None, clock).ok()?;
    serde_json::to_value(inspect::status(&place, &state)).ok()
}
