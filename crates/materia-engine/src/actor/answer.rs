//! The answers of an actor: where they go, sent once, before the messages are settled.
//!
//! Owns the destination of answers. The sender of a message gets the answer. The answer to the user
//! goes to the coordinator, and so does the answer to an answer, so that two actors never reply to
//! each other forever. An answer that its receiver can no longer accept goes to the coordinator as
//! well. Messages that were part of one turn get one common answer.

use std::collections::BTreeMap;

use materia_model::actor::ActorTurnEnd;
use materia_model::message::event::MESSAGE;
use materia_model::message::{
    Address, Envelope, LONGEST_BODY, MessageDraft, QueueId as MessageQueue,
};
use materia_model::text;
use serde_json::{Value, json};

use super::drive::{Actor, Error};
use crate::failpoint;
use crate::post::MessageSettlement;
use crate::routing::{self, Sender};
use crate::store::journal::{From, Reader};

const COORDINATOR: &str = "coordinator";

impl Actor<'_> {
    /// Sends the answers of the last turn and settles its messages, as far as that was not done.
    pub(super) fn finish(&self) -> Result<(), Error> {
        let Some(end) = self.turns(|state| state.last.clone())? else {
            return Ok(());
        };
        let open = self.messages.look(|mail| {
            let queue = mail.queue(&MessageQueue::Run);
            let found = end
                .messages
                .iter()
                .filter_map(|id| Some((id.clone(), queue.find(id)?.envelope.as_deref()?.clone())));
            found.collect::<Vec<(String, Envelope)>>()
        })?;
        let mut groups: BTreeMap<String, Vec<&(String, Envelope)>> = BTreeMap::new();
        for message in &open {
            groups
                .entry(self.goes_to(&message.1))
                .or_default()
                .push(message);
        }
        for (to, messages) in groups {
            self.answer(&end, &to, &messages)?;
            failpoint::hit("actor.answered")?;
            for (id, _) in messages {
                let ending = match &end.error {
                    None => MessageSettlement::Handled,
                    Some(failure) => MessageSettlement::Failed(
                        text::bounded(&failure.message, 1000).into_owned(),
                    ),
                };
                self.messages
                    .settle(&MessageQueue::Run, id, &self.me, &ending)?;
            }
        }
        Ok(())
    }

    /// The destination of the answer to a message.
    fn goes_to(&self, asked: &Envelope) -> String {
        if let Some(named) = asked.meta("answer_to").and_then(Value::as_str) {
            return named.to_owned();
        }
        match &asked.from {
            // Do not answer an answer: the exchange would never end.
            _ if asked.reply_to.is_some() => COORDINATOR.to_owned(),
            Some(from @ (Address::Run(run) | Address::Branch(run, _))) => match from {
                Address::Run(_) if run == self.run => COORDINATOR.to_owned(),
                _ => from.to_string(),
            },
            _ => COORDINATOR.to_owned(),
        }
    }

    fn answer(
        &self,
        end: &ActorTurnEnd,
        to: &str,
        messages: &[&(String, Envelope)],
    ) -> Result<(), Error> {
        let Some((first, asked)) = messages.first() else {
            return Ok(());
        };
        if self.has_answered(to, first) || self.has_answered(COORDINATOR, first) {
            return Ok(());
        }
        let sender = Sender {
            root: self.root,
            session: self.start.session.as_deref(),
            within: Some(self.run),
            clock: self.clock,
        };
        let draft = |to: &str, undelivered: Option<String>| {
            let ids: Vec<&str> = messages.iter().map(|(id, _)| id.as_str()).collect();
            self.draft(end, to, (first, asked), &ids, undelivered)
        };
        match routing::message(&sender, draft(to, None)) {
            Ok(_) => Ok(()),
            Err(error) if to != COORDINATOR => {
                routing::message(&sender, draft(COORDINATOR, Some(format!("{to}: {error}"))))?;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn draft(
        &self,
        end: &ActorTurnEnd,
        to: &str,
        (first, asked): (&str, &Envelope),
        answers: &[&str],
        undelivered: Option<String>,
    ) -> MessageDraft {
        let said = match &end.error {
            None => end.text.clone(),
            Some(failure) => match &failure.hint {
                None => failure.message.clone(),
                Some(hint) => format!("{}\nhint: {hint}", failure.message),
            },
        };
        let ok = end.error.is_none();
        let mut metadata = json!({
            "turn": end.turn, "outcome": end.outcome, "usage": end.usage, "answers": answers,
            "delivery": "followup", "level": if ok { "info" } else { "error" },
        });
        if let Some(file) = &end.file {
            metadata["file"] = json!(file);
        }
        if let Some(undelivered) = undelivered {
            metadata["undelivered"] = json!(text::bounded(&undelivered, 400));
        }
        let line = said
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        MessageDraft {
            to: to.to_owned(),
            kind: if ok { "chat.message" } else { "chat.failed" }.to_owned(),
            summary: Some(text::bounded(line, 200).into_owned()),
            body: Some(body(said)),
            from: Some(self.place.address()),
            reply_to: Some(first.to_owned()),
            correlation_id: asked.correlation_id.clone(),
            metadata: Some(metadata),
        }
    }

    /// Whether the answer is already in the journal of its destination. Then the process that sent
    /// it was killed before it settled the message.
    fn has_answered(&self, to: &str, id: &str) -> bool {
        let journal = match to.parse() {
            Ok(Address::Run(run) | Address::Branch(run, _) | Address::Room(run)) => {
                self.root.place(&run).journal()
            }
            _ => self.place.journal(),
        };
        let (ours, Ok(reader)) = (
            self.place.address(),
            Reader::open(&journal, From::Beginning),
        ) else {
            return false;
        };
        reader.flatten().any(|record| {
            let says = |field: &str, what: &str| {
                record.data.get(field).and_then(Value::as_str) == Some(what)
            };
            record.kind == MESSAGE && says("reply_to", id) && says("from", &ours)
        })
    }
}

/// A text that fits into a message as JSON.
fn body(mut said: String) -> Value {
    while Value::String(said.clone()).to_string().len() > LONGEST_BODY {
        said = text::bounded(&said, said.len() / 2).into_owned();
    }
    Value::String(said)
}
