//! How often a journal is read: once by each call, however long it is.

use materia_model::message::event::{MESSAGE, Message};
use materia_model::run::{RUN_START, RunStart, RunSupervisor};
use serde_json::json;

use super::*;
use crate::process::ProcessIdentity;
use crate::run;
use crate::store::dir;
use crate::store::journal::records_read_by;

/// How many messages the run has before a call.
const MESSAGES: usize = 300;
/// How many records a call may read besides: headers, the last record for a writer to continue
/// behind, and what the call itself adds.
const BESIDES: usize = 12;

/// An engine, and a run `a` of which this process is the supervisor.
fn engine_with_run() -> (tempfile::TempDir, Engine) {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().as_os_str().to_owned();
    let engine = Engine::new(Environment {
        variables: [("MATERIA_HOME".into(), home.clone()), ("HOME".into(), home)].into(),
        cwd: Ok(temp.path().to_owned()),
        steps: &[],
    })
    .cancelled_by(Cancellation::new().unwrap());
    let place = engine.runs().unwrap().place(&"a".parse().unwrap());
    dir::create_private(place.dir()).unwrap();
    let journal = run::journal(&place, engine.clock()).unwrap();
    let own = ProcessIdentity::of_self().unwrap();
    let start = RunStart {
        run: "a".to_owned(),
        generation: "g".to_owned(),
        supervisor: RunSupervisor {
            pid: own.pid,
            start: own.start_time,
            boot: own.boot_id,
        },
        ..RunStart::default()
    };
    journal.append(RUN_START, &start).unwrap();
    for number in 0..MESSAGES {
        let draft = message("run:a", "task.run").draft;
        let message = Message {
            id: format!("m{number}"),
            envelope: draft.check().unwrap(),
            generation: None,
        };
        journal.append(MESSAGE, &message).unwrap();
    }
    (temp, engine)
}

fn message(to: &str, kind: &str) -> MessageRequest {
    let draft = MessageDraft {
        to: to.to_owned(),
        kind: kind.to_owned(),
        body: Some(json!("hello")),
        ..MessageDraft::default()
    };
    MessageRequest {
        draft,
        ..MessageRequest::default()
    }
}

fn is_once(read: usize) -> bool {
    (MESSAGES..MESSAGES + BESIDES).contains(&read)
}

#[test]
fn a_message_reads_the_journal_once() {
    let (_temp, engine) = engine_with_run();
    let (read, sent) = records_read_by(|| engine.message(message("run:a", "task.run"), None));
    assert!(sent.unwrap().queued);
    assert!(is_once(read), "{read} records");
}

#[test]
fn a_message_to_a_branch_reads_the_journal_once() {
    let (_temp, engine) = engine_with_run();
    let (read, sent) = records_read_by(|| engine.message(message("branch:a/b", "task.run"), None));
    assert!(sent.unwrap().persisted);
    assert!(is_once(read), "{read} records");
}

#[test]
fn receiving_reads_the_journal_once() {
    struct Passed;
    impl ReceiveObserver for Passed {
        fn received(&mut self, _: &ReceiveReport) -> bool {
            true
        }
    }
    let (_temp, engine) = engine_with_run();
    let request = ReceiveRequest {
        address: Some("run:a".to_owned()),
        ..ReceiveRequest::default()
    };
    let (read, received) = records_read_by(|| engine.receive(&request, &mut Passed));
    assert_eq!(received.unwrap().message.id, "m0");
    assert!(is_once(read), "{read} records");
}

#[test]
fn inspecting_reads_the_journal_once() {
    let (_temp, engine) = engine_with_run();
    for view in [
        "status",
        "messages",
        "mailbox",
        "communication",
        "transcript",
        "files",
    ] {
        let request = InspectRequest {
            target: "run:a".to_owned(),
            view: Some(view.to_owned()),
            ..InspectRequest::default()
        };
        let (read, report) = records_read_by(|| engine.inspect(&request));
        report.unwrap();
        assert!(is_once(read), "{view}: {read} records");
    }
    let (read, overview) = records_read_by(|| engine.run_overview("a", 10));
    assert_eq!(overview.unwrap().mailbox.total as usize, MESSAGES);
    assert!(is_once(read), "{read} records");
}

#[test]
fn waiting_reads_the_journal_once() {
    struct Shown(usize);
    impl WaitObserver for Shown {
        fn report(&mut self, _: &WaitReport) {
            self.0 += 1;
        }
    }
    let (_temp, engine) = engine_with_run();
    let request = WaitRequest {
        runs: vec!["run:a".to_owned()],
        timeout: Some(std::time::Duration::ZERO),
        ..WaitRequest::default()
    };
    let mut shown = Shown(0);
    let (read, report) = records_read_by(|| engine.wait(&request, &mut shown));
    assert!(report.unwrap().timed_out && shown.0 == 1);
    assert!(is_once(read), "{read} records");
}
