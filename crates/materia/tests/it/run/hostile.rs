//! Hostile input gives an error or a bounded result in short time, never a crash or a hang.

use std::time::{Duration, Instant};

use super::*;

/// Runs `materia`, which must exit with this code within 20 seconds and without a panic.
fn run_quickly(env: &TestEnv, args: &[&str], code: i32) -> TestOutput {
    let started = Instant::now();
    let outcome = env.materia(args).run();
    let stderr = outcome.stderr.chars().take(2000).collect::<String>();
    assert_eq!(
        outcome.code(),
        code,
        "{:?}: {stderr}",
        args.iter()
            .map(|word| &word[..word.len().min(60)])
            .collect::<Vec<_>>()
    );
    assert!(
        started.elapsed() < Duration::from_secs(20),
        "took {:?}",
        started.elapsed()
    );
    assert!(
        !outcome.stderr.contains("defect") && !outcome.stderr.contains("panicked"),
        "{stderr}"
    );
    outcome
}

#[test]
fn repeat_counts_are_limited() {
    let env = TestEnv::new();
    let copies =
        |count: &str| format!(r#"{{"repeat": {count}, "parallel": true, "template": "true"}}"#);
    run_quickly(
        &env,
        &["explain", "--json", "--template", &copies("100000")],
        0,
    );
    for count in ["100001", "999999999999999999999", "-1", "1.5", "\"{n}\""] {
        run_quickly(
            &env,
            &["run", "--template", &copies(count), "n=99999999999"],
            2,
        );
    }
    let product =
        json!({"repeat": 1000, "template": {"repeat": 1000, "template": "true"}}).to_string();
    run_quickly(&env, &["run", "--template", &product], 2);
    let deep = (0..12)
        .fold(
            json!("true"),
            |inner, _| json!({"repeat": 10, "template": inner}),
        )
        .to_string();
    run_quickly(&env, &["run", "--template", &deep], 2);
}

#[test]
fn a_root_failure_ends_a_hundred_thousand_copies_quickly() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "concurrency": 100_000, "template": [
        {"failure": "root", "template": "false"},
        {"parallel": true, "concurrency": 100_000, "repeat": 99_000, "template": "true"}
    ]});
    let outcome = run_quickly(
        &env,
        &[
            "run",
            "--json",
            "--jobs",
            "2",
            "--template",
            &template.to_string(),
        ],
        1,
    );
    assert_eq!(outcome.json()["branches"].as_array().unwrap().len(), 99_002);
}

#[test]
fn many_skipped_nodes_are_cheap() {
    let env = TestEnv::new();
    let skipped = json!({"when": "nope", "template": "false"});
    let mut nodes = vec![json!("echo hi")];
    nodes.extend(std::iter::repeat_n(skipped, 15_000));
    nodes.push(json!("cat"));
    env.write("sequence.json", json!(nodes).to_string());
    let outcome = run_quickly(&env, &["run", "--file", "sequence.json"], 0);
    assert_eq!(outcome.stdout, "hi\n");
    env.write(
        "parallel.json",
        json!({"parallel": true, "concurrency": 100_000, "template": nodes}).to_string(),
    );
    let outcome = run_quickly(&env, &["run", "--json", "--file", "parallel.json"], 0);
    assert_eq!(outcome.json()["coverage"]["expected"], 2);
}

#[test]
fn nesting_depth_is_limited() {
    let env = TestEnv::new();
    for (open, close) in [
        ("[", "]"),
        (r#"{"template":"#, "}"),
        (r#"{"recover":"true","retry":2,"template":["#, "]}"),
    ] {
        env.write(
            "deep.json",
            format!("{}\"true\"{}", open.repeat(10_000), close.repeat(10_000)),
        );
        run_quickly(&env, &["run", "--file", "deep.json"], 2);
        run_quickly(
            &env,
            &["run", "--template", "true", "--values", "deep.json"],
            2,
        );
    }
    let nested = (0..150)
        .fold(json!("echo deep"), |inner, _| json!({"template": inner}))
        .to_string();
    assert_eq!(
        run_quickly(&env, &["run", "--template", &nested], 0).stdout,
        "deep\n"
    );
}

#[test]
fn file_and_argument_sizes_are_limited() {
    let env = TestEnv::new();
    env.write("small", "x");
    let huge = std::fs::File::options()
        .write(true)
        .open(env.work_dir().join("small"))
        .unwrap();
    huge.set_len(100_000_000).unwrap();
    run_quickly(&env, &["run", "--file", "small"], 2);
    run_quickly(&env, &["run", "--template", "true", "--values", "small"], 2);
    env.write(
        "word.json",
        json!(["echo ".to_owned() + &"x".repeat(10_000_000)]).to_string(),
    );
    run_quickly(&env, &["run", "--file", "word.json"], 2);
    env.write(
        "word.json",
        json!(["echo ".to_owned() + &"x".repeat(5_000_000)]).to_string(),
    );
    let outcome = run_quickly(&env, &["run", "--json", "--file", "word.json"], 1);
    assert!(
        outcome.json()["failures"][0]["stderr"]
            .as_str()
            .unwrap()
            .contains("too long")
    );
    let outcome = run_quickly(&env, &["run", "--file", "word.json"], 1);
    assert!(
        outcome.stderr.len() < 2000,
        "{} bytes on stderr",
        outcome.stderr.len()
    );
}

#[test]
fn nul_bytes_and_cycles_are_refused() {
    let env = TestEnv::new();
    run_quickly(&env, &["run", "--template", r#""echo a\u0000b""#], 2);
    env.write("nul.json", r#"{"a": "x\u0000y"}"#);
    run_quickly(
        &env,
        &["run", "--template", "echo {a}", "--values", "nul.json"],
        2,
    );
    let circle = r#"{"defaults": {"a": "{b}", "b": "{c}", "c": "{a}"}, "template": "echo {a}"}"#;
    run_quickly(&env, &["run", "--template", circle], 2);
    run_quickly(
        &env,
        &[
            "run",
            "--template",
            r#"{"defaults": {"a": "{a}{a}"}, "template": "echo {a}"}"#,
        ],
        2,
    );
}

#[test]
fn a_label_cannot_inject_escape_codes() {
    let env = TestEnv::new();
    let template = json!([{"label": "a\u{1b}[2Jb\nc", "template": "false"}, "true"]);
    let outcome = run_text(&env, &template, &[]);
    assert!(
        !outcome.stderr.contains('\u{1b}') && outcome.stderr.lines().count() == 2,
        "{}",
        outcome.stderr
    );
}
