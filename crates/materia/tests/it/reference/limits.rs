//! The page of limits, from the constants.

use std::fmt::Write as _;

use materia_engine::{agent, process, store};
use materia_model::{
    cast, document, handoff, import, message, recipe, record, run, template, utility,
};

use super::check;

#[test]
fn limits() {
    let rows: [(&str, String); 30] = [
        ("a JSON document", bytes(document::MAX_BYTES)),
        (
            "nesting depth of a JSON document",
            number(document::MAX_DEPTH),
        ),
        ("a recipe file", bytes(recipe::MAX_BYTES)),
        ("nested imports", number(recipe::MAX_IMPORT_DEPTH)),
        ("a file for `materia import`", bytes(import::MAX_BYTES)),
        ("nodes of a template", number(template::MAX_NODES)),
        (
            "copies from all `repeat` fields",
            number(template::MAX_COPIES),
        ),
        (
            "nodes of an expanded plan",
            number(template::MAX_PLAN_NODES),
        ),
        (
            "concurrent branches of a node, unless `concurrency` is set",
            number(template::DEFAULT_CONCURRENCY),
        ),
        (
            "output in the report of `materia run`",
            bytes(materia_engine::launch::run::MAX_REPORT_OUTPUT),
        ),
        (
            "lines in the answer of a tool",
            number(materia_engine::recipe::tool::MAX_ANSWER_LINES),
        ),
        (
            "answer of a tool",
            bytes(materia_engine::recipe::tool::MAX_ANSWER_BYTES),
        ),
        (
            "grace between SIGTERM and SIGKILL",
            format!("{} s", process::DEFAULT_GRACE.as_secs()),
        ),
        ("body of a message", bytes(message::LONGEST_BODY)),
        (
            "a line through a named pipe",
            bytes(store::fifo::LONGEST_LINE),
        ),
        ("a line of a journal", bytes(record::MAX_LINE_BYTES)),
        (
            "retention of an ended run",
            format!("{} days", run::KEPT_FOR.as_secs() / 86_400),
        ),
        (
            "a turn of an agent, unless `timeoutMs` is set",
            format!("{} min", agent::DEFAULT_TIMEOUT.as_secs() / 60),
        ),
        (
            "a utility, unless `timeoutMs` is set",
            format!("{} s", utility::DEFAULT_TIMEOUT_MS / 1000),
        ),
        (
            "captured bytes of each output of a utility",
            bytes(utility::MAX_CAPTURE),
        ),
        (
            "parsed bytes of an agent's answer",
            bytes(handoff::extract::MAX_TEXT),
        ),
        (
            "`context` in the state",
            bytes(handoff::assign::MAX_APPENDED),
        ),
        ("a reason for rework", bytes(cast::rework::MAX_REASON)),
        ("visits of one socket", number(cast::MAX_VISITS as usize)),
        (
            "returns to a socket without an advance",
            number(cast::MAX_CYCLES as usize),
        ),
        (
            "repairs of an invalid answer",
            number(cast::recovery::REPAIRS as usize),
        ),
        (
            "retries after a crash, an abort or an empty answer",
            number(cast::recovery::RETRIES as usize),
        ),
        (
            "waits for a rate limit or overload",
            number(cast::recovery::BACKOFFS as usize),
        ),
        (
            "the same failure in a row",
            number(cast::recovery::BREAKER as usize),
        ),
        (
            "text of one artifact in an exported page",
            bytes(materia_engine::cast::export::MAX_TEXT),
        ),
    ];
    let mut page = String::from(
        "# Limits\n\nBeyond a limit there is an error or a reported truncation, never a partial run.\n\n| | at most |\n|---|---|\n",
    );
    for (what, limit) in rows {
        let _ = writeln!(page, "| {what} | {limit} |");
    }
    page.push_str("\nThe limits of command templates are in [their reference](template.md#limits), those of a cast in [cast](../concept/cast.md#limits).\n");
    check("limits.md", &page);
}

fn bytes(number: usize) -> String {
    match number {
        n if n >= 1 << 20 && n % (1 << 20) == 0 => format!("{} MiB", n >> 20),
        n if n >= 1 << 10 && n % (1 << 10) == 0 => format!("{} KiB", n >> 10),
        n => format!("{n} bytes"),
    }
}

fn number(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, c) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}
