//! `materia demo`: a whole cast with real files and real commits.

use std::fs;

use insta::assert_snapshot;

use crate::test_env::TestEnv;

#[test]
fn the_demo_casts_and_commits() {
    let env = TestEnv::new();
    let outcome = env.materia(&["demo", "--dir", "visitors"]).run().ok();
    let hashes = outcome
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let hashes: Vec<&str> = hashes
        .filter(|word| word.len() == 7 && word.chars().all(|c| c.is_ascii_hexdigit()))
        .collect();
    assert_eq!(hashes.len(), 3, "{}", outcome.transcript());
    let transcript = hashes
        .iter()
        .fold(outcome.transcript(), |transcript, hash| {
            transcript.replace(hash, "[HASH]")
        });
    assert_snapshot!(transcript);
    assert_eq!(
        env.read("visitors/greeting.txt"),
        "Hello, {name}! Good to see you.\n"
    );
    let log = env
        .shell("cd visitors && git log --format=%s && git status --short")
        .run()
        .ok()
        .stdout;
    assert_eq!(log, "Tell readers about it\nAdd the greeting\nBegin\n");
    let first = env
        .shell("cd visitors && git show --stat --format= HEAD~1")
        .run()
        .ok()
        .stdout;
    assert!(
        first.contains("greeting.txt") && !first.contains(".pi"),
        "{first}"
    );
}

#[test]
fn the_demo_needs_git_and_an_empty_directory() {
    let env = TestEnv::new();
    let taken = env.materia(&["demo", "--dir", ".", "--json"]).run();
    taken.assert_error(4, "taken");
    let without = env
        .materia(&["demo", "--json"])
        .env("PATH", "/nowhere")
        .run();
    without.assert_error(2, "no_git");
    assert_eq!(
        fs::read_dir(env.work_dir()).unwrap().count(),
        0,
        "a failed demo must create nothing"
    );
    let json = env.materia(&["demo", "--json"]).run().ok().json();
    assert_eq!(json["ok"], true);
    assert_eq!(json["commits"].as_array().unwrap().len(), 3);
    assert_eq!(json["cast"]["visits"]["Socket-4"], 3);
}
