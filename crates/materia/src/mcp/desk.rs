//! The desk: every request becomes one short process of this program, and its report the answer.
//!
//! Owns the thread that starts them, any number at a time, and ends those that nobody waits for any
//! more. Never looks into a report.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use materia_engine::process::{
    Capture, Command, Ended, Event, LeafId, Nursery, Reason, Sink, Stdin, Waker,
};
use materia_model::name::SessionId;
use materia_model::text;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};

use super::request::{Form, Request};

/// This program, also when its file was replaced meanwhile.
const SELF: &str = "/proc/self/exe";
/// How many requests are answered at a time; more wait for their turn.
const MOST: usize = 128;
/// How many of them one session may have where several share a desk.
const MOST_EACH: usize = 32;
/// How many requests may wait; whoever asks for more is told so at once.
const MOST_WAITING: usize = 1024;
/// The largest report that is read, in bytes.
const LARGEST: usize = 8 << 20;
/// How long a request that is cancelled may take to end.
const GRACE: Duration = Duration::from_secs(2);

/// What came of a request.
#[derive(Debug)]
pub(super) struct Answer {
    /// The exit code of the contract.
    pub(super) code: i32,
    /// The report, or the failure, as `--json` prints it; for people, a text.
    pub(super) document: Value,
}

/// Where a desk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a process of its own: it catches what asks the process to stop, and its only session may
    /// use all of it.
    Own,
    /// In a server for others, too: sessions share it, and what the person trusts the server with
    /// is not theirs (S2).
    Shared,
}

/// Where requests are handed in.
#[derive(Debug)]
pub(super) struct Desk {
    jobs: Mutex<Sender<Job>>,
    waker: Waker,
    thread: Mutex<Option<JoinHandle<()>>>,
    count: AtomicU64,
    interrupted: Arc<Notify>,
}

#[derive(Debug)]
enum Job {
    Ask(Asked, Request),
    Forget(u64),
    Close,
}

/// A request that is being answered; when it is dropped before its answer came, its process is
/// ended.
#[derive(Debug)]
pub(super) struct Pending<'a> {
    desk: &'a Desk,
    number: u64,
    answer: oneshot::Receiver<Answer>,
    answered: bool,
}

impl Desk {
    /// Opens it.
    pub(super) fn open(place: Place, cwd: Option<PathBuf>) -> io::Result<Self> {
        let (jobs, incoming) = channel();
        let mut nursery = Nursery::new();
        let waker = nursery.waker()?;
        if place == Place::Own {
            nursery.catch_interrupts()?;
        }
        let interrupted = Arc::new(Notify::new());
        let told = Arc::clone(&interrupted);
        let mut clerk = Clerk {
            nursery,
            place,
            cwd,
            running: HashMap::new(),
            queue: VecDeque::new(),
            interrupted: told,
        };
        let thread = std::thread::Builder::new()
            .name("desk".into())
            .spawn(move || clerk.work(&incoming))?;
        Ok(Self {
            jobs: Mutex::new(jobs),
            waker,
            thread: Mutex::new(Some(thread)),
            count: AtomicU64::new(0),
            interrupted,
        })
    }

    /// Hands in a request of a session.
    pub(super) fn ask(&self, session: &SessionId, request: Request) -> Pending<'_> {
        let (sender, answer) = oneshot::channel();
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let asked = Asked {
            number,
            session: session.clone(),
            form: request.form,
            answer: sender,
        };
        self.send(Job::Ask(asked, request));
        Pending {
            desk: self,
            number,
            answer,
            answered: false,
        }
    }

    /// Waits until this process is asked to stop.
    pub(super) async fn interrupted(&self) {
        self.interrupted.notified().await;
    }

    /// Ends what is still being answered.
    pub(super) fn close(&self) {
        self.send(Job::Close);
        let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
        if let Some(thread) = thread {
            let _ended = thread.join();
        }
    }

    fn send(&self, job: Job) {
        // Where the thread is gone, the answer's sender is dropped, and whoever waits is told.
        if let Ok(jobs) = self.jobs.lock() {
            let _gone = jobs.send(job);
        }
        self.waker.wake();
    }
}

impl Pending<'_> {
    /// Waits for the answer. May be given up and taken up again.
    pub(super) async fn answer(&mut self) -> Answer {
        let answer = (&mut self.answer).await;
        self.answered = true;
        answer.unwrap_or_else(|_| broken("closed", "the server is shutting down"))
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.answered {
            self.desk.send(Job::Forget(self.number));
        }
    }
}

/// Who sits behind the desk.
struct Clerk {
    nursery: Nursery,
    place: Place,
    cwd: Option<PathBuf>,
    running: HashMap<LeafId, Asked>,
    queue: VecDeque<(Asked, Request)>,
    interrupted: Arc<Notify>,
}

#[derive(Debug)]
struct Asked {
    number: u64,
    session: SessionId,
    form: Form,
    answer: oneshot::Sender<Answer>,
}

impl Clerk {
    fn work(&mut self, incoming: &Receiver<Job>) {
        let mut closing = false;
        while !(closing && self.nursery.is_idle()) {
            match self.nursery.next(None) {
                Some(Event::Woken) => {
                    for job in incoming.try_iter() {
                        closing |= self.take(job);
                    }
                }
                Some(Event::Ended(ended)) => {
                    if let Some(asked) = self.running.remove(&ended.leaf) {
                        let _unheard = asked.answer.send(read(&ended, asked.form));
                    }
                }
                Some(Event::Interrupt(_)) => self.interrupted.notify_one(),
                Some(_) => {}
                None => return,
            }
            while !closing && self.running.len() < MOST {
                let Some((asked, request)) = self.turn().and_then(|at| self.queue.remove(at))
                else {
                    break;
                };
                let leaf = self.nursery.spawn(self.command(request, &asked));
                self.running.insert(leaf, asked);
            }
        }
    }

    /// Whose turn it is: the first in the queue whose session has not too many already.
    fn turn(&self) -> Option<usize> {
        let each = if self.place == Place::Own {
            MOST
        } else {
            MOST_EACH
        };
        let has = |session: &SessionId| {
            self.running
                .values()
                .filter(|asked| asked.session == *session)
                .count()
        };
        self.queue
            .iter()
            .position(|(asked, _)| has(&asked.session) < each)
    }

    fn command(&self, request: Request, asked: &Asked) -> Command {
        let json = (asked.form == Form::Report).then_some("--json");
        let words = request.words.iter().map(String::as_str);
        let mut command = Command::new([SELF].into_iter().chain(json).chain(words));
        command.cwd = self.cwd.clone();
        command.env.set("MATERIA_SESSION", asked.session.as_str());
        if self.place == Place::Shared {
            command.env.remove("MATERIA_TRUST");
        }
        command.stdin = request
            .stdin
            .map_or(Stdin::Null, |text| Stdin::Bytes(text.into_bytes()));
        command.stdout = Sink::Capture(Capture {
            memory: LARGEST,
            ..Capture::default()
        });
        command.grace = GRACE;
        command
    }

    /// Takes a job; whether it was the last one.
    fn take(&mut self, job: Job) -> bool {
        match job {
            Job::Ask(asked, _) if self.queue.len() >= MOST_WAITING => {
                let _unheard = asked
                    .answer
                    .send(broken("busy", "too many requests wait; ask again later"));
            }
            Job::Ask(asked, request) => self.queue.push_back((asked, request)),
            Job::Forget(number) => {
                self.queue.retain(|(asked, _)| asked.number != number);
                let leaf = self
                    .running
                    .iter()
                    .find(|(_, asked)| asked.number == number);
                if let Some(leaf) = leaf.map(|(leaf, _)| *leaf) {
                    self.nursery.stop(leaf, Reason::Within(GRACE));
                }
            }
            Job::Close => {
                self.queue.clear();
                for leaf in self.nursery.running().collect::<Vec<_>>() {
                    self.nursery.stop(leaf, Reason::Within(GRACE));
                }
                return true;
            }
        }
        false
    }
}

fn read(ended: &Ended, form: Form) -> Answer {
    if !ended.stdout.is_whole() {
        return broken("too_large", "the report is larger than a message may be");
    }
    let stderr = || {
        let said = String::from_utf8_lossy(&ended.stderr.bytes);
        text::bounded(said.trim(), 2000).into_owned()
    };
    let document = match form {
        Form::Report => serde_json::from_slice(&ended.stdout.bytes).ok(),
        Form::Text => {
            let said = String::from_utf8_lossy(&ended.stdout.bytes);
            Some(if said.trim().is_empty() {
                stderr().into()
            } else {
                said.trim_end().into()
            })
        }
    };
    match document {
        Some(document) => Answer {
            code: ended.code(),
            document,
        },
        None => broken(
            "internal",
            &format!("no report (exit code {}): {}", ended.code(), stderr()),
        ),
    }
}

fn broken(code: &str, message: &str) -> Answer {
    Answer {
        code: 70,
        document: json!({"ok": false, "error": {"code": code, "message": message}}),
    }
}
