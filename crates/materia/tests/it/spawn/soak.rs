//! Soak: many short runs, fifty at a time, beside one that listens all the while. Nothing grows.
//!
//! A few of them by default; `./test --soak RUNS` says how many. Each run is spawned, waited for
//! and pruned, so what is left afterwards is what somebody forgot. Whoever listens hears of every
//! end, once.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::*;

const AT_ONCE: usize = 50;

/// What a watcher has open while nothing is on: its streams, its marks and locks, what wakes and
/// interrupts it, and some to spare.
const AT_REST: usize = 20;

fn runs() -> usize {
    std::env::var("MATERIA_SOAK")
        .ok()
        .and_then(|runs| runs.parse().ok())
        .unwrap_or(100)
}

/// What something takes: memory in KiB and file descriptors of a process, bytes and files of a
/// directory.
#[derive(Debug, Clone, Copy)]
struct Taken {
    memory: u64,
    descriptors: usize,
    bytes: u64,
    files: usize,
}

fn taken(pid: i32, dir: &Path) -> Taken {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"))
        .unwrap();
    let memory = line.trim().split(' ').next().unwrap().parse().unwrap();
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .count();
    let (bytes, files) = sizes(dir);
    Taken {
        memory,
        descriptors,
        bytes,
        files,
    }
}

/// What a watcher takes once it has let go of what it was busy with: it may just be reading what is
/// gone already. It has less time for that than it sleeps before it looks without being woken.
fn taken_at_rest(pid: i32, dir: &Path) -> Taken {
    let began = Instant::now();
    loop {
        let taken = taken(pid, dir);
        if taken.descriptors <= AT_REST || began.elapsed() > Duration::from_secs(10) {
            return taken;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn sizes(dir: &Path) -> (u64, usize) {
    let mut all = (0, 0);
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let more = if metadata.is_dir() {
            sizes(&entry.path())
        } else {
            (metadata.len(), 1)
        };
        all = (all.0 + more.0, all.1 + more.1);
    }
    all
}

/// Hears of the end of every run so far, and of none twice. Whoever is not told within a minute of
/// silence never is.
fn every_end_is_told_once(
    env: &TestEnv,
    heard: &Receiver<(String, Value)>,
    ended: &mut BTreeSet<String>,
    total: usize,
) {
    while ended.len() < total {
        let Ok((run, event)) = heard.recv_timeout(Duration::from_secs(60)) else {
            let all = (0..total).map(|number| format!("soak-{number}"));
            let missing: Vec<String> = all.filter(|run| !ended.contains(run)).collect();
            panic!(
                "{} of {total} ends were never told: {missing:?}\n{}",
                missing.len(),
                env.read("watch.err")
            );
        };
        assert_eq!(event, "terminal", "{run}");
        assert!(ended.insert(run.clone()), "the end of {run} was told twice");
    }
}

/// Spawns, awaits and prunes runs until so many were begun.
fn work(env: &TestEnv, begun: &AtomicUsize, until: usize) {
    loop {
        let number = begun.fetch_add(1, Ordering::Relaxed);
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
    #[expect(
        clippy::print_stdout,
        reason = "whoever asks for a soak wants its numbers"
    )]
    fn memory_descriptors_and_disk_stay_flat() {
        let env = TestEnv::new();
        let (total, begun) = (runs(), AtomicUsize::new(0));
        // From here on what ends is kept for whoever listens, also what ends before that one is
        // there.
        assert_eq!(env.watch_once(&["--session", "soak"]), Vec::<Value>::new());
        let mut watcher = env
            .shell("exec materia watch --session soak --json 2>watch.err")
            .start();
        let (pid, stdout) = (watcher.pid(), watcher.stdout());
        let (hears, heard) = std::sync::mpsc::channel();
        let listener = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let news: Value = serde_json::from_str(&line).unwrap();
                hears
                    .send((
                        news["run"].as_str().unwrap().to_owned(),
                        news["event"].clone(),
                    ))
                    .unwrap();
            }
        });
        let (mut looks, mut ended) = (Vec::new(), BTreeSet::new());
        // The first part warms up; then everything that there is has been there.
        for part in 1..=4 {
            std::thread::scope(|scope| {
                for _ in 0..AT_ONCE {
                    scope.spawn(|| work(&env, &begun, total * part / 4));
                }
            });
            begun.store(total * part / 4, Ordering::Relaxed);
            every_end_is_told_once(&env, &heard, &mut ended, total * part / 4);
            looks.push(taken_at_rest(pid, &env.home()));
        }
        println!("{total} runs: {looks:#?}");
        let (first, last) = (looks[0], looks[3]);
        assert!(
            last.memory <= first.memory + first.memory / 2 + 1024,
            "memory of the watcher: {looks:?}"
        );
        assert!(
            looks.iter().all(|look| look.descriptors <= AT_REST),
            "descriptors of the watcher: {looks:?}"
        );
        assert!(last.bytes <= first.bytes + (512 << 10), "disk: {looks:?}");
        // Drafts are kept of the first five hundred, and of no more; what was just told may be
        // about to go.
        assert!(last.files <= 500 + 250, "files: {looks:?}");
        watcher.signal(Signal::TERM);
        watcher.wait();
        listener.join().unwrap();
        assert_eq!(heard.try_iter().count(), 0, "more was told than happened");
        assert_eq!(
            env.watch_once(&["--session", "soak"]),
            Vec::<Value>::new(),
            "told again"
        );
        println!("{total} ends were told, each once");
        assert!(env.live_processes().is_empty());
    }
}
