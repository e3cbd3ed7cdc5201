//! `worker`: takes the messages of a branch one by one and writes a result for each.
//!
//! Owns the loop: wait, claim, post in the room, work, store the result, post in the room, settle.
//! The work is a command that reads the message's body; without a command, the body is the result.
//! If the worker dies over a message, it works on it again and replaces the incomplete result.

use std::path::PathBuf;
use std::time::Duration;

use materia_engine::post::{ClaimedMessage, MessageSettlement, MessageWait};
use materia_engine::process::{Capture, Cause, Command, ProcessSet, Stdin, StreamSink};
use materia_engine::store::atomic;
use materia_engine::store::file::{self, WriteMode};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::finding::Source;
use materia_model::message::QueueId;
use materia_model::name::BranchName;
use materia_model::{template, text};
use serde_json::{Value, json};

use crate::service::{Next, Service};

/// Maximum bytes of a result that are posted in the room; the artifact has all of it.
const TOLD: usize = 8 * 1024;
/// Maximum bytes of a command's output that are kept.
const MOST_OUTPUT: usize = 16 << 20;

struct Worker<'a> {
    service: Service,
    branch: BranchName,
    command: Vec<String>,
    artifacts: Option<PathBuf>,
    cwd: PathBuf,
    processes: &'a mut ProcessSet,
    handled: u64,
    failed: u64,
    repeated: u64,
}

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let service = Service::open(context, "actor-worker")?;
    let command = match options.text("command") {
        None => Vec::new(),
        Some(line) => template::split(&Source::new("command", line)).map_err(|findings| {
            let why = findings
                .first()
                .map_or("", |finding| finding.message.as_str())
                .to_owned();
            UtilityError::wrong(
                format!("the command {} is wrong: {why}", text::quoted(line)),
                "write words",
            )
        })?,
    };
    let most = options.number("max-messages", 0)?;
    let mut worker = Worker {
        branch: Service::branch(options.text_or("branch", "worker"))?,
        artifacts: options
            .flag("artifacts")
            .then(|| service.dir().join("artifacts")),
        service,
        command,
        cwd: context.cwd.to_owned(),
        processes: context.processes,
        handled: 0,
        failed: 0,
        repeated: 0,
    };
    worker.speak(
        "actor.join",
        json!({"role": "worker", "status": "present", "caps": ["task.run"]}),
    )?;
    let stopped = worker.work(most, context.say)?;
    worker.speak(
        "actor.leave",
        json!({"status": "left", "handled": worker.handled}),
    )?;
    worker.note("stopped")?;
    let Worker {
        handled, failed, ..
    } = worker;
    Ok(json!({"ok": true, "stopped": stopped, "handled": handled, "failed": failed}).into())
}

impl Worker<'_> {
    fn work(&mut self, most: u64, say: &mut dyn FnMut(&str)) -> Result<&'static str, UtilityError> {
        let place = QueueId::Branch(self.branch.clone());
        while most == 0 || self.handled < most {
            self.speak(
                "awaiting_assignment",
                json!({"status": "idle", "handled": self.handled}),
            )?;
            self.note("waiting")?;
            let message = match self.service.next(&place, MessageWait::Forever)? {
                Next::Message(message) => message,
                Next::Late => continue,
                Next::Over => return Ok("over"),
            };
            if message.envelope.kind.as_str() == "control.stop" {
                self.service
                    .settle(&place, &message.id, &MessageSettlement::Handled)?;
                return Ok("asked");
            }
            let ending = self.deal_with(&message)?;
            say(&format!("worker: {} {}", message.id, ending.as_str()));
            self.service.settle(&place, &message.id, &ending)?;
            self.handled += 1;
        }
        Ok("enough")
    }

    fn deal_with(&mut self, message: &ClaimedMessage) -> Result<MessageSettlement, UtilityError> {
        self.repeated += u64::from(message.attempt > 1);
        let id = &message.id;
        self.speak(
            "task.claim",
            json!({"status": "working", "claim": id, "attempt": message.attempt}),
        )?;
        self.note("working")?;
        let done = self.result(message)?;
        let artifact = match (&done, &self.artifacts) {
            (Ok(result), Some(dir)) => {
                let path = dir.join(format!("{}.txt", id.replace([':', '/'], "_")));
                file::write(&path, result, WriteMode::Overwrite).map_err(|error| {
                    UtilityError::failed(
                        format!("{} cannot be kept: {error}", path.display()),
                        "make room",
                    )
                })?;
                Some(path)
            }
            _ => None,
        };
        match done {
            Ok(result) => {
                let text = String::from_utf8_lossy(&result);
                self.speak(
                    "task.result",
                    json!({"status": "idle", "claim": Value::Null, "task": id, "artifact": artifact,
                        "result": text::bounded(&text, TOLD)}),
                )?;
                Ok(MessageSettlement::Handled)
            }
            Err(why) => {
                self.failed += 1;
                self.speak(
                    "task.failed",
                    json!({"status": "idle", "claim": Value::Null, "task": id, "error": why}),
                )?;
                Ok(MessageSettlement::Failed(why))
            }
        }
    }

    /// The result of a message: the command's output, or the body itself.
    fn result(
        &mut self,
        message: &ClaimedMessage,
    ) -> Result<Result<Vec<u8>, String>, UtilityError> {
        let body = message.envelope.text().into_bytes();
        if self.command.is_empty() {
            return Ok(Ok(body));
        }
        let mut command = Command::new(materia_engine::utility::step::program_words(&self.command));
        command.cwd = Some(self.cwd.clone());
        command.stdin = Stdin::Bytes(body);
        command.stdout = StreamSink::Capture(Capture {
            memory: MOST_OUTPUT,
            ..Capture::default()
        });
        command.grace = Duration::from_secs(5);
        let ended = self.processes.run(command);
        let complaint = String::from_utf8_lossy(&ended.stderr.bytes);
        match &ended.cause {
            Cause::Cancelled(_) => Err(UtilityError::interrupted("the worker's command")),
            _ if ended.success() => Ok(Ok(ended.stdout.bytes)),
            Cause::NotStarted(error) => Ok(Err(error.to_string())),
            _ => Ok(Err(format!(
                "exit code {}: {}",
                ended.code(),
                text::bounded(complaint.trim(), 800)
            ))),
        }
    }

    fn speak(&self, kind: &str, body: Value) -> Result<(), UtilityError> {
        self.service.speak(Some(&self.branch), kind, body)
    }

    /// Writes a status snapshot for observers. It can be rebuilt from the room.
    fn note(&self, state: &str) -> Result<(), UtilityError> {
        let path = self.service.dir().join("worker-status.json");
        let status = json!({"state": state, "branch": self.branch, "handled": self.handled, "failed": self.failed,
            "repeated": self.repeated});
        atomic::write_cache(&path, format!("{status:#}\n").as_bytes())
            .map_err(|error| UtilityError::failed(error.to_string(), "make room"))
    }
}
