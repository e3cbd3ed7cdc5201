//! `message`: every route a message can take, through the real program.

mod contacts;
mod owners;
mod retire;
mod routes;
mod steer;
mod views;
mod arguments;

use serde_json::Value;

use crate::test_env::{TestEnv, TestOutput};

impl TestEnv {
    /// Sends a message and returns the output.
    pub fn send(&self, args: &[&str]) -> TestOutput {
        self.materia(&[&["message", "--json"], args].concat()).run()
    }

    /// Sends a message that must be accepted and returns the report.
    pub fn send_ok(&self, args: &[&str]) -> Value {
        self.send(args).ok().json()
    }
}

/// The exit code and the error code of a refused request. Asserts that there is a hint.
pub fn refused(outcome: &TestOutput) -> (i32, String) {
    let json = outcome.json();
    assert_eq!(json["ok"], false, "{}", outcome.transcript());
    let hint = json["error"]["hint"].as_str().unwrap_or_default();
    assert!(!hint.is_empty(), "no hint: {}", outcome.transcript());
    (
        outcome.code(),
        json["error"]["code"].as_str().unwrap().to_owned(),
    )
}

/// Asserts that a request was refused with this exit code, this error code and a hint.
#[track_caller]
pub fn assert_refused(output: &TestOutput, exit: i32, error: &str) {
    let reported = refused(output);
    assert_eq!(
        reported,
        (exit, error.to_owned()),
        "{}",
        output.transcript()
    );
}

/// Asserts how a report describes the delivery of a message.
#[track_caller]
pub fn assert_delivery(
    report: &Value,
    [delivered, queued, persisted]: [bool; 3],
    consumer: &str,
    reason: &str,
) {
    let flags = (
        &report["delivered"],
        &report["queued"],
        &report["persisted"],
    );
    assert_eq!(
        flags,
        (&delivered.into(), &queued.into(), &persisted.into()),
        "{report}"
    );
    assert_eq!(
        (&report["consumer"], &report["reason"]),
        (&consumer.into(), &reason.into()),
        "{report}"
    );
    assert!(
        report["id"].as_str().is_some_and(|id| !id.is_empty()) && report["warnings"].is_array()
    );
}
