//! Runs, against other people's queues of detached commands: spawning one, hearing of its end, many
//! of them, idle ones, and listing what is over.
//!
//! Every contender is a whole program, timed from outside. Peers promise less: none of them syncs
//! what it accepted.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::contest::{Contender, hold};
use crate::peers;

/// The word that makes this program the command that writes down when it ends.
pub(crate) const STAMP: &str = "__stamp";

/// Waits until somebody writes to a pipe, writes down the time and ends.
pub(crate) fn stamp(words: &[String]) -> Result<(), Failure> {
    let [fifo, stamp] = words else {
        return Err("a pipe and a file are needed".into());
    };
    let mut file = std::fs::File::create(stamp)?;
    std::fs::read_to_string(fifo)?;
    write!(
        file,
        "{}",
        SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos()
    )?;
    Ok(())
}

/// One of the rounds of [`Bench::told`]: until the word, and until its speaker is over.
type Round<'a> = &'a mut dyn FnMut() -> Result<[Duration; 2], Failure>;

/// Prints the medians of so many rounds, in milliseconds.
fn print_medians(name: &str, rounds: usize, round: Round<'_>) -> Result<(), Failure> {
    let times = (0..rounds)
        .map(|_| round())
        .collect::<Result<Vec<_>, _>>()?;
    let median = |which: usize| {
        let mut times: Vec<Duration> = times.iter().map(|time| time[which]).collect();
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    };
    println!("{name:<44} {:>9.2} ms {:>9.2} ms", median(0), median(1));
    Ok(())
}

type Failure = Box<dyn std::error::Error>;

const MANY: usize = 1000;
const AT_ONCE: usize = 8;
const IDLE: usize = 200;

/// From the command line to the id of a run that runs.
pub(crate) fn spawn(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.spawn(rounds * 5))
}

/// From the end of a command to the word of whoever waits for it.
pub(crate) fn told(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.told(rounds * 2))
}

/// Many short ones.
pub(crate) fn many(rounds: usize) -> Result<(), Failure> {
    held(|bench| bench.many(rounds.div_ceil(10).max(2)))
}

/// What a run costs while nothing happens in it.
pub(crate) fn idle(_rounds: usize) -> Result<(), Failure> {
    held(Bench::idle)
}

/// Listing runs that are over.
pub(crate) fn list(_rounds: usize) -> Result<(), Failure> {
    held(Bench::list)
}

/// Holds a contest in a world of its own.
fn held(contest: impl FnOnce(&Bench) -> Result<(), Failure>) -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let bench = Bench {
        materia: materia()?,
        dir: scratch.path().to_owned(),
    };
    peers::install_queues();
    let outcome = contest(&bench);
    bench.quit();
    outcome
}

struct Bench {
    materia: PathBuf,
    dir: PathBuf,
}

impl Bench {
    /// A program in a world of its own.
    fn call(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(&self.dir)
            .env("HOME", &self.dir)
            .env("TMPDIR", &self.dir);
        command
            .env("TS_SOCKET", self.dir.join("tsp"))
            .env("NQDIR", self.dir.join("nq"));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn timed(&self, program: &Path, words: &[&str]) -> Result<Duration, Failure> {
        let began = Instant::now();
        let status = self.call(program, words).status()?;
        let took = began.elapsed();
        if status.success() {
            Ok(took)
        } else {
            Err(format!("{words:?}: {status}").into())
        }
    }

    /// From the command line to the id of a run that runs.
    fn spawn(&self, rounds: usize) -> Result<(), Failure> {
        let Some(tsp) = peers::find("tsp") else {
            return self.missing("task-spooler");
        };
        let nq = peers::find("nq");
        let mut contenders = vec![
            Contender::new("task-spooler", || self.timed(&tsp, &["-n", "true"])),
            Contender::new("materia spawn (durable)", || {
                self.timed(&self.materia, &["spawn", "--template", "true"])
            }),
        ];
        if let Some(nq) = &nq {
            contenders.push(Contender::new("nq", || self.timed(nq, &["true"])));
        }
        hold("spawn `true` and get its id", 2.0, rounds, contenders)
    }

    /// From the end of the command to the word of whoever waits for it. The command writes down
    /// when it ends, as the last thing it does.
    fn told(&self, rounds: usize) -> Result<(), Failure> {
        let (fifo, stamp) = (self.dir.join("fifo"), self.dir.join("stamp"));
        self.call(Path::new("mkfifo"), &["fifo"]).status()?;
        let me = std::env::current_exe()?;
        let template = format!(
            "{} {STAMP} {} {}",
            me.display(),
            fifo.display(),
            stamp.display()
        );
        let mut round = 0;
        let mut ours = || {
            round += 1;
            let address = format!("run:told-{round}");
            self.timed(
                &self.materia,
                &["spawn", "--template", &template, "--as", &address],
            )?;
            self.heard(&self.materia, &["wait", &address], (&fifo, &stamp))
        };
        println!(
            "\nfrom the end of a command to the word of whoever waits ({rounds} rounds, ours at most 1 ms), and until that one is over"
        );
        print_medians("materia wait (over when durable)", rounds, &mut ours)?;
        if let Some(tsp) = peers::find("tsp") {
            let words: Vec<&str> = std::iter::once("-n").chain(template.split(' ')).collect();
            let mut theirs = || {
                self.timed(&tsp, &words)?;
                self.heard(&tsp, &["-w"], (&fifo, &stamp))
            };
            print_medians("task-spooler, tsp -w", rounds, &mut theirs)?;
        }
        std::fs::remove_file(&fifo)?;
        Ok(())
    }

    /// Lets somebody wait, lets the command end, and says how long it took until the one who waits
    /// said so or was over.
    fn heard(
        &self,
        program: &Path,
        words: &[&str],
        (fifo, stamp): (&Path, &Path),
    ) -> Result<[Duration; 2], Failure> {
        let mut waiting = self.call(program, words).stdout(Stdio::piped()).spawn()?;
        // Nobody tells when a program has begun to wait.
        std::thread::sleep(Duration::from_millis(30));
        std::fs::write(fifo, "go\n")?;
        let mut word = [0];
        let _said_or_over = waiting
            .stdout
            .as_mut()
            .ok_or("it has no stdout")?
            .read(&mut word)?;
        let heard = SystemTime::now().duration_since(UNIX_EPOCH)?;
        waiting.wait()?;
        let over = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let ended = Duration::from_nanos(std::fs::read_to_string(stamp)?.trim().parse()?);
        Ok([heard, over].map(|at| at.saturating_sub(ended)))
    }

    fn many(&self, rounds: usize) -> Result<(), Failure> {
        let Some(tsp) = peers::find("tsp") else {
            return self.missing("task-spooler");
        };
        let at_once = AT_ONCE.to_string();
        self.call(&tsp, &["-S", &at_once]).status()?;
        let per_run = |took: Duration| took / u32::try_from(MANY).unwrap_or(1);
        let mut round = 0;
        // There is no `nq` here: it runs one command after the other, and answers before any of
        // them has begun.
        let contenders = vec![
            Contender::new("task-spooler", || {
                self.all(&tsp, &["-nf", "true"]).map(per_run)
            }),
            Contender::new("materia spawn + wait (durable)", move || {
                round += 1;
                self.all_runs(round).map(per_run)
            }),
        ];
        hold(
            &format!("{MANY} x `true`, {AT_ONCE} at a time, per run (300/s are 3.3 ms)"),
            1.4,
            rounds,
            contenders,
        )
    }

    /// So many calls, a few at a time.
    fn all(&self, program: &Path, words: &[&str]) -> Result<Duration, Failure> {
        let began = Instant::now();
        let mut running: Vec<Child> = Vec::new();
        for _ in 0..MANY {
            if running.len() == AT_ONCE {
                running.remove(0).wait()?;
            }
            running.push(self.call(program, words).spawn()?);
        }
        for mut child in running {
            child.wait()?;
        }
        Ok(began.elapsed())
    }

    /// Spawns them a few at a time, and waits for all at the end. Every round is the first in its
    /// home: removing the runs of the one before would make every file of this one dearer where a
    /// file system looks for what was just removed.
    fn all_runs(&self, round: usize) -> Result<Duration, Failure> {
        let bench = Bench {
            materia: self.materia.clone(),
            dir: self.dir.join(format!("home-{round}")),
        };
        std::fs::create_dir(&bench.dir)?;
        let root = bench.dir.join(".pi/agent/tmp/pi-actors/runs");
        let began = Instant::now();
        bench.all(&self.materia, &["spawn", "--template", "true"])?;
        let ids: Vec<String> = std::fs::read_dir(&root)?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.starts_with("run-"))
            .map(|name| format!("run:{name}"))
            .collect();
        let words: Vec<&str> = std::iter::once("wait")
            .chain(ids.iter().map(String::as_str))
            .collect();
        bench.timed(&self.materia, &words)?;
        Ok(began.elapsed())
    }

    /// What a run costs while nothing happens in it.
    fn idle(&self) -> Result<(), Failure> {
        for index in 0..IDLE {
            let address = format!("run:idle{index}");
            self.timed(
                &self.materia,
                &["spawn", "--template", "sleep 600", "--as", &address],
            )?;
        }
        let supervisors = supervisors(&self.dir);
        let pss: u64 = supervisors.iter().filter_map(|pid| pss(*pid)).sum();
        println!(
            "\n{} idle runs: {} KiB PSS each (at most 220)",
            supervisors.len(),
            pss / supervisors.len().max(1) as u64
        );
        for pid in &supervisors {
            // A supervisor that is told to stop ends its run.
            self.call(Path::new("kill"), &["-TERM", &pid.to_string()])
                .status()?;
        }
        let ids: Vec<String> = (0..IDLE).map(|index| format!("run:idle{index}")).collect();
        let words: Vec<&str> = std::iter::once("wait")
            .chain(ids.iter().map(String::as_str))
            .collect();
        self.call(&self.materia, &words).status()?;
        Ok(())
    }

    /// Listing runs that are over; the journals are made by copying one.
    fn list(&self) -> Result<(), Failure> {
        for count in [1000, 10_000] {
            let root = self.dir.join(".pi/agent/tmp/pi-actors/runs");
            let _none_yet = std::fs::remove_dir_all(&root);
            self.timed(
                &self.materia,
                &["spawn", "--template", "true", "--as", "run:r0"],
            )?;
            self.timed(&self.materia, &["wait", "run:r0"])?;
            let journal = std::fs::read(root.join("r0/journal.jsonl"))?;
            for index in 1..count {
                let dir = root.join(format!("r{index}"));
                std::fs::create_dir(&dir)?;
                std::fs::write(dir.join("journal.jsonl"), &journal)?;
            }
            let list = ["inspect", "session:all", "--json"];
            let cold = self.cpu(&list, 1)?;
            let warm = self.cpu(&list, 20)?;
            let most = if count == 1000 { 15 } else { 150 };
            println!(
                "\nlisting {count} runs: {warm:.1} ms of CPU (at most {most}), {cold:.0} ms without the index"
            );
        }
        Ok(())
    }

    /// Milliseconds of CPU that a call takes, as the kernel counts them, on the average of so many.
    fn cpu(&self, words: &[&str], calls: u32) -> Result<f64, Failure> {
        let before = children_time()?;
        for _ in 0..calls {
            self.timed(&self.materia, words)?;
        }
        Ok((children_time()? - before) as f64 / 1e6 / f64::from(calls))
    }

    fn missing(&self, peer: &str) -> Result<(), Failure> {
        println!("\n{peer} cannot be installed here; its contest is left out");
        Ok(())
    }

    fn quit(&self) {
        if let Some(tsp) = peers::find("tsp") {
            let _gone = self.call(&tsp, &["-K"]).status();
        }
    }
}

/// Nanoseconds on a CPU of all children that were waited for.
fn children_time() -> Result<u64, Failure> {
    let usage = std::fs::read_to_string("/proc/self/stat")?;
    let fields = usage.rsplit_once(") ").ok_or("no numbers")?.1.split(' ');
    let ticks: u64 = fields
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    // A tick is ten milliseconds, so whoever asks lets many calls add up.
    Ok(ticks * 10_000_000)
}

/// The supervisors whose home is this directory.
fn supervisors(home: &Path) -> Vec<u32> {
    let wanted = format!("HOME={}", home.display());
    let pids = std::fs::read_dir("/proc").into_iter().flatten();
    pids.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| {
            let read =
                |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
            let has = |bytes: Vec<u8>, word: &str| {
                bytes
                    .split(|byte| *byte == 0)
                    .any(|part| part == word.as_bytes())
            };
            has(read("cmdline"), "__supervise") && has(read("environ"), &wanted)
        })
        .collect()
}

/// A process's part of the memory it shares, and all of what it has alone, in KiB.
fn pss(pid: u32) -> Option<u64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = rollup.lines().find(|line| line.starts_with("Pss:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The program that was built beside this one.
pub(crate) fn materia() -> Result<PathBuf, Failure> {
    let path = std::env::current_exe()?.with_file_name("materia");
    if path.exists() {
        Ok(path)
    } else {
        Err("build it first: cargo build --release --workspace".into())
    }
}
