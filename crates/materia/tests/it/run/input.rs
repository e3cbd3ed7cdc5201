//! The input of a run: values, types, stdin, and errors in them.

use insta::assert_snapshot;

use super::*;

#[test]
fn values_come_from_file_or_stdin_and_arguments_override_them() {
    let env = TestEnv::new();
    env.write("values.json", r#"{"a": "file", "b": [1, "x"], "c": null}"#);
    let template = ["run", "--template", "echo {a} {b} {c=none}"];
    let run_output = |more: &[&str], stdin: &str| {
        env.materia(&[&template, more].concat())
            .stdin(stdin)
            .run()
            .ok()
            .stdout
    };
    assert_eq!(
        run_output(&["--values", "values.json"], ""),
        "file [1,\"x\"]\n"
    );
    assert_eq!(
        run_output(&["--values", "values.json", "a=word"], ""),
        "word [1,\"x\"]\n"
    );
    assert_eq!(
        run_output(&["--values", "-"], r#"{"a": 1.5, "b": true, "c": "x"}"#),
        "1.5 true x\n"
    );
}

#[test]
fn arguments_are_converted_to_their_declared_types() {
    let env = TestEnv::new();
    let template = r#"{"args": ["n:int", "b:bool", "xs:array", "m:enum(x,y)", "s"], "template": "echo {n} {b} {xs[1]} {m} {s}"}"#;
    let args = ["n=07", "b=yes", r#"xs=["p","q"]"#, "m=y", r"s={n} $(x) =y"];
    let run_with = |args: &[&str]| {
        env.materia(&[&["run", "--template", template], args].concat())
            .run()
    };
    assert_eq!(run_with(&args).ok().stdout, "7 true q y {n} $(x) =y\n");
    for (index, wrong) in ["n=x", "b=maybe", "xs=p", "m=z"].iter().enumerate() {
        let mut args = args;
        args[index] = wrong;
        let outcome = run_with(&args);
        let name = &wrong[..wrong.find('=').unwrap()];
        assert_eq!(outcome.code(), 2, "{}", outcome.transcript());
        assert!(
            outcome.stderr.contains(&format!("`{name}`")),
            "{}",
            outcome.transcript()
        );
    }
}

#[test]
fn stdin_is_passed_on_unchanged() {
    let env = TestEnv::new();
    let bytes: Vec<u8> = (0..=255).collect();
    env.write("bytes", &bytes);
    let from_file = env
        .materia(&["run", "--template", "cat", "--stdin", "bytes"])
        .run()
        .ok();
    let from_pipe = env
        .materia(&["run", "--template", "cat", "--stdin", "-"])
        .stdin(bytes.clone())
        .run()
        .ok();
    let without_option = env
        .materia(&["run", "--template", "cat"])
        .stdin(bytes.clone())
        .run()
        .ok();
    assert_eq!(
        (from_file.bytes, from_pipe.bytes, without_option.bytes),
        (bytes.clone(), bytes, Vec::new())
    );
}

#[test]
fn every_branch_reads_the_whole_stdin_pipe() {
    let env = TestEnv::new();
    let template = r#"{"parallel": true, "template": ["cat", "cat"]}"#;
    let line = format!(
        "mkfifo pipe; echo x > pipe & materia run --stdin pipe --template '{template}'; wait"
    );
    let outcome = env.shell(&line).run().ok();
    assert_eq!(
        outcome.stdout.matches("x\n").count(),
        2,
        "{}",
        outcome.transcript()
    );
}

#[test]
fn bad_input_is_reported_before_anything_starts() {
    let env = TestEnv::new();
    env.write("broken.json", "{\n  \"a\": 1,\n  \"a\": }\n");
    env.write("list.json", "[1]");
    env.write("latin", b"{\"a\": \"\xe9\"}");
    let cases: &[(&[&str], i32)] = &[
        (&["--values", "missing.json"], 3),
        (&["--values", "broken.json"], 2),
        (&["--values", "list.json"], 2),
        (&["--values", "latin"], 2),
        (&["--values", "-", "--stdin", "-"], 2),
        (&["--stdin", "missing"], 3),
        (&["--stdin", "."], 2),
        (&["not-a-word"], 2),
        (&["--jobs", "many"], 2),
    ];
    let mut transcripts = Vec::new();
    for (args, code) in cases {
        let outcome = env
            .materia(&[&["run", "--template", "touch made"], *args].concat())
            .run();
        assert_eq!(outcome.code(), *code, "{}", outcome.transcript());
        transcripts.push(outcome.transcript());
    }
    for args in [
        &["run", "--file", "missing.json"][..],
        &["run", "--file", "broken.json"],
        &["run"],
    ] {
        transcripts.push(env.materia(args).run().transcript());
    }
    assert!(!env.work_dir().join("made").exists());
    assert_snapshot!(transcripts.join("\n"));
}

#[test]
fn bad_input_is_reported_as_json() {
    let env = TestEnv::new();
    env.write("broken.json", "{\n  \"a\": nope\n}\n");
    let outcome = env
        .materia(&[
            "run",
            "--json",
            "--template",
            "true",
            "--values",
            "broken.json",
        ])
        .run();
    let document = outcome.json();
    assert_eq!(outcome.code(), 2);
    assert_eq!(document["ok"], false);
    assert_eq!(
        document["error"]["at"],
        json!({"file": "broken.json", "line": 2, "column": 8})
    );
    let missing = env
        .materia(&["run", "--json", "--file", "missing.json"])
        .run();
    missing.assert_error(3, "unreadable");
}

#[test]
fn a_removed_working_directory_is_reported() {
    let env = TestEnv::new();
    let line = "mkdir gone && cd gone && rmdir ../gone && materia run --template 'echo hi'";
    let outcome = env.shell(line).run();
    assert_eq!(outcome.code(), 2);
    assert!(
        outcome
            .stderr
            .starts_with("error: the working directory cannot be used: "),
        "{}",
        outcome.stderr
    );
}
