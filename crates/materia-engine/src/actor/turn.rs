//! One turn of an actor: the prompt, retries, and messages that come meanwhile.
//!
//! Owns the recovery of a turn (C10) and what is sent to the agent while it works. A message is
//! part of the turn when the agent shows that it received it; otherwise it gets a turn of its own.
//! Messages received in a failed attempt are part of the next attempt.

use std::time::Duration;

use materia_model::actor::{
    ActorMessageSeen, ActorTurnEnd, ActorTurnUsage, TURN_HEARD, TURN_USAGE,
};
use materia_model::agent::{AgentFailure, AgentFailureKind, TurnKind, Usage};
use materia_model::cast::recovery::{self, RecoveryAction, VisitRecovery};
use materia_model::message::QueueId as MessageQueue;
use serde_json::Value;

use super::drive::{Actor, Error, prompt};
use super::{ActorEvent, ActorObserver};
use crate::agent::{
    Activity, AgentMemory, AgentTurn, Answer, Backend, DEFAULT_TIMEOUT, TurnCommand, Watch,
};
use crate::clock;
use crate::post::{self, ClaimedMessage, MessageSettlement};
use crate::process::{Event, ProcessSet, WatchId};
use crate::store::dir;
use crate::wake::WaiterPipe;

/// The result of a turn.
pub(super) struct ActorTurnResult {
    /// The end of the turn, with the messages that the agent received.
    pub(super) end: ActorTurnEnd,
    /// Messages that came meanwhile, were not received by the agent, and wait for turns of their
    /// own.
    pub(super) waiting: Vec<ClaimedMessage>,
}

/// Watches a turn for its actor.
pub(super) struct ActorTurnWatcher<'w, 'a> {
    actor: &'w Actor<'a>,
    turn: u64,
    ear: &'w WaiterPipe,
    woken_by: WatchId,
    observer: &'w mut dyn ActorObserver,
    waiting: Vec<ClaimedMessage>,
    heard: Vec<(ClaimedMessage, String)>,
    stopped: Option<String>,
    failed: Option<post::Error>,
    before: Usage,
    last: Usage,
}

impl<'w, 'a> ActorTurnWatcher<'w, 'a> {
    pub(super) fn new(
        actor: &'w Actor<'a>,
        turn: u64,
        (ear, woken_by): (&'w WaiterPipe, WatchId),
        observer: &'w mut dyn ActorObserver,
    ) -> Self {
        let (before, last) = (Usage::default(), Usage::default());
        let (waiting, heard) = (Vec::new(), Vec::new());
        Self {
            actor,
            turn,
            ear,
            woken_by,
            observer,
            waiting,
            heard,
            stopped: None,
            failed: None,
            before,
            last,
        }
    }

    /// Runs the turn to its end; `None` if the process is interrupted.
    pub(super) fn play(
        mut self,
        asked: &str,
        agent: &mut dyn Backend,
        processes: &mut ProcessSet,
    ) -> Result<Option<ActorTurnResult>, Error> {
        let mut tries = VisitRecovery::default();
        let mut end = ActorTurnEnd::default();
        loop {
            let Some(ended) = self.ask(asked, agent, processes)? else {
                return Ok(None);
            };
            self.before.add(&ended.usage);
            for (model, usage) in ended.models {
                end.models.entry(model).or_default().add(&usage);
            }
            end.agent = ended.agent.or(end.agent);
            end.session = ended.session;
            if let Some(error) = self.failed.take() {
                return Err(error.into());
            }
            let failure = match ended.reply {
                Ok(text) if !text.trim().is_empty() => {
                    end.outcome = "ok".to_owned();
                    end.text = text;
                    break;
                }
                Ok(_) => AgentFailure::new(AgentFailureKind::Empty, "the answer is empty"),
                Err(failure) => failure,
            };
            if let Some(wait) = self.again(&failure, &mut tries) {
                self.observer.event(&ActorEvent::Retry(&failure.message));
                if !self.rests(wait, processes) {
                    return Ok(None);
                }
                if self.stopped.is_none() {
                    continue;
                }
            }
            end.outcome = failure.kind.as_str().to_owned();
            end.error = Some(failure);
            break;
        }
        end.usage = self.before;
        end.messages = self
            .heard
            .into_iter()
            .map(|(message, _)| message.id)
            .collect();
        Ok(Some(ActorTurnResult {
            end,
            waiting: self.waiting,
        }))
    }

    fn ask(
        &mut self,
        asked: &str,
        agent: &mut dyn Backend,
        processes: &mut ProcessSet,
    ) -> Result<Option<materia_model::agent::TurnOutcome>, Error> {
        let actor = self.actor;
        let sessions = actor.sessions();
        dir::create_private(&sessions)?;
        let order = &actor.order;
        // A session can be continued only by the agent that created it.
        let kept = actor.turns(|state| state.session.clone())?;
        let kept = kept.as_ref().filter(|kept| kept.agent == order.name);
        let said = std::iter::once(asked).chain(self.heard.iter().map(|(_, text)| text.as_str()));
        let told = said.collect::<Vec<_>>().join("\n\n");
        let turn = AgentTurn {
            socket: "agent",
            materia: "agent",
            item: None,
            kind: TurnKind::Work,
            prompt: &told,
            system: order.system.as_deref(),
            tools: actor.tools,
            model: order.model.as_deref(),
            thinking: order.thinking.as_deref(),
            agent: None,
            memory: AgentMemory::Kept {
                folder: &sessions,
                from: kept.map(|kept| kept.handle.as_str()),
            },
            timeout: order
                .timeout_ms
                .map_or(DEFAULT_TIMEOUT, Duration::from_millis),
            cwd: actor.start.cwd.as_ref(),
        };
        match agent.ask(&turn, processes, self) {
            Answer::Ended(end) => Ok(Some(end)),
            Answer::Interrupted => Ok(None),
        }
    }

    /// The delay before the next attempt; `None` if a retry is useless.
    fn again(&self, failure: &AgentFailure, tries: &mut VisitRecovery) -> Option<Duration> {
        if self.stopped.is_some() {
            return None;
        }
        let kind = failure.kind.as_str();
        let RecoveryAction::Retry { delay_ms } = tries.after(failure.kind, kind) else {
            return None;
        };
        let repeated = tries.repeated_after(kind);
        tries.count(kind, repeated);
        Some(Duration::from_millis(recovery::obliging(delay_ms, failure)))
    }

    /// Waits, and handles messages meanwhile. Returns false if the process is interrupted.
    fn rests(&mut self, time: Duration, processes: &mut ProcessSet) -> bool {
        let deadline = clock::deadline_in(time);
        loop {
            match processes.next_among(None, Some(self.woken_by), deadline) {
                None => return true,
                Some(Event::Interrupt(_)) => return false,
                Some(_) => {
                    let orders = self.woken();
                    if orders
                        .iter()
                        .any(|order| matches!(order, TurnCommand::Stop(_)))
                    {
                        return true;
                    }
                }
            }
        }
    }

    /// Handles a message that came during the turn.
    fn take(&mut self, message: ClaimedMessage) -> Result<TurnCommand, post::Error> {
        let kind = message.envelope.kind.as_str();
        if kind == "control.abort" {
            self.actor.messages.settle(
                &MessageQueue::Run,
                &message.id,
                &self.actor.me,
                &MessageSettlement::Handled,
            )?;
            let who = message
                .envelope
                .from
                .map_or_else(|| "the person".to_owned(), |from| from.to_string());
            let why = format!("{who} aborted the turn");
            self.stopped = Some(why.clone());
            return Ok(TurnCommand::Stop(why));
        }
        let said = prompt(&message);
        let own_turn = message.envelope.meta("steer") == Some(&Value::Bool(false));
        let quiet = own_turn || kind.starts_with("control.") || said.trim().is_empty();
        self.waiting.push(message);
        Ok(if quiet {
            TurnCommand::GoOn
        } else {
            TurnCommand::Steer(said)
        })
    }

    fn hears(&mut self, said: &str) {
        let Some(at) = self
            .waiting
            .iter()
            .position(|message| prompt(message) == said)
        else {
            return;
        };
        let message = self.waiting.remove(at);
        let heard = ActorMessageSeen {
            turn: self.turn,
            message: message.id.clone(),
            from: message.envelope.from.as_ref().map(ToString::to_string),
            text: self.actor.clean(said),
        };
        let noted = self.actor.messages.note(TURN_HEARD, &heard);
        self.failed = self.failed.take().or(noted.err());
        self.heard.push((message, said.to_owned()));
    }

    fn spent(&mut self, usage: &Usage) {
        if std::mem::replace(&mut self.last, *usage) == *usage {
            return;
        }
        let mut sum = self.before;
        sum.add(usage);
        let noted = self.actor.messages.note(
            TURN_USAGE,
            &ActorTurnUsage {
                turn: self.turn,
                usage: sum,
            },
        );
        self.failed = self.failed.take().or(noted.err());
    }
}

impl Watch for ActorTurnWatcher<'_, '_> {
    fn see(&mut self, activity: &Activity) -> TurnCommand {
        match activity {
            Activity::Usage { usage } => self.spent(usage),
            Activity::Heard { text } => self.hears(text),
            _ => {}
        }
        self.observer.event(&ActorEvent::Activity(activity));
        TurnCommand::GoOn
    }

    fn wakes(&self) -> Option<WatchId> {
        Some(self.woken_by)
    }

    fn woken(&mut self) -> Vec<TurnCommand> {
        self.ear.drain();
        let mut orders = Vec::new();
        loop {
            let taken = match self
                .actor
                .messages
                .claim(&MessageQueue::Run, &self.actor.me)
            {
                Ok(Some(message)) => self.take(message),
                Ok(None) => return orders,
                Err(error) => Err(error),
            };
            match taken {
                Ok(order) => orders.push(order),
                Err(error) => {
                    orders.push(TurnCommand::Stop(error.to_string()));
                    self.failed = Some(error);
                    return orders;
                }
            }
        }
    }
}
