//! The scripted agent: which turn gets which reply.

use materia_model::finding::Source;
use materia_model::materia::AgentTools;

use super::*;
use crate::agent::Unwatched;
use crate::agent::protocol::tests::turn;

fn script(text: &str) -> Scripted {
    Scripted::read(&Source::new("script.json", text)).unwrap()
}

fn said(agent: &mut Scripted, socket: &str, item: Option<&str>) -> Result<String, AgentFailure> {
    let turn = AgentTurn {
        socket,
        materia: "Build",
        item,
        ..turn("please build it", &AgentTools::None)
    };
    match agent.ask(&turn, &mut ProcessSet::new(), &mut Unwatched) {
        Answer::Ended(end) => end.reply,
        Answer::Interrupted => panic!("nobody interrupted"),
    }
}

#[test]
fn the_first_unused_reply_that_matches_answers() {
    let mut agent = script(
        r#"{"replies": [
            {"match": {"socket": "S1", "item": "WI-2"}, "text": "second item"},
            {"match": {"socket": "S1", "contains": "build"}, "json": {"satisfied": true}, "times": 2},
            {"match": {"materia": "Build"}, "error": "rate_limit", "delayMs": 1}]}"#,
    );
    assert_eq!(
        said(&mut agent, "S1", Some("WI-1")).unwrap(),
        r#"{"satisfied":true}"#
    );
    assert_eq!(said(&mut agent, "S1", Some("WI-2")).unwrap(), "second item");
    assert_eq!(
        said(&mut agent, "S1", Some("WI-2")).unwrap(),
        r#"{"satisfied":true}"#
    );
    assert_eq!(
        said(&mut agent, "S1", None).unwrap_err().kind,
        AgentFailureKind::RateLimit
    );
    let nothing = said(&mut agent, "S1", Some("WI-3")).unwrap_err();
    assert_eq!(nothing.kind, AgentFailureKind::Config);
    assert!(
        nothing.message.contains("`S1`") && nothing.message.contains("`WI-3`"),
        "{}",
        nothing.message
    );
}

#[test]
fn a_reply_changes_files_and_never_outside_of_the_project() {
    let project = tempfile::tempdir().unwrap();
    let mut agent =
        script(r#"{"replies": [{"files": {"src/deep/a.txt": "new\n"}, "text": "done"}]}"#);
    let turn = AgentTurn {
        cwd: project.path(),
        ..turn("go", &AgentTools::None)
    };
    assert!(matches!(
        agent.ask(&turn, &mut ProcessSet::new(), &mut Unwatched),
        Answer::Ended(_)
    ));
    assert_eq!(
        std::fs::read_to_string(project.path().join("src/deep/a.txt")).unwrap(),
        "new\n"
    );
    for path in ["/etc/x", "../x", "a/../../x", ""] {
        let text = format!(r#"{{"replies": [{{"files": {{"{path}": "x"}}}}]}}"#);
        let findings = Scripted::read(&Source::new("script.json", &text)).unwrap_err();
        assert!(
            findings[0].message.contains("outside of the project"),
            "{path}"
        );
    }
}

#[test]
fn scripts_that_are_none_are_refused_with_a_hint() {
    for text in [
        "{}",
        "[]",
        "{\"replies\": [{\"txt\": 1}]}",
        "{\"replies\": [{\"error\": \"odd\"}]}",
        "{",
    ] {
        let findings = Scripted::read(&Source::new("script.json", text)).unwrap_err();
        assert!(!findings.is_empty() && findings[0].hint.is_some(), "{text}");
    }
}

#[test]
fn a_reply_that_takes_its_time_is_seen_on_its_way() {
    use crate::agent::{Activity, TurnCommand, Watch};
    #[derive(Default)]
    struct Eyes(Vec<Activity>);
    impl Watch for Eyes {
        fn see(&mut self, activity: &Activity) -> TurnCommand {
            self.0.push(activity.clone());
            TurnCommand::GoOn
        }
    }
    let mut agent = script(
        r#"{"replies": [{"text": "one two three", "delayMs": 100, "tools": [{"name": "edit", "input": "a.rs"}]}]}"#,
    );
    let mut eyes = Eyes::default();
    let turn = AgentTurn {
        socket: "S1",
        materia: "Build",
        item: None,
        ..turn("please", &AgentTools::None)
    };
    agent.ask(&turn, &mut ProcessSet::new(), &mut eyes);
    let said: String = eyes
        .0
        .iter()
        .filter_map(|seen| match seen {
            Activity::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said, "one two three");
    assert!(eyes.0.contains(&Activity::ToolEnd {
        name: "edit".to_owned(),
        ok: true
    }));
}
