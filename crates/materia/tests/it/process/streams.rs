//! Input and output of commands: exact bytes, bounded memory, complete files (T22, C12).

use super::*;

/// The output of the `noisy` role.
fn noise(count: u64, line: u64) -> Vec<u8> {
    (0..count)
        .map(|index| {
            if index % line == line - 1 {
                b'\n'
            } else {
                b'a' + u8::try_from(index % 26).unwrap()
            }
        })
        .collect()
}

#[test]
fn large_output_is_bounded_in_memory_and_complete_in_its_file() {
    let harness = ProcessHarness::new();
    let count = 8 << 20;
    let ended = harness.run(json!({
        "argv": [FAKE, "noisy", "--stdout", count.to_string(), "--stderr", "300000", "--line-length", "1000000"],
        "memory": 1000, "spill": text(&harness.path("spill")),
    }));
    let stdout = &ended["stdout"];
    assert_has!(stdout, {"total": count, "kept": 1000, "truncated": false});
    let complete = noise(count, 1_000_000);
    assert!(std::fs::read(harness.path("spill.stdout")).unwrap() == complete);
    assert_eq!(
        stdout["bytes"],
        json!(complete[complete.len() - 1000..]),
        "the kept bytes must be the end of the output"
    );
    let stderr = std::fs::read(harness.path("spill.stderr")).unwrap();
    assert!(stderr == noise(300_000, 1_000_000));
    harness.assert_no_processes();
}

#[test]
fn output_beyond_the_limit_is_counted_and_dropped() {
    let harness = ProcessHarness::new();
    let ended = harness.run(json!({
        "argv": [FAKE, "noisy", "--stdout", "1000000"], "memory": 100, "limit": 5000,
        "spill": text(&harness.path("spill")),
    }));
    let stdout = &ended["stdout"];
    assert_has!(stdout, {"total": 1_000_000, "truncated": true});
    assert!(std::fs::read(harness.path("spill.stdout")).unwrap() == noise(5000, 80));
    assert_eq!(stdout["bytes"], json!(noise(1_000_000, 80)[999_900..]));
    let ended = harness.run(json!({ "argv": [FAKE, "noisy", "--stdout", "1000"], "memory": 100 }));
    assert_has!(ended["stdout"], {"kept": 100, "truncated": true});
    assert_eq!(ended["stdout"]["file"], Value::Null);
    harness.assert_no_processes();
}

#[test]
fn output_keeps_bytes_that_are_not_utf8() {
    let harness = ProcessHarness::new();
    let ended = harness.run(json!({ "argv": [FAKE, "noisy", "--stdout", "512", "--invalid"] }));
    let expected: Vec<u8> = (0..512)
        .map(|index: u32| u8::try_from(index % 256).unwrap())
        .collect();
    assert_eq!(ended["stdout"]["bytes"], json!(expected));
    let ended = harness.run(json!({ "argv": [FAKE, "dies-mid-line", "--code", "1"] }));
    assert_eq!(ended["stdout"]["text"], "whole line\nhalf a li");
    harness.assert_no_processes();
}

#[test]
fn a_spill_file_that_cannot_be_written_does_not_fail_the_command() {
    let harness = ProcessHarness::new();
    let ended = harness.run(json!({
        "argv": [FAKE, "noisy", "--stdout", "100000"], "memory": 100, "spill": "/no/such/directory/spill",
    }));
    assert_has!(ended, {"detail": "exited 0", "stdout": {"total": 100_000}});
    assert!(ended["stdout"]["error"].is_string() && ended["stdout"]["truncated"] == true);
    harness.assert_no_processes();
}

#[test]
fn large_input_arrives_complete() {
    let harness = ProcessHarness::new();
    for count in [0u64, 1, 4096, 65_536, 65_537, 3_000_000] {
        let ended = harness.run(json!({ "argv": ["wc", "-c"], "stdin": { "bytes": count } }));
        assert_eq!(
            ended["stdout"]["text"].as_str().unwrap().trim(),
            count.to_string()
        );
        assert_eq!(ended["stdin_refused"], false);
    }
    harness.run(json!({
        "argv": ["cat"], "stdin": { "bytes": 3_000_000 }, "memory": 10, "spill": text(&harness.path("spill")),
    }));
    let expected: Vec<u8> = (0..3_000_000u32)
        .map(|index| u8::try_from(index % 251).unwrap())
        .collect();
    assert!(std::fs::read(harness.path("spill.stdout")).unwrap() == expected);
    harness.assert_no_processes();
}

#[test]
fn unread_input_is_not_an_error() {
    let harness = ProcessHarness::new();
    for count in [1000, 3_000_000] {
        let ended = harness.run(json!({ "argv": ["true"], "stdin": { "bytes": count } }));
        assert_eq!(ended["detail"], "exited 0");
        assert_eq!(ended["stdin_refused"], count > 65_536);
        let ended = harness.run(json!({ "argv": ["sleep", "0.1"], "stdin": { "bytes": count } }));
        assert_eq!(ended["detail"], "exited 0");
    }
    let closed =
        json!({ "argv": ["sh", "-c", "exec 0<&-; sleep 0.1"], "stdin": { "bytes": 3_000_000 } });
    assert_eq!(harness.run(closed)["detail"], "exited 0");
    harness.assert_no_processes();
}

#[test]
fn stdin_can_be_a_file_or_written_later() {
    let harness = ProcessHarness::new();
    std::fs::write(harness.path("input"), "from a file").unwrap();
    let ended =
        harness.run(json!({ "argv": ["cat"], "stdin": { "file": text(&harness.path("input")) } }));
    assert_eq!(ended["stdout"]["text"], "from a file");
    let ended = harness.run(json!({ "argv": ["cat"], "stdin": "held", "send": "one\ntwo\n" }));
    assert_eq!(ended["stdout"]["text"], "one\ntwo\n");
    let ended = harness.run(json!({ "argv": [FAKE, "utility"], "stdin": "{\"a\":1}" }));
    assert_eq!(
        ended["stdout"]["text"],
        "{\"ok\":true,\"input\":{\"a\":1}}\n"
    );
    let ended = harness.run(json!({ "argv": [FAKE, "agent"], "stdin": "why?\n" }));
    assert_eq!(ended["stdout"]["text"], "You asked: why?\n");
    harness.assert_no_processes();
}

#[test]
fn output_of_a_grandchild_does_not_delay_the_end() {
    let harness = ProcessHarness::new();
    let script = "yes & exec sleep 0.2";
    let (ended, took) =
        timed(|| harness.run(json!({ "argv": ["sh", "-c", script], "memory": 1000 })));
    assert_eq!(ended["detail"], "exited 0");
    assert!(took < 30_000);
    harness.assert_no_processes();
}

#[test]
fn a_cleared_environment_has_only_the_given_variables() {
    let harness = ProcessHarness::new();
    let ended =
        harness.run(json!({ "argv": ["/usr/bin/env"], "clear_env": true, "env": { "A": "1" } }));
    let lines: Vec<&str> = ended["stdout"]["text"].as_str().unwrap().lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.contains(&"A=1") && lines.iter().any(|line| line.starts_with("MATERIA_LEAF=")));
    harness.assert_no_processes();
}
