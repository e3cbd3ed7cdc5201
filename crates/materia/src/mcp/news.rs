//! Sends the messages and ends of runs to a host that can wake its agent, each until the host
//! acknowledges it.
//!
//! Owns the exchange with the observer's mark. The mark advances only past news that the host has
//! acknowledged, so nothing is lost if either side is killed in between, and acknowledged news is
//! never sent again. News that is sent again has the same id.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use materia_engine::api::{
    Caller, Cancellation, Engine, InspectRequest, News, WatchObserver, WatchRequest,
};
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

use super::brief;

/// How often to try to become the session's observer before reporting to the host that another
/// process is.
const ATTEMPTS: u32 = 20;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// The observer of one session.
#[derive(Debug)]
pub(super) struct NewsFeed {
    /// Acts on behalf of the session.
    engine: Engine,
    talk: Arc<Talk>,
}

impl NewsFeed {
    /// Creates an observer that does not watch yet.
    pub(super) fn new(engine: Engine) -> Self {
        Self {
            engine,
            talk: Arc::default(),
        }
    }

    /// Starts to send; later calls have no effect.
    pub(super) fn listen(&self, to: UnboundedSender<Value>) {
        if std::mem::replace(&mut self.talk.now().begun, true) {
            return;
        }
        let cancellation = match Cancellation::new() {
            Ok(cancellation) => cancellation,
            Err(error) => {
                let _gone = to.send(json!({"event": "deaf", "text": error.to_string()}));
                return;
            }
        };
        self.talk.now().cancellation = Some(cancellation.clone());
        let (engine, talk) = (self.engine.cancelled_by(cancellation), self.talk.clone());
        // The thread sleeps in the kernel and ends with the feed.
        std::thread::spawn(move || {
            observe(
                &engine,
                Host {
                    engine: &engine,
                    to,
                    talk,
                },
            );
        });
    }

    /// Records that the host acknowledged this news. The receiver completes when the mark is
    /// durable. Returns `None` if this news is not pending.
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

impl Drop for NewsFeed {
    fn drop(&mut self) {
        let mut now = self.talk.now();
        now.closed = true;
        now.cancellation.iter().for_each(Cancellation::cancel);
        drop(now);
        self.talk.changed.notify_all();
    }
}

/// State shared by the observer thread and the host's connection.
#[derive(Debug, Default)]
struct Talk {
    now: Mutex<Now>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Now {
    begun: bool,
    closed: bool,
    /// Ends the watch.
    cancellation: Option<Cancellation>,
    /// The id of the news that was sent, until the mark is durable.
    told: Option<String>,
    /// Acknowledgements that wait for the mark to be durable.
    heard: Vec<oneshot::Sender<()>>,
}

impl Now {
    /// Starts with the next news, or with none.
    fn begin(&mut self, told: Option<String>) {
        self.told = told;
        self.heard.clear();
    }
}

impl Talk {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the host acknowledges the news; breaks if the feed is closed.
    fn until_heard(&self) -> ControlFlow<()> {
        let waits = |now: &mut Now| !now.closed && now.heard.is_empty();
        let now = self
            .changed
            .wait_while(self.now(), waits)
            .unwrap_or_else(PoisonError::into_inner);
        if now.closed {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Waits for a moment. Returns whether the feed was closed.
    fn pause(&self) -> bool {
        let waits = |now: &mut Now| !now.closed;
        let waited = self.changed.wait_timeout_while(self.now(), PAUSE, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.closed
    }
}

/// The host of the session.
struct Host<'a> {
    engine: &'a Engine,
    to: UnboundedSender<Value>,
    talk: Arc<Talk>,
}

impl WatchObserver for Host<'_> {
    /// Sends one piece of news, and waits until the host acknowledges it.
    fn news(&mut self, news: &News) -> ControlFlow<()> {
        let told = serde_json::to_value(news).unwrap_or_default();
        let text = brief::news(&told, self.status(news.run.as_str()).as_ref());
        let id = format!("{}:{}", news.run, news.seq);
        self.talk.now().begin(Some(id.clone()));
        let piece = json!({"id": id, "text": text, "delivery": told["delivery"], "news": told});
        if self.to.send(piece).is_err() {
            ControlFlow::Break(())
        } else {
            self.talk.until_heard()
        }
    }

    fn recorded(&mut self) {
        let mut now = self.talk.now();
        now.told = None;
        for answer in now.heard.drain(..) {
            let _gone = answer.send(());
        }
    }

    /// One at a time, because each may be the last that the host receives.
    fn batch(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }
}

impl Host<'_> {
    /// The state of the run that the news is about: its cast may wait for input.
    fn status(&self, run: &str) -> Option<Value> {
        let request = InspectRequest {
            target: format!("run:{run}"),
            ..InspectRequest::default()
        };
        let operator = self.engine.on_behalf_of(Caller::default());
        serde_json::to_value(operator.inspect(&request).ok()?).ok()
    }
}

/// Sends news until the feed is closed. Another host of the session may be about to end, so this
/// retries.
fn observe(engine: &Engine, mut host: Host<'_>) {
    for attempt in 1.. {
        let Err(error) = engine.watch(&WatchRequest::default(), &mut host) else {
            return;
        };
        // Drop pending acknowledgements without a reply: the mark was not stored.
        host.talk.now().begin(None);
        if attempt == ATTEMPTS {
            let hint = error.hint.unwrap_or_default();
            let text = format!("{}; {hint}", error.message);
            let _gone = host.to.send(json!({"event": "deaf", "text": text}));
        }
        if host.talk.pause() {
            return;
        }
    }
}
