//! The page: frame times of large things in a real browser, as ratios to an empty page.
//!
//! Measured by the client's own `web/test/frames.mjs`, which needs node and chromium; `./test`
//! installs both.

use std::path::Path;
use std::process::Command;

/// Measures and prints the table.
pub(crate) fn run(_rounds: usize) -> Result<(), Box<dyn std::error::Error>> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    if !web.join("node_modules").is_dir() {
        println!("\npage: left out, `npm ci` was not run in web/");
        return Ok(());
    }
    println!();
    let ended = Command::new("node")
        .arg(web.join("test/frames.mjs"))
        .env("MATERIA", crate::runs::materia()?)
        .status()?;
    if ended.success() {
        Ok(())
    } else {
        Err("the page could not be measured".into())
    }
}
