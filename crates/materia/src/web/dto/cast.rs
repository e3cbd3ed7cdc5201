//! Casts as the page sees them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which casts to list.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct CastsQuery {
    pub(in crate::web) limit: Option<usize>,
    pub(in crate::web) status: Option<String>,
}

/// Which file of a cast.
#[derive(Debug, Deserialize)]
pub(in crate::web) struct ArtifactQuery {
    pub(in crate::web) path: String,
}

/// What a page looks at, and how far it was told.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct LiveQuery {
    /// A cast, and its last event that was told.
    pub(in crate::web) cast: Option<String>,
    pub(in crate::web) after: Option<u64>,
    /// The turn whose activity was told up to here.
    pub(in crate::web) turn: Option<String>,
    pub(in crate::web) seen: Option<u64>,
    /// A run, and how far its output was told.
    pub(in crate::web) run: Option<String>,
    pub(in crate::web) stdout: Option<u64>,
    pub(in crate::web) stderr: Option<u64>,
    /// Lists besides those that every page needs, with commas.
    pub(in crate::web) also: Option<String>,
}

/// What an agent said and did in the turn that is running.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct Doing {
    /// The turn, by its artifact.
    pub(in crate::web) path: String,
    /// The position behind it.
    #[cfg_attr(feature = "test-fakes", ts(type = "number"))]
    pub(in crate::web) to: u64,
    #[cfg_attr(
        feature = "test-fakes",
        ts(
            type = "({ type: \"text\" | \"notice\", text: string } | { type: \"tool_start\", name: string, input: string } | { type: \"tool_end\", name: string, ok: boolean } | { type: \"usage\", input: number, output: number, total: number, cost: number } | { type: \"cut\" })[]"
        )
    )]
    pub(in crate::web) lines: Vec<Value>,
}

/// A cast to be started.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct StartRequest {
    pub(in crate::web) request: String,
    pub(in crate::web) loadout: Option<String>,
    /// A file with the replies of a scripted agent.
    pub(in crate::web) agent_script: Option<String>,
    /// The agent that plays roles which name none.
    #[serde(default)]
    pub(in crate::web) agent: Option<String>,
}

/// How a cast goes on.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct GoOnRequest {
    /// What the person says to a paused socket; nothing lets it finish.
    pub(in crate::web) text: Option<String>,
    pub(in crate::web) agent_script: Option<String>,
    /// The agent that plays roles which name none.
    #[serde(default)]
    pub(in crate::web) agent: Option<String>,
}

/// Agreement to what was shown.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct TrustRequest {
    pub(in crate::web) digest: String,
}

/// It is done.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct Done {
    pub(in crate::web) ok: bool,
}

/// One cast: what `cast-show --artifacts --json` says, and the definition it runs by.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct CastView {
    #[cfg_attr(feature = "test-fakes", ts(type = "unknown"))]
    pub(in crate::web) cast: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) definition: Value,
}

/// The beginning of a file of a cast.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct Artifact {
    pub(in crate::web) path: String,
    pub(in crate::web) text: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "number"))]
    pub(in crate::web) bytes: u64,
    /// Whether there is more.
    pub(in crate::web) cut: bool,
}

/// One event of a cast, as its log has it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct Told {
    #[cfg_attr(feature = "test-fakes", ts(type = "number"))]
    pub(in crate::web) seq: u64,
    pub(in crate::web) at: String,
    #[serde(rename = "type")]
    pub(in crate::web) kind: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) data: Value,
}

/// What a cast's events come to, as far as a picture of it needs.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct CastState {
    /// `running`, `interrupted`, `paused`, `complete`, `failed` or `aborted`: proved, not
    /// remembered.
    pub(in crate::web) status: String,
    #[cfg_attr(
        feature = "test-fakes",
        ts(
            type = "{ socket: string, materia: string | null, visit: number, attempt: number, item: { key: string, label: string, number: number, count: number } | null, waitsFor: \"refinement\" | \"interrupted\" | null } | null"
        )
    )]
    pub(in crate::web) at: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, number>"))]
    pub(in crate::web) visits: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, number>"))]
    pub(in crate::web) traversals: Value,
    #[cfg_attr(
        feature = "test-fakes",
        ts(
            type = "{ tokens: { input: number, output: number, total: number }, cost: { total: number }, turns: number, bySocket: Record<string, { tokens: { total: number }, cost: { total: number } }> }"
        )
    )]
    pub(in crate::web) usage: Value,
    #[cfg_attr(
        feature = "test-fakes",
        ts(type = "Array<[\"person\" | \"agent\", string]>")
    )]
    pub(in crate::web) conversation: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Array<Record<string, unknown>>"))]
    pub(in crate::web) rework: Value,
    #[cfg_attr(
        feature = "test-fakes",
        ts(type = "{ code: string, message: string, socket?: string, hint?: string } | null")
    )]
    pub(in crate::web) error: Value,
    /// Limits that were raised.
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, number>"))]
    pub(in crate::web) raised: Value,
    pub(in crate::web) started_at: Option<String>,
    pub(in crate::web) updated_at: Option<String>,
}

/// Where a cast is forked.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct ForkRequest {
    /// The number of a step.
    pub(in crate::web) at: String,
    pub(in crate::web) agent_script: Option<String>,
    #[serde(default)]
    pub(in crate::web) agent: Option<String>,
}

/// The cast that was made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct Forked {
    pub(in crate::web) cast_id: String,
}

/// New limits of a cast.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct BudgetRequest {
    #[cfg_attr(feature = "test-fakes", ts(type = "number | null"))]
    pub(in crate::web) max_tokens: Option<u64>,
    pub(in crate::web) max_cost_usd: Option<f64>,
    #[cfg_attr(feature = "test-fakes", ts(type = "number | null"))]
    pub(in crate::web) max_turns: Option<u64>,
    pub(in crate::web) max_minutes: Option<f64>,
}
