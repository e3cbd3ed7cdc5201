//! The browser client: frame times of large pages in a real browser, as ratios to an empty page.
//!
//! `web/test/frames.mjs` measures them. It needs node and chromium; `./test` installs both.

use std::path::Path;
use std::process::Command;

/// Measures the frame times and prints the table.
pub(crate) fn run(_rounds: usize) -> Result<(), Box<dyn std::error::Error>> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    if !web.join("node_modules").is_dir() {
        println!("\npage: skipped, because `npm ci` was not run in web/");
        return Ok(());
    }
    println!();
    let status = Command::new("node")
        .arg(web.join("test/frames.mjs"))
        .env("MATERIA", crate::runs::materia()?)
        .status()?;
    if status.success() {
        Ok(())
    } else {
        Err("the page could not be measured".into())
    }
}
