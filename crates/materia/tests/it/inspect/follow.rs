//! `--follow`: views that support it print one message per line, other views refuse it.

use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::test_env::TestEnv;

#[test]
fn views_that_cannot_be_followed_name_those_that_can() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    for (target, view, hint) in [
        ("run:a", "mailbox", "follow it with --view tail or messages"),
        ("run:a", "status", "follow it with --view tail or messages"),
        (
            "room:a",
            "roster",
            "follow it with --view messages or previews",
        ),
        (
            "branch:a/w",
            "mailbox",
            "follow run:ID with --view tail or messages",
        ),
        (
            "session:all",
            "runs",
            "follow run:ID with --view tail or messages",
        ),
        (
            "tool:materia",
            "triage",
            "follow run:ID with --view tail or messages",
        ),
    ] {
        let refused = env
            .materia(&["inspect", target, "--view", view, "--follow", "--json"])
            .run();
        let error = refused.json()["error"].clone();
        assert_eq!(refused.code(), 2, "{target} {view}");
        assert_eq!(error["code"], "cannot_follow", "{target} {view}");
        assert!(error["hint"].as_str().unwrap().starts_with(hint), "{error}");
    }
}

#[test]
fn split_characters_are_printed_whole() {
    let env = TestEnv::new();
    let script = "printf 'a\\303'; while ! [ -e go ]; do sleep 0.01; done; printf '\\251b\\n'; yes é | head -n 100000";
    let script = env.write("halves.sh", script);
    env.spawn("a", &format!("sh {}", script.display()), &[]);
    env.wait_for_file_bytes(env.run_dir("a").stdout(), b"a\xc3");
    let mut following = env
        .materia(&["inspect", "run:a", "--view", "tail", "--follow", "--json"])
        .start();
    let mut lines = BufReader::new(following.stdout()).lines();
    let text = |line: String| -> String {
        let message: Value = serde_json::from_str(&line).unwrap();
        message["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(text(lines.next().unwrap().unwrap()), "a");
    env.write("go", "");
    let rest: String = lines.map(|line| text(line.unwrap())).collect();
    assert_eq!(
        (rest.len(), &rest[..6]),
        ("éb\n".len() + 100_000 * "é\n".len(), "éb\né")
    );
    assert!(!rest.contains('\u{fffd}'));
    assert_eq!(following.wait().code(), 0);
}

#[test]
fn each_line_of_a_followed_view_is_one_message() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    for (target, view, to) in [
        ("run:a", "messages", "coordinator"),
        ("room:a", "messages", "room:a"),
        ("room:a", "previews", "room:a"),
    ] {
        env.send_ok(&[to, "before", "0", "--from", "run:a"]);
        let args = [
            "inspect", target, "--view", view, "--lines", "1", "--follow", "--json",
        ];
        let mut following = env.materia(&args).start();
        let mut fields = |kind: &str| {
            let message: Value = serde_json::from_str(&following.read_line()).unwrap();
            assert_eq!(message["type"], kind, "{message}");
            message
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        let before = fields("before");
        env.send_ok(&[to, "after", "0", "--from", "run:a"]);
        assert_eq!(fields("after"), before);
        following.signal(rustix::process::Signal::TERM);
        following.wait();
    }
    env.kill("a");
}
