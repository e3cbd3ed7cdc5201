//! The vocabulary of agents: what a turn is asked for, how it ends, and what it costs.
//!
//! Owns the kinds of turns and failures and the counting of usage. Names no agent and knows no protocol: what is
//! specific to one lives in `engine::agent`, which answers in these words.

mod usage;

use serde::{Deserialize, Serialize};

pub use usage::Usage;

/// What a turn is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// The work of the socket; the first reply of a conversation.
    Work,
    /// One more reply in a conversation.
    Refine,
    /// The final answer of a conversation.
    Finalise,
    /// The same answer again, this time as the contract asks.
    Repair,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEnd {
    /// The text of the last message, or why there is none.
    pub reply: Result<String, Failure>,
    /// What all model calls of the turn cost together.
    pub usage: Usage,
}

/// Why a turn gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What the agent said about it.
    pub message: String,
    /// What the person can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kinds of failures that are treated differently (C10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// Too many requests.
    RateLimit,
    /// The provider is overloaded.
    Overload,
    /// The login was refused.
    Auth,
    /// The agent or its model is configured wrongly.
    Config,
    /// No such agent can be started.
    Unavailable,
    /// The conversation does not fit into the model's window.
    ContextWindow,
    /// The turn took too long.
    Timeout,
    /// The agent ended with an error.
    Crash,
    /// The agent gave up before the end.
    Aborted,
    /// The answer is empty.
    Empty,
}

impl FailureKind {
    /// The word that logs and scripts use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Overload => "overload",
            Self::Auth => "auth",
            Self::Config => "config",
            Self::Unavailable => "unavailable",
            Self::ContextWindow => "context_window",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Aborted => "aborted",
            Self::Empty => "empty",
        }
    }

    /// The kind that an error text speaks of; texts that say nothing known are crashes.
    pub fn of(message: &str) -> Self {
        let text = crate::text::bounded(message, 8 << 10).to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        // The order matters: a provider that is overloaded often speaks of limits and timeouts too.
        match () {
            () if says(&["rate limit", "rate_limit", "too many requests", "429", "quota"]) => Self::RateLimit,
            () if says(&["overload", "server_error", "service_unavailable", "unavailable"]) => Self::Overload,
            () if says(&[
                "unauthorized",
                "authentication",
                "auth failed",
                "api key",
                "invalid_api_key",
                "log in",
                "login",
            ]) =>
            {
                Self::Auth
            }
            () if says(&WINDOW) => Self::ContextWindow,
            () if says(&["timed out", "timeout"]) => Self::Timeout,
            () if says(&["unknown model", "model not found", "invalid model", "invalid_request"]) => {
                Self::Config
            }
            () => Self::Crash,
        }
    }
}

const WINDOW: [&str; 8] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "input too long",
    "prompt is too long",
    "request too large",
    "too many tokens",
    "maximum tokens",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c10_error_texts_have_kinds() {
        let cases = [
            ("429 Too Many Requests", FailureKind::RateLimit),
            ("Overloaded: please retry", FailureKind::Overload),
            ("provider auth failed", FailureKind::Auth),
            ("{\"code\":\"context_length_exceeded\"}", FailureKind::ContextWindow),
            ("server_error: maximum tokens while unavailable", FailureKind::Overload),
            ("Command timed out after 120 seconds", FailureKind::Timeout),
            ("unknown model `x`", FailureKind::Config),
            ("segmentation fault", FailureKind::Crash),
        ];
        for (text, kind) in cases {
            assert_eq!(FailureKind::of(text), kind, "{text}");
        }
    }

    #[test]
    fn kinds_are_spelled_alike_in_logs_and_scripts() {
        for kind in [FailureKind::RateLimit, FailureKind::ContextWindow, FailureKind::Empty] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
