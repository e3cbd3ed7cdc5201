//! Driving an actor: waiting for messages, one turn for each, until the run ends.
//!
//! Owns the loop and its order: claim the message, run the turn, record its end, send the answers,
//! settle the message. If the process is killed at any point, the next one finds the remaining
//! steps in the journal, and does only those.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use materia_model::actor::{
    ActorSettings, ActorState, ActorTurnEnd, ActorTurnStart, TURN_END, TURN_START,
};
use materia_model::materia::AgentTools;
use materia_model::message::QueueId as MessageQueue;
use materia_model::message::event::MessageHolder;
use materia_model::name::RunId;
use materia_model::run as run_model;
use materia_model::secret::Secrets;
use materia_model::text;

use super::turn::{ActorTurnResult, ActorTurnWatcher};
use super::{ActorEvent, ActorObserver};
use crate::agent::Backend;
use crate::clock::{self, Clock};
use crate::failpoint;
use crate::post::{self, ClaimedMessage, MessageLog, MessageSettlement};
use crate::process::{Event, ProcessIdentity, ProcessSet};
use crate::routing;
use crate::run::{self, RunDir, RunRoot};
use crate::store::{atomic, dir};
use crate::wake::WaiterPipe;

/// The longest sleep before an actor checks for messages.
const RECONCILE: Duration = Duration::from_secs(10);

/// The collaborators of an actor.
pub struct ActorContext<'a> {
    /// The directory of all runs.
    pub root: &'a RunRoot,
    /// The run that is the actor.
    pub run: &'a RunId,
    /// The tools it may use.
    pub tools: &'a AgentTools,
    /// The clock.
    pub clock: &'a Clock,
    /// What must not be written to disk (S3).
    pub secrets: &'a Secrets,
    /// The agent.
    pub agent: &'a mut dyn Backend,
    /// The processes of the agent, and interrupts.
    pub processes: &'a mut ProcessSet,
    /// The front end that follows it.
    pub observer: &'a mut dyn ActorObserver,
}

/// An error of driving an actor.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The run is not an agent.
    #[error("run:{0} is no agent")]
    NoActor(String),
    /// The run cannot be used.
    #[error(transparent)]
    Run(#[from] run::Error),
    /// Its messages cannot be read or written.
    #[error(transparent)]
    Post(#[from] post::Error),
    /// An answer cannot be sent.
    #[error("an answer cannot be sent")]
    Message(#[from] routing::Error),
    /// A file of the run cannot be written.
    #[error("the run's directory cannot be written")]
    Write(#[from] atomic::WriteError),
    /// A directory of the run cannot be written.
    #[error("the run's directory cannot be written")]
    Dir(#[from] dir::DirError),
    /// An I/O error.
    #[error("I/O error while driving the agent")]
    Io(#[from] std::io::Error),
}

/// An actor and its state.
pub(super) struct Actor<'a> {
    pub(super) root: &'a RunRoot,
    pub(super) run: &'a RunId,
    pub(super) clock: &'a Clock,
    pub(super) secrets: &'a Secrets,
    pub(super) place: RunDir,
    pub(super) start: run_model::RunStart,
    pub(super) order: ActorSettings,
    pub(super) tools: &'a AgentTools,
    pub(super) messages: MessageLog,
    pub(super) me: MessageHolder,
    /// Claimed messages that wait for a turn of their own.
    waiting: VecDeque<ClaimedMessage>,
}

/// Drives an actor until it is interrupted.
pub fn act(context: ActorContext<'_>) -> Result<(), Error> {
    let ActorContext {
        root,
        run,
        tools,
        clock,
        secrets,
        agent,
        processes,
        observer,
    } = context;
    let mut actor = Actor::open(root, run, tools, clock, secrets)?;
    let ear = actor.messages.listen()?;
    let woken_by = processes.watch(&ear)?;
    actor.finish()?;
    loop {
        // Drained before the queue is read, so that no wake-up in between is lost.
        ear.drain();
        let next = match actor.waiting.pop_front() {
            Some(waiting) => Some(waiting),
            None => actor.messages.claim(&MessageQueue::Run, &actor.me)?,
        };
        if let Some(message) = next {
            if !actor.deal_with(message, (&ear, woken_by), agent, processes, observer)? {
                return Ok(());
            }
            continue;
        }
        let deadline = clock::deadline_in(RECONCILE);
        if let Some(Event::Interrupt(_)) = processes.next_among(None, Some(woken_by), deadline) {
            return Ok(());
        }
    }
}

impl<'a> Actor<'a> {
    fn open(
        root: &'a RunRoot,
        run: &'a RunId,
        tools: &'a AgentTools,
        clock: &'a Clock,
        secrets: &'a Secrets,
    ) -> Result<Self, Error> {
        let place = root.find(run)?;
        let messages = MessageLog::open(&place.journal(), clock)?;
        let start = messages.look_at_all(|fold| fold.run.start.clone())?;
        let start = start.map(|start| *start).unwrap_or_default();
        let order = super::order(&start).ok_or_else(|| Error::NoActor(run.to_string()))?;
        let me =
            ProcessIdentity::of_self().ok_or_else(|| std::io::Error::other("there is no /proc"))?;
        let me = run::holder(me);
        Ok(Self {
            root,
            run,
            clock,
            secrets,
            place,
            start,
            order,
            tools,
            messages,
            me,
            waiting: VecDeque::new(),
        })
    }

    /// Reads new records, and calls `look` with the state of the turns.
    pub(super) fn turns<T>(&self, look: impl FnOnce(&ActorState) -> T) -> Result<T, Error> {
        Ok(self.messages.look_at_all(|fold| look(&fold.actor))?)
    }

    /// The directory of the agent's sessions.
    pub(super) fn sessions(&self) -> PathBuf {
        self.place.dir().join("sessions")
    }

    /// Processes one message. Returns false if the actor is interrupted.
    fn deal_with(
        &mut self,
        message: ClaimedMessage,
        ear: (&WaiterPipe, crate::process::WatchId),
        agent: &mut dyn Backend,
        processes: &mut ProcessSet,
        observer: &mut dyn ActorObserver,
    ) -> Result<bool, Error> {
        let prompt = prompt(&message);
        let settled = match message.envelope.kind.as_str() {
            // The turn to abort is already over.
            "control.abort" => Some(MessageSettlement::Handled),
            kind if kind.starts_with("control.") => Some(MessageSettlement::Failed(
                "an agent knows control.abort, control.cancel and control.kill".to_owned(),
            )),
            _ if prompt.trim().is_empty() => Some(MessageSettlement::Failed(
                "the message says nothing".to_owned(),
            )),
            _ => None,
        };
        if let Some(ending) = settled {
            self.messages
                .settle(&MessageQueue::Run, &message.id, &self.me, &ending)?;
            return Ok(true);
        }
        let from = message.envelope.from.as_ref().map(ToString::to_string);
        observer.event(&ActorEvent::Prompt {
            from: from.as_deref(),
            text: &prompt,
        });
        let turn = self.turns(|state| state.turns)? + 1;
        let start = ActorTurnStart {
            turn,
            message: message.id.clone(),
            from,
            prompt: self.clean(&prompt),
        };
        self.messages.note(TURN_START, &start)?;
        failpoint::hit("actor.started")?;
        let watcher = ActorTurnWatcher::new(self, turn, ear, observer);
        let played = watcher.play(&prompt, agent, processes)?;
        let ActorTurnResult { end, waiting } = match played {
            Some(played) => played,
            None => return Ok(false),
        };
        self.waiting.extend(waiting);
        let end = ActorTurnEnd {
            turn,
            messages: [vec![message.id], end.messages].concat(),
            ..end
        };
        self.record(end)?;
        if let Some(end) = self.turns(|state| state.last.clone())? {
            let failure = end.error.as_ref().map(|failure| failure.message.as_str());
            observer.event(&ActorEvent::TurnEnd {
                text: &end.text,
                failure,
            });
        }
        self.finish()?;
        Ok(true)
    }

    /// Records the end of a turn durably: from here on it is never repeated.
    fn record(&mut self, mut end: ActorTurnEnd) -> Result<(), Error> {
        if end.text.len() > materia_model::actor::LONGEST_TEXT {
            let folder = self.place.dir().join("answers");
            dir::create_private(&folder)?;
            let file = folder.join(format!("{}.md", end.turn));
            atomic::write(&file, self.secrets.redact_text(&end.text).as_bytes())?;
            end.file = Some(file.to_string_lossy().into_owned());
        }
        end.text = self.clean(&end.text);
        failpoint::hit("actor.ended")?;
        self.messages.note_durably(TURN_END, &end)?;
        self.tidy()
    }

    /// Redacts secrets in a text.
    pub(super) fn clean(&self, said: &str) -> String {
        let said = self.secrets.redact_text(said);
        text::bounded(&said, materia_model::actor::LONGEST_TEXT).into_owned()
    }

    /// Removes the copies of the session that no turn continues from; each copy has the whole
    /// conversation.
    fn tidy(&self) -> Result<(), Error> {
        let (Some(kept), Ok(entries)) = (
            self.turns(|state| state.session.clone())?,
            std::fs::read_dir(self.sessions()),
        ) else {
            return Ok(());
        };
        let old = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.to_string_lossy() != kept.handle);
        for path in old.filter(|path| path.is_file()) {
            let _again_next_time = dir::remove_file(&path);
        }
        Ok(())
    }
}

/// The prompt for the agent: the text of a message, with the sender unless it is the user.
pub(super) fn prompt(message: &ClaimedMessage) -> String {
    let said = message.envelope.text();
    let kind = message.envelope.kind.as_str();
    match &message.envelope.from {
        None if kind == "chat.message" => said,
        None => format!("[{kind}]\n{said}").trim_end().to_owned(),
        Some(from) => format!("[{kind} from {from}]\n{said}")
            .trim_end()
            .to_owned(),
    }
}
