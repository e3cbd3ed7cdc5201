//! A durable message to a waiting receiver, compared with the minimum: one sync and one wake-up. And
//! the throughput of eight senders that share their syncs.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use materia_engine::clock::Clock;
use materia_engine::post::{MessageLog, MessagePosting, MessageSettlement, MessageWait};
use materia_engine::process::ProcessIdentity;
use materia_engine::store::journal::{Options, SharedJournal};
use materia_model::message::event::MessageHolder;
use materia_model::message::{Envelope, MessageDraft, QueueId};
use serde_json::json;

use crate::baseline;
use crate::comparison::{Candidate, compare};

type BoxError = Box<dyn std::error::Error>;

const MESSAGES: u32 = 20;
const SENDERS: u32 = 8;
const MESSAGES_PER_SENDER: u32 = 25;

/// Long enough for the receiver to sleep again.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs both comparisons.
pub(crate) fn run(rounds: usize) -> Result<(), BoxError> {
    let scratch = baseline::disk()?;
    let minimum = Baseline::new(&scratch.path().join("bare"))?;
    let mailbox = Mailbox::new(scratch.path(), "latency")?;
    let latency = vec![
        Candidate::new("bare write, fdatasync, one wake-up (baseline)", || {
            minimum.latency()
        }),
        Candidate::new("message to a waiting receiver", || mailbox.latency()),
    ];
    compare(
        "a durable message until its receiver has it",
        1.5,
        rounds,
        latency,
    )?;

    let mut bare = File::options()
        .append(true)
        .create(true)
        .open(scratch.path().join("synced"))?;
    let line = [b'x'; 300];
    let dir = scratch.path().join("busy");
    std::fs::create_dir(&dir)?;
    let path = new_journal(&dir)?;
    let throughput = vec![
        Candidate::new(
            "bare write + fdatasync, one after the other (baseline)",
            || {
                let start = Instant::now();
                for _ in 0..MESSAGES_PER_SENDER {
                    bare.write_all(&line)?;
                    bare.sync_data()?;
                }
                Ok(start.elapsed() / MESSAGES_PER_SENDER)
            },
        ),
        Candidate::new("a message of 8 senders at once", || {
            concurrent_senders(&path)
        }),
    ];
    compare(
        "one durable message with 8 concurrent senders (2,000/s are 0.5 ms)",
        1.0,
        rounds,
        throughput,
    )
}

/// Creates a run's journal with only its start record.
fn new_journal(dir: &Path) -> Result<std::path::PathBuf, BoxError> {
    let path = dir.join("journal.jsonl");
    let journal = SharedJournal::open(&path, &Clock::system(), &Options::default())?;
    journal.append_durable("run.start", &json!({"generation": "g", "run": "a"}))?;
    Ok(path)
}

fn message() -> Result<Envelope, BoxError> {
    let body = Some(json!({"text": "the tests pass; two files were changed", "files": 2}));
    Ok(MessageDraft {
        to: "run:a".to_owned(),
        kind: "task.run".to_owned(),
        body,
        ..MessageDraft::default()
    }
    .check()?)
}

fn own_identity() -> Result<MessageHolder, BoxError> {
    let identity = ProcessIdentity::of_self().ok_or("there is no /proc")?;
    Ok(MessageHolder {
        pid: identity.pid,
        start_time: identity.start_time,
        boot_id: identity.boot_id,
    })
}

/// Eight senders with their own handles, like eight processes. Handling the messages is not measured.
fn concurrent_senders(path: &Path) -> Result<Duration, BoxError> {
    let senders: Vec<MessageLog> = (0..SENDERS)
        .map(|_| MessageLog::open(path, &Clock::system()))
        .collect::<Result<_, _>>()?;
    let envelope = message()?;
    // Read the earlier messages before the measurement: long-lived senders read them once.
    for post in &senders {
        post.look(|_| ())?;
    }
    let start = Instant::now();
    std::thread::scope(|scope| {
        for post in &senders {
            let envelope = &envelope;
            scope.spawn(move || {
                for _ in 0..MESSAGES_PER_SENDER {
                    drop(post.deliver(MessagePosting::new(envelope.clone())));
                }
            });
        }
    });
    let took = start.elapsed() / (SENDERS * MESSAGES_PER_SENDER);
    let (post, receiver) = (&senders[0], own_identity()?);
    let mut arrived = 0;
    while let Some(claimed) = post.claim(&QueueId::Run, &receiver)? {
        post.settle(
            &QueueId::Run,
            &claimed.id,
            &receiver,
            &MessageSettlement::Failed("measured".to_owned()),
        )?;
        arrived += 1;
    }
    if arrived == SENDERS * MESSAGES_PER_SENDER {
        Ok(took)
    } else {
        Err(format!("{arrived} messages arrived").into())
    }
}

/// The minimum: one write, one sync, one wake-up.
struct Baseline {
    file: File,
    wake: std::io::PipeWriter,
    woken: Receiver<Instant>,
}

impl Baseline {
    fn new(path: &Path) -> Result<Self, BoxError> {
        let (mut reader, wake) = std::io::pipe()?;
        let (sender, woken) = channel();
        std::thread::spawn(move || {
            let mut byte = [0];
            while reader.read_exact(&mut byte).is_ok() && sender.send(Instant::now()).is_ok() {}
        });
        Ok(Self {
            file: File::options().append(true).create(true).open(path)?,
            wake,
            woken,
        })
    }

    fn latency(&self) -> Result<Duration, BoxError> {
        average(|| {
            (&self.file).write_all(&[b'x'; 300])?;
            self.file.sync_data()?;
            (&self.wake).write_all(b"!")?;
            Ok(self.woken.recv()?)
        })
    }
}

/// A sender, and a receiver that waits in another thread.
struct Mailbox {
    post: MessageLog,
    message: Envelope,
    received: Receiver<Instant>,
}

impl Mailbox {
    fn new(dir: &Path, name: &str) -> Result<Self, BoxError> {
        let dir = dir.join(name);
        std::fs::create_dir(&dir)?;
        let path = new_journal(&dir)?;
        let (sender, received) = channel();
        let (post, reader) = (
            MessageLog::open(&path, &Clock::system())?,
            MessageLog::open(&path, &Clock::system())?,
        );
        let identity = own_identity()?;
        std::thread::spawn(move || receive(&reader, &identity, &sender));
        Ok(Self {
            post,
            message: message()?,
            received,
        })
    }

    fn latency(&self) -> Result<Duration, BoxError> {
        average(|| {
            self.post
                .deliver(MessagePosting::new(self.message.clone()))?;
            Ok(self.received.recv()?)
        })
    }
}

fn receive(post: &MessageLog, receiver: &MessageHolder, sender: &Sender<Instant>) {
    while let Ok(claimed) = post.receive(&QueueId::Run, receiver, MessageWait::Forever) {
        let now = Instant::now();
        let settled = post.settle(
            &QueueId::Run,
            &claimed.id,
            receiver,
            &MessageSettlement::Handled,
        );
        if settled.is_err() || sender.send(now).is_err() {
            return;
        }
    }
}

/// The average time until the receiver has the message.
fn average(mut send: impl FnMut() -> Result<Instant, BoxError>) -> Result<Duration, BoxError> {
    let mut total = Duration::ZERO;
    for _ in 0..MESSAGES {
        std::thread::sleep(PAUSE);
        let start = Instant::now();
        total += send()?.saturating_duration_since(start);
    }
    Ok(total / MESSAGES)
}
