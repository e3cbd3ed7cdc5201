//! Usage of model calls: tokens and money, summed over all calls.
//!
//! Owns the field names that providers use, and the sum. Never decides whether it is too much.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Tokens and money.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "AgentUsage"))]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written to a cache.
    pub cache_write: u64,
    /// All of them.
    pub total: u64,
    /// Money, in US dollars.
    pub cost: f64,
}

impl Usage {
    /// Reads a provider's usage report, with any of the common field names.
    pub fn read(value: &Value) -> Self {
        let tokens = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| value.get(*name).and_then(count))
                .unwrap_or_default()
        };
        let input = tokens(&[
            "input",
            "inputTokens",
            "input_tokens",
            "prompt_tokens",
            "promptTokens",
        ]);
        let output = tokens(&[
            "output",
            "outputTokens",
            "output_tokens",
            "completion_tokens",
        ]);
        let cache_read = tokens(&[
            "cacheRead",
            "cacheReadTokens",
            "cache_read_input_tokens",
            "cached_tokens",
        ]);
        let cache_write = tokens(&[
            "cacheWrite",
            "cacheWriteTokens",
            "cache_creation_input_tokens",
        ]);
        let sum = [input, output, cache_read, cache_write]
            .iter()
            .fold(0, |sum: u64, n| sum.saturating_add(*n));
        let total = tokens(&["totalTokens", "total", "total_tokens"]).max(sum);
        Self {
            input,
            output,
            cache_read,
            cache_write,
            total,
            cost: cost(value),
        }
    }

    /// Adds other usage to this one.
    pub fn add(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.total = self.total.saturating_add(other.total);
        self.cost += other.cost;
    }
}

fn count(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64))
}

/// The reported total or the sum of its parts, whichever is larger.
fn cost(value: &Value) -> f64 {
    let reported = match value.get("cost") {
        Some(Value::Object(parts)) => {
            let of = |name: &str| parts.get(name).and_then(money).unwrap_or_default();
            let sum: f64 = ["input", "output", "cacheRead", "cacheWrite"]
                .iter()
                .map(|name| of(name))
                .sum();
            of("total").max(sum)
        }
        Some(other) => money(other).unwrap_or_default(),
        None => 0.0,
    };
    let flat = ["costUsd", "cost_usd", "total_cost_usd"]
        .iter()
        .find_map(|name| value.get(*name).and_then(money));
    reported.max(flat.unwrap_or_default())
}

fn money(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .filter(|amount| amount.is_finite() && *amount >= 0.0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn c11_usage_is_read_in_every_spelling_and_summed() {
        let plain = Usage::read(
            &json!({"input": 700, "output": 500, "totalTokens": 1200, "cost": {"total": 0.5}}),
        );
        assert_eq!((plain.total, plain.cost), (1200, 0.5));
        let snake = Usage::read(
            &json!({"prompt_tokens": 3, "completion_tokens": 4, "cache_read_input_tokens": 5}),
        );
        assert_eq!(
            (snake.input, snake.output, snake.cache_read, snake.total),
            (3, 4, 5, 12)
        );
        let parts = Usage::read(
            &json!({"total": 1, "input": 2, "cost": {"input": 1.0, "output": 2.0, "total": 0.1}}),
        );
        assert_eq!((parts.total, parts.cost), (2, 3.0));
        let mut sum = plain;
        sum.add(&snake);
        assert_eq!((sum.input, sum.total), (703, 1212));
        assert_eq!(
            Usage::read(&json!({"input": -1, "cost": -2})),
            Usage::default()
        );
    }
}
