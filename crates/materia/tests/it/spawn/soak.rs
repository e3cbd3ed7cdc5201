//! Soak test: many short runs, fifty at a time, with one watcher. Memory, descriptors and disk must not
//! grow.
//!
//! `./test --soak RUNS` sets the number of runs. Each run is spawned, awaited and pruned, so anything
//! left afterwards is a leak. The watcher must get every end exactly once.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::*;

const CONCURRENT_RUNS: usize = 50;

/// The most descriptors of an idle watcher: streams, marks, locks, wake pipes, signals, and some spare.
const MAX_IDLE_DESCRIPTORS: usize = 20;

fn run_count() -> usize {
    std::env::var("MATERIA_SOAK")
        .ok()
        .and_then(|run_count| run_count.parse().ok())
        .unwrap_or(100)
}

/// Resource usage: memory in KiB and descriptors of a process, bytes and files of a directory.
#[derive(Debug, Clone, Copy)]
struct Usage {
    memory: u64,
    descriptors: usize,
    bytes: u64,
    files: usize,
}

fn usage(pid: i32, dir: &Path) -> Usage {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .unwrap();
    let memory = line.trim().split(' ').next().unwrap().parse().unwrap();
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .count();
    let (bytes, files) = disk_usage(dir);
    Usage {
        memory,
        descriptors,
        bytes,
        files,
    }
}

/// The usage of the watcher when it is idle. It may still read a run that was just removed; it gets
/// less time for that than its polling interval.
fn idle_usage(pid: i32, dir: &Path) -> Usage {
    let began = Instant::now();
    loop {
        let usage = usage(pid, dir);
        if usage.descriptors <= MAX_IDLE_DESCRIPTORS || began.elapsed() > Duration::from_secs(10) {
            return usage;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn disk_usage(dir: &Path) -> (u64, usize) {
    let mut all = (0, 0);
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let more = if metadata.is_dir() {
            disk_usage(&entry.path())
        } else {
            (metadata.len(), 1)
        };
        all = (all.0 + more.0, all.1 + more.1);
    }
    all
}

/// Waits for the end of every run so far, and asserts that none is repeated. Fails after a minute
/// without an event.
fn assert_every_end_once(
    env: &TestEnv,
    events: &Receiver<(String, Value)>,
    ended: &mut BTreeSet<String>,
    total: usize,
) {
    while ended.len() < total {
        let Ok((run, event)) = events.recv_timeout(Duration::from_secs(60)) else {
            let all = (0..total).map(|number| format!("soak-{number}"));
            let missing: Vec<String> = all.filter(|run| !ended.contains(run)).collect();
            panic!(
                "{} of {total} ends were never reported: {missing:?}\n{}",
                missing.len(),
                env.read("watch.err")
            );
        };
        assert_eq!(event, "terminal", "{run}");
        assert!(
            ended.insert(run.clone()),
            "the end of {run} was reported twice"
        );
    }
}

/// Spawns, awaits and prunes runs until `until` runs were started.
fn work(env: &TestEnv, started: &AtomicUsize, until: usize) {
    loop {
        let number = started.fetch_add(1, Ordering::Relaxed);
        if number >= until {
            return;
        }
        let address = format!("run:soak-{number}");
        let args = [
            "spawn",
            "--template",
            "echo short",
            "--as",
            &address,
            "--session",
            "soak",
            "--json",
        ];
        env.materia(&args).run().ok();
        env.materia(&["wait", &address, "--json"]).run().ok();
        env.materia(&["message", &address, "control.prune", "--json"])
            .run()
            .ok();
    }
}

mod slow {
    use super::*;

    #[test]
    #[expect(clippy::print_stdout, reason = "a soak test prints its measurements")]
    fn memory_descriptors_and_disk_stay_flat() {
        let env = TestEnv::new();
        let (total, started) = (run_count(), AtomicUsize::new(0));
        // From now on, ends are kept for the watcher, even if it starts later.
        assert_eq!(env.watch_once(&["--session", "soak"]), Vec::<Value>::new());
        let mut watcher = env
            .shell("exec materia watch --session soak --json 2>watch.err")
            .start();
        let (pid, stdout) = (watcher.pid(), watcher.stdout());
        let (sender, events) = std::sync::mpsc::channel();
        let listener = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let event: Value = serde_json::from_str(&line).unwrap();
                sender
                    .send((
                        event["run"].as_str().unwrap().to_owned(),
                        event["event"].clone(),
                    ))
                    .unwrap();
            }
        });
        let (mut samples, mut ended) = (Vec::new(), BTreeSet::new());
        // The first quarter warms up: afterwards all caches are filled.
        for part in 1..=4 {
            std::thread::scope(|scope| {
                for _ in 0..CONCURRENT_RUNS {
                    scope.spawn(|| work(&env, &started, total * part / 4));
                }
            });
            started.store(total * part / 4, Ordering::Relaxed);
            assert_every_end_once(&env, &events, &mut ended, total * part / 4);
            samples.push(idle_usage(pid, &env.home()));
        }
        println!("{total} runs: {samples:#?}");
        let (first, last) = (samples[0], samples[3]);
        assert!(
            last.memory <= first.memory + first.memory / 2 + 1024,
            "memory of the watcher: {samples:?}"
        );
        assert!(
            samples
                .iter()
                .all(|sample| sample.descriptors <= MAX_IDLE_DESCRIPTORS),
            "descriptors of the watcher: {samples:?}"
        );
        assert!(last.bytes <= first.bytes + (512 << 10), "disk: {samples:?}");
        // At most five hundred drafts are kept, and files of the last runs may still be there.
        assert!(last.files <= 500 + 250, "files: {samples:?}");
        watcher.signal(Signal::TERM);
        watcher.wait();
        listener.join().unwrap();
        assert_eq!(events.try_iter().count(), 0, "more events than runs");
        assert_eq!(
            env.watch_once(&["--session", "soak"]),
            Vec::<Value>::new(),
            "an event was repeated"
        );
        println!("{total} ends were reported, each once");
        assert!(env.live_processes().is_empty());
    }
}
