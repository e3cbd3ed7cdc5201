//! Runs every `console` block of the README and the docs, so that they cannot go stale.
//!
//! A block has lines `$ command`, each followed by exactly what it prints on stdout. A line `…`
//! stands for any lines. The commands of a block run in order in one test environment.

use std::fs;
use std::path::{Path, PathBuf};

use crate::test_env::TestEnv;

#[test]
fn every_console_block_prints_its_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut blocks = 0;
    let mut problems = Vec::new();
    for page in pages(&root) {
        for block in console_blocks(&fs::read_to_string(&page).unwrap()) {
            blocks += 1;
            problems.extend(check(&block).map(|problem| format!("{}: {problem}", page.display())));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
    assert!(blocks > 0, "no console block was found");
}

fn pages(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn console_blocks(text: &str) -> Vec<String> {
    let parts = text.split("```console\n").skip(1);
    parts
        .filter_map(|part| part.split("\n```").next())
        .map(str::to_owned)
        .collect()
}

fn check(block: &str) -> Option<String> {
    let env = TestEnv::new();
    let mut steps: Vec<(String, Vec<&str>)> = Vec::new();
    for line in block.lines() {
        match (
            line.strip_prefix("$ "),
            line.strip_prefix("> "),
            steps.last_mut(),
        ) {
            (Some(command), ..) => steps.push((command.to_owned(), Vec::new())),
            (None, Some(more), Some((command, printed))) if printed.is_empty() => {
                command.push('\n');
                command.push_str(more);
            }
            (None, _, Some((_, printed))) => printed.push(line),
            (None, _, None) => return Some(format!("a block starts with output: {line}")),
        }
    }
    steps.iter().find_map(|(command, printed)| {
        let outcome = env.shell(command).run();
        let actual: Vec<&str> = outcome.stdout.lines().collect();
        let same = matches(printed, &actual);
        (!same).then(|| {
            format!(
                "expected\n{}\nbut saw\n{}",
                printed.join("\n"),
                outcome.transcript()
            )
        })
    })
}

/// Whether the lines match a pattern in which `…` stands for any lines.
fn matches(pattern: &[&str], lines: &[&str]) -> bool {
    match (pattern, lines) {
        ([], []) => true,
        (["…", rest @ ..], _) => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        ([first, pattern @ ..], [line, lines @ ..]) => first == line && matches(pattern, lines),
        _ => false,
    }
}

/// In the README and the guides, every code block is checked by a test.
#[test]
fn every_block_of_the_readme_and_the_guides_is_checked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages(&root).into_iter().filter(|page| {
        page.file_name().is_some_and(|name| name == "README.md") && page.parent() == Some(&root)
            || page
                .parent()
                .is_some_and(|folder| folder.ends_with("docs/guide"))
    });
    let mut problems = Vec::new();
    let mut count = 0;
    for page in pages {
        count += 1;
        let text = fs::read_to_string(&page).unwrap();
        for block in text.split("\n```").skip(1).step_by(2) {
            let (kind, body) = block.split_once('\n').unwrap();
            match kind {
                "console" => {}
                "json" if serde_json::from_str::<serde_json::Value>(body).is_ok() => {}
                "sh" if body.lines().all(|line| is_run_by_test_script(&root, line)) => {}
                _ => {
                    problems.push(format!(
                        "{}: a `{kind}` block that no test checks:\n{body}",
                        page.display()
                    ));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(count >= 12, "{count}");
}

/// Whether a line of a `sh` block is `./test` itself or part of a command that `./test` runs.
fn is_run_by_test_script(root: &Path, line: &str) -> bool {
    let command = line.split(" #").next().unwrap_or_default().trim();
    let script = fs::read_to_string(root.join("test")).unwrap();
    !command.is_empty() && (command == "./test" || script.contains(command))
}

#[test]
fn the_checker_reports_a_difference() {
    assert!(check("$ echo hi\nhi\n$ printf 'a\\nb\\nc\\n'\na\n…\nc").is_none());
    assert!(check("$ echo hi\nho").is_some());
    assert!(check("$ echo hi").is_some());
}
