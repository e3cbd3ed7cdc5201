//! `locker`: a work queue and locks with leases, for actors that must not work on the same thing.
//!
//! Owns the service loop: take a message, change the table, make it durable, reply, settle. If the
//! service dies in between, the message is delivered again; it then gets the same reply and changes
//! nothing. Never polls: the only timer that wakes the service is the expiry of the next lease.

pub(crate) mod table;

use std::path::{Path, PathBuf};

use materia_engine::post::{ClaimedMessage, MessageSettlement, MessageWait};
use materia_engine::store::atomic;
use materia_engine::store::file::{self, WriteMode};
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use materia_model::message::{MessageDraft, QueueId};
use materia_model::text;
use serde_json::{Value, json};

use crate::service::{Next, Service};
use crate::{files, jsonl_tail};

use table::{Reply, Table};

/// The format version of the table's document.
const FORMAT: u32 = 1;
/// Maximum size of the document.
const MOST_BYTES: u64 = 64 << 20;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let service = Service::open(context, "locker")?;
    let prefix = options.text_or("prefix", "lock").to_owned();
    let lease = i64::try_from(options.number("lease-ms", 600_000)?.max(1)).unwrap_or(i64::MAX);
    let mut locker = Locker {
        table: read(service.dir())?,
        dir: service.dir().to_owned(),
        prefix,
        lease,
    };
    locker.started(&service)?;
    (context.say)("locker: ready");
    let mut handled = 0u64;
    loop {
        let message = match service.next(&QueueId::Run, MessageWait::Forever)? {
            Next::Message(message) => message,
            Next::Late => continue,
            Next::Over => break,
        };
        let stops = matches!(message.envelope.kind.as_str(), "control.stop");
        let now = context.clock.now().as_millis();
        let reply = if stops {
            Reply::new("stopped", json!({"handled": handled + 1}))
        } else {
            locker.handle(&message, now)?
        };
        let kind = format!("{}.{}", locker.prefix, reply.kind);
        service.answer(&message, &kind, &reply.summary(), reply.body)?;
        service.settle(&QueueId::Run, &message.id, &MessageSettlement::Handled)?;
        handled += 1;
        if stops {
            break;
        }
    }
    Ok(json!({"ok": true, "handled": handled}).into())
}

struct Locker {
    table: Table,
    dir: PathBuf,
    prefix: String,
    lease: i64,
}

impl Locker {
    fn started(&self, service: &Service) -> Result<(), UtilityError> {
        let body = json!({"queued": self.table.items.len(), "locks": self.table.locks.len(), "leaseMs": self.lease});
        service.send(MessageDraft {
            to: "coordinator".to_owned(),
            kind: format!("{}.started", self.prefix),
            body: Some(body),
            from: Some(format!("run:{}", service.run())),
            summary: Some("the lock service is ready".to_owned()),
            ..MessageDraft::default()
        })
    }

    /// Applies a message to the table and makes the change durable, once per message.
    fn handle(&mut self, message: &ClaimedMessage, now: i64) -> Result<Reply, UtilityError> {
        if let Some((id, reply)) = &self.table.last
            && *id == message.id
        {
            return Ok(reply.clone());
        }
        let kind = message.envelope.kind.as_str();
        let verb = kind
            .strip_prefix("lock.")
            .or_else(|| kind.strip_prefix("coord."))
            .unwrap_or(kind);
        let sender = message.envelope.from.as_ref().map(ToString::to_string);
        let empty = Value::Null;
        let body = message.envelope.body.as_ref().unwrap_or(&empty);
        let reply = self
            .table
            .apply(verb, body, sender.as_deref(), &message.id, now, self.lease);
        self.table.last = Some((message.id.clone(), reply.clone()));
        keep(&self.dir, &self.table)?;
        let line = json!({"at": now, "message": message.id, "type": kind, "from": sender, "reply": reply.kind,
            "body": reply.body});
        file::write(
            &journal(&self.dir),
            format!("{line}\n").as_bytes(),
            WriteMode::Append,
        )
        .map_err(|error| {
            UtilityError::failed(
                format!("the journal cannot be written: {error}"),
                "make room on the disk",
            )
        })?;
        Ok(reply)
    }
}

fn document(dir: &Path) -> PathBuf {
    dir.join("locks.json")
}

fn journal(dir: &Path) -> PathBuf {
    dir.join("lock-journal.jsonl")
}

/// Reads the stored table. A new run has an empty one.
pub(crate) fn read(dir: &Path) -> Result<Table, UtilityError> {
    let path = document(dir);
    if !path.exists() {
        return Ok(Table::default());
    }
    atomic::read_json(&path, FORMAT, MOST_BYTES)
        .map_err(|error| UtilityError::failed(error.to_string(), "move it away to begin anew"))
}

/// Stores the table.
pub(crate) fn keep(dir: &Path, table: &Table) -> Result<(), UtilityError> {
    atomic::write_json(&document(dir), FORMAT, table).map_err(|error| {
        UtilityError::failed(
            error.to_string(),
            "make room, and check who may write there",
        )
    })
}

/// `lock-snapshot`: reads the stored state of a lock service without sending it a message.
pub(crate) fn snapshot(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let dir = match (options.text("run"), options.path("state-dir", context)) {
        (Some(run), _) => {
            let bare = run.strip_prefix("run:").unwrap_or(run);
            let id = bare.parse().map_err(|error| {
                UtilityError::wrong(
                    format!("{} is no run: {error}", text::quoted(run)),
                    "write run=ID",
                )
            })?;
            let place = context.runs.find(&id);
            place
                .map_err(|error| UtilityError::failed(error.to_string(), error.hint()))?
                .dir()
                .to_owned()
        }
        (None, Some(dir)) => dir,
        (None, None) => {
            let message = "nobody says which lock service is meant";
            return Err(UtilityError::wrong(
                message,
                "write run=ID or state-dir=DIR",
            ));
        }
    };
    let table = read(&dir)?;
    let now = context.clock.now().as_millis();
    let log = files::text(&journal(&dir)).unwrap_or_default();
    let (lines, _) = jsonl_tail::last(&log, options.number("lines", 20)?);
    let lines: Vec<Value> = lines
        .iter()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let output =
        json!({"stateDir": dir, "queue": table.items, "locks": table.held(now), "journal": lines});
    Ok(UtilityReport {
        output: UtilityOutput::Json(output),
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_comes_twice_is_answered_twice_and_counts_once() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().to_owned();
        let draft = MessageDraft {
            to: "run:l".to_owned(),
            kind: "lock.enqueue".to_owned(),
            body: Some(json!({"task": "x"})),
            ..MessageDraft::default()
        };
        let queued_at = materia_model::time::Timestamp::from_millis(0);
        let message = ClaimedMessage {
            id: "m1".to_owned(),
            envelope: draft.check().unwrap(),
            queued_at,
            attempt: 1,
        };
        let locker = || Locker {
            table: read(&dir).unwrap(),
            dir: dir.clone(),
            prefix: "lock".to_owned(),
            lease: 9,
        };
        let first = locker().handle(&message, 1).unwrap();
        // As after a kill: all state is read again.
        let mut again = locker();
        assert_eq!(
            (again.handle(&message, 2).unwrap(), again.table.items.len()),
            (first, 1)
        );
        assert_eq!(files::text(&journal(&dir)).unwrap().lines().count(), 1);
    }
}
