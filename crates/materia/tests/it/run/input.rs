//! What a run is given: values, types, standard input, and what is wrong with them.

use insta::assert_snapshot;

use super::*;

#[test]
fn values_come_from_a_file_from_stdin_and_from_words_which_win() {
    let env = TestEnv::new();
    env.write("values.json", r#"{"a": "file", "b": [1, "x"], "c": null}"#);
    let template = ["run", "--template", "echo {a} {b} {c=none}"];
    let say = |more: &[&str], stdin: &str| {
        env.materia(&[&template, more].concat())
            .stdin(stdin)
            .run()
            .ok()
            .stdout
    };
    assert_eq!(say(&["--values", "values.json"], ""), "file [1,\"x\"]\n");
    assert_eq!(
        say(&["--values", "values.json", "a=word"], ""),
        "word [1,\"x\"]\n"
    );
    assert_eq!(
        say(&["--values", "-"], r#"{"a": 1.5, "b": true, "c": "x"}"#),
        "1.5 true x\n"
    );
}

#[test]
fn words_are_typed_by_the_declaration() {
    let env = TestEnv::new();
    let template = r#"{"args": ["n:int", "b:bool", "xs:array", "m:enum(x,y)", "s"], "template": "echo {n} {b} {xs[1]} {m} {s}"}"#;
    let args = ["n=07", "b=yes", r#"xs=["p","q"]"#, "m=y", r"s={n} $(x) =y"];
    let call = |args: &[&str]| {
        env.materia(&[&["run", "--template", template], args].concat())
            .run()
    };
    assert_eq!(call(&args).ok().stdout, "7 true q y {n} $(x) =y\n");
    for (index, wrong) in ["n=x", "b=maybe", "xs=p", "m=z"].iter().enumerate() {
        let mut args = args;
        args[index] = wrong;
        let outcome = call(&args);
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
fn stdin_is_handed_on_byte_for_byte() {
    let env = TestEnv::new();
    let bytes: Vec<u8> = (0..=255).collect();
    env.write("bytes", &bytes);
    let from_file = env
        .materia(&["run", "--template", "cat", "--stdin", "bytes"])
        .run()
        .ok();
    let from_us = env
        .materia(&["run", "--template", "cat", "--stdin", "-"])
        .stdin(bytes.clone())
        .run()
        .ok();
    let not_asked = env
        .materia(&["run", "--template", "cat"])
        .stdin(bytes.clone())
        .run()
        .ok();
    assert_eq!(
        (from_file.bytes, from_us.bytes, not_asked.bytes),
        (bytes.clone(), bytes, Vec::new())
    );
}

#[test]
fn every_branch_reads_all_of_a_pipe_that_was_named() {
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
fn bad_input_is_told_before_anything_starts() {
    let env = TestEnv::new();
    env.write("broken.json", "{\n  \"a\": 1,\n  \"a\": }\n");
    env.write("list.json", "[1]");
    env.write("latin", b"{\"a\": \"\xe9\"}");
    let calls: &[(&[&str], i32)] = &[
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
    let mut told = Vec::new();
    for (args, code) in calls {
        let outcome = env
            .materia(&[&["run", "--template", "touch made"], *args].concat())
            .run();
        assert_eq!(outcome.code(), *code, "{}", outcome.transcript());
        told.push(outcome.transcript());
    }
    for args in [
        &["run", "--file", "missing.json"][..],
        &["run", "--file", "broken.json"],
        &["run"],
    ] {
        told.push(env.materia(args).run().transcript());
    }
    assert!(!env.work_dir().join("made").exists());
    assert_snapshot!(told.join("\n"));
}

#[test]
fn bad_input_is_a_document_for_programs() {
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
fn a_working_directory_that_is_gone_is_named() {
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
