//! Messages, queues and rooms for people: one line each, sized for a model's context.

use materia_engine::api::{
    CommunicationReport, ContactsReport, FollowedMessage, MailboxReport, OutboxReport, Preview,
    PreviewsReport, RoomRoster, RoomStatusReport, RoomTimeline, TriageReport,
};
use materia_model::message::{OutboxMessage, RoomMessage};
use materia_model::name::RunId;
use materia_model::text::{self, printable};
use serde_json::Value;

use super::screen::Report;

/// A line shows at most this many bytes of a body.
const LONGEST_BODY: usize = 200;

/// Appends `key=value`. Replaces whitespace in the value, because it would end the value.
fn word(line: &mut String, key: &str, value: &str) {
    if !value.is_empty() {
        let value =
            printable(&text::bounded(value, LONGEST_BODY)).replace(char::is_whitespace, "_");
        line.push_str(&format!(
            "{}{key}={value}",
            if line.is_empty() { "" } else { " " }
        ));
    }
}

fn line(words: &[(&str, String)]) -> String {
    let mut line = String::new();
    words
        .iter()
        .for_each(|(key, value)| word(&mut line, key, value));
    line + "\n"
}

fn or_none(text: String, nothing: &str) -> String {
    if text.is_empty() {
        format!("({nothing})\n")
    } else {
        text
    }
}

fn older(shown: usize, total: u64) -> String {
    match total.saturating_sub(shown as u64) {
        0 => String::new(),
        more => {
            format!("({more} of {total} are older and not shown; see --lines, and the journal)\n")
        }
    }
}

fn others(shown: usize, total: usize) -> String {
    match total - shown {
        0 => String::new(),
        more => format!("({more} of {total} are not shown; --lines {total} shows all)\n"),
    }
}

fn optional<T: ToString>(value: Option<&T>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn json(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// Renders one message as a line.
pub(super) fn message_line(message: &FollowedMessage) -> String {
    match message {
        FollowedMessage::Outbox(posted) => posted_line(None, posted),
        FollowedMessage::Room(said) => said_line(said),
        FollowedMessage::Preview(preview) => preview_line(preview),
    }
}

fn said_line(said: &RoomMessage) -> String {
    line(&[
        ("ts", said.received_at.to_string()),
        ("from", optional(said.envelope.from.as_ref())),
        ("type", said.envelope.kind.to_string()),
        ("summary", said.envelope.summary.clone().unwrap_or_default()),
        ("body", said.envelope.text()),
    ])
}

fn preview_line(preview: &Preview) -> String {
    line(&[
        ("ts", preview.timestamp.to_string()),
        ("from", optional(preview.from.as_ref())),
        ("type", preview.kind.clone()),
        ("body", preview.body_preview.clone()),
    ])
}

fn posted_line(run: Option<&RunId>, posted: &OutboxMessage) -> String {
    line(&[
        ("run", optional(run)),
        ("id", posted.id.clone()),
        ("type", posted.envelope.kind.to_string()),
        ("level", format!("{:?}", posted.level).to_lowercase()),
        ("delivery", format!("{:?}", posted.delivery).to_lowercase()),
        (
            "attention",
            if posted.attention {
                "true".to_owned()
            } else {
                String::new()
            },
        ),
        ("summary", posted.envelope.headline()),
    ])
}

impl Report for OutboxReport {
    fn human(&self, _: bool) -> String {
        let lines = self
            .messages
            .iter()
            .map(|posted| posted_line(Some(&self.run), posted));
        or_none(lines.collect(), "no actor messages") + &older(self.messages.len(), self.total)
    }
}

impl Report for MailboxReport {
    fn human(&self, _: bool) -> String {
        let kinds = |declared: &[materia_model::message::DeclaredType]| {
            declared
                .iter()
                .map(|one| one.kind.as_str())
                .collect::<Vec<_>>()
                .join(",")
        };
        let counts = self.counts;
        let mut text = line(&[
            ("address", self.address.to_string()),
            ("accepts", kinds(&self.mailbox.accepts)),
            ("emits", kinds(&self.mailbox.emits)),
            ("deliver", self.mailbox.deliver.as_str().to_owned()),
            ("queued", counts.queued.to_string()),
            ("claimed", counts.claimed.to_string()),
            ("handled", counts.handled.to_string()),
            ("failed", counts.failed.to_string()),
            ("delivered", counts.delivered.to_string()),
            ("stale", counts.stale.to_string()),
        ]);
        for entry in self.messages.iter().map(|message| &message.entry) {
            text.push_str(&line(&[
                ("id", entry.id.clone()),
                ("status", entry.state.as_str().to_owned()),
                ("type", entry.kind.to_string()),
                ("from", optional(entry.from.as_ref())),
                ("queued_at", entry.queued_at.to_string()),
                (
                    "claims",
                    if entry.claims > 1 {
                        entry.claims.to_string()
                    } else {
                        String::new()
                    },
                ),
                ("summary", entry.summary.clone()),
            ]));
        }
        text + &older(self.messages.len(), self.total)
    }
}

impl Report for CommunicationReport {
    fn human(&self, _: bool) -> String {
        let Some(talk) = &self.communication else {
            return "(the run has not begun)\n".to_owned();
        };
        let mut text = line(&[
            ("self", talk.own.to_string()),
            ("root", talk.root.to_string()),
            ("parent", talk.parent.clone().unwrap_or_default()),
            (
                "rooms",
                talk.rooms
                    .iter()
                    .map(|room| room.address.to_string())
                    .collect::<Vec<_>>()
                    .join(","),
            ),
            ("updated_at", optional(talk.updated_at.as_ref())),
        ]);
        for contact in &talk.contacts {
            let words = [
                ("contact", contact.address.to_string()),
                ("role", contact.role.clone()),
                ("status", contact.status.clone()),
            ];
            text.push_str(&line(&words));
        }
        text
    }
}

impl Report for RoomStatusReport {
    fn human(&self, _: bool) -> String {
        let last = self.last.as_ref();
        line(&[
            ("room", self.room.to_string()),
            ("messages", self.messages.to_string()),
            ("roster", self.roster.to_string()),
            ("present", self.present.to_string()),
            (
                "last_message_at",
                optional(last.map(|last| &last.timestamp)),
            ),
            (
                "last_from",
                last.and_then(|last| last.from.as_ref())
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            ),
            (
                "last_type",
                last.map(|last| last.kind.clone()).unwrap_or_default(),
            ),
            (
                "last_summary",
                last.map(|last| last.summary.clone()).unwrap_or_default(),
            ),
        ])
    }
}

impl Report for RoomTimeline {
    fn human(&self, _: bool) -> String {
        or_none(
            self.messages.iter().map(said_line).collect(),
            "nothing was said",
        ) + &older(self.messages.len(), self.total)
    }
}

impl Report for PreviewsReport {
    fn human(&self, _: bool) -> String {
        or_none(
            self.messages.iter().map(preview_line).collect(),
            "nothing was said",
        ) + &older(self.messages.len(), self.total)
    }
}

impl Report for RoomRoster {
    fn human(&self, _: bool) -> String {
        let lines = self.members.iter().map(|member| {
            let about = |field: &str| json(member.about.get(field));
            line(&[
                ("address", member.address.to_string()),
                ("role", member.role.clone()),
                ("parent", about("parent")),
                ("caps", about("caps")),
                ("claim", about("claim")),
                ("status", member.status.clone()),
                ("last_seen", member.last_seen.to_string()),
            ])
        });
        or_none(lines.collect(), "nobody is there") + &others(self.members.len(), self.total)
    }
}

impl Report for ContactsReport {
    fn human(&self, _: bool) -> String {
        let lines = self.contacts.iter().map(|contact| {
            line(&[
                ("address", contact.address.to_string()),
                ("role", contact.role.clone()),
                ("parent", json(contact.parent.as_ref())),
                ("caps", json(contact.caps.as_ref())),
                ("claim", json(contact.claim.as_ref())),
                ("status", contact.status.clone()),
            ])
        });
        or_none(lines.collect(), "nobody else is there") + &others(self.contacts.len(), self.total)
    }
}

impl Report for TriageReport {
    fn human(&self, _: bool) -> String {
        let (waiting, recipes) = (&self.waiting, &self.recipes);
        let some = |count: usize| {
            if count > 0 {
                count.to_string()
            } else {
                String::new()
            }
        };
        let mut text = line(&[
            (self.runtime.name, self.runtime.version.to_owned()),
            (
                "session",
                waiting
                    .current_session
                    .clone()
                    .unwrap_or_else(|| "all".to_owned()),
            ),
            ("active", waiting.active_runs.len().to_string()),
            ("other_runs", some(waiting.other_session_runs)),
            ("failed", some(waiting.recent_failed_runs.len())),
            ("stale_claims", some(waiting.stale_claims.len())),
            ("attention", some(waiting.attention_messages.len())),
            ("invalid_recipes", some(recipes.invalid_recipes.len())),
            ("blocking_recipes", some(recipes.blocking_recipes.len())),
            ("high_risk_recipes", some(recipes.high_risk_recipes.len())),
            ("draft_recipes", some(recipes.draft_recipes.len())),
        ]);
        for asked in &waiting.attention_messages {
            let words = [
                ("attention", format!("run:{}", asked.run)),
                ("type", asked.message.envelope.kind.to_string()),
                ("summary", asked.message.envelope.headline()),
            ];
            text.push_str(&line(&words));
        }
        for next in &self.next_actions {
            text.push_str(&format!("next: {next}\n"));
        }
        text
    }
}
