//! The input of a plain command, and how its output is read.

use super::*;
use crate::agent::protocol::tests::{play, turn};

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn words_are_filled_in_once_and_empty_ones_vanish() {
    let mut plain = Plain::new(
        &words(&[
            "--model",
            "{model}",
            "--scope={tools}",
            "{thinking}",
            "{odd}{",
        ]),
        None,
        None,
    );
    let custom = AgentTools::Custom(words(&["read", "{cwd}"]));
    let launch = plain.launch(&AgentTurn {
        model: Some("{cwd}"),
        system: Some("Be kind."),
        ..turn("do it", &custom)
    });
    assert_eq!(
        launch.args,
        ["--model", "{cwd}", "--scope=read,{cwd}", "{odd}{"]
    );
    assert_eq!(
        (launch.stdin, launch.ends_stdin),
        (b"Be kind.\n\ndo it".to_vec(), true)
    );
    assert!(launch.notices.is_empty(), "it is told the scope");
    let launch = Plain::new(&[], None, None).launch(&turn("x", &AgentTools::ReadOnly));
    assert_eq!(launch.notices.len(), 1);
}

#[test]
fn an_exit_code_that_is_not_0_gives_no_answer() {
    let mut plain = Plain::new(&[], None, None);
    play(&mut plain, "one\ntwo");
    assert!(!plain.exited(1) && plain.said().text.is_empty());
    assert!(plain.exited(0));
    assert_eq!(plain.said().text, "one\ntwo");
}

#[test]
fn a_document_gives_the_answer_and_the_usage() {
    let mut plain = Plain::new(&[], Some("$.a.0.text"), Some("$.used"));
    plain.launch(&AgentTurn {
        model: Some("m"),
        ..turn("x", &AgentTools::Coding)
    });
    play(
        &mut plain,
        "{\"a\": [{\"text\": \"hi\"}],\n \"used\": {\"input\": 5, \"output\": 2}}",
    );
    assert!(plain.exited(0));
    assert_eq!(
        (plain.said().text.as_str(), plain.said().models["m"].total),
        ("hi", 7)
    );
    for (printed, kind) in [
        ("{\"b\": 1}", AgentFailureKind::Empty),
        ("{\"a\": [{\"te", AgentFailureKind::Crash),
    ] {
        let mut plain = Plain::new(&[], Some("$.a"), None);
        play(&mut plain, printed);
        plain.exited(0);
        assert_eq!(plain.said().failure.as_ref().unwrap().kind, kind);
    }
}
