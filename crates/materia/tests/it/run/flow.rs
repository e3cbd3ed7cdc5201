//! Data flow: complete bytes between steps, bounded reports, and no process left.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn bytes_that_are_not_utf8_are_kept() {
    let env = TestEnv::new();
    let template = json!(["materia-fake noisy --stdout 1000 --invalid", "cat"]);
    let expected: Vec<u8> = (0..1000u32).map(|index| (index % 256) as u8).collect();
    assert_eq!(run_text(&env, &template, &[]).ok().bytes, expected);
    let (_, document) = run_json(&env, &template, &[]);
    assert!(document["output"].as_str().unwrap().contains('\u{fffd}'));
}

#[test]
fn a_long_output_is_truncated_in_the_report_and_saved_to_a_file() {
    let env = TestEnv::new();
    let (_, document) = run_json(&env, &json!("materia-fake noisy --stdout 3000000"), &[]);
    let file = document["outputFile"]
        .as_str()
        .unwrap()
        .replace("[ROOT]", env.work_dir().parent().unwrap().to_str().unwrap());
    let whole = std::fs::read_to_string(&file).unwrap();
    let output = document["output"].as_str().unwrap();
    assert_eq!(whole.len(), 3_000_000);
    assert_eq!(output.len(), 1 << 20);
    assert_eq!(document["outputTruncated"], true);
    assert!(whole.ends_with(output));
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(
        run_text(&env, &json!("materia-fake noisy --stdout 3000000"), &[])
            .ok()
            .bytes
            .len(),
        3_000_000
    );
}

#[test]
fn an_output_at_the_limit_is_whole_and_no_character_is_split() {
    let env = TestEnv::new();
    let (_, document) = run_json(&env, &json!("materia-fake noisy --stdout 1048576"), &[]);
    assert_has!(document, {"outputTruncated": false, "outputFile": null});
    env.write("text", "é€".repeat(300_000));
    let (_, document) = run_json(&env, &json!("cat text"), &[]);
    let output = document["output"].as_str().unwrap();
    assert!(output.len() > (1 << 20) - 4 && !output.contains('\u{fffd}'));
}

#[test]
fn branch_outputs_are_joined_in_order() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "repeat": 40, "template": "sh -c 'printf {index}:; test {index%3} = 0 || head -c {index*3000} text'"});
    let text = "x".repeat(200_000);
    env.write("text", &text);
    let outcome = run_text(&env, &template, &[]).ok();
    let branches: Vec<String> = (0..40)
        .map(|index| {
            let length = if index % 3 == 0 { 0 } else { index * 3000 };
            format!(
                "--- branch: branch {} status: done ---\n{index}:{}",
                index + 1,
                &text[..length]
            )
        })
        .collect();
    assert!(
        outcome.stdout == branches.join("\n"),
        "{}",
        outcome.stdout.replace(&text[..3000], "…")
    );
}

#[test]
fn background_processes_of_a_command_are_ended() {
    let env = TestEnv::new();
    let template = json!(["sh -c 'sleep 600 & setsid sleep 600 & echo hi'", "cat"]);
    assert_eq!(run_text(&env, &template, &[]).ok().stdout, "hi\n");
    assert!(env.live_processes().is_empty());
    let failed = json!({"timeout": 200, "template": "sh -c 'setsid sleep 600 & sleep 600'"});
    assert_eq!(run_text(&env, &failed, &[]).code(), 1);
    assert!(env.live_processes().is_empty());
}

#[test]
fn a_missing_temporary_directory_is_not_an_error() {
    let env = TestEnv::new();
    for dir in ["/no/such/place", ""] {
        let command = env
            .materia(&["run", "--template", r#"["echo x", "cat"]"#])
            .env("TMPDIR", dir);
        assert_eq!(command.run().ok().stdout, "x\n");
    }
}

#[test]
fn a_disk_error_is_reported_and_fails_only_what_needed_it() {
    let env = TestEnv::new();
    let large_output = "head -c 100000 /dev/zero";
    let template = json!({"parallel": true, "template": [large_output, large_output]}).to_string();
    let failing = |point: &str| {
        let command = env.materia(&["run", "--json", "--jobs", "1", "--template", &template]);
        let outcome = command.env("MATERIA_FAILPOINT", point).run();
        (outcome.code(), outcome.json())
    };
    for point in [
        "process.spill.open:2:enospc",
        "process.spill.write:3:enospc",
    ] {
        let (exit, document) = failing(point);
        assert_eq!(
            (exit, field_of_each(&document["branches"], "code")),
            (0, vec![json!(0), json!(74)]),
            "{point}"
        );
        assert!(
            document["failures"][0]["stderr"]
                .as_str()
                .unwrap()
                .contains("No space left"),
            "{document}"
        );
    }
    for point in ["spool.create:enospc", "spool.write:eio", "spool.copy:eio"] {
        let (exit, document) = failing(point);
        assert_eq!(exit, 1, "{point}");
        assert_has!(document, {"status": "failed", "code": 1}, "{point}");
        assert!(
            document["failures"][0]["stderr"]
                .as_str()
                .unwrap()
                .contains("cannot be joined"),
            "{document}"
        );
    }
}

#[test]
fn a_removed_working_directory_is_an_error() {
    let env = TestEnv::new();
    let outcome = env
        .shell("mkdir gone; cd gone; rmdir ../gone; materia run --template true")
        .run();
    assert_eq!(outcome.code(), 2);
    assert!(
        outcome
            .stderr
            .contains("hint: go to a directory that exists"),
        "{}",
        outcome.stderr
    );
    let elsewhere = env
        .materia(&["-C", "/", "run", "--template", "pwd"])
        .run()
        .ok();
    assert_eq!(elsewhere.stdout, "/\n");
}

#[test]
fn with_few_descriptors_a_run_uses_less_parallelism() {
    let env = TestEnv::new();
    let branches =
        r#"{"parallel": true, "concurrency": 200, "repeat": 200, "template": "echo {index}"}"#;
    let lanes = r#"{"parallel": true, "concurrency": 60, "repeat": 60, "template": ["echo {index}", "cat", {"parallel": true, "template": ["cat", {"template": ["cat", "cat"]}]}]}"#;
    for (template, more, expected) in [
        (branches, "", 200),
        (branches, "--jobs 150", 200),
        (lanes, "--jobs 50", 180),
    ] {
        let outcome = env
            .shell(&format!(
                "ulimit -n 64; materia run --json {more} --template '{template}'"
            ))
            .run()
            .ok();
        let document = outcome.json();
        assert_has!(document, {"status": "ok", "coverage": {"done": expected}}, "{more}");
    }
}

#[test]
fn sixty_four_mebibytes_between_two_steps_are_the_same_bytes() {
    let env = TestEnv::new();
    let source = "sh -c 'head -c 67108864 /dev/urandom | tee big'";
    let template = json!([source, "cat", "sh -c 'cmp - big && echo same'"]);
    assert_eq!(run_text(&env, &template, &[]).ok().stdout, "same\n");
}
