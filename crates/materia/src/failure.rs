//! How a failure leaves the house: one table from its kind to the exit code, HTTP and JSON-RPC.
//!
//! Owns [`Kind`] and [`Failure`]. The rooms below have typed, mute errors; the verbs turn them into
//! a failure with a kind and a hint, and the view says it. Never prints.

mod cast;

use std::any::Any;
use std::cmp::Reverse;
use std::error::Error;

use materia_engine::config::ReadError;
use materia_engine::home::NoHome;
use materia_engine::post::Error as PostError;
use materia_engine::registry::NotRegistered;
use materia_engine::run::Error as RunError;
use materia_engine::store::journal::JournalError;
use materia_engine::store::lock::LockError;
use materia_engine::verb::loadout::{NotUsable, UseError};
use materia_engine::verb::message::Error as MessageError;
use materia_engine::verb::receive::Error as ReceiveError;
use materia_engine::verb::recipe::NotResolved;
use materia_engine::verb::tool::NotCalled;
use materia_engine::verb::watch::Error as WatchError;
use materia_model::finding::{Finding, Place};
use materia_model::name::NameError;
use materia_model::text;
use serde::{Serialize, Serializer};

/// What kind of failure it is; decides what the outside sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The work itself failed.
    Failed,
    /// The request or a document is wrong; nothing was started.
    Invalid,
    /// What was named does not exist.
    NotFound,
    /// The caller may not do this: ownership or trust.
    Refused,
    /// Somebody else holds it, or it changed in the meantime.
    Conflict,
    /// No agent could be reached, or it refused our login.
    Agent,
    /// A budget or limit was reached.
    Limit,
    /// A defect of ours.
    Internal,
    /// The person interrupted it.
    Interrupted,
}

/// How one kind looks from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    /// The exit code of the process.
    pub exit: u8,
    /// The HTTP status.
    pub http: u16,
    /// The JSON-RPC error code.
    pub json_rpc: i32,
    /// What it means, for the reference page.
    pub meaning: &'static str,
}

/// The whole table, in the order of the reference page.
pub const TABLE: [(Kind, Outside); 9] = [
    (
        Kind::Failed,
        outside(1, 422, -32000, "the work itself failed"),
    ),
    (
        Kind::Invalid,
        outside(
            2,
            400,
            -32602,
            "bad usage, invalid input or definition; nothing was started",
        ),
    ),
    (
        Kind::NotFound,
        outside(3, 404, -32004, "what was named does not exist"),
    ),
    (
        Kind::Refused,
        outside(4, 403, -32003, "refused: ownership or trust"),
    ),
    (
        Kind::Conflict,
        outside(
            4,
            409,
            -32009,
            "refused: locked, or changed in the meantime",
        ),
    ),
    (
        Kind::Agent,
        outside(
            6,
            502,
            -32006,
            "no agent backend is available, or its login was refused",
        ),
    ),
    (
        Kind::Limit,
        outside(
            7,
            429,
            -32007,
            "a budget or limit was reached: traversals, visits, stall",
        ),
    ),
    (
        Kind::Internal,
        outside(70, 500, -32603, "a defect in materia"),
    ),
    (Kind::Interrupted, outside(130, 503, -32030, "interrupted")),
];

const fn outside(exit: u8, http: u16, json_rpc: i32, meaning: &'static str) -> Outside {
    Outside {
        exit,
        http,
        json_rpc,
        meaning,
    }
}

impl Kind {
    /// How this kind looks from outside.
    pub fn outside(self) -> Outside {
        TABLE
            .iter()
            .find(|(kind, _)| *kind == self)
            .map_or(TABLE[7].1, |(_, outside)| *outside)
    }

    /// The exit code of a process that ends with it.
    pub fn exit_code(self) -> u8 {
        self.outside().exit
    }
}

/// Something that went wrong, as the outside is told of it.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What kind it is.
    pub kind: Kind,
    /// A stable snake_case name for programs.
    pub code: String,
    /// One sentence without a full stop.
    pub message: String,
    /// What led to it, the nearest first.
    pub causes: Vec<String>,
    /// What to do next.
    pub hint: Option<String>,
    /// Where it stands, when it is about a document.
    pub at: Option<Place>,
    /// Everything that is wrong with the documents concerned.
    pub findings: Vec<Finding>,
}

impl Failure {
    /// A failure of a kind, with its name for programs and its sentence.
    pub fn new(kind: Kind, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: code.into(),
            message: message.into(),
            causes: Vec::new(),
            hint: None,
            at: None,
            findings: Vec::new(),
        }
    }

    /// A failure that tells a typed error and all that it was caused by.
    pub fn from_error(kind: Kind, code: impl Into<String>, error: &dyn Error) -> Self {
        let causes = std::iter::successors(error.source(), |cause| (*cause).source());
        let causes = causes.map(ToString::to_string).collect();
        Self {
            causes,
            ..Self::new(kind, code, error.to_string())
        }
    }

    /// A failure for the findings of a document; there is at least one.
    pub fn from_findings(findings: Vec<Finding>) -> Self {
        let Some(first) = findings.first() else {
            return Self::new(
                Kind::Internal,
                "internal",
                "a document was refused without a finding",
            );
        };
        Self {
            hint: first.hint.clone(),
            at: first.place.clone(),
            ..Self::new(
                Kind::Invalid,
                first.code.replace('-', "_"),
                first.message.clone(),
            )
        }
        .with_findings(findings)
    }

    /// A failure for a defect of ours that was caught at the edge.
    pub fn panicked(panic: &(dyn Any + Send)) -> Self {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Self::new(Kind::Internal, "internal", format!("materia has a defect: {}", text::bounded(said, 500)))
            .hint("report it with the command you typed; your files are as the last finished step left them")
    }

    /// The same failure, with what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    fn with_findings(mut self, findings: Vec<Finding>) -> Self {
        self.findings = findings;
        self
    }
}

/// A failure as programs read it: `{"ok":false,"error":{"code","message","hint"?,"at"?}}`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorReport<'a> {
    /// Always false.
    pub ok: bool,
    /// What went wrong.
    pub error: ErrorBody<'a>,
}

/// What went wrong.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ErrorBody<'a> {
    /// A stable snake_case name for programs.
    pub code: &'a str,
    /// One sentence without a full stop.
    pub message: &'a str,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<&'a str>,
    /// Where it stands, when it is about a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<&'a Place>,
    /// What led to it, the nearest first.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub causes: &'a [String],
    /// Everything that is wrong with the documents concerned.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub issues: &'a [Finding],
}

impl Failure {
    /// The failure as programs read it.
    pub fn report(&self) -> ErrorReport<'_> {
        let error = ErrorBody {
            code: &self.code,
            message: &self.message,
            hint: self.hint.as_deref(),
            at: self.at.as_ref(),
            causes: &self.causes,
            issues: &self.findings,
        };
        ErrorReport { ok: false, error }
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report().serialize(serializer)
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Self::from_error(Kind::Invalid, "invalid_name", &error).hint(error.hint())
    }
}

impl From<NoHome> for Failure {
    fn from(error: NoHome) -> Self {
        Self::from_error(Kind::Invalid, "no_home", &error)
            .hint("set HOME or MATERIA_HOME to an absolute path")
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let (kind, code) = match &error {
            RunError::NotFound { .. } => (Kind::NotFound, "run_not_found"),
            RunError::Archived { .. } => (Kind::NotFound, "run_archived"),
            RunError::Linked { .. } => (Kind::Refused, "run_is_a_link"),
            RunError::InTheWay { .. } => (Kind::Refused, "run_path_taken"),
            RunError::Reserved(_) => (Kind::Invalid, "invalid_name"),
            RunError::OtherGeneration { .. } => (Kind::Conflict, "stale_generation"),
            RunError::SessionMismatch { .. } => (Kind::Refused, "session_mismatch"),
            RunError::Active { .. } => (Kind::Conflict, "run_active"),
            RunError::Taken(_) => (Kind::Conflict, "run_taken"),
            RunError::NotTerminal { .. } => (Kind::Conflict, "run_not_terminal"),
            RunError::StillThere { .. } => (Kind::Failed, "run_still_there"),
            RunError::NotStarted { .. } | RunError::NoAnswer(_) | RunError::Spawn { .. } => {
                (Kind::Failed, "run_not_started")
            }
            RunError::Interrupted { .. } => (Kind::Interrupted, "interrupted"),
            RunError::Lock(LockError::Held { .. }) => (Kind::Conflict, "run_in_use"),
            RunError::Journal(JournalError::Unwritable { .. }) => (Kind::Invalid, "too_large"),
            RunError::Journal(JournalError::Missing(_)) => (Kind::NotFound, "run_not_found"),
            RunError::Journal(JournalError::Replaced(_)) => (Kind::Conflict, "run_replaced"),
            RunError::Journal(_)
            | RunError::Lock(LockError::Io { .. })
            | RunError::Dir(_)
            | RunError::Write(_)
            | RunError::Unkept { .. }
            | RunError::Io { .. } => (Kind::Failed, "run_storage"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<PostError> for Failure {
    fn from(error: PostError) -> Self {
        let (kind, code) = match &error {
            PostError::Full { .. } => (Kind::Limit, "mailbox_full"),
            PostError::Crowded { .. } => (Kind::Limit, "too_many_branches"),
            PostError::Over { .. } => (Kind::Conflict, "run_not_running"),
            PostError::Stale { .. } => (Kind::Conflict, "stale_generation"),
            PostError::Unknown(_) => (Kind::NotFound, "message_not_found"),
            PostError::Held { .. } => (Kind::Conflict, "message_claimed"),
            PostError::Finished { .. } => (Kind::Conflict, "message_finished"),
            PostError::TimedOut => (Kind::Failed, "timeout"),
            PostError::Interrupted => (Kind::Interrupted, "interrupted"),
            PostError::Watched { .. }
            | PostError::Journal(JournalError::Held(LockError::Held { .. })) => {
                (Kind::Conflict, "in_use")
            }
            PostError::Journal(JournalError::Missing(_)) => (Kind::NotFound, "run_not_found"),
            PostError::Journal(JournalError::Replaced(_)) => (Kind::Conflict, "run_replaced"),
            PostError::Io { .. }
            | PostError::Dir(_)
            | PostError::Unread(_)
            | PostError::Unwritten(_)
            | PostError::Journal(_)
            | PostError::Run(_) => (Kind::Failed, "run_storage"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<MessageError> for Failure {
    fn from(error: MessageError) -> Self {
        let (kind, code) = match error {
            MessageError::Post(error) => return error.into(),
            MessageError::Run(error) => return error.into(),
            MessageError::Envelope(_) | MessageError::Field { .. } => {
                (Kind::Invalid, "invalid_message")
            }
            MessageError::NoSender { .. } => (Kind::Invalid, "sender_required"),
            MessageError::Sender { .. } => (Kind::Refused, "sender_refused"),
            MessageError::NotYou { .. } => (Kind::Refused, "not_you"),
            MessageError::Recipient { .. } => (Kind::Invalid, "invalid_recipient"),
            MessageError::Recipients { .. } => (Kind::Invalid, "too_many_recipients"),
            MessageError::Session { .. } | MessageError::NotYours { .. } => {
                (Kind::Refused, "session_mismatch")
            }
            MessageError::Cast { .. } => (Kind::Conflict, "cast_not_waiting"),
            MessageError::OperatorOnly(_) => (Kind::Refused, "operator_only"),
            MessageError::NoTool(_) => (Kind::NotFound, "tool_not_found"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<ReceiveError> for Failure {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::Post(error) => error.into(),
            ReceiveError::Run(error) => error.into(),
            ReceiveError::NoQueue(_) | ReceiveError::NoHolder(_) => {
                Self::from_error(Kind::Invalid, "usage", &error).hint(error.hint())
            }
        }
    }
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Post(error) => error.into(),
            WatchError::NoRoom => {
                Self::from_error(Kind::Invalid, "no_home", &error).hint(error.hint())
            }
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let kind = if let ReadError::Missing { .. } = error {
            Kind::NotFound
        } else {
            Kind::Invalid
        };
        Self::from_error(kind, error.code().replace('-', "_"), &error).hint(error.hint())
    }
}

impl From<NotResolved> for Failure {
    fn from(why: NotResolved) -> Self {
        match why {
            NotResolved::NotFound(error) => {
                let missing = error.code == "recipe-not-found";
                let kind = if missing {
                    Kind::NotFound
                } else {
                    Kind::Invalid
                };
                Self::new(kind, error.code.replace('-', "_"), error.message).hint(error.hint)
            }
            NotResolved::Invalid(mut findings) => {
                findings.sort_by_key(|finding| Reverse(finding.severity));
                Self::from_findings(findings)
            }
            NotResolved::Disabled { ref file, .. } => {
                let hint = match file {
                    Some(file) => format!(
                        "take \"disabled\" out of {}; what it hides is not used meanwhile",
                        text::quoted_within(&file.to_string_lossy(), 300)
                    ),
                    None => "use another recipe".to_owned(),
                };
                Self::new(Kind::Refused, "recipe_disabled", why.to_string()).hint(hint)
            }
        }
    }
}

impl From<NotCalled> for Failure {
    fn from(why: NotCalled) -> Self {
        match why {
            NotCalled::Recipe(why) => why.into(),
            NotCalled::Arguments {
                findings,
                shape,
                name,
            } => {
                let first = findings.first().map_or("", |finding| &finding.message);
                let message = format!(
                    "invalid arguments for the tool {}: {first}",
                    text::quoted(&name)
                );
                Self::new(Kind::Invalid, "invalid_arguments", message)
                    .hint(shape)
                    .with_findings(findings)
            }
            NotCalled::NoTool(ref name) => Self::from_error(Kind::NotFound, "not_a_tool", &why)
                .hint(format!(
                    "materia tool register {0} --from {0}, or materia run {0}",
                    text::printable(name)
                )),
            NotCalled::Detached(ref name) => Self::from_error(Kind::Refused, "detached_tool", &why)
                .hint(format!("materia spawn {}", text::printable(name))),
            NotCalled::Io(_) => {
                Self::from_error(Kind::Failed, "not_run", &why).hint("see `materia doctor`")
            }
        }
    }
}

impl From<NotRegistered> for Failure {
    fn from(why: NotRegistered) -> Self {
        let told = |kind, code: &str, hint: &str| Self::from_error(kind, code, &why).hint(hint);
        match &why {
            NotRegistered::Name(finding) => Self::from_findings(vec![(**finding).clone()]),
            NotRegistered::Exists(_) => {
                told(Kind::Conflict, "tool_exists", "use `materia tool update`")
            }
            NotRegistered::Unknown(_) => {
                told(Kind::NotFound, "tool_not_found", "see `materia tool list`")
            }
            NotRegistered::Invalid(findings) => Self::from_findings(findings.clone()),
            NotRegistered::Markdown(_) => told(Kind::Refused, "markdown_tool", "edit the file"),
            NotRegistered::NoDraft(_) => told(
                Kind::NotFound,
                "draft_not_found",
                "see `materia tool promote`",
            ),
            NotRegistered::Locked(error) => told(Kind::Conflict, "locked", error.hint()),
            NotRegistered::Dir(_) | NotRegistered::Write(_) => told(
                Kind::Failed,
                "not_written",
                "make the directory of your recipes writable",
            ),
        }
    }
}

impl From<NotUsable> for Failure {
    fn from(why: NotUsable) -> Self {
        match why {
            NotUsable::Unknown(finding) => Self {
                kind: Kind::NotFound,
                ..Self::from_findings(vec![*finding])
            },
            NotUsable::Broken(mut findings) => {
                findings.sort_by_key(|finding| Reverse(finding.severity));
                Self::from_findings(findings)
            }
        }
    }
}

impl From<UseError> for Failure {
    fn from(error: UseError) -> Self {
        match error {
            UseError::Read(error) => error.into(),
            UseError::NotUsable(why) => why.into(),
            UseError::Elsewhere { ref file, .. } => {
                let hint = format!(
                    "write \"activeLoadout\" in {}",
                    text::quoted(&file.to_string_lossy())
                );
                Self::from_error(Kind::Refused, "not_yours", &error).hint(hint)
            }
            UseError::Dir(_) | UseError::Write(_) => {
                Self::from_error(Kind::Failed, "not_written", &error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_kind_once_and_keeps_the_contract() {
        let exits: Vec<u8> = TABLE.iter().map(|(kind, _)| kind.exit_code()).collect();
        assert_eq!(exits, [1, 2, 3, 4, 4, 6, 7, 70, 130]);
        for (index, (kind, outside)) in TABLE.iter().enumerate() {
            assert_eq!(kind.outside(), *outside);
            assert_eq!(
                TABLE.iter().position(|(other, _)| other == kind),
                Some(index)
            );
        }
    }

    #[test]
    fn json_has_the_contracts_shape() {
        let failure = Failure::new(Kind::NotFound, "run_not_found", "no run `a`")
            .hint("materia inspect runs");
        let expected = serde_json::json!({"ok": false, "error":
            {"code": "run_not_found", "message": "no run `a`", "hint": "materia inspect runs"}});
        assert_eq!(serde_json::to_value(&failure).unwrap(), expected);
    }

    #[test]
    fn findings_give_the_failure_its_place_and_hint() {
        let source = materia_model::finding::Source::new("a.json", "{\"x\": 1, \"x\": 2}");
        let findings = materia_model::document::parse(&source).unwrap_err();
        let failure = Failure::from_findings(findings);
        let json = serde_json::to_value(&failure).unwrap();
        assert_eq!(json["error"]["code"], "duplicate_key");
        assert_eq!(
            json["error"]["at"],
            serde_json::json!({"file": "a.json", "line": 1, "column": 10})
        );
        assert_eq!(json["error"]["issues"][0]["line"], 1);
    }
}
