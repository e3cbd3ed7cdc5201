//! The table of a lock service: what is queued, what is locked, by which owner and until when.
//!
//! Owns the effect of each message. An expired lease locks nothing. Only an owner can renew,
//! release, complete or fail its work; completing and failing release its locks. Pure: the caller
//! passes the time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Maximum number of queued items.
const MOST_ITEMS: usize = 10_000;
/// Maximum number of locks.
const MOST_LOCKS: usize = 10_000;

/// The state of a lock service.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    /// Queued work, in order.
    pub(crate) items: Vec<Item>,
    /// Work in progress, by id.
    pub(crate) assigned: BTreeMap<String, Assigned>,
    /// Locks, by resource.
    pub(crate) locks: BTreeMap<String, Lock>,
    /// The last message and its reply, because the message may be delivered again.
    pub(crate) last: Option<(String, Reply)>,
}

/// A piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) task: Value,
    /// The resources that must be locked for the work.
    pub(crate) resources: Vec<String>,
}

/// Work that an owner has claimed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Assigned {
    item: Item,
    owner: String,
    #[serde(rename = "expiresAt")]
    expires_at: i64,
}

/// A lock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lock {
    owner: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(rename = "expiresAt")]
    expires_at: i64,
}

/// The reply to a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reply {
    /// The message kind, without the prefix.
    pub(crate) kind: String,
    /// Details.
    pub(crate) body: Value,
}

impl Reply {
    pub(crate) fn new(kind: &str, body: Value) -> Self {
        Self {
            kind: kind.to_owned(),
            body,
        }
    }

    fn error(why: &str, hint: &str) -> Self {
        Self::new("error", json!({"error": why, "hint": hint}))
    }

    /// A summary on one line.
    pub(crate) fn summary(&self) -> String {
        let about = ["id", "resource", "error"]
            .iter()
            .find_map(|key| self.body.get(*key)?.as_str());
        about.map_or_else(
            || self.kind.clone(),
            |about| format!("{}: {about}", self.kind),
        )
    }
}

/// The sender of a message, and the current time.
struct Asker<'a> {
    owner: Option<&'a str>,
    now: i64,
    until: i64,
}

impl Table {
    /// Applies a message.
    pub(crate) fn apply(
        &mut self,
        verb: &str,
        body: &Value,
        sender: Option<&str>,
        message: &str,
        now: i64,
        lease: i64,
    ) -> Reply {
        self.expire(now);
        let text = |key: &str| body.get(key).and_then(Value::as_str);
        let asker = Asker {
            owner: text("owner").or(sender),
            now,
            until: now.saturating_add(lease),
        };
        match verb {
            "enqueue" | "run.message" => self.enqueue(body, message),
            "claim" => self.claim(&asker),
            "acquire" | "renew" | "release" => match text("resource") {
                Some(resource) => self.lock(verb, resource, &asker),
                None => Reply::error(
                    "there is no `resource`",
                    "send {\"resource\": \"…\", \"owner\": \"…\"}",
                ),
            },
            "complete" | "fail" => self.finish(verb, text("id"), &asker),
            "snapshot" => Reply::new(
                "snapshot",
                json!({"queue": self.items, "locks": self.held(now)}),
            ),
            other => Reply::new("unknown", json!({"type": other})),
        }
    }

    /// The locks that have not expired.
    pub(crate) fn held(&self, now: i64) -> BTreeMap<&String, &Lock> {
        self.locks
            .iter()
            .filter(|(_, lock)| lock.expires_at > now)
            .collect()
    }

    /// Puts work with an expired lease back at the front of the queue and drops expired locks.
    fn expire(&mut self, now: i64) {
        self.locks.retain(|_, lock| lock.expires_at > now);
        let late: Vec<String> = self
            .assigned
            .iter()
            .filter(|(_, one)| one.expires_at <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in late {
            if let Some(assigned) = self.assigned.remove(&id) {
                self.items.insert(0, assigned.item);
            }
        }
    }

    fn enqueue(&mut self, body: &Value, message: &str) -> Reply {
        if self.items.len() >= MOST_ITEMS {
            return Reply::error("the queue is full", "claim and complete what waits first");
        }
        let task = body.get("task").cloned().unwrap_or_else(|| body.clone());
        let resources: Vec<String> = match body.get("resources") {
            Some(Value::Array(all)) => all
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        };
        let id = body
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or(message)
            .to_owned();
        if self.items.iter().any(|item| item.id == id) || self.assigned.contains_key(&id) {
            return Reply::error("there is work of this id already", "give it another `id`");
        }
        self.items.push(Item {
            id: id.clone(),
            task,
            resources,
        });
        Reply::new("enqueued", json!({"id": id, "waiting": self.items.len()}))
    }

    fn claim(&mut self, asker: &Asker<'_>) -> Reply {
        let Some(owner) = asker.owner else {
            return no_owner();
        };
        let free = |item: &Item| {
            item.resources
                .iter()
                .all(|one| self.locks.get(one).is_none_or(|lock| lock.owner == owner))
        };
        let Some(index) = self.items.iter().position(free) else {
            return Reply::new(
                "empty",
                json!({"owner": owner, "waiting": self.items.len()}),
            );
        };
        let item = self.items.remove(index);
        for resource in &item.resources {
            let lock = Lock {
                owner: owner.to_owned(),
                task: Some(item.id.clone()),
                expires_at: asker.until,
            };
            self.locks.insert(resource.clone(), lock);
        }
        let body = json!({"id": item.id, "owner": owner, "task": item.task, "resources": item.resources,
            "expiresAt": asker.until});
        let assigned = Assigned {
            owner: owner.to_owned(),
            expires_at: asker.until,
            item,
        };
        self.assigned.insert(assigned.item.id.clone(), assigned);
        Reply::new("assigned", body)
    }

    fn lock(&mut self, verb: &str, resource: &str, asker: &Asker<'_>) -> Reply {
        let Some(owner) = asker.owner else {
            return no_owner();
        };
        let held = self.locks.get(resource);
        let mine = held.is_some_and(|lock| lock.owner == owner);
        let holder = held.map(|lock| lock.owner.clone());
        let denied = || {
            Reply::new(
                "denied",
                json!({"resource": resource, "owner": owner, "heldBy": holder, "wanted": verb}),
            )
        };
        match verb {
            "acquire" if held.is_none() || mine => {
                if self.locks.len() >= MOST_LOCKS {
                    return Reply::error("there are too many locks", "release some first");
                }
                let lock = Lock {
                    owner: owner.to_owned(),
                    task: None,
                    expires_at: asker.until,
                };
                self.locks.insert(resource.to_owned(), lock);
                Reply::new(
                    "granted",
                    json!({"resource": resource, "owner": owner, "expiresAt": asker.until}),
                )
            }
            "renew" if mine => {
                let task = self.locks.get_mut(resource).and_then(|lock| {
                    lock.expires_at = asker.until;
                    lock.task.clone()
                });
                // Renewing a lock also renews the lease of the work that it was taken for.
                if let Some(assigned) = task.and_then(|task| self.assigned.get_mut(&task)) {
                    assigned.expires_at = asker.until;
                }
                Reply::new(
                    "renewed",
                    json!({"resource": resource, "owner": owner, "expiresAt": asker.until}),
                )
            }
            "release" if mine => {
                self.locks.remove(resource);
                Reply::new(
                    "released",
                    json!({"resource": resource, "owner": owner, "at": asker.now}),
                )
            }
            _ => denied(),
        }
    }

    fn finish(&mut self, verb: &str, id: Option<&str>, asker: &Asker<'_>) -> Reply {
        let Some(owner) = asker.owner else {
            return no_owner();
        };
        let Some(id) = id else {
            return Reply::error("there is no `id`", "send the id of what was assigned");
        };
        match self.assigned.get(id) {
            Some(assigned) if assigned.owner == owner => {}
            Some(assigned) => {
                return Reply::new(
                    "denied",
                    json!({"id": id, "owner": owner, "heldBy": assigned.owner}),
                );
            }
            None => {
                return Reply::error(
                    "nobody works on that",
                    "claim it first; its lease may have run out",
                );
            }
        }
        self.assigned.remove(id);
        let before = self.locks.len();
        self.locks
            .retain(|_, lock| !(lock.owner == owner && lock.task.as_deref() == Some(id)));
        Reply::new(
            verb,
            json!({"id": id, "owner": owner, "freed": before - self.locks.len()}),
        )
    }
}

fn no_owner() -> Reply {
    Reply::error(
        "nobody says who asks",
        "send {\"owner\": \"…\"}, or a message with `from`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(table: &mut Table, verb: &str, body: &Value, now: i64) -> (String, Value) {
        let reply = table.apply(verb, body, None, "m1", now, 100);
        (reply.kind, reply.body)
    }

    #[test]
    fn work_is_assigned_once_and_its_locks_are_freed_when_it_is_done() {
        let mut table = Table::default();
        ask(
            &mut table,
            "enqueue",
            &json!({"id": "a", "task": "x", "resources": ["db"]}),
            0,
        );
        ask(
            &mut table,
            "enqueue",
            &json!({"id": "b", "task": "y", "resources": ["db"]}),
            0,
        );
        assert_eq!(
            ask(&mut table, "enqueue", &json!({"id": "a"}), 0).0,
            "error"
        );
        let (kind, body) = ask(&mut table, "claim", &json!({"owner": "w1"}), 0);
        assert_eq!((kind.as_str(), &body["id"]), ("assigned", &json!("a")));
        assert_eq!(
            ask(&mut table, "claim", &json!({"owner": "w2"}), 0).0,
            "empty"
        );
        assert_eq!(
            ask(
                &mut table,
                "complete",
                &json!({"owner": "w2", "id": "a"}),
                0
            )
            .0,
            "denied"
        );
        let (kind, body) = ask(
            &mut table,
            "complete",
            &json!({"owner": "w1", "id": "a"}),
            0,
        );
        assert_eq!((kind.as_str(), &body["freed"]), ("complete", &json!(1)));
        assert_eq!(
            ask(&mut table, "claim", &json!({"owner": "w2"}), 0).0,
            "assigned"
        );
    }

    #[test]
    fn only_an_owner_gives_back_or_renews_and_a_lease_runs_out() {
        let mut table = Table::default();
        let of = |owner: &str| json!({"owner": owner, "resource": "r"});
        assert_eq!(ask(&mut table, "acquire", &of("a"), 0).0, "granted");
        assert_eq!(ask(&mut table, "acquire", &of("b"), 50).0, "denied");
        assert_eq!(ask(&mut table, "release", &of("b"), 50).0, "denied");
        assert_eq!(ask(&mut table, "renew", &of("b"), 50).0, "denied");
        assert_eq!(ask(&mut table, "renew", &of("a"), 50).0, "renewed");
        assert_eq!(ask(&mut table, "acquire", &of("b"), 149).0, "denied");
        assert_eq!(ask(&mut table, "acquire", &of("b"), 150).0, "granted");
        assert_eq!(ask(&mut table, "release", &of("b"), 151).0, "released");
        assert_eq!(ask(&mut table, "release", &of("b"), 152).0, "denied");
    }

    #[test]
    fn work_whose_owner_went_silent_waits_again() {
        let mut table = Table::default();
        ask(
            &mut table,
            "enqueue",
            &json!({"id": "a", "resources": ["r"]}),
            0,
        );
        ask(&mut table, "claim", &json!({"owner": "gone"}), 0);
        assert_eq!(
            ask(&mut table, "claim", &json!({"owner": "next"}), 99).0,
            "empty"
        );
        assert_eq!(
            ask(&mut table, "claim", &json!({"owner": "next"}), 100).0,
            "assigned"
        );
        assert_eq!(
            ask(
                &mut table,
                "complete",
                &json!({"owner": "gone", "id": "a"}),
                101
            )
            .0,
            "denied"
        );
    }

    #[test]
    fn strange_messages_are_answered() {
        let mut table = Table::default();
        assert_eq!(ask(&mut table, "acquire", &json!("x"), 0).0, "error");
        assert_eq!(
            ask(&mut table, "acquire", &json!({"resource": "r"}), 0).0,
            "error"
        );
        assert_eq!(ask(&mut table, "dance", &json!(null), 0).0, "unknown");
        let (kind, _) = ask(&mut table, "run.message", &json!("just text"), 0);
        assert_eq!(
            (kind.as_str(), &table.items[0].task),
            ("enqueued", &json!("just text"))
        );
    }
}
