//! A utility: one JSON document in, one out.
//!
//! `utility [--code N] [--sleep SECONDS] [--bad-json] [--stderr TEXT] [--result JSON]`: echoes its
//! input under `input`, or prints the given result.

use std::io::Read;

use crate::{flag, number, option};

pub(crate) fn run(args: &[String]) {
    let mut input = String::new();
    let _ = std::io::stdin().read_to_string(&mut input);
    if let Some(text) = option(args, "--stderr") {
        eprintln!("{text}");
    }
    if let Some(seconds) = option(args, "--sleep") {
        std::thread::sleep(std::time::Duration::from_secs_f64(
            seconds.parse().expect("seconds"),
        ));
    }
    if flag(args, "--bad-json") {
        println!("{{\"half\": ");
    } else if let Some(result) = option(args, "--result") {
        println!("{result}");
    } else {
        let input: serde_json::Value =
            serde_json::from_str(&input).unwrap_or(serde_json::Value::Null);
        println!("{}", serde_json::json!({ "ok": true, "input": input }));
    }
    std::process::exit(
        number(args, "--code")
            .unwrap_or(0)
            .try_into()
            .expect("an exit code"),
    );
}
