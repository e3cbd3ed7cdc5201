//! Senders and receivers that are killed: nothing acknowledged is lost, nothing is handled twice
//! (P1, A4).

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::store::journal::{Options, SharedJournal};
use rustix::process::Signal;
use serde_json::json;

use crate::test_env::{TestEnv, TestProcess};

/// A env with the journal of one run in it.
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

    fn poster(&self, name: &str, count: u32) -> TestProcess<'_> {
        let (journal, acked) = (self.journal(), self.env.work_dir().join("acked"));
        let args = [
            "poster",
            journal.to_str().unwrap(),
            name,
            &count.to_string(),
            acked.to_str().unwrap(),
        ];
        self.env.fake(&args).start()
    }

    fn taker(&self) -> TestProcess<'_> {
        let (journal, handled) = (self.journal(), self.env.work_dir().join("handled"));
        self.env
            .fake(&[
                "taker",
                journal.to_str().unwrap(),
                handled.to_str().unwrap(),
            ])
            .start()
    }

    /// Takes everything that is left, and compares what was promised with what was done.
    fn check(&self, what: &str) {
        let last = self.taker().wait();
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
            .map(|(said, _)| said)
            .collect();
        assert!(twice.is_empty(), "{what}: handled twice: {twice:?}");
    }
}

/// A generator of numbers that nobody has to trust, so that a round can be repeated from its seed.
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall alike for this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below this one.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Some senders and takers at once, of which some are killed at some moment.
fn round(harness: &MailboxHarness, seed: u64) {
    let mut dice = Dice(seed);
    let names: Vec<String> = (0..3).map(|sender| format!("r{seed}-{sender}")).collect();
    let mut running: Vec<TestProcess<'_>> =
        names.iter().map(|name| harness.poster(name, 8)).collect();
    running.extend((0..2).map(|_| harness.taker()));
    for victim in running {
        if dice.below(2) == 0 {
            std::thread::sleep(Duration::from_micros(dice.below(30_000)));
            victim.signal(Signal::KILL);
        }
        victim.wait();
    }
}

/// How many rounds: a few, or as many as `MATERIA_ROUNDS` says.
pub fn rounds() -> u64 {
    std::env::var("MATERIA_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(4)
}

/// With which seed the rounds begin: another one each time, or the one that `MATERIA_SEED` says.
pub fn seed() -> u64 {
    let given = std::env::var("MATERIA_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| u64::from(std::process::id()))
}

#[test]
fn the_points_of_a_sender_can_be_named() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let points = points(&env);
    for point in ["journal.write", "journal.sync"] {
        assert!(points.iter().any(|known| known == point), "{points:?}");
    }
    env.kill("a");
}

/// Every passing of an undisturbed process, as `point:nth`; `run` runs it with what it is given as
/// its failpoint.
pub fn traced(run: impl FnOnce(&str)) -> Vec<String> {
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

/// What an undisturbed sender passes.
fn points(env: &TestEnv) -> Vec<String> {
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
    fn nothing_accepted_is_lost_or_handled_twice_whoever_is_killed() {
        let (mut harness, begin) = (MailboxHarness::new(), seed());
        println!("seeds {begin}..{}", begin + rounds());
        for seed in begin..begin + rounds() {
            // Every now and then a new one: a journal of hundreds of rounds is read again by each
            // process.
            if (seed - begin).is_multiple_of(100) {
                harness = MailboxHarness::new();
            }
            round(&harness, seed);
            harness.check(&format!("round {seed}"));
        }
    }

    #[test]
    fn a_sender_that_dies_anywhere_loses_nothing_that_was_accepted() {
        let env = TestEnv::new();
        env.spawn("a", "sleep 600", &[]);
        let points = points(&env);
        let mut accepted = vec!["traced".to_owned()];
        for (index, point) in points.iter().enumerate() {
            let nth = points[..=index]
                .iter()
                .filter(|other| *other == point)
                .count();
            for action in ["abort", "torn", "eio", "enospc"] {
                let said = format!("{point}:{nth}:{action}");
                let args = ["message", "--json", "run:a", "task.run", &said];
                if env
                    .materia(&args)
                    .env("MATERIA_FAILPOINT", &said)
                    .run()
                    .status
                    .success()
                {
                    accepted.push(said);
                }
            }
        }
        assert!(accepted.len() < points.len() * 4, "none of them failed");
        let mut arrived = Vec::new();
        loop {
            let got = env
                .materia(&["receive", "--address", "run:a", "--json", "--timeout", "0"])
                .run();
            let Some(message) = got.json().get("message").cloned() else {
                break;
            };
            arrived.push(message["body"].as_str().unwrap().to_owned());
        }
        for said in &accepted {
            assert_eq!(
                arrived.iter().filter(|body| *body == said).count(),
                1,
                "{said}"
            );
        }
        env.kill("a");
    }
}
