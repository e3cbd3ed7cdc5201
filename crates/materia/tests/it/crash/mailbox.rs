//! Killed senders and receivers: no acknowledged message is lost, and none is handled twice (P1,
//! A4).

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::store::journal::{Options, SharedJournal};
use rustix::process::Signal;
use serde_json::json;

use crate::test_env::{TestEnv, TestProcess};

/// A test environment with the journal of one run.
struct MailboxHarness {
    env: TestEnv,
}

impl MailboxHarness {
    fn new() -> Self {
        let harness = Self {
            env: TestEnv::new(),
        };
        let journal =
            SharedJournal::open(&harness.journal(), &Clock::system(), &Options::default()).unwrap();
        journal
            .append_durable("run.start", &json!({"generation": "g", "run": "a"}))
            .unwrap();
        harness
    }

    fn journal(&self) -> PathBuf {
        self.env.work_dir().join("journal.jsonl")
    }

    fn sender(&self, name: &str, count: u32) -> TestProcess<'_> {
        let (journal, acked) = (self.journal(), self.env.work_dir().join("acked"));
        let args = [
            "sender",
            journal.to_str().unwrap(),
            name,
            &count.to_string(),
            acked.to_str().unwrap(),
        ];
        self.env.fake(&args).start()
    }

    fn receiver(&self) -> TestProcess<'_> {
        let (journal, handled) = (self.journal(), self.env.work_dir().join("handled"));
        self.env
            .fake(&[
                "receiver",
                journal.to_str().unwrap(),
                handled.to_str().unwrap(),
            ])
            .start()
    }

    /// Receives what is left, and compares the accepted with the handled messages.
    fn check(&self, what: &str) {
        let last = self.receiver().wait();
        assert_eq!(last.code(), 0, "{what}: {}", last.transcript());
        let read =
            |name: &str| fs::read_to_string(self.env.work_dir().join(name)).unwrap_or_default();
        let mut handled: BTreeMap<String, u32> = BTreeMap::new();
        for line in read("handled").lines() {
            *handled
                .entry(line.split_once(' ').unwrap().1.to_owned())
                .or_default() += 1;
        }
        for acked in read("acked").lines() {
            assert!(
                handled.contains_key(acked),
                "{what}: {acked} was accepted and never handled"
            );
        }
        let twice: Vec<&String> = handled
            .iter()
            .filter(|(_, times)| **times > 1)
            .map(|(body, _)| body)
            .collect();
        assert!(twice.is_empty(), "{what}: handled twice: {twice:?}");
    }
}

/// A pseudorandom number generator, so that a round can be repeated from its seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Runs senders and receivers at once and kills some of them at a random time.
fn round(harness: &MailboxHarness, seed: u64) {
    let mut rng = Rng(seed);
    let names: Vec<String> = (0..3).map(|sender| format!("r{seed}-{sender}")).collect();
    let mut running: Vec<TestProcess<'_>> =
        names.iter().map(|name| harness.sender(name, 8)).collect();
    running.extend((0..2).map(|_| harness.receiver()));
    for victim in running {
        if rng.below(2) == 0 {
            std::thread::sleep(Duration::from_micros(rng.below(30_000)));
            victim.signal(Signal::KILL);
        }
        victim.wait();
    }
}

/// The number of rounds: `MATERIA_ROUNDS`, or a few.
pub fn rounds() -> u64 {
    std::env::var("MATERIA_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(4)
}

/// The seed of the first round: `MATERIA_SEED`, or a different one each time.
pub fn seed() -> u64 {
    let seed_variable = std::env::var("MATERIA_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    seed_variable.unwrap_or_else(|| u64::from(std::process::id()))
}

#[test]
fn a_trace_lists_the_failpoints_of_a_sender() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let points = sender_points(&env);
    for point in ["journal.write", "journal.sync"] {
        assert!(points.iter().any(|known| known == point), "{points:?}");
    }
    env.kill("a");
}

/// Every failpoint hit of an undisturbed process, as `point:nth`. `run` runs the process with its
/// argument as failpoint.
pub fn trace_failpoints(run: impl FnOnce(&str)) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    run(&format!("trace:{}", trace.display()));
    let mut passed: BTreeMap<String, u32> = BTreeMap::new();
    let text = fs::read_to_string(trace).unwrap();
    let points = text.lines().map(|point| {
        let nth = passed.entry(point.to_owned()).or_default();
        *nth += 1;
        format!("{point}:{nth}")
    });
    points.collect()
}

/// Every failpoint hit of an undisturbed sender.
fn sender_points(env: &TestEnv) -> Vec<String> {
    let trace = env.work_dir().join("trace");
    let spec = format!("trace:{}", trace.display());
    env.materia(&["message", "run:a", "task.run", "traced"])
        .env("MATERIA_FAILPOINT", &spec)
        .run()
        .ok();
    fs::read_to_string(trace)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

mod slow {
    use super::*;

    #[test]
    #[expect(clippy::print_stdout, reason = "a round is repeated from its seed")]
    fn killed_senders_and_receivers_lose_and_repeat_no_message() {
        let (mut harness, begin) = (MailboxHarness::new(), seed());
        println!("seeds {begin}..{}", begin + rounds());
        for seed in begin..begin + rounds() {
            // Start over regularly: each process reads the whole journal.
            if (seed - begin).is_multiple_of(100) {
                harness = MailboxHarness::new();
            }
            round(&harness, seed);
            harness.check(&format!("round {seed}"));
        }
    }

    #[test]
    fn a_sender_that_fails_anywhere_loses_no_accepted_message() {
        let env = TestEnv::new();
        env.spawn("a", "sleep 600", &[]);
        let points = sender_points(&env);
        let mut accepted = vec!["traced".to_owned()];
        for (index, point) in points.iter().enumerate() {
            let nth = points[..=index]
                .iter()
                .filter(|other| *other == point)
                .count();
            for action in ["abort", "torn", "eio", "enospc"] {
                let body = format!("{point}:{nth}:{action}");
                let args = ["message", "--json", "run:a", "task.run", &body];
                if env
                    .materia(&args)
                    .env("MATERIA_FAILPOINT", &body)
                    .run()
                    .status
                    .success()
                {
                    accepted.push(body);
                }
            }
        }
        assert!(
            accepted.len() < points.len() * 4,
            "no failpoint had an effect"
        );
        let mut arrived = Vec::new();
        loop {
            let output = env
                .materia(&["receive", "--address", "run:a", "--json", "--timeout", "0"])
                .run();
            let Some(message) = output.json().get("message").cloned() else {
                break;
            };
            arrived.push(message["body"].as_str().unwrap().to_owned());
        }
        for body in &accepted {
            assert_eq!(
                arrived.iter().filter(|other| *other == body).count(),
                1,
                "{body}"
            );
        }
        env.kill("a");
    }
}
