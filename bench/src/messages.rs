//! A durable message to somebody who waits for it, against the least that has to happen: one sync
//! and one wake-up; and how many of them eight senders get through when they share their syncs.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use materia_engine::clock::Clock;
use materia_engine::post::{Ending, Post, Posting, Wait};
use materia_engine::process::Identity;
use materia_engine::store::journal::{Options, SharedJournal};
use materia_model::message::event::Holder;
use materia_model::message::{Draft, Envelope, Place};
use serde_json::json;

use crate::contest::{Contender, hold};
use crate::floor;

type Failure = Box<dyn std::error::Error>;

const LETTERS: u32 = 20;
const SENDERS: u32 = 8;
const EACH: u32 = 25;

/// Long enough for whoever waits to have gone to sleep again.
const PAUSE: Duration = Duration::from_millis(2);

/// Holds both contests.
pub(crate) fn run(rounds: usize) -> Result<(), Failure> {
    let scratch = floor::disk()?;
    let floor = Floor::new(&scratch.path().join("bare"))?;
    let office = Office::new(scratch.path(), "told")?;
    let latency = vec![
        Contender::new("bare write, fdatasync, one wake-up (floor)", || {
            floor.letters()
        }),
        Contender::new("message to a waiting receiver", || office.letters()),
    ];
    hold(
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
    let busy = scratch.path().join("busy");
    std::fs::create_dir(&busy)?;
    let path = started(&busy)?;
    let throughput = vec![
        Contender::new(
            "bare write + fdatasync, one after the other (floor)",
            || {
                let began = Instant::now();
                for _ in 0..EACH {
                    bare.write_all(&line)?;
                    bare.sync_data()?;
                }
                Ok(began.elapsed() / EACH)
            },
        ),
        Contender::new("a message of 8 senders at once", || crowd(&path)),
    ];
    hold(
        "one durable message in a crowd (2,000/s are 0.5 ms)",
        1.0,
        rounds,
        throughput,
    )
}

/// A run's journal with nothing but its beginning in it.
fn started(dir: &Path) -> Result<std::path::PathBuf, Failure> {
    let path = dir.join("journal.jsonl");
    let journal = SharedJournal::open(&path, &Clock::system(), &Options::default())?;
    journal.append_durable("run.start", &json!({"generation": "g", "run": "a"}))?;
    Ok(path)
}

fn letter() -> Result<Envelope, Failure> {
    let body = Some(json!({"text": "the tests pass; two files were changed", "files": 2}));
    Ok(Draft {
        to: "run:a".to_owned(),
        kind: "task.run".to_owned(),
        body,
        ..Draft::default()
    }
    .check()?)
}

fn me() -> Result<Holder, Failure> {
    let me = Identity::of_self().ok_or("there is no /proc")?;
    Ok(Holder {
        pid: me.pid,
        start_time: me.start_time,
        boot_id: me.boot_id,
    })
}

/// Eight senders with a handle each, as eight processes have; their messages are handled
/// afterwards, unmeasured.
fn crowd(path: &Path) -> Result<Duration, Failure> {
    let senders: Vec<Post> = (0..SENDERS)
        .map(|_| Post::open(path, &Clock::system()))
        .collect::<Result<_, _>>()?;
    let letter = letter()?;
    // What was said before is read before it is measured: senders that stay read it once.
    for post in &senders {
        post.look(|_| ())?;
    }
    let began = Instant::now();
    std::thread::scope(|scope| {
        for post in &senders {
            let letter = &letter;
            scope.spawn(move || {
                for _ in 0..EACH {
                    drop(post.deliver(Posting::new(letter.clone())));
                }
            });
        }
    });
    let took = began.elapsed() / (SENDERS * EACH);
    let (post, me) = (&senders[0], me()?);
    let mut arrived = 0;
    while let Some(claimed) = post.claim(&Place::Run, &me)? {
        post.settle(
            &Place::Run,
            &claimed.id,
            &me,
            &Ending::Failed("measured".to_owned()),
        )?;
        arrived += 1;
    }
    if arrived == SENDERS * EACH {
        Ok(took)
    } else {
        Err(format!("{arrived} messages arrived").into())
    }
}

/// The least that has to happen.
struct Floor {
    file: File,
    wake: std::io::PipeWriter,
    woken: Receiver<Instant>,
}

impl Floor {
    fn new(path: &Path) -> Result<Self, Failure> {
        let (mut reader, wake) = std::io::pipe()?;
        let (tell, woken) = channel();
        std::thread::spawn(move || {
            let mut byte = [0];
            while reader.read_exact(&mut byte).is_ok() && tell.send(Instant::now()).is_ok() {}
        });
        Ok(Self {
            file: File::options().append(true).create(true).open(path)?,
            wake,
            woken,
        })
    }

    fn letters(&self) -> Result<Duration, Failure> {
        average(|| {
            (&self.file).write_all(&[b'x'; 300])?;
            self.file.sync_data()?;
            (&self.wake).write_all(b"!")?;
            Ok(self.woken.recv()?)
        })
    }
}

/// A sender, and a receiver that waits in a thread of its own.
struct Office {
    post: Post,
    letter: Envelope,
    had: Receiver<Instant>,
}

impl Office {
    fn new(dir: &Path, name: &str) -> Result<Self, Failure> {
        let dir = dir.join(name);
        std::fs::create_dir(&dir)?;
        let path = started(&dir)?;
        let (tell, had) = channel();
        let (post, reader) = (
            Post::open(&path, &Clock::system())?,
            Post::open(&path, &Clock::system())?,
        );
        let me = me()?;
        std::thread::spawn(move || receive(&reader, &me, &tell));
        Ok(Self {
            post,
            letter: letter()?,
            had,
        })
    }

    fn letters(&self) -> Result<Duration, Failure> {
        average(|| {
            self.post.deliver(Posting::new(self.letter.clone()))?;
            Ok(self.had.recv()?)
        })
    }
}

fn receive(post: &Post, me: &Holder, tell: &Sender<Instant>) {
    while let Ok(claimed) = post.receive(&Place::Run, me, Wait::Forever) {
        let now = Instant::now();
        let settled = post.settle(&Place::Run, &claimed.id, me, &Ending::Handled);
        if settled.is_err() || tell.send(now).is_err() {
            return;
        }
    }
}

/// How long it took on average until somebody had what was sent.
fn average(mut send: impl FnMut() -> Result<Instant, Failure>) -> Result<Duration, Failure> {
    let mut total = Duration::ZERO;
    for _ in 0..LETTERS {
        std::thread::sleep(PAUSE);
        let began = Instant::now();
        total += send()?.saturating_duration_since(began);
    }
    Ok(total / LETTERS)
}
