//! One turn of a role: a call of `materia agent run`, with the transcript and the role's messages.
//!
//! Owns how turns run concurrently, how much of the room they see, and the messages queued for a
//! role: they go into its prompt and are settled when its turn ends.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use materia_engine::post::MessageSettlement;
use materia_engine::process::{
    Capture, Cause, Command, Event, ProcessEnd, ProcessSet, Stdin, StopReason, StreamSink,
};
use materia_engine::utility::UtilityError;
use materia_engine::utility::step::{StepContext, StepOptions, ourselves};
use materia_model::message::QueueId;
use materia_model::text;

use crate::service::{Service, lost};

use super::role::Role;

/// Maximum bytes of an answer that are posted in the room.
pub(crate) const TOLD: usize = 64 * 1024;
/// Maximum bytes of the room's transcript that a turn sees.
const MOST_SAID: usize = 24_000;
const MOST_MESSAGES: usize = 160;
/// Maximum number of messages that a turn takes from its queue.
const MOST_MAIL: usize = 20;

/// A turn to run.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) role: Role,
    pub(crate) prompt: String,
    /// The task from the pool, if the turn works on one.
    pub(crate) task: Option<String>,
    /// The ids of the messages in its prompt.
    pub(crate) mail: Vec<String>,
}

impl Turn {
    /// Moves the messages queued for the role into its prompt.
    pub(crate) fn take_mail(&mut self, service: &Service) -> Result<(), UtilityError> {
        let place = QueueId::Branch(self.role.name.clone());
        while self.mail.len() < MOST_MAIL
            && let Some(message) = service.waiting(&place)?
        {
            if self.mail.is_empty() {
                self.prompt.push_str("\n## Sent to you\n");
            }
            let from = message
                .envelope
                .from
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = write!(
                self.prompt,
                "\n{from} {}: {}\n",
                message.envelope.kind.as_str(),
                message.envelope.text()
            );
            self.mail.push(message.id);
        }
        Ok(())
    }

    /// Settles the messages in the prompt.
    pub(crate) fn settle_mail(
        &self,
        service: &Service,
        failed: Option<&String>,
    ) -> Result<(), UtilityError> {
        let place = QueueId::Branch(self.role.name.clone());
        let ending = failed.map_or(MessageSettlement::Handled, |why| {
            MessageSettlement::Failed(why.clone())
        });
        self.mail
            .iter()
            .try_for_each(|id| service.settle(&place, id, &ending))
    }
}

/// Runs turns.
#[derive(Debug)]
pub(crate) struct Player {
    argv: Vec<String>,
    patience: Option<Duration>,
    cwd: PathBuf,
}

impl Player {
    pub(crate) fn new(
        context: &StepContext<'_>,
        options: &StepOptions,
    ) -> Result<Self, UtilityError> {
        let mut argv: Vec<String> = [ourselves(), "agent", "run"].map(str::to_owned).to_vec();
        for key in ["agent", "model", "thinking", "tools"] {
            if let Some(value) = options.text(key) {
                argv.extend([format!("--{key}"), value.to_owned()]);
            }
        }
        let patience = Some(options.number("ttl-ms", 0)?).filter(|patience| *patience > 0);
        Ok(Self {
            argv,
            patience: patience.map(Duration::from_millis),
            cwd: context.cwd.to_owned(),
        })
    }

    /// Runs turns concurrently. Returns the answer of each, or why there is none.
    pub(crate) fn play(
        &self,
        turns: &[Turn],
        processes: &mut ProcessSet,
    ) -> Result<Vec<Result<String, String>>, UtilityError> {
        let leaves: Vec<_> = turns
            .iter()
            .map(|turn| processes.spawn(self.command(&turn.prompt)))
            .collect();
        let mut answers: Vec<Option<Result<String, String>>> = turns.iter().map(|_| None).collect();
        let mut interrupted = false;
        while answers.iter().any(Option::is_none) {
            match processes.next(None) {
                Some(Event::Ended(ended)) => {
                    let index = leaves.iter().position(|leaf| *leaf == ended.leaf);
                    if let Some(slot) = index.and_then(|index| answers.get_mut(index)) {
                        *slot = Some(self.answer(&ended));
                    }
                }
                Some(Event::Interrupt(_)) => {
                    interrupted = true;
                    leaves
                        .iter()
                        .for_each(|leaf| processes.stop(*leaf, StopReason::Cancelled));
                }
                Some(_) => {}
                None => break,
            }
        }
        if interrupted {
            return Err(UtilityError::interrupted("the swarm"));
        }
        Ok(answers
            .into_iter()
            .map(|answer| answer.unwrap_or_else(|| Err("it was lost".to_owned())))
            .collect())
    }

    fn command(&self, prompt: &str) -> Command {
        let mut command = Command::new(&self.argv);
        command.cwd = Some(self.cwd.clone());
        command.stdin = Stdin::Bytes(prompt.as_bytes().to_vec());
        command.stdout = StreamSink::Capture(Capture {
            memory: 1 << 20,
            ..Capture::default()
        });
        command.deadline = self.patience;
        command
    }

    fn answer(&self, ended: &ProcessEnd) -> Result<String, String> {
        match &ended.cause {
            Cause::TimedOut(_) => Err(format!(
                "no answer in {} ms",
                self.patience.unwrap_or_default().as_millis()
            )),
            Cause::NotStarted(error) => Err(error.to_string()),
            _ if ended.success() => Ok(String::from_utf8_lossy(&ended.stdout.bytes)
                .trim()
                .to_owned()),
            _ => {
                let said = String::from_utf8_lossy(&ended.stderr.bytes);
                Err(format!(
                    "exit code {}: {}",
                    ended.code(),
                    text::bounded(said.trim(), 800)
                ))
            }
        }
    }
}

/// The end of the room's transcript.
pub(crate) fn transcript(service: &Service) -> Result<String, UtilityError> {
    let lines: Vec<String> = service
        .post()
        .look(|mail| {
            let texts = mail.room().timeline().rev().filter_map(|said| {
                let envelope = serde_json::to_value(said).ok()?;
                let text = envelope["body"]["text"].as_str().map(str::to_owned)?;
                let from = envelope["from"].as_str().unwrap_or_default();
                let name = from.rsplit('/').next().unwrap_or(from).to_owned();
                Some(format!("**{name}**: {text}"))
            });
            texts.take(MOST_MESSAGES).collect()
        })
        .map_err(|error| lost(&error))?;
    let mut said: Vec<&str> = Vec::new();
    let mut left = MOST_SAID;
    for line in &lines {
        let Some(less) = left.checked_sub(line.len()) else {
            said.push(text_end(line, left));
            break;
        };
        left = less;
        said.push(line);
    }
    said.reverse();
    Ok(said.join("\n\n"))
}

/// Truncates a text at a character boundary.
fn text_end(line: &str, most: usize) -> &str {
    let end = (0..=most.min(line.len()))
        .rev()
        .find(|at| line.is_char_boundary(*at))
        .unwrap_or(0);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(text_end("aäb", 2), "a");
        assert_eq!(text_end("ab", 9), "ab");
    }
}
