//! The kinds of failures, and classifying the errors of providers and agents.
//!
//! Owns the kinds, their text form and the classification: by HTTP status if there is one, else by
//! known words. Never decides how to recover: `cast::recovery` does.

use serde::{Deserialize, Serialize};

use crate::text;

/// The kinds of failures that recovery treats differently (C10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentFailureKind {
    RateLimit,
    Overload,
    /// The login was refused.
    Auth,
    /// The agent or its model is configured wrongly.
    Config,
    /// The agent cannot be started.
    Unavailable,
    /// The provider rejected the request.
    InvalidRequest,
    /// The conversation does not fit into the model's window.
    ContextWindow,
    Timeout,
    /// The agent ended with an error.
    Crash,
    /// The agent stopped before the turn ended.
    Aborted,
    Empty,
}

impl AgentFailureKind {
    /// The word for logs and scripts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Overload => "overload",
            Self::Auth => "auth",
            Self::Config => "config",
            Self::Unavailable => "unavailable",
            Self::InvalidRequest => "invalid_request",
            Self::ContextWindow => "context_window",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Aborted => "aborted",
            Self::Empty => "empty",
        }
    }

    /// The kind for an HTTP status and an error text.
    pub fn of_status(status: Option<u16>, message: &str) -> Self {
        let said = Self::of(message);
        match status {
            Some(401 | 403) => Self::Auth,
            Some(408) => Self::Timeout,
            Some(429) => Self::RateLimit,
            Some(500..=599) => Self::Overload,
            Some(400..=499) if matches!(said, Self::ContextWindow | Self::Config | Self::Auth) => {
                said
            }
            Some(413) => Self::ContextWindow,
            Some(400..=499) => Self::InvalidRequest,
            _ => said,
        }
    }

    /// The kind for an error text. A text without known words is a crash.
    pub fn of(message: &str) -> Self {
        let text = text::bounded(message, 8 << 10).to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
        // The order matters: an overloaded provider often mentions limits and timeouts, too.
        match () {
            () if says(&["rate limit", "rate_limit", "too many requests", "quota"]) => {
                Self::RateLimit
            }
            () if says(&[
                "overload",
                "server_error",
                "service_unavailable",
                "unavailable",
            ]) =>
            {
                Self::Overload
            }
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
            () if says(&[
                "unknown model",
                "model not found",
                "invalid model",
                "no model",
            ]) =>
            {
                Self::Config
            }
            () if says(&["invalid_request", "bad request"]) => Self::InvalidRequest,
            () => Self::Crash,
        }
    }
}

/// How much of a text to search for numbers, in bytes.
const MAX_LOOKED: usize = 400;

/// The HTTP status in an error text.
pub(super) fn status_in(message: &str) -> Option<u16> {
    let words = text::bounded(message, MAX_LOOKED);
    let mut numbers = words
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| word.len() == 3);
    numbers.find_map(|word| {
        word.parse()
            .ok()
            .filter(|status| (400..600).contains(status))
    })
}

/// The wait that a text asks for, in milliseconds: `retry after 20 seconds`, `try again in 1.5s`,
/// `in 300ms`.
pub(super) fn wait_in(message: &str) -> Option<u64> {
    let said = text::bounded(message, 8 << 10).to_lowercase();
    let marks = [
        "retry after",
        "retry-after",
        "retry_after",
        "try again in",
        "retry in",
    ];
    let from = marks
        .iter()
        .find_map(|mark| said.find(mark).map(|at| at + mark.len()))?;
    let rest =
        said[from..].trim_start_matches(|c: char| !c.is_ascii_digit() && !c.is_ascii_alphabetic());
    let end = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    let amount: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
    let unit = rest[end..].trim_start();
    let factor = match () {
        () if unit.starts_with("ms") || unit.starts_with("milli") => 1.0,
        () if unit.starts_with('m') => 60_000.0,
        () => 1000.0,
    };
    // The cast saturates, so an absurd number is a very long time.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturating is meant"
    )]
    Some((amount * factor).ceil() as u64)
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
            ("429 Too Many Requests", AgentFailureKind::RateLimit),
            ("Overloaded: please retry", AgentFailureKind::Overload),
            ("provider auth failed", AgentFailureKind::Auth),
            (
                "{\"code\":\"context_length_exceeded\"}",
                AgentFailureKind::ContextWindow,
            ),
            (
                "server_error: maximum tokens while unavailable",
                AgentFailureKind::Overload,
            ),
            (
                "Command timed out after 120 seconds",
                AgentFailureKind::Timeout,
            ),
            ("unknown model `x`", AgentFailureKind::Config),
            ("segmentation fault", AgentFailureKind::Crash),
        ];
        for (text, kind) in cases {
            assert_eq!(AgentFailureKind::of(text), kind, "{text}");
        }
    }

    #[test]
    fn c10_a_status_decides_unless_the_text_knows_better() {
        let cases = [
            (
                "400: {\"message\":\"bad\"}",
                AgentFailureKind::InvalidRequest,
            ),
            (
                "API Error: 400 prompt is too long: 250000 tokens",
                AgentFailureKind::ContextWindow,
            ),
            ("401 invalid x-api-key", AgentFailureKind::Auth),
            (
                "exceeded retry limit, last status: 429 Too Many Requests",
                AgentFailureKind::RateLimit,
            ),
            (
                "529 {\"type\":\"overloaded_error\"}",
                AgentFailureKind::Overload,
            ),
            (
                "it took 1429 tokens and then crashed",
                AgentFailureKind::Crash,
            ),
            ("terminated", AgentFailureKind::Crash),
        ];
        for (text, kind) in cases {
            assert_eq!(
                crate::agent::AgentFailure::read(None, text).kind,
                kind,
                "{text}"
            );
        }
        assert_eq!(
            crate::agent::AgentFailure::read(Some(404), "nothing here").kind,
            AgentFailureKind::InvalidRequest
        );
    }

    #[test]
    fn c10_the_wait_that_a_provider_asks_for_is_read() {
        let cases = [
            ("rate limited, retry after 20 seconds", Some(20_000)),
            ("Retry-After: 3", Some(3000)),
            ("please try again in 1.5s", Some(1500)),
            ("retry in 250ms", Some(250)),
            ("try again in 2 minutes", Some(120_000)),
            ("try again in a while", None),
            ("slow down", None),
        ];
        for (text, wait) in cases {
            assert_eq!(wait_in(text), wait, "{text}");
        }
    }

    #[test]
    fn kinds_are_spelled_alike_in_logs_and_scripts() {
        for kind in [
            AgentFailureKind::RateLimit,
            AgentFailureKind::ContextWindow,
            AgentFailureKind::Empty,
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
