//! Code shared by the services of the library: the enclosing run, its queues and its room.
//!
//! Owns receiving messages (blocking, never polling), replying to them and posting in the room. A
//! message is settled after its reply is durable, so a service that dies in between receives it
//! again; handlers must recognize it by its id.

use std::path::Path;

use materia_engine::clock::Clock;
use materia_engine::post::{
    self, ClaimedMessage, MessageLog, MessagePosting, MessageSettlement, MessageWait,
};
use materia_engine::process::ProcessIdentity;
use materia_engine::run::{self, RunDir as RunPlace, RunRoot};
use materia_engine::utility::UtilityError;
use materia_engine::utility::step::StepContext;
use materia_engine::wake::WaiterPipe;
use materia_model::message::event::MessageHolder;
use materia_model::message::{Address, MessageDraft, QueueId};
use materia_model::name::{BranchName, RunId};
use materia_model::text;
use serde_json::Value;

/// A service inside a run.
#[derive(Debug)]
pub(crate) struct Service {
    run: RunId,
    place: RunPlace,
    root: RunRoot,
    post: MessageLog,
    clock: Clock,
    me: MessageHolder,
}

/// The result of waiting for a message.
#[derive(Debug)]
pub(crate) enum Next {
    Message(Box<ClaimedMessage>),
    /// The wait timed out.
    Late,
    /// The run has ended.
    Over,
}

impl Service {
    /// Opens the service for the enclosing run.
    pub(crate) fn open(context: &StepContext<'_>, recipe: &str) -> Result<Self, UtilityError> {
        let Some(run) = context.within else {
            let message = format!("`{recipe}` works inside a run, and this is none");
            return Err(UtilityError::wrong(
                message,
                format!("start it with `materia spawn {recipe}`"),
            ));
        };
        let place = context
            .runs
            .find(run)
            .map_err(|error| UtilityError::failed(error.to_string(), error.hint()))?;
        let post =
            MessageLog::open(&place.journal(), context.clock).map_err(|error| lost(&error))?;
        let unknown = || UtilityError::failed("this process cannot be named", "look into /proc");
        let me = run::holder(ProcessIdentity::of_self().ok_or_else(unknown)?);
        Ok(Self {
            run: run.clone(),
            place,
            root: context.runs.clone(),
            post,
            clock: context.clock.clone(),
            me,
        })
    }

    /// The run's directory.
    pub(crate) fn dir(&self) -> &Path {
        self.place.dir()
    }

    pub(crate) fn run(&self) -> &RunId {
        &self.run
    }

    /// The messages of the run.
    pub(crate) fn post(&self) -> &MessageLog {
        &self.post
    }

    /// Parses the name of a branch.
    pub(crate) fn branch(name: &str) -> Result<BranchName, UtilityError> {
        name.parse().map_err(|error| {
            let message = format!("{} is no name of a branch: {error}", text::quoted(name));
            UtilityError::wrong(message, "use letters, digits, `_`, `.` and `-`")
        })
    }

    /// The address of a branch.
    pub(crate) fn address(&self, branch: &BranchName) -> String {
        Address::Branch(self.run.clone(), branch.clone()).to_string()
    }

    /// Waits for the next message of a queue.
    pub(crate) fn next(&self, place: &QueueId, wait: MessageWait) -> Result<Next, UtilityError> {
        match self.post.receive(place, &self.me, wait) {
            Ok(claimed) => Ok(Next::Message(Box::new(claimed))),
            Err(post::Error::TimedOut) => Ok(Next::Late),
            Err(post::Error::Over { .. } | post::Error::Stale { .. }) => Ok(Next::Over),
            Err(error) => Err(lost(&error)),
        }
    }

    /// Claims a queued message, if there is one.
    pub(crate) fn waiting(&self, place: &QueueId) -> Result<Option<ClaimedMessage>, UtilityError> {
        self.post
            .claim(place, &self.me)
            .map_err(|error| lost(&error))
    }

    /// Becomes readable when a message may have arrived.
    pub(crate) fn ear(&self) -> Result<WaiterPipe, UtilityError> {
        WaiterPipe::open(&self.place.ears()).map_err(|error| {
            UtilityError::failed(
                format!("nobody can be heard: {error}"),
                "check who may write to the run's directory",
            )
        })
    }

    /// Settles a message.
    pub(crate) fn settle(
        &self,
        place: &QueueId,
        id: &str,
        ending: &MessageSettlement,
    ) -> Result<(), UtilityError> {
        self.post
            .settle(place, id, &self.me, ending)
            .map(drop)
            .map_err(|error| lost(&error))
    }

    /// Sends a message durably.
    pub(crate) fn send(&self, draft: MessageDraft) -> Result<(), UtilityError> {
        let envelope = draft
            .check()
            .map_err(|error| UtilityError::failed(error.to_string(), error.hint()))?;
        let to_coordinator = envelope.to == Address::Coordinator;
        self.post
            .deliver(MessagePosting::new(envelope))
            .map_err(|error| lost(&error))?;
        if to_coordinator {
            let session = self
                .post
                .look(|mail| mail.session.clone())
                .map_err(|error| lost(&error))?;
            run::ring_session(
                &self.root,
                session.as_ref().map(materia_model::name::SessionId::as_str),
            );
        }
        Ok(())
    }

    /// Posts a message in the room, from a branch of the run or from the run itself.
    pub(crate) fn speak(
        &self,
        from: Option<&BranchName>,
        kind: &str,
        body: Value,
    ) -> Result<(), UtilityError> {
        let from = from.map_or_else(
            || format!("run:{}", self.run),
            |branch| self.address(branch),
        );
        let to = format!("room:{}", self.run);
        self.send(MessageDraft {
            to,
            kind: kind.to_owned(),
            body: Some(body),
            from: Some(from),
            ..MessageDraft::default()
        })
    }

    /// Replies to a message: to the coordinator, and to the sender if it has a queue. If the
    /// sender's run has ended, only the coordinator gets the reply.
    pub(crate) fn answer(
        &self,
        to: &ClaimedMessage,
        kind: &str,
        summary: &str,
        body: Value,
    ) -> Result<(), UtilityError> {
        let draft = MessageDraft {
            kind: kind.to_owned(),
            body: Some(body),
            from: Some(format!("run:{}", self.run)),
            summary: Some(summary.to_owned()),
            reply_to: Some(to.id.clone()),
            correlation_id: to.envelope.correlation_id.clone(),
            ..MessageDraft::default()
        };
        self.send(MessageDraft {
            to: "coordinator".to_owned(),
            ..draft.clone()
        })?;
        match &to.envelope.from {
            Some(asker @ Address::Branch(run, _)) if *run == self.run => self.send(MessageDraft {
                to: asker.to_string(),
                ..draft
            }),
            Some(asker @ Address::Run(run)) if *run != self.run => {
                let _over = self.send_abroad(
                    run,
                    MessageDraft {
                        to: asker.to_string(),
                        ..draft
                    },
                );
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn send_abroad(&self, run: &RunId, draft: MessageDraft) -> Result<(), UtilityError> {
        let place = self
            .root
            .find(run)
            .map_err(|error| UtilityError::failed(error.to_string(), error.hint()))?;
        let post = MessageLog::open(&place.journal(), &self.clock).map_err(|error| lost(&error))?;
        let envelope = draft
            .check()
            .map_err(|error| UtilityError::failed(error.to_string(), error.hint()))?;
        let posting = MessagePosting {
            only_when_on: true,
            ..MessagePosting::new(envelope)
        };
        post.deliver(posting)
            .map(drop)
            .map_err(|error| lost(&error))
    }
}

pub(crate) fn lost(error: &post::Error) -> UtilityError {
    UtilityError::failed(error.to_string(), error.hint())
}
