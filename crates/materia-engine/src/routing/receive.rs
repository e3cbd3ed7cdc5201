//! `receive`: a program takes its next message, and says what became of it.
//!
//! Owns for whom a message is taken, and who may say what became of it. The command that asks ends
//! at once, so a message is claimed in two steps: by the command itself until it has been handed
//! over, then by the program that called it. Whoever of them dies leaves the message to the next
//! who asks.

use materia_model::message::event::Holder;
use materia_model::message::{Address, Place};
use materia_model::name::RunId;
use serde::Serialize;

use crate::clock::Clock;
use crate::post::{self, Claimed, Ended, Ending, Post, Wait};
use crate::process::{self, Identity, Interrupts};
use crate::run::{self, Root};

/// Whose messages, and who asks for them.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The directory of all runs.
    pub root: &'a Root,
    /// Whose messages: a run's or a branch's.
    pub address: &'a Address,
    /// The session that asks; the operator has none.
    pub session: Option<&'a str>,
    /// The run that whoever asks is a part of.
    pub within: Option<&'a RunId>,
    /// The process that deals with the message; whoever called us, where nothing is said.
    pub holder: Option<i32>,
    /// The clock.
    pub clock: &'a Clock,
}

/// Why nothing was received or settled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody can receive there.
    #[error("{0} has no queue; messages are received at run:ID and branch:RUN/NAME")]
    NoQueue(String),
    /// The process that should deal with it is not there.
    #[error("there is no process {0}")]
    NoHolder(i32),
    /// The post.
    #[error(transparent)]
    Post(#[from] post::Error),
    /// The run.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// What the caller can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoQueue(_) => "give --address run:ID, or call it inside a run".to_owned(),
            Self::NoHolder(_) => {
                "give --holder the id of a process that lives, such as $$".to_owned()
            }
            Self::Post(error) => error.hint(),
            Self::Run(error) => error.hint(),
        }
    }
}

/// A message, and the right to deal with it once it was handed over.
#[derive(Debug)]
pub struct Received {
    /// What the caller is told.
    pub report: Report,
    post: Post,
    mine: Holder,
    theirs: Holder,
}

/// A message as the caller is told of it.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Always true; nothing received is a failure.
    pub ok: bool,
    /// The message.
    pub message: Claimed,
}

/// What became of a message, as the caller is told.
#[derive(Debug, Clone, Serialize)]
pub struct Settled {
    /// Always true.
    pub ok: bool,
    /// How it stands.
    #[serde(flatten)]
    pub ended: Ended,
}

/// Claims the next message, waiting for one until we are interrupted.
pub fn receive(asked: &Asked<'_>, wait: Wait) -> Result<Received, Error> {
    let (post, place) = asked.open()?;
    let theirs = asked.holder()?;
    let mine = Identity::of_self().map_or_else(|| theirs.clone(), run::holder);
    let message = post.receive_unless(&Interrupts::catch(), &place, &mine, wait)?;
    Ok(Received {
        report: Report { ok: true, message },
        post,
        mine,
        theirs,
    })
}

/// Says what became of a message. Whoever has it may have it dealt with by programs that it starts,
/// so those below it may say so.
pub fn settle(asked: &Asked<'_>, id: &str, ending: &Ending) -> Result<Settled, Error> {
    let (post, place) = asked.open()?;
    let above: Vec<Holder> = process::ancestors().into_iter().map(run::holder).collect();
    let ended = post.settle_for(&place, id, (&asked.holder()?, &above), ending)?;
    Ok(Settled { ok: true, ended })
}

impl Received {
    /// The caller has it now: from here on it is the caller's to deal with.
    pub fn handed_over(self) -> Result<(), Error> {
        self.post
            .hand(&self.report.message.id, &self.mine, &self.theirs)?;
        Ok(())
    }
}

impl Asked<'_> {
    fn open(&self) -> Result<(Post, Place), Error> {
        let (run, place) = match self.address {
            Address::Run(run) => (run, Place::Run),
            Address::Branch(run, branch) => (run, Place::Branch(branch.clone())),
            other => return Err(Error::NoQueue(other.to_string())),
        };
        let caller = self.session.filter(|_| self.within != Some(run));
        let found = run::find(self.root, run, caller)?;
        if self.within != Some(run) {
            let state = run::look_begun(&found, self.clock)?;
            run::check_owner(&state, run.as_str(), self.session)?;
        }
        Ok((Post::open(&found.journal(), self.clock)?, place))
    }

    fn holder(&self) -> Result<Holder, Error> {
        let process = match self.holder {
            Some(pid) => Identity::of(pid).ok_or(Error::NoHolder(pid))?,
            None => process::caller()
                .or_else(Identity::of_self)
                .ok_or(Error::NoHolder(0))?,
        };
        Ok(run::holder(process))
    }
}
