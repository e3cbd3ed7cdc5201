//! Discovery of a thousand recipes, compared with reading the same files and parsing their JSON.
//!
//! Measured in this process, like a long-lived host that lists its tools again.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use materia_engine::home::{Home, HomeVariables};
use materia_engine::library::Library;
use materia_engine::registry;

use crate::comparison::{Candidate, compare};

const RECIPES: usize = 1000;

/// Runs the benchmark.
pub(crate) fn run(rounds: usize) -> Result<(), Box<dyn std::error::Error>> {
    let scratch = tempfile::tempdir()?;
    let variables = HomeVariables {
        home: Some(scratch.path().to_owned()),
        ..HomeVariables::default()
    };
    let home = Home::locate(&variables)?;
    let library = Library::new(&home, Some(scratch.path()));
    std::fs::create_dir_all(library.root())?;
    for number in 0..RECIPES {
        std::fs::write(
            library.root().join(format!("tool-{number}.json")),
            recipe(number),
        )?;
    }
    let found = registry::survey(&library)
        .entries
        .iter()
        .filter(|entry| entry.tool)
        .count();
    assert_eq!(found, RECIPES, "every recipe must be a tool");
    let candidates = vec![
        Candidate::new("read and parse (baseline)", || {
            let start = Instant::now();
            read_and_parse(library.root())?;
            Ok(start.elapsed())
        }),
        Candidate::new("materia, all checked and linked", || {
            let start = Instant::now();
            black_box(registry::survey(&library));
            Ok(start.elapsed())
        }),
    ];
    compare(
        &format!("discovery of {RECIPES} recipes (at most 100 ms)"),
        10.0,
        rounds,
        candidates,
    )
}

/// A typical recipe: some arguments and a few steps; every fourth one imports another.
fn recipe(number: usize) -> String {
    let step = r#"{"label": "build", "timeout": 60000, "retry": 2, "template": "make {goal=all} -j{jobs:int=4}"}"#;
    let (imports, last) = if number % 4 == 3 {
        let before = number - 1;
        (
            format!(r#""imports": {{"before": "tool-{before}"}},"#),
            r#"{"name": "before"}"#,
        )
    } else {
        (
            String::new(),
            r#""grep -n {pattern} {file:path=README.md}""#,
        )
    };
    format!(
        r#"{{"description": "Tool number {number}", {imports} "args": ["pattern"], "artifacts": {{"log": "{{goal}}.log"}}, "template": [{step}, {last}]}}"#
    )
}

fn read_and_parse(root: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(root)? {
        let text = std::fs::read_to_string(entry?.path())?;
        black_box(serde_json::from_str::<serde_json::Value>(&text).map_err(std::io::Error::other)?);
    }
    Ok(())
}
