//! The error that every front end renders, and one table from its kind to exit code, HTTP status and
//! JSON-RPC code.
//!
//! Owns [`ErrorKind`] and [`ApiError`]. The modules above have typed errors without a kind; the
//! conversions below give them kind, code and hint. Never prints. Called by `api`.

mod agent;
mod cast;
mod convert;
mod editor;
mod exit_code;
mod failure;
mod launch;

use std::any::Any;
use std::error::Error;

use materia_model::finding::{Finding, SourcePos};
use materia_model::text;
use serde::{Serialize, Serializer};

pub use failure::{ConflictReport, ImportFailure, SaveFailure};

/// The kind of an error; determines its codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The work itself failed.
    Failed,
    /// The request or a document is wrong; nothing was started.
    Invalid,
    /// The named thing does not exist.
    NotFound,
    /// The caller may not do this: ownership or trust.
    Refused,
    /// Another process holds it, or it changed in the meantime.
    Conflict,
    /// No agent could be reached, or it refused our login.
    Agent,
    /// A budget or limit was reached.
    Limit,
    /// A bug in this program.
    Internal,
    /// The user interrupted it.
    Interrupted,
}

/// The codes of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorCodes {
    /// The exit code of the process.
    pub exit: u8,
    /// The HTTP status.
    pub http: u16,
    /// The JSON-RPC error code.
    pub json_rpc: i32,
    /// What it means, for the reference page.
    pub meaning: &'static str,
}

/// The codes of all kinds, in the order of the reference page.
pub const ERROR_TABLE: [(ErrorKind, ErrorCodes); 9] = [
    (
        ErrorKind::Failed,
        codes(1, 422, -32000, "the work itself failed"),
    ),
    (
        ErrorKind::Invalid,
        codes(
            2,
            400,
            -32602,
            "bad usage, invalid input or definition; nothing was started",
        ),
    ),
    (
        ErrorKind::NotFound,
        codes(3, 404, -32004, "what was named does not exist"),
    ),
    (
        ErrorKind::Refused,
        codes(4, 403, -32003, "refused: ownership or trust"),
    ),
    (
        ErrorKind::Conflict,
        codes(
            4,
            409,
            -32009,
            "refused: locked, or changed in the meantime",
        ),
    ),
    (
        ErrorKind::Agent,
        codes(
            6,
            502,
            -32006,
            "no agent backend is available, or its login was refused",
        ),
    ),
    (
        ErrorKind::Limit,
        codes(
            7,
            429,
            -32007,
            "a budget or limit was reached: traversals, visits, stall",
        ),
    ),
    (
        ErrorKind::Internal,
        codes(70, 500, -32603, "a defect in materia"),
    ),
    (
        ErrorKind::Interrupted,
        codes(130, 503, -32030, "interrupted"),
    ),
];

const fn codes(exit: u8, http: u16, json_rpc: i32, meaning: &'static str) -> ErrorCodes {
    ErrorCodes {
        exit,
        http,
        json_rpc,
        meaning,
    }
}

impl ErrorKind {
    /// The codes of this kind.
    pub fn codes(self) -> ErrorCodes {
        let found = ERROR_TABLE.iter().find(|(kind, _)| *kind == self);
        found.map_or(ERROR_TABLE[7].1, |(_, codes)| *codes)
    }

    /// The exit code of a process that ends with it.
    pub fn exit_code(self) -> u8 {
        self.codes().exit
    }
}

/// An error, as front ends report it.
#[derive(Debug, Clone)]
pub struct ApiError {
    /// Its kind.
    pub kind: ErrorKind,
    /// A stable snake_case name for programs.
    pub code: String,
    /// One sentence without a full stop.
    pub message: String,
    /// Its causes, the nearest first.
    pub causes: Vec<String>,
    /// What to do next.
    pub hint: Option<String>,
    /// Its position, if it is about a document.
    pub at: Option<SourcePos>,
    /// All findings about the documents concerned.
    pub findings: Vec<Finding>,
}

impl ApiError {
    /// An error of a kind, with its code and message.
    pub fn new(kind: ErrorKind, code: impl Into<String>, message: impl Into<String>) -> Self {
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

    /// A typed error with its chain of causes.
    pub fn from_error(kind: ErrorKind, code: impl Into<String>, error: &dyn Error) -> Self {
        let causes = std::iter::successors(error.source(), |cause| (*cause).source());
        let causes = causes.map(ToString::to_string).collect();
        Self {
            causes,
            ..Self::new(kind, code, error.to_string())
        }
    }

    /// An error from the findings of a document; there is at least one.
    pub fn from_findings(findings: Vec<Finding>) -> Self {
        let Some(first) = findings.first() else {
            return Self::new(
                ErrorKind::Internal,
                "internal",
                "a document was refused without a finding",
            );
        };
        Self {
            hint: first.hint.clone(),
            at: first.place.clone(),
            ..Self::new(
                ErrorKind::Invalid,
                first.code.replace('-', "_"),
                first.message.clone(),
            )
        }
        .with_findings(findings)
    }

    /// A panic that was caught at the boundary of the process or of a request.
    pub fn panicked(panic: &(dyn Any + Send)) -> Self {
        let said = panic.downcast_ref::<&str>().copied();
        let said = said
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("no message");
        Self::new(ErrorKind::Internal, "internal", format!("materia has a defect: {}", text::bounded(said, 500)))
            .hint("report it with the command you typed; your files are as the last finished step left them")
    }

    /// The same error with a hint.
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

/// An error as programs read it: `{"ok":false,"error":{"code","message","hint"?,"at"?}}`.
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
    pub at: Option<&'a SourcePos>,
    /// What led to it, the nearest first.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub causes: &'a [String],
    /// Everything that is wrong with the documents concerned.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub issues: &'a [Finding],
}

impl ApiError {
    /// The error in its JSON form.
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

impl Serialize for ApiError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.report().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_every_kind_once_and_keeps_the_contract() {
        let exits: Vec<u8> = ERROR_TABLE
            .iter()
            .map(|(kind, _)| kind.exit_code())
            .collect();
        assert_eq!(exits, [1, 2, 3, 4, 4, 6, 7, 70, 130]);
        for (index, (kind, codes)) in ERROR_TABLE.iter().enumerate() {
            assert_eq!(kind.codes(), *codes);
            assert_eq!(
                ERROR_TABLE.iter().position(|(other, _)| other == kind),
                Some(index)
            );
        }
    }

    #[test]
    fn json_has_the_contracts_shape() {
        let error = ApiError::new(ErrorKind::NotFound, "run_not_found", "no run `a`")
            .hint("materia inspect runs");
        let expected = serde_json::json!({"ok": false, "error":
            {"code": "run_not_found", "message": "no run `a`", "hint": "materia inspect runs"}});
        assert_eq!(serde_json::to_value(&error).unwrap(), expected);
    }

    #[test]
    fn findings_give_the_error_its_place_and_hint() {
        let source = materia_model::finding::Source::new("a.json", "{\"x\": 1, \"x\": 2}");
        let findings = materia_model::document::parse(&source).unwrap_err();
        let error = ApiError::from_findings(findings);
        let json = serde_json::to_value(&error).unwrap();
        assert_eq!(json["error"]["code"], "duplicate_key");
        assert_eq!(
            json["error"]["at"],
            serde_json::json!({"file": "a.json", "line": 1, "column": 10})
        );
        assert_eq!(json["error"]["issues"][0]["line"], 1);
    }
}
